"""Chains of more than a hundred links: their motion beside Pinocchio and SciPy, and laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Mechanism
from dalembert.simulation.problem.long_chain import rolled_tree
from tests.effort import at_once

LENGTH, MASS = 0.25, 0.5


def chain(links: int, axes: str = "y", **options: Any) -> da.Builder:
    """Return a hanging chain whose hinges have axes in turn."""
    builder = da.Builder("chain", gravity=(0, 0, -9.81))
    for i in range(links):
        builder.link(f"l{i}", mass=MASS, com=(0, 0.01, -LENGTH / 2), inertia=(3e-3, 3e-3, 1e-3))
        origin = (0, 0, -LENGTH if i else 0)
        axis = axes[i % len(axes)]
        builder.revolute(f"j{i}", f"l{i}", axis=axis, origin=origin, **options)
    return builder


def pinned_chain(links: int) -> tuple[Mechanism, np.ndarray]:
    """Return a chain pinned half its length away, and an arc that hangs through both pins."""
    from scipy.optimize import brentq

    end = (f"l{links - 1}", (0, 0, -LENGTH))
    builder = chain(links).loop("pin", end, ("world", (links * LENGTH / 2, 0, 0)))
    # the chord of n sides that turn by the same angle is n/2
    turn: Any = brentq(
        lambda x: np.sin(links * x / 2) - links / 2 * np.sin(x / 2), 1 / links, 6 / links
    )
    q = np.full(links, -turn)
    # the middle of the arc is level; a link that hangs has the angle zero
    q[0] = -np.pi / 2 + (links - 1) / 2 * turn
    return builder.build(), q


def ball_chain(links: int) -> Mechanism:
    """Return a floating body with a chain of ball joints behind it."""
    builder = da.Builder("balls", gravity=(0, 0, -9.81))
    builder.link("base", mass=2, inertia=(0.1, 0.2, 0.3)).floating("free", "base")
    for i in range(links):
        parent = f"l{i - 1}" if i else "base"
        builder.link(f"l{i}", mass=MASS, com=(0, 0, -LENGTH / 2), inertia=(3e-3, 3e-3, 1e-3))
        builder.spherical(f"j{i}", f"l{i}", parent=parent, origin=(0, 0, -LENGTH))
    return builder.build()


def kinetic(motion: da.Trajectory) -> np.ndarray:
    """Return the kinetic energy at all times."""
    assert motion.energy.kinetic is not None
    return motion.energy.kinetic


def pinocchio_chain(links: int, axes: str) -> Any:
    """Return the same chain in Pinocchio."""
    pin = pytest.importorskip("pinocchio")
    joint = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    model, parent = pin.Model(), 0
    inertia = pin.Inertia(MASS, np.array([0, 0.01, -LENGTH / 2]), np.diag([3e-3, 3e-3, 1e-3]))
    for i in range(links):
        place = pin.SE3(np.eye(3), np.array([0, 0, -LENGTH if i else 0.0]))
        parent = model.addJoint(parent, joint[axes[i % len(axes)]](), place, f"j{i}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return pin, model


@pytest.mark.parametrize("axes", ["y", "xyz"])
def test_an_open_chain_moves_as_pinocchio_and_scipy_say(
    axes: str, rng: np.random.Generator
) -> None:
    from scipy.integrate import solve_ivp

    links, end, damping, stiffness = 120, 0.05, 0.02, 0.3
    pin, other = pinocchio_chain(links, axes)
    data = other.createData()
    model = da.compile(chain(links, axes, damping=damping, stiffness=stiffness).build())
    assert rolled_tree(model) is not None
    q0, v0 = rng.uniform(-0.3, 0.3, (2, links))
    # a torque by an expression, one by another joint's angle
    law: list[Any] = [0] * links
    law[3] = da.sin(10 * da.time)
    law[7] = -2 * model.symbols.q[9]

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:links], x[links:]
        tau = -damping * v - stiffness * q
        tau[3] += np.sin(10 * t)
        tau[7] -= 2 * q[9]
        return np.concatenate([v, pin.aba(other, data, q, v, tau)])

    x0 = np.concatenate([q0, v0])
    expected = solve_ivp(rate, (0, end), x0, "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    motion = da.simulate(model, q0, v0, [0.0, end], law)
    assert motion.ok, motion.status
    found = np.concatenate([motion.q[-1], motion.qd[-1]])
    assert np.abs(found - expected).max() <= 1e-7 * np.abs(expected).max()
    scale = np.ptp(motion.energy.total) + kinetic(motion).max()
    assert np.abs(motion.energy.error).max() <= 1e-10 * scale


def test_a_closed_chain_accelerates_as_pinocchio_says(rng: np.random.Generator) -> None:
    links = 120
    pin, other = pinocchio_chain(links, "xy")
    q, v, tau = rng.uniform(-0.3, 0.3, (3, links))
    data = other.createData()
    pin.forwardKinematics(other, data, q)
    end = data.oMi[links].act(np.array([0, 0, -LENGTH]))
    builder = chain(links, "xy").loop("pin", (f"l{links - 1}", (0, 0, -LENGTH)), ("world", end))
    model = da.compile(builder.build())
    motion = da.simulate(model, q, v, 1e-4, tau, initial="project")
    q, v = motion.q[0], motion.qd[0]
    # A q̈ + b = 0 of the last point, and M q̈ + h = τ + Aᵀ λ
    frame = pin.Frame("end", links, pin.SE3(np.eye(3), np.array([0, 0, -LENGTH])), pin.OP_FRAME)
    place = other.addFrame(frame)
    data = other.createData()
    M, h = pin.crba(other, data, q), pin.nonLinearEffects(other, data, q, v)
    world = pin.LOCAL_WORLD_ALIGNED
    A = pin.computeFrameJacobian(other, data, q, place, world)[:3]
    pin.forwardKinematics(other, data, q, v, np.zeros(links))
    b = pin.getFrameClassicalAcceleration(other, data, place, world).linear
    M = np.triu(M) + np.triu(M, 1).T
    kkt = np.block([[M, -A.T], [A, np.zeros((3, 3))]])
    expected = np.linalg.solve(kkt, np.concatenate([tau - h, -b]))
    assert np.abs(motion.lam[0] - expected[links:]).max() <= 1e-7 * np.abs(expected[links:]).max()
    expected = expected[:links]
    assert np.abs(motion.qdd[0] - expected).max() <= 1e-7 * np.abs(expected).max()


def test_a_closed_chain_keeps_its_pin_and_its_energy() -> None:
    mechanism, q0 = pinned_chain(150)
    motion = da.simulate(da.compile(mechanism), q0, None, 0.2, initial="project")
    assert motion.ok, motion.status
    # metres, beside 37 m of links
    assert motion.position_error.max() < 1e-10
    drop = kinetic(motion).max()
    assert drop > 1
    assert np.abs(motion.energy.error).max() <= 1e-9 * drop


def test_ball_joints_behind_a_floating_body() -> None:
    """Free fall: the centre of mass has the acceleration of gravity, and spin stays."""
    links = 40
    mechanism = ball_chain(links)
    model = da.compile(mechanism)
    assert rolled_tree(model) is not None
    q0 = model.neutral.copy()
    v0 = np.zeros(model.nv)
    v0[3:6] = 1.0, -2.0, 0.5
    v0[20] = 3.0
    motion = da.simulate(model, q0, v0, 0.2)
    assert motion.ok, motion.status
    masses = np.array([2.0] + [MASS] * links)
    tree = rolled_tree(model)
    assert tree is not None
    places = tree.places(motion.q)
    com = places.p + places.R @ np.array([0, 0, -LENGTH / 2]) * (np.arange(links + 1) > 0)[:, None]
    centre = np.einsum("i,tij->tj", masses, com) / masses.sum()
    t = motion.t[:, None]
    start = (centre[1] - centre[0]) / motion.t[1] + 9.81 / 2 * motion.t[1] * np.array([0, 0, 1])
    fall = centre[0] + start * t - 9.81 / 2 * t**2 * np.array([0, 0, 1])
    assert np.abs(centre - fall).max() < 1e-9
    assert np.abs(motion.energy.error).max() <= 1e-10 * kinetic(motion).max()


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_thousand_links_move_at_once(is_closed: bool) -> None:
    links = 1000
    mechanism, q0 = chain(links).build(), np.linspace(0.1, 0.2, links) / links
    if is_closed:
        mechanism, q0 = pinned_chain(links)

    def move() -> da.Trajectory:
        return da.simulate(da.compile(mechanism), q0, None, [0.0, 0.01], initial="project")

    # straight-line code took minutes
    motion = at_once(move, 30.0)
    assert motion.ok, motion.status
    assert np.isfinite(motion.qdd).all()


def test_steps_follow_the_motion_and_not_its_rounding() -> None:
    """Noise that was measured once was forgotten, and steps shrank with it to nanoseconds."""
    mechanism, q0 = pinned_chain(300)
    motion = da.simulate(da.compile(mechanism), q0, None, 3e-3, initial="project")
    assert motion.ok, motion.status
    assert len(motion.t) < 150
    assert any(text.startswith("rounding of the accelerations") for text in motion.warnings)
