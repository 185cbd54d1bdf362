"""Time to reach a given error: motions by dalembert and by others at many tolerances.

    python -m benchmarks.work_precision [--svg FILE] [--quick]

Four problems: an open chain, a closed loop, a stiff joint, and a pendulum at a wall. Every method
runs at its tolerances or steps; the error is that of the last configuration beside a reference that
another method confirms. The best of several runs counts, processor time.
SciPy integrates our own compiled rates, heyoka and MuJoCo the same model, so that methods are
compared and not models; those of EXUDYN are built by its own means.

A fifth one is a short run, a double pendulum of 10 s beside heyoka written by hand.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import dalembert as da
from benchmarks.peers import exudyn_peer, heyoka_peer
from benchmarks.peers.base import Unavailable
from benchmarks.peers.exudyn_peer import Rod, Swing
from benchmarks.peers.mujoco_peer import import_mujoco
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.simulation import DOP853, Contact, GaussLegendre, Radau, Taylor, simulate

TOLERANCES = tuple(10.0**-k for k in range(4, 15, 2))
STEPS = (1e-2, 3e-3, 1e-3, 3e-4)
SERIES = (*TOLERANCES, 2.3e-16)
AGREEMENT = 1e-8
COLOURS = {
    "dalembert Taylor": "#0b6e4f",
    "dalembert DOP853": "#3fae7f",
    "dalembert Gauss–Legendre": "#7a9e2f",
    "dalembert Radau": "#14919b",
    "dalembert Contact": "#0b6e4f",
    "SciPy DOP853": "#c46210",
    "SciPy LSODA": "#eebd8f",
    "SciPy Radau": "#a03c1a",
    "SciPy DOP853 with events": "#c46210",
    "MuJoCo RK4": "#3b6fb6",
    "heyoka": "#7d3c98",
    "EXUDYN RK67": "#888888",
    "EXUDYN generalised α": "#888888",
}


class Point(NamedTuple):
    """One run: the error of its last configuration, and its processor time in seconds."""

    error: float
    seconds: float


class Problem(NamedTuple):
    """A motion, its reference at the end, and for each method a function of its tolerance."""

    name: str
    reference: np.ndarray
    runs: dict[str, tuple[Iterable[float], Callable[[float], np.ndarray]]]


def measured(problem: Problem, repeats: int) -> dict[str, list[Point]]:
    """Return the points of every method."""
    found: dict[str, list[Point]] = {}
    for name, (tolerances, run) in problem.runs.items():
        points = []
        for tolerance in tolerances:
            # the first run compiles
            error = float(np.abs(run(tolerance) - problem.reference).max())
            seconds = min(_timed(run, tolerance) for _ in range(repeats))
            points.append(Point(max(error, 1e-16), seconds))
        found[name] = points
    return found


def _timed(run: Callable[[float], np.ndarray], tolerance: float) -> float:
    before = process_time()
    run(tolerance)
    return process_time() - before


def _scipy(
    rate: Callable[..., np.ndarray], x0: Sequence[float], end: float, nq: int, method: str
) -> Callable[[float], np.ndarray]:
    from scipy.integrate import solve_ivp

    def run(tolerance: float) -> np.ndarray:
        found = solve_ivp(rate, (0.0, end), x0, method=method, rtol=tolerance, atol=tolerance)
        return found.y[:nq, -1]

    return run


def _ours(model: Any, q0: Any, v0: Any, end: float) -> Callable[..., np.ndarray]:
    return lambda method: simulate(model, q0, v0, [0.0, end], method=method, initial="project").q[
        -1
    ]


def _rate(model: Any) -> Callable[[float, np.ndarray], np.ndarray]:
    """Return ẋ of a model at rest inputs as SciPy wants it."""
    n, u = model.nq, np.zeros(len(model.symbols.inputs))
    return lambda t, x: np.concatenate([x[n:], model.forward_dynamics(x[:n], x[n:], u)])


def open_chain() -> Problem:
    """Return three links that swing for 3 s."""
    builder = da.Builder("chain")
    for i in range(3):
        builder.link(f"l{i}", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
        builder.revolute(f"j{i}", f"l{i}", axis="y", origin=(0, 0, -1 if i else 0))
    chain = builder.build()
    model, q0, end = da.compile(chain), [1.0, 0.5, -0.7], 3.0
    ours = _ours(model, q0, [0.0] * 3, end)
    reference = _confirmed(ours(Taylor()), ours(DOP853()))
    x0 = [*q0, 0.0, 0.0, 0.0]
    runs: dict[str, Any] = {
        "dalembert Taylor": (SERIES, lambda e: ours(Taylor(max(e, 2.3e-16)))),
        "dalembert DOP853": (TOLERANCES, lambda e: ours(DOP853(rtol=max(e, 1e-13), atol=e))),
        "dalembert Gauss–Legendre": (STEPS, lambda h: ours(GaussLegendre(6, h))),
        "SciPy DOP853": (TOLERANCES[:-1], _scipy(_rate(model), x0, end, 3, "DOP853")),
        "SciPy LSODA": (TOLERANCES[:-1], _scipy(_rate(model), x0, end, 3, "LSODA")),
    }
    swings = [Swing(1.0, -1.0 if i else 0.0, -0.5, (0.1, 0.1, 0.02)) for i in range(3)]
    peers: dict[str, Any] = {
        "heyoka": (SERIES, lambda: heyoka_peer.motion(model, x0, end)),
        "MuJoCo RK4": (STEPS, lambda: _mujoco(chain, q0, end)),
        "EXUDYN RK67": (STEPS, lambda: exudyn_peer.chain(swings, q0, end, "RK67")),
    }
    return Problem("three links, 3 s", reference, {**runs, **_installed(peers)})


def _installed(peers: dict[str, tuple[Iterable[float], Callable[[], Any]]]) -> dict[str, Any]:
    """Return the runs of those engines that are installed."""
    found = {}
    for name, (tolerances, make) in peers.items():
        try:
            found[name] = (tolerances, make())
        except Unavailable as error:
            print(f"without {name}: {error}")
    return found


def _mujoco(mechanism: Any, q0: Sequence[float], end: float) -> Callable[[float], np.ndarray]:
    mujoco = import_mujoco()
    model = mujoco.MjModel.from_xml_string(save_mjcf(mechanism))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4

    def run(step: float) -> np.ndarray:
        count = round(end / step)
        model.opt.timestep = end / count
        data = mujoco.MjData(model)
        data.qpos[:] = q0
        mujoco.mj_step(model, data, nstep=count)
        return data.qpos.copy()

    return run


def closed_loop() -> Problem:
    """Return a crank-rocker that swings for 5 s."""
    names, values = "l0 l1 l2 l3 m1 m2 m3 g", (1.0, 0.3, 0.9, 0.7, 1.0, 1.2, 1.1, 9.81)
    numbers = dict(zip(da.parameters(names), values, strict=True))
    model = da.compile(da.textbook.robots.four_bar(), parameters=numbers)
    first = simulate(model, [0.5, 0.4, 1.5], [1.0, 0.0, 0.0], [0.0, 1e-9], initial="project")
    q0, v0, end = first.q[0], first.qd[0], 5.0
    ours = _ours(model, q0, v0, end)
    reference = _confirmed(ours(Taylor()), ours(DOP853()))
    tip = 0.3 * np.array([np.cos(q0[0]), np.sin(q0[0])])
    rods = [
        Rod(1.0, 0.3, np.zeros(2), q0[0], v0[0]),
        Rod(1.2, 0.9, tip, q0[0] + q0[1], v0[0] + v0[1]),
        Rod(1.1, 0.7, np.array([1.0, 0.0]), q0[2], v0[2]),
    ]
    peers: dict[str, Any] = {
        "EXUDYN generalised α": (STEPS, lambda: exudyn_peer.planar_loop(rods, 1.0, end)),
    }
    return Problem(
        "four-bar, 5 s",
        reference,
        {
            **_installed(peers),
            "dalembert Taylor": (SERIES, lambda e: ours(Taylor(max(e, 2.3e-16)))),
            "dalembert DOP853": (TOLERANCES, lambda e: ours(DOP853(rtol=max(e, 1e-13), atol=e))),
            "SciPy DOP853": (
                TOLERANCES[:-1],
                _scipy(_rate(model), [*q0, *v0], end, 3, "DOP853"),
            ),
            "SciPy LSODA": (TOLERANCES[:-1], _scipy(_rate(model), [*q0, *v0], end, 3, "LSODA")),
        },
    )


def stiff_joint() -> Problem:
    """Return a double pendulum whose elbow is a stiff damped spring, for 2 s."""
    builder = da.Builder("stiff")
    builder.link("upper", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02)).revolute(
        "j0", "upper", axis="y"
    )
    builder.link("lower", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
    builder.revolute("j1", "lower", axis="y", origin=(0, 0, -1), stiffness=1e6, damping=1e4)
    model, q0, end = da.compile(builder.build()), [1.0, 0.001], 2.0
    ours = _ours(model, q0, [0.0, 0.0], end)
    tolerances, x0 = TOLERANCES[:-1], [*q0, 0.0, 0.0]
    second = _scipy(_rate(model), x0, end, 2, "LSODA")
    reference = _confirmed(ours(Radau(rtol=1e-13, atol=1e-16)), second(1e-12))
    inertia = (0.1, 0.1, 0.02)
    swings = [Swing(1.0, 0.0, -0.5, inertia), Swing(1.0, -1.0, -0.5, inertia, 1e6, 1e4)]
    alpha = "GeneralizedAlpha"
    peers: dict[str, Any] = {
        "EXUDYN generalised α": (STEPS, lambda: exudyn_peer.chain(swings, q0, end, alpha)),
    }
    return Problem(
        "stiff elbow, 2 s",
        reference,
        {
            **_installed(peers),
            "dalembert Radau": (tolerances, lambda e: ours(Radau(rtol=e, atol=e))),
            "SciPy Radau": (tolerances, _scipy(_rate(model), x0, end, 2, "Radau")),
            "SciPy LSODA": (tolerances, _scipy(_rate(model), x0, end, 2, "LSODA")),
        },
    )


def impacts() -> Problem:
    """Return a pendulum that bounces off a wall for 3 s, e = 0.8."""
    (theta,) = da.coordinates("theta")
    g, wall, e, end = 9.81, 0.3, 0.8, 3.0
    system = da.System(
        kinetic=theta.dot**2 / 2,
        potential=-da.parse("9.81", []) * da.cos(theta),
        coordinates=[theta],
    )
    model, stops = da.compile(system), [Contact(da.parse("0.3", []) - theta, restitution=e)]

    def ours(tolerance: float) -> np.ndarray:
        method = DOP853(rtol=max(tolerance, 1e-13), atol=tolerance)
        return simulate(model, [-1.2], [0.0], [0.0, end], events=stops, method=method).q[-1]

    def scipy(tolerance: float) -> np.ndarray:
        return _scipy_impacts(
            lambda t, x: np.array([x[1], -g * np.sin(x[0])]), wall, e, end, tolerance
        )

    return Problem(
        "pendulum at a wall, 3 s",
        _confirmed(ours(1e-14), scipy(1e-13)),
        {
            "dalembert Contact": (TOLERANCES, ours),
            "SciPy DOP853 with events": (TOLERANCES[:-1], scipy),
        },
    )


def _scipy_impacts(
    rate: Callable[[float, np.ndarray], np.ndarray],
    wall: float,
    e: float,
    end: float,
    tolerance: float,
) -> np.ndarray:
    from scipy.integrate import solve_ivp

    def hit(t: float, x: np.ndarray) -> float:
        return wall - float(x[0])

    hit.terminal, hit.direction = True, -1  # type: ignore[attr-defined]
    t, x = 0.0, np.array([-1.2, 0.0])
    while True:
        options = {"method": "DOP853", "rtol": tolerance, "atol": tolerance, "events": hit}
        found = solve_ivp(rate, (t, end), x, **options)
        t, x = float(found.t[-1]), found.y[:, -1]
        if found.status == 0:
            return x[:1]
        # just before the wall, so that the next event is the next impact
        x = np.array([np.nextafter(wall, 0.0), -e * x[1]])


def short_run() -> Problem:
    """Return a double pendulum of two points that swings for 10 s."""
    a, b = da.coordinates("a b")
    g, end, q0 = da.parse("9.81", []), 10.0, [1.0, 0.5]
    speeds = 2 * a.dot**2 + b.dot**2 + 2 * da.cos(a - b) * a.dot * b.dot
    system = da.System(
        kinetic=speeds / 2, potential=-g * (2 * da.cos(a) + da.cos(b)), coordinates=[a, b]
    )
    ours = _ours(da.compile(system), q0, [0.0, 0.0], end)
    x0 = [*q0, 0.0, 0.0]
    runs: dict[str, Any] = {
        "dalembert Taylor": (SERIES, lambda e: ours(Taylor(max(e, 2.3e-16)))),
        **_installed({"heyoka": (SERIES, lambda: heyoka_peer.double_pendulum(x0, end))}),
    }
    reference = _confirmed(ours(Taylor()), ours(DOP853()))
    return Problem("double pendulum, 10 s", reference, runs)


def _confirmed(reference: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return a reference after a check that a second method agrees."""
    apart = float(np.abs(reference - other).max())
    if apart > AGREEMENT:
        raise SystemExit(f"expected two methods to agree to {AGREEMENT}, got {apart}")
    return reference


def draw(results: Sequence[tuple[str, dict[str, list[Point]]]], path: Path) -> None:
    """Write one panel for each problem: processor time over error, both on logarithmic axes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8), layout="constrained")
    for axes, (name, methods) in zip(figure.subplots(2, 2).ravel(), results, strict=True):
        for method, points in methods.items():
            x, y = [p.error for p in points], [1e3 * p.seconds for p in points]
            axes.loglog(x, y, "o-", color=COLOURS[method], label=method, markersize=4)
        axes.set(title=name, xlabel="error of the last configuration", ylabel="processor time (ms)")
        axes.invert_xaxis()
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    is_svg = path.suffix == ".svg"
    with rc_context({"svg.hashsalt": "dalembert"}):
        figure.savefig(path, dpi=110, metadata={"Date": None} if is_svg else None)


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--svg", type=Path, help="where to write the picture")
    parser.add_argument("--quick", action="store_true", help="one run each")
    options = parser.parse_args()
    results = []
    for make in (open_chain, closed_loop, stiff_joint, impacts, short_run):
        problem = make()
        found = measured(problem, 1 if options.quick else 3)
        results.append((problem.name, found))
        print(problem.name)
        for method, points in found.items():
            row = "  ".join(f"{p.error:.0e} {1e3 * p.seconds:.2g} ms" for p in points)
            print(f"  {method:26} {row}", flush=True)
    if options.svg:
        draw(results[:4], options.svg)


if __name__ == "__main__":
    main()
