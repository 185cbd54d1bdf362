"""Robots of the library: published values, and the laws every one of them obeys."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanics.robots.equations import over_ring
from dalembert.mechanics.robots.proofs import newton_euler_is_lagrange
from dalembert.mechanism import JointKind, Mechanism
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import forward_kinematics, frame_pose
from dalembert.recursions.tree import Tree
from dalembert.spatial.inertia.consistency import is_consistent
from dalembert.textbook import robots

# positions are sums of a few lengths below 2 m
POSITION_TOLERANCE = 1e-12
# the sources print four digits behind the point
PRINTED = 5.1e-5
# time limits in tests are generous: the machine may be busy; the benchmark has the real figures


def make(name: str) -> Mechanism:
    return robots.planar_arm_nr(3) if name == "planar_arm_nr" else getattr(robots, name)()


def numeric_tree(mechanism: Mechanism, rng: np.random.Generator) -> Tree:
    values = {p: float(rng.uniform(0.5, 1.5)) for p in mechanism.parameters}
    return Tree.of(mechanism.bind(values)).map(float)


def random_configuration(mechanism: Mechanism, rng: np.random.Generator) -> list[float]:
    q: list[float] = []
    for joint in mechanism.moving_joints:
        values = rng.uniform(-1.5, 1.5, joint.nq)
        if joint.kind in (JointKind.FLOATING, JointKind.SPHERICAL):
            values[-4:] /= np.linalg.norm(values[-4:])
        q += list(values)
    return q


def home(mechanism: Mechanism) -> list[float]:
    q: list[float] = []
    for joint in mechanism.moving_joints:
        values = [0.0] * joint.nq
        if joint.kind in (JointKind.FLOATING, JointKind.SPHERICAL):
            values[-4] = 1.0
        q += values
    return q


def position(mechanism: Mechanism, q: list[float], frame: str) -> list[float]:
    tree = Tree.of(mechanism).map(float)
    return list(map(float, frame_pose(tree, forward_kinematics(tree, q), frame).p))


@pytest.mark.parametrize("name", robots.__all__)
def test_mass_matrix_is_positive_at_random_states(name: str, rng: np.random.Generator) -> None:
    arm = make(name)
    if name == "puma560_symbolic":
        # ten independent symbols need a body that exists: those of the Panda
        links = zip(arm.links, robots.panda().links, strict=False)
        arm = Mechanism(
            arm.name,
            tuple(da.Link(a.name, b.inertia, a.has_inertia) for a, b in links),
            arm.joints,
        )
    tree = numeric_tree(arm, rng)
    for _ in range(3):
        M = np.array(mass_matrix(tree, random_configuration(arm, rng)), float)
        assert pytest.approx(M.T, abs=1e-9) == M
        assert np.linalg.eigvalsh(M)[0] > 0


@pytest.mark.parametrize(
    "name", ["stanford_arm", "ur5e", "panda", "iiwa14", "stewart_platform", "quadrotor", "biped"]
)
def test_some_body_has_every_inertia(name: str) -> None:
    assert [link.name for link in make(name).links if not is_consistent(link.inertia)] == []


@pytest.mark.parametrize(
    "name",
    ["planar_arm_nr", "planar_3r", "rp_mechanism", "scara", "cart_pole_mechanism"],
)
def test_small_arms_are_proved(name: str) -> None:
    assert [p.statement for p in make(name).prove() if not p.is_proved] == []


# what the systems of the lectures say about the same machine


def test_planar_2r_is_the_arm_of_penn() -> None:
    ours, penn = robots.planar_arm_nr(2).equations(), da.textbook.planar_arm().equations()
    assert da.equal(ours.residual, penn.residual)


def test_rp_mechanism_is_the_arm_of_cmu() -> None:
    ours, cmu = robots.rp_mechanism().equations(), da.textbook.rp_arm().equations()
    for part in "MCN":
        assert da.equal(getattr(ours, part), getattr(cmu, part))


def test_cart_pole_is_the_system() -> None:
    ours, system = robots.cart_pole_mechanism().equations(), da.textbook.cart_pole().equations()
    new = dict(zip(system.coordinates, ours.coordinates, strict=True))
    change = {**new, **{a.dot: b.dot for a, b in new.items()}}
    for part in "MCN":
        assert da.equal(getattr(system, part).subs(change), getattr(ours, part))


def test_scara_by_hand() -> None:
    # M₃₃ = M of what is lifted; gravity acts on the slider alone; M₄₄ = I₄
    eq = robots.scara().equations()
    m3, m4, I4, g = da.parameters("m3 m4 I4 g")
    assert da.equal(eq.M[2, 2], m3 + m4)
    assert da.equal(eq.M[3, 3], I4)
    assert da.equal(eq.N, [0, 0, (m3 + m4) * g, 0])


# PUMA 560


def test_puma_home_position() -> None:
    # Corke's qz: x = a₂ + a₃, y = -d₃, z = d₄
    expected = [0.4318 + 0.0203, -0.15005, 0.4318]
    assert position(robots.puma560(), [0.0] * 6, "link6") == pytest.approx(
        expected, abs=POSITION_TOLERANCE
    )


def test_puma_gravity_and_inertia_as_printed() -> None:
    """P. Corke, Robotics, Vision and Control (2011), 9.2, at qn = (0, π/4, π, 0, π/4, 0)."""
    tree = Tree.of(robots.puma560()).map(float)
    q = [0, pi / 4, pi, 0, pi / 4, 0]
    load = inverse_dynamics(tree, q, [0] * 6, [0] * 6)
    assert load == pytest.approx([0, 31.6399, 6.0351, 0, 0.0283, 0], abs=PRINTED)
    M = np.array(mass_matrix(tree, q), float)
    printed = [
        [3.6594, -0.4044, 0.1006, -0.0025, 0.0000, -0.0000],
        [-0.4044, 4.4137, 0.3509, 0.0000, 0.0024, 0.0000],
        [0.1006, 0.3509, 0.9378, 0.0000, 0.0015, 0.0000],
        [-0.0025, 0.0000, 0.0000, 0.1925, 0.0000, 0.0000],
        [0.0000, 0.0024, 0.0015, 0.0000, 0.1713, 0.0000],
        [-0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.1941],
    ]
    assert pytest.approx(np.array(printed), abs=PRINTED) == M


def test_puma_symbolic_is_proved() -> None:
    arm = robots.puma560_symbolic()
    assert len(arm.parameters) == 60 + 5
    eq = arm.equations()
    assert newton_euler_is_lagrange(over_ring(Tree.of(arm), eq.ring), eq).is_proved


@pytest.mark.parametrize("name", ["panda", "iiwa14"])
def test_seven_joints_symbolic_are_proved(name: str) -> None:
    arm = make(name).symbolic()
    eq = arm.equations()
    assert newton_euler_is_lagrange(over_ring(Tree.of(arm), eq.ring), eq).is_proved


# where published tables put the flange


@pytest.mark.parametrize(
    ("name", "frame", "expected"),
    [
        # a₂ + a₃, -(d₄ + d₆), d₁ - d₅
        ("ur5e", "flange", [-0.8172, -0.2329, 0.0628]),
        # a₇, 0, d₁ + d₃ + d₅ - flange
        ("panda", "flange", [0.088, 0, 0.926]),
        # all lengths on top of each other
        ("iiwa14", "flange", [0, 0, 1.306]),
        # d₂ aside, wrist at the shoulder, hand upwards: d₁ + d₆
        ("stanford_arm", "link6", [0, 0.154, 0.675]),
        ("biped", "left_foot", [0, 0, 0]),
    ],
)
def test_home_position(name: str, frame: str, expected: list[float]) -> None:
    arm = make(name)
    assert position(arm, home(arm), frame) == pytest.approx(expected, abs=POSITION_TOLERANCE)


def test_panda_ready_pose() -> None:
    """The ready pose of libfranka: the flange at (0.3069, 0, 0.5903), pointing down."""
    q = [0, -pi / 4, 0, -3 * pi / 4, 0, pi / 2, pi / 4]
    s = np.sin(pi / 4)
    # upper arm back by 45°, forearm level, hand down
    x = (-0.316 + 0.0825) * s + 0.384 + 0.088
    z = 0.333 + (0.316 + 0.0825) * s + 0.0825 - 0.107
    assert [x, z] == pytest.approx([0.3069, 0.5903], abs=PRINTED)
    found = position(robots.panda(), q, "flange")
    assert found == pytest.approx([x, 0, z], abs=POSITION_TOLERANCE)


# closed chains


@pytest.mark.parametrize(
    ("name", "coordinates", "freedoms"),
    [("four_bar", 3, 1), ("slider_crank", 3, 1), ("five_bar", 4, 2)],
)
def test_degrees_of_freedom_of_linkages(name: str, coordinates: int, freedoms: int) -> None:
    eq = make(name).equations()
    assert len(eq.coordinates) == coordinates
    assert len(eq.a) == 2
    assert eq.degrees_of_freedom() == freedoms


def test_four_bar_closes_as_a_parallelogram(rng: np.random.Generator) -> None:
    """With l₁ = l₃ and l₂ = l₀ the coupler stays level: q₂ = -q₁, q₃ = q₁."""
    eq = robots.four_bar().equations()
    l0, l1, l2, l3 = da.parameters("l0 l1 l2 l3")
    q1, q2, q3 = eq.coordinates
    closed = {q2: -q1, q3: q1, l2: l0, l3: l1}
    assert da.equal(eq.a.subs(closed), [0, 0])
    # A q̇ = 0 along q̇ = (1, -1, 1)
    assert da.equal(eq.A.subs(closed) @ da.Matrix.column([1, -1, 1]), [0, 0])


def test_slider_crank_position() -> None:
    """At the dead centres the slider is at l₂ + l₁ and l₂ - l₁."""
    eq = robots.slider_crank().equations()
    l1, l2 = da.parameters("l1 l2")
    q1, q2, q3 = eq.coordinates
    assert da.equal(eq.a.subs({q1: 0, q2: 0, q3: l1 + l2}), [0, 0])
    assert da.equal(eq.a.subs({q1: da.pi, q2: -da.pi, q3: l2 - l1}), [0, 0])


def loop_gaps(mechanism: Mechanism, tree: Tree, q: list[float]) -> np.ndarray:
    X_W = forward_kinematics(tree, q)
    ends = []
    for loop in mechanism.loops:
        X_1, X_2 = (X_W[tree.numbers[f.link]] @ f.placement for f in (loop.first, loop.second))
        ends.append(np.array(X_1.p, float) - np.array(X_2.p, float))
    return np.concatenate(ends)


def test_stewart_platform_is_closed_at_home_and_has_six_freedoms() -> None:
    arm = robots.stewart_platform()
    tree = Tree.of(arm).map(float)
    q = home(arm)
    assert arm.nv == 24
    assert loop_gaps(arm, tree, q) == pytest.approx(np.zeros(18), abs=POSITION_TOLERANCE)
    # A by central differences of q; 18 independent rows leave 6 freedoms
    step = 1e-6
    columns = []
    for i in range(arm.nv):
        ends = []
        for sign in (1, -1):
            x = list(q)
            # the real part of the quaternion is left out
            place = i if i < 3 else i + 1
            x[place] += sign * step * (0.5 if 3 <= i < 6 else 1)
            ends.append(loop_gaps(arm, tree, x))
        columns.append((ends[0] - ends[1]) / (2 * step))
    s = np.linalg.svd(np.array(columns).T, compute_uv=False)
    assert int((s > 1e-6 * s[0]).sum()) == 18


def test_quadrotor_falls_and_hovers() -> None:
    arm = robots.quadrotor()
    tree = Tree.of(arm).map(float)
    force = inverse_dynamics(tree, home(arm), [0] * 6, [0] * 6)
    assert force == pytest.approx([0, 0, 0.028 * 9.81, 0, 0, 0], abs=1e-12)
    falling = inverse_dynamics(tree, home(arm), [0] * 6, [0, 0, -9.81, 0, 0, 0])
    assert falling == pytest.approx([0] * 6, abs=1e-12)


def test_biped_weight_is_carried_by_the_hip() -> None:
    arm = robots.biped()
    tree = Tree.of(arm).map(float)
    load = inverse_dynamics(tree, home(arm), [0] * 7, [0] * 7)
    # up, forward, pitch, two hips and two knees; upright, nothing pulls sideways
    weight = (12 + 2 * (6.8 + 3.2)) * 9.81
    assert load == pytest.approx([weight, 0, 0, 0, 0, 0, 0], abs=1e-9)


def test_biped_equations_are_proved() -> None:
    arm = robots.biped()
    eq = arm.equations()
    assert newton_euler_is_lagrange(over_ring(Tree.of(arm), eq.ring), eq).is_proved
