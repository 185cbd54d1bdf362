"""What leaks while a mechanism moves: energy, momentum, the way back, closed loops.

    python -m benchmarks.energy [--quick]

The double pendulum runs with dalembert's methods, with MuJoCo's integrators and with SciPy's
defaults, from the same state in the same process; then come the free chain and twelve closed loops.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import (
    DOP853,
    RK4,
    GaussLegendre,
    Integrator,
    Taylor,
    Variational,
    simulate,
)
from tests.closed_mechanisms import CLOSED

START = np.array([1.0, 2.0])
GRAVITY = 9.81
MUJOCO_STEP = 1e-3

# the angle of the second link counts from the first
PENDULUM = """<mujoco><option timestep="{step}" integrator="{name}" gravity="0 0 -9.81">
<flag constraint="disable"/></option>
<worldbody><body><joint axis="0 -1 0"/>
<inertial pos="0 0 -1" mass="1" diaginertia="1e-12 1e-12 1e-12"/>
<body pos="0 0 -1"><joint axis="0 -1 0"/>
<inertial pos="0 0 -1" mass="1" diaginertia="1e-12 1e-12 1e-12"/></body></body></worldbody>
</mujoco>"""


class Leak(NamedTuple):
    """What one engine lost: the largest error of the energy, in joules."""

    engine: str
    energy: float
    seconds: float


def energy(x: np.ndarray) -> np.ndarray:
    """Return T + V of the double pendulum, masses and lengths of one, from its definition."""
    a, b, u, w = x.T
    return u**2 + w**2 / 2 + np.cos(a - b) * u * w - GRAVITY * (2 * np.cos(a) + np.cos(b))


def pendulum() -> Model:
    """Return the double pendulum with masses and lengths of one."""
    numbers = dict.fromkeys(da.parameters("m1 m2 l1 l2"), 1)
    return da.compile(
        da.textbook.double_pendulum(), parameters={**numbers, da.parameters("g")[0]: GRAVITY}
    )


def _leak(engine: str, run: Callable[[], np.ndarray]) -> Leak:
    start = time.perf_counter()
    states = run()
    seconds = time.perf_counter() - start
    return Leak(engine, float(np.abs(energy(states) - energy(states[:1])).max()), seconds)


def ours(end: float) -> Iterator[Leak]:
    """Yield dalembert's methods; the first is the default."""
    model = pendulum()
    others: list[Integrator] = [DOP853(), GaussLegendre(), Variational(1e-2), RK4(1e-3)]
    for number, method in enumerate([Taylor(), *others]):
        simulate(model, START, None, 0.01, method=method)

        def run(method: Integrator = method) -> np.ndarray:
            motion = simulate(model, START, None, end, method=method)
            assert motion.ok, motion.status
            return np.concatenate([motion.q, motion.qd], axis=1)

        yield _leak(f"dalembert {method}{' (default)' if not number else ''}", run)


def scipys(end: float) -> Iterator[Leak]:
    """Yield SciPy's solvers with their default tolerances, on our compiled equations."""
    from scipy.integrate import solve_ivp

    model = pendulum()
    rate = model.compile(
        {
            "rate": [
                *model.symbols.qd,
                *model.expressions("forward_dynamics", model.symbols.q, model.symbols.qd, ()),
            ]
        },
        {"x": [*model.symbols.q, *model.symbols.qd]},
    )
    x = np.concatenate([START, np.zeros(2)])
    for name in ("RK45", "DOP853", "LSODA", "Radau"):
        yield _leak(
            f"SciPy {name}, default tolerances",
            lambda name=name: solve_ivp(lambda _, y: rate(y), (0, end), x, method=name).y.T,
        )


def mujocos(end: float) -> Iterator[Leak]:
    """Yield MuJoCo's integrators."""
    mujoco: Any = import_module("mujoco")
    # without this it writes a log file where it stands
    mujoco.set_mju_user_warning(lambda message: None)
    for name in ("Euler", "implicit", "implicitfast", "RK4"):
        model = mujoco.MjModel.from_xml_string(PENDULUM.format(step=MUJOCO_STEP, name=name))
        data = mujoco.MjData(model)
        data.qpos[:] = START[0], START[1] - START[0]

        def run(model=model, data=data) -> np.ndarray:
            count = round(end / MUJOCO_STEP)
            states = np.empty((count + 1, 4))
            for i in range(count + 1):
                (a, b), (u, w) = data.qpos, data.qvel
                states[i] = a, a + b, u, u + w
                mujoco.mj_step(model, data)
                # an unstable simulation starts anew by itself: what it lost before counts
                if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
                    return states[: i + 1]
            return states

        yield _leak(f"MuJoCo {name}, {MUJOCO_STEP * 1e3:g} ms", run)


def chain(links: int = 5) -> Model:
    """Return a free body that carries hinges; nothing pulls."""
    builder = da.Builder("chain", gravity=(0, 0, 0))
    builder.link("link0", mass=2, com=(0.1, 0, 0.05), inertia=(0.1, 0.2, 0.25))
    builder.floating("free", "link0")
    for i in range(1, links):
        builder.link(f"link{i}", mass=1, com=(0.15, 0, 0.01), inertia=(0.004, 0.01, 0.012))
        builder.revolute(f"hinge{i}", f"link{i}", axis="xyz"[i % 3], origin=(0.3, 0, 0))
    return da.compile(builder.build())


def free_chain(end: float) -> str:
    """Return what a free chain loses of its momentum, and how it comes back."""
    model = chain()
    q, v = model.configuration.neutral, np.random.default_rng(0).normal(size=model.nv)
    motion = simulate(model, q, v, end)
    momentum = np.asarray(model.centroidal_momentum(motion.q, motion.qd))
    lost = np.abs(momentum - momentum[0]).max() / np.abs(momentum[0]).max()
    quaternion = np.abs(np.linalg.norm(motion.q[:, 3:7], axis=1) - 1).max()
    back = simulate(model, motion.q[-1], motion.qd[-1], [end, 0.0])
    way = np.abs(model.configuration.difference(q, back.q[-1])).max()
    return (
        f"free chain, {end:g} s: momentum {lost:.1e} relative, quaternion {quaternion:.1e}, "
        f"back at the start to {max(way, np.abs(back.qd[-1] - v).max()):.1e}"
    )


def closed_loops(end: float) -> Table:
    """Return the drift of twelve closed loops, in the first and in the second half."""
    table = Table("mechanism", "position", "velocity", "second half / first", "energy", "s")
    table.title = f"closed loops, {end:g} s"
    for name, make in CLOSED.items():
        model, q, v, forces = make()
        q = model.configuration.neutral if q is None else q
        start = time.perf_counter()
        motion = simulate(model, q, v, end, forces, initial="project")
        seconds = time.perf_counter() - start
        assert motion.ok, motion.status
        assert motion.energy.kinetic is not None
        late = motion.t > end / 2
        errors = np.maximum(motion.position_error, motion.velocity_error)
        table.add_row(
            name,
            f"{motion.position_error.max():.1e}",
            f"{motion.velocity_error.max():.1e}",
            f"{errors[late].max() / errors[~late].max():.2f}",
            f"{motion.energy_error / motion.energy.kinetic.max():.1e}",
            f"{seconds:.1f}",
        )
    return table


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description="What leaks while it moves.")
    parser.add_argument("--quick", action="store_true", help="2 s instead of 100 s and 1,000 s")
    quick = parser.parse_args().quick
    console = Console(width=120)
    for end in (10.0,) if quick else (10.0, 1000.0):
        table = Table("engine", "largest |ΔE| in J", "s", title=f"double pendulum, {end:g} s")
        for engines in (ours, mujocos, scipys):
            for leak in engines(end):
                table.add_row(leak.engine, f"{leak.energy:.1e}", f"{leak.seconds:.2f}")
        console.print(table)
    console.print(free_chain(2.0 if quick else 10.0))
    console.print(closed_loops(2.0 if quick else 100.0))


if __name__ == "__main__":
    main()
