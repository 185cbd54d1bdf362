"""Springs with inertia of their own, as the armature of tendons: every function against MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Frame, JointKind, JointSpring, Mechanism, PointSpring, Spring
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import from_mujoco, to_mujoco
from dalembert.model import Model
from dalembert.recursions.derivatives.first import first_derivatives
from dalembert.recursions.tree import Tree
from dalembert.spatial.exact import exact
from dalembert.spatial.pose import Pose
from tests.agreement.test_random_trees import draw_state, mujoco
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism

TREES = 2
ROUNDING = 1e-10
STEP = 1e-6
# of a central difference with that step
DIFFERENCE = 1e-6
KINDS = ("revolute", "prismatic", "spherical")


def heavy_robot(
    rng: np.random.Generator, num_links: int, kinds: tuple[str, ...], *, free: bool = False
) -> Mechanism:
    """Return a chain with springs between random points and between scalar joints.

    No tree: of what a spring adds to M between branches, MuJoCo's sparse M has no place.
    """
    robot = random_mechanism(rng, num_links, kinds=kinds, branching=0, mimic=0, damping=0.5)
    if free:
        robot = robot.rename({"world": "trunk"}).replace_inertia("trunk", mass=2, inertia=(1, 1, 1))
        robot = robot.with_floating_base()
    names = [link.name for link in robot.links]

    def point(name: str, link: str) -> Frame:
        p = [exact(round(float(x), 3)) for x in rng.uniform(-1, 1, 3)]
        return Frame(name, link, Pose(p=(p[0], p[1], p[2])))

    springs: list[Spring] = []
    for i in range(2):
        one, two = (names[k] for k in rng.choice(len(names), 2, replace=False))
        ends = point(f"s{i}/1", one), point(f"s{i}/2", two)
        springs.append(PointSpring(f"s{i}", *ends, *numbers(rng, 4)))  # type: ignore[arg-type]
    scalar = [joint.name for joint in robot.joints if joint.is_scalar]
    for i, (one, two) in enumerate(pairwise(scalar)):
        ratio, *own = numbers(rng, 5)
        springs.append(JointSpring(f"t{i}", ((one, 1), (two, -ratio)), *own))  # type: ignore[arg-type]
    return replace(robot, springs=tuple(springs))


def numbers(rng: np.random.Generator, count: int) -> list[float]:
    return [exact(round(float(x), 3)) for x in rng.uniform(0.1, 3, count)]


def size_of(x: np.ndarray) -> float:
    return max(1.0, float(np.abs(x).max()))


def velocity_map(robot: Mechanism, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return G and Ġ v of MuJoCo's velocities G v: of a free body R u, whose rate has R (ω × u)."""
    G = to_mujoco(robot, q, np.eye(robot.nv))[1].T
    turning, at = np.zeros(robot.nv), 0
    for joint in robot.moving_joints:
        if joint.kind is JointKind.FLOATING:
            turning[at : at + 3] = np.cross(v[at + 3 : at + 6], v[at : at + 3])
        at += joint.nv
    return G, G @ turning


def test_dynamics_agree_with_mujoco(rng: np.random.Generator, scale: float) -> None:
    for k in range(num_cases(TREES, scale)):
        robot = heavy_robot(rng, int(rng.integers(2, 5)), KINDS, free=bool(k % 2))
        model = da.compile(robot, backend="numpy")
        theirs = mujoco.MjModel.from_xml_string(save_mjcf(robot))
        data = mujoco.MjData(theirs)
        q, v, tau = draw_state(rng, robot)
        data.qpos[:], data.qvel[:] = to_mujoco(robot, q, v, model=theirs)
        G, turning = velocity_map(robot, q, v)
        data.qfrc_applied[:] = np.linalg.solve(G.T, tau)
        mujoco.mj_forward(theirs, data)
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, M)
        expected = G.T @ M @ G
        assert np.abs(model.mass_matrix(q) - expected).max() < ROUNDING * size_of(expected)
        # MuJoCo steps with implicit damping, but mj_forward does not
        a = np.linalg.solve(G, data.qacc - turning)
        limit = ROUNDING * np.linalg.cond(expected) * size_of(a)
        assert np.abs(model.forward_dynamics(q, v, tau) - a).max() < limit
        back = model.inverse_dynamics(q, v, a)
        assert np.abs(back - tau).max() < ROUNDING * size_of(expected) * size_of(a)
        # mass_matrix, coriolis, gravity and energies are parts of the same motion
        parts = model.mass_matrix(q) @ a + model.coriolis(q, v) @ v + model.gravity(q)
        passive = model.passive_force(q, v)
        assert np.abs(parts - passive - tau).max() < ROUNDING * size_of(expected) * size_of(a)
        T = float(v @ expected @ v / 2)
        assert abs(float(model.kinetic_energy(q, v)) - T) < ROUNDING * max(1.0, T)
        labels, theta = model.regressor_parameters
        assert "s0.armature" in labels
        drive = model.regressor(q, v, a) @ np.array(theta, float)
        assert np.abs(drive - tau).max() < ROUNDING * size_of(expected) * size_of(a)


def test_derivatives(rng: np.random.Generator, scale: float) -> None:
    """Against differences along velocities, quaternions included."""
    for _ in range(num_cases(1, scale)):
        robot = heavy_robot(rng, 2, ("revolute", "spherical"))
        model = da.compile(robot, backend="numpy")
        q, v, a = draw_state(rng, robot)
        for name, f in (
            ("inverse_dynamics", model.inverse_dynamics),
            ("forward_dynamics", model.forward_dynamics),
        ):
            dq, dv, da_ = getattr(model, f"{name}_derivatives")(q, v, a)
            for found, expected in (
                (dq, slope(model, lambda e, f=f: f(model.configuration.integrate(q, e), v, a))),  # noqa: B023
                (dv, slope(model, lambda e, f=f: f(q, v + e, a))),  # noqa: B023
                (da_, slope(model, lambda e, f=f: f(q, v, a + e))),  # noqa: B023
            ):
                assert np.abs(found - expected).max() < DIFFERENCE * size_of(expected), name


def slope(model: Model, f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the matrix of central differences of f at 0."""
    return np.array([(f(STEP * e) - f(-STEP * e)) / (2 * STEP) for e in np.eye(model.nv)]).T


def test_second_derivatives_are_those_of_the_first(rng: np.random.Generator) -> None:
    robot = heavy_robot(rng, 2, ("revolute", "prismatic"))
    robot = replace(robot, springs=tuple(s._replace(stiffness=0, damping=0) for s in robot.springs))
    model = da.compile(robot, backend="numpy", passive=False)
    q, v, a = draw_state(rng, robot)
    dqq = model.inverse_dynamics_second_derivatives(q, v, a)[0]
    for k, e in enumerate(np.eye(model.nv)):
        steps = [model.inverse_dynamics_derivatives(q + s * STEP * e, v, a)[0] for s in (1, -1)]
        expected = (steps[0] - steps[1]) / (2 * STEP)
        assert np.abs(dqq[:, :, k] - expected).max() < DIFFERENCE * size_of(expected)
    # over plain numbers the recursion gives the same
    tree = Tree.of(robot).map(float)
    dq, dv, M = first_derivatives(tree, q.tolist(), v.tolist(), a.tolist())
    for ours, other in zip((dq, dv, M), model.inverse_dynamics_derivatives(q, v, a), strict=True):
        assert np.abs(np.array(ours, float) - other).max() < ROUNDING * size_of(other)


WOUND = """<mujoco><option integrator="RK4" timestep="2e-4"/><worldbody>
  <site name="wall" pos="0.4 0 0.9"/>
  <body><freejoint/><inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.2 0.2"/>
    <site name="hook" pos="0.1 0.2 0"/>
    <body pos="0.3 0 0"><joint axis="0 1 0" armature="0.1"/>
      <inertial pos="0.2 0 0" mass="0.5" diaginertia="0.05 0.1 0.1"/>
      <site name="tip" pos="0.4 0 0"/>
  </body></body></worldbody><tendon>
  <spatial stiffness="40" springlength="0.5" damping="0.3" armature="2"><site site="wall"/>
    <site site="tip"/></spatial>
  <spatial armature="0.7"><site site="wall"/><site site="hook"/></spatial></tendon></mujoco>"""


def test_motion_agrees_with_mujoco() -> None:
    """A body that hangs from two wound tendons, for half a second."""
    robot = da.load(WOUND)
    theirs = mujoco.MjModel.from_xml_string(WOUND)
    data = mujoco.MjData(theirs)
    data.qvel[:] = [0.3, -0.2, 0.1, 0.5, 0.4, -0.6, 1.0]
    q, v = from_mujoco(robot, data.qpos, data.qvel)
    motion = da.simulate(da.compile(robot), q, v, 0.5)
    mujoco.mj_step(theirs, data, nstep=2500)
    assert motion.ok
    ours, _ = to_mujoco(robot, motion.q[-1], motion.qd[-1])
    assert np.abs(ours - data.qpos).max() < 1e-8
    assert motion.energy_error < 1e-9


def crane() -> Mechanism:
    """Return an arm of two links whose tip hangs on a wound rope of inertia J."""
    m, J = da.parameters("m J")
    return (
        da.Builder("crane")
        .link("a", mass=m, com=(1, 0, 0))
        .revolute("j1", "a", axis=(0, 0, 1))
        .link("b", mass=m, com=(1, 0, 0))
        .revolute("j2", "b", origin=(1, 0, 0), axis=(0, 0, 1))
        .spring("rope", ("b", (1, 0, 0)), ("world", (0, 3, 0)), armature=J)
        .joint_spring("belt", "j1", "j2", ratio=2, armature=J)
        .build()
    )


def test_equations_are_proved() -> None:
    """By hand at q = (0, 0): the tip is at (2, 0), l = √13, J = (2, 1) · -3/√13; belt (1, -2)."""
    robot = crane()
    assert all(proof.is_proved for proof in robot.prove())
    eq = robot.equations()
    q1, q2 = eq.coordinates
    J, m = da.parameters("J m")
    at_rest = eq.M.subs({q1: 0, q2: 0, m: 1, J: 13})
    rope, belt = np.array([[4, 2], [2, 1]]) * 9, np.array([[1, -2], [-2, 4]]) * 13
    expected = np.array([[5, 2], [2, 1]]) + rope + belt
    assert [x.value for x in at_rest.entries] == expected.ravel().tolist()
    model = da.compile(robot, parameters={"m": 1.5, "J": 2.0})
    assert all(proof.is_proved for proof in model.prove())
    assert len(robot.base_parameters().combinations) > 0


def test_locked_joints_keep_the_inertia_of_the_other() -> None:
    """½ J (q̇₁ - 2 q̇₂)²: with q₁ held 4 J on joint 2, with q₂ held J on joint 1."""
    robot = crane().bind({"m": 1, "J": 3})
    assert robot.lock("j1").joint("j2").armature == 12
    assert robot.lock("j2").joint("j1").armature == 3


def test_what_cannot_be_is_refused() -> None:
    robot = crane().bind({"m": 1, "J": 3})
    with pytest.raises(InvalidMechanism, match="armature"):
        replace(robot, springs=(robot.springs[0]._replace(armature=-1),))
    with pytest.raises(InvalidMechanism, match="armature of springs 'rope', 'belt'"):
        da.compile(robot).source("rolled_c")
