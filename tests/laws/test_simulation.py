"""Simulated motion keeps what physics keeps: energy, momentum, constraints, the way back."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import Trajectory, simulate
from tests.closed_mechanisms import CLOSED, maximal_state, rp_arm, rp_arm_maximal
from tests.figures import Figures

VELOCITY_CONSTRAINTS_ONLY = ("rolling_disc", "knife_edge")
SECONDS = 3.0
"""What a closed loop runs here; times DALEMBERT_TEST_SCALE, so that a long night does 100 s."""


def double_pendulum() -> Model:
    numbers = dict.fromkeys(da.parameters("m1 m2 l1 l2"), 1)
    return da.compile(
        da.textbook.double_pendulum(), parameters={**numbers, da.parameters("g")[0]: 9.81}
    )


@pytest.mark.parametrize("angles", [(1.0, 2.0), (np.pi / 2, np.pi / 2), (3.0, 3.1)])
def test_the_double_pendulum_keeps_its_energy_at_default_settings(
    angles: tuple[float, float], figures: Figures
):
    motion = simulate(double_pendulum(), angles, None, 10.0)
    assert motion.ok
    # the energy from its definition, with numbers of this file
    (a, b), (u, w) = motion.q.T, motion.qd.T
    kinetic = u**2 + w**2 / 2 + np.cos(a - b) * u * w
    energy = kinetic - 9.81 * (2 * np.cos(a) + np.cos(b))
    assert np.abs(energy - energy[0]).max() <= 1e-11
    assert motion.energy_error <= 1e-11
    figures.worst("energy error over 10 s in J", motion.energy_error)


def test_the_double_pendulum_keeps_its_energy_for_long(scale: float, figures: Figures):
    """1e-9 J over 1,000 s, with the scale 50; here the same rate."""
    end = min(20.0 * scale, 1000.0)
    motion = simulate(double_pendulum(), [1.0, 2.0], None, end)
    assert motion.energy_error <= max(1e-11, 1e-12 * end)
    figures.worst(f"energy error over {end:g} s in J", motion.energy_error)


# mass, centre of mass, principal inertias about it
LINKS = {
    "a": (1.0, (0.05, 0.0, 0.02), (0.1, 0.2, 0.25)),
    "b": (0.5, (0.2, 0.0, 0.0), (0.01, 0.02, 0.02)),
    "c": (0.3, (0.1, 0.0, 0.0), (0.01, 0.012, 0.015)),
}


def chain() -> Model:
    """Return a free body that carries a hinge and a ball joint; nothing pulls."""
    builder = da.Builder("chain", gravity=(0, 0, 0))
    for name, (m, com, inertia) in LINKS.items():
        builder.link(name, mass=m, com=com, inertia=inertia)
    return da.compile(
        builder.floating("base", "a")
        .revolute("hinge", "b", axis="y", origin=(0.3, 0, 0))
        .spherical("ball", "c", origin=(0.3, 0, 0))
        .build()
    )


def momentum(model: Model, motion: Trajectory) -> np.ndarray:
    """Return linear and angular momentum about the world's origin, link by link."""
    poses = motion.frames()
    total = np.zeros((len(motion), 6))
    for name, (m, com, inertia) in LINKS.items():
        twist = np.einsum("nij,nj->ni", model.jacobian(motion.q, name), motion.qd)
        R, p = poses[name][:, :3, :3], poses[name][:, :3, 3]
        arm = R @ np.array(com)
        v = twist[:, :3] + np.cross(twist[:, 3:], arm)
        turning = np.einsum("nij,j,nkj->nik", R, inertia, R)
        total[:, :3] += m * v
        total[:, 3:] += m * np.cross(p + arm, v)
        total[:, 3:] += np.einsum("nij,nj->ni", turning, twist[:, 3:])
    return total


def test_a_free_chain_keeps_its_momentum_and_unit_quaternions(rng: np.random.Generator):
    model = chain()
    motion = simulate(model, model.configuration.neutral, rng.normal(size=model.nv), 10.0)
    total = momentum(model, motion)
    assert np.abs(total - total[0]).max() <= 1e-12 * np.abs(total[0]).max()
    for k in model.configuration.quaternions:
        assert np.abs(np.linalg.norm(motion.q[:, k : k + 4], axis=1) - 1).max() <= 1e-14


def test_time_reversal_returns_to_the_start(rng: np.random.Generator):
    model = chain()
    q, v = model.configuration.neutral, rng.normal(size=model.nv)
    there = simulate(model, q, v, 10.0)
    back = simulate(model, there.q[-1], there.qd[-1], [10.0, 5.0, 0.0])
    assert back.t.tolist() == [10.0, 5.0, 0.0]
    assert np.abs(model.configuration.difference(back.q[-1], q)).max() <= 1e-8
    assert np.abs(back.qd[-1] - v).max() <= 1e-8


def test_the_double_pendulum_runs_back():
    model = double_pendulum()
    there = simulate(model, [1.0, 2.0], None, 5.0)
    back = simulate(model, there.q[-1], there.qd[-1], -5.0)
    assert np.abs(back.q[-1] - [1.0, 2.0]).max() <= 1e-8
    assert np.abs(back.qd[-1]).max() <= 1e-8


@pytest.mark.parametrize("name", CLOSED)
def test_closed_loops_do_not_drift(name: str, scale: float, figures: Figures):
    closed = CLOSED[name]()
    model = closed.model
    end = min(SECONDS * scale, 100.0)
    motion = simulate(model, closed.start, closed.qd0, end, closed.forces, initial="project")
    assert motion.ok, motion.status
    # errors by the model's own functions, which the agreement tests compare with other engines
    A = np.asarray(model.constraint_jacobian(motion.q))
    velocity = np.einsum("nij,nj->ni", A, motion.qd)
    assert np.abs(velocity).max() <= 1e-9
    error = np.asarray(model.constraint_error(motion.q))
    assert bool(error.shape[-1]) == (name not in VELOCITY_CONSTRAINTS_ONLY)
    assert np.abs(error).max(initial=0.0) <= 1e-10
    figures.count("mechanisms")
    figures.worst(f"position drift over {end:g} s in m", np.abs(error).max(initial=0.0))
    figures.worst("velocity drift in m/s", np.abs(velocity).max())
    half = len(motion) // 2
    assert motion.position_error[half:].max() <= max(3 * motion.position_error[:half].max(), 2e-13)
    assert motion.energy.kinetic is not None
    assert motion.energy_error <= 1e-8 * motion.energy.kinetic.max()


def test_generalized_and_maximal_coordinates_agree():
    times = np.linspace(0, 5, 51)
    short, long = rp_arm(), rp_arm_maximal()
    first = simulate(short.model, short.start, None, times, short.forces)
    second = simulate(long.model, long.start, None, times, long.forces)
    assert first.ok
    assert second.ok
    expected = np.array([maximal_state(*q) for q in first.q])
    assert np.abs(second.q - expected).max() <= 1e-8
    assert np.abs(second.energy.total - first.energy.total).max() <= 1e-8


def test_the_pantograph_draws_twice_as_large():
    closed = CLOSED["pantograph"]()
    model = closed.model
    motion = simulate(model, closed.start, closed.qd0, 3.0, initial="project")
    tracer = np.asarray(model.forward_kinematics(motion.q, "tracer"))[:, :3, 3]
    pen = np.asarray(model.forward_kinematics(motion.q, "pen"))[:, :3, 3]
    assert np.abs(pen - 2 * tracer).max() <= 1e-12
    assert np.ptp(pen, axis=0)[:2].min() > 0.1


def test_bennetts_linkage_follows_its_closed_form():
    """tan(θ₁/2) tan(θ₂/2) = sin((α + β)/2) / sin((α - β)/2) for the angles between links."""
    model, _, v, _ = CLOSED["bennett_linkage"]()
    motion = simulate(model, [0, 0, 0], v, 3.0, initial="project")
    assert any("rank 2" in text for text in motion.warnings)
    alpha, beta = np.pi / 3, np.arcsin(0.25 / 0.4 * np.sin(np.pi / 3))
    ratio = np.sin((alpha + beta) / 2) / np.sin((alpha - beta) / 2)
    first, second = motion.q[:, 0] + 1, motion.q[:, 1] + 2 * np.arctan(ratio / np.tan(0.5))
    product = np.tan(first / 2) * np.tan(second / 2)
    assert np.abs(product / ratio - 1).max() <= 1e-10
    assert np.abs(motion.q[:, 0] + motion.q[:, 2]).max() <= 1e-12
    assert np.ptp(motion.q[:, 0]) > 0.5


def test_a_knife_edge_follows_its_closed_form():
    """Released at rest and spinning it oscillates: x = g sin α / (2 ω²) sin²(ω t)."""
    model = CLOSED["knife_edge"]().model
    omega, times = 1.5, np.linspace(0, 10, 201)
    motion = simulate(model, [0, 0, 0], [0, 0, omega], times)
    slope = 9.81 * np.sin(0.3) / (2 * omega**2)
    expected = np.stack(
        [
            slope * np.sin(omega * times) ** 2,
            slope * (omega * times - np.sin(2 * omega * times) / 2),
            omega * times,
        ],
        axis=1,
    )
    assert np.abs(motion.q - expected).max() <= 1e-11


def test_a_parallelogram_passes_its_singular_configurations():
    """Its coupler only translates: a pendulum, of which the period is known by an integral."""
    numbers = zip(
        da.parameters("l0 l1 l2 l3 m1 m2 m3 g"), (1.0, 0.5, 1.0, 0.5, 1, 1, 1, 9.81), strict=True
    )
    model = da.compile(da.textbook.robots.four_bar(), parameters=dict(numbers))
    start, speed = np.pi / 2, 12.0
    # θ̇ from the energy: ½ J θ̇² + W sin θ
    J, W = 2 * 0.25 / 3 + 0.25, (0.25 + 0.25 + 0.5) * 9.81

    def rate(t: float, x: np.ndarray) -> list[float]:
        return [x[1], -W * np.cos(x[0]) / J]

    from scipy.integrate import solve_ivp

    times = np.linspace(0, 1.5, 16)
    truth = solve_ivp(
        rate, (0, 1.5), [start, speed], method="DOP853", rtol=1e-13, atol=1e-13, t_eval=times
    )
    motion = simulate(model, [start, -start, start], [speed, -speed, speed], times)
    assert motion.ok, motion.status
    assert np.abs(motion.q[:, 0] - truth.y[0]).max() <= 1e-7
    assert np.abs(motion.q[:, 0] - motion.q[:, 2]).max() <= 1e-6
    passed = [text for text in motion.warnings if text.startswith("singular at t")]
    crossings = np.floor(truth.y[0][-1] / np.pi)
    assert len(passed) == crossings
