"""The reduced tree has the dynamics of the tree: exactly in the ring, and to rounding on floats."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import Expr, as_expr
from dalembert.expr.graph import postorder
from dalembert.mechanism import Builder, JointKind, Mechanism
from dalembert.recursions.dynamics.articulated import (
    articulated_bodies,
    forward_dynamics_by_mass_matrix,
)
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.energies import kinetic_energy, potential_energy
from dalembert.recursions.kinematics import (
    forward_kinematics,
    frame_pose,
)
from dalembert.recursions.reduce import reduce
from dalembert.recursions.tree import Tree
from dalembert.ring import Element, Ring, canonical_all, ring_of
from dalembert.spatial.exact import rotation_from_quaternion
from dalembert.spatial.pose import Pose
from tests.cases import num_cases
from tests.random_mechanisms import KINDS, random_mechanism, random_state

# a few ulp of the largest entry, times the depth of the tree
ROUNDING = 1e-12
# solving with M loses the digits of its condition number
FORWARD = 1e-13


def close(a: Any, b: Any, tolerance: float = ROUNDING, unit: float = 0.0) -> bool:
    """Compare relative to the largest entry, or to ``unit``."""
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    size = max(np.abs(b).max(initial=0.0), unit)
    return bool(np.abs(a - b).max(initial=0.0) <= tolerance * size)


@pytest.mark.parametrize("kind", [*KINDS, "all"])
def test_dynamics_of_random_trees_stay(kind: str, rng: np.random.Generator, scale: float) -> None:
    kinds = KINDS if kind == "all" else (kind, "revolute", "fixed")
    for _ in range(max(2, num_cases(12, scale))):
        mechanism = random_mechanism(rng, int(rng.integers(2, 8)), kinds=kinds)
        if not mechanism.nv:
            continue
        exact = Tree.of(mechanism)
        tree, small = exact.map(float), reduce(exact).map(float)
        q, v = (x.tolist() for x in random_state(rng, mechanism))
        a = rng.normal(size=mechanism.nv).tolist()
        M = np.array(mass_matrix(tree, q), dtype=float)
        unit = np.abs(M).max()
        assert close(mass_matrix(small, q), M)
        tau = inverse_dynamics(tree, q, v, a)
        assert close(inverse_dynamics(small, q, v, a), tau, unit=unit)
        assert close(kinetic_energy(small, q, v), kinetic_energy(tree, q, v), unit=unit)
        assert close(potential_energy(small, q), potential_energy(tree, q), unit=10.0)
        limit = FORWARD * float(np.linalg.cond(M))
        assert close(forward_dynamics_by_mass_matrix(small, q, v, tau), a, limit, 1.0)
        if not any(joint.mimic for joint in mechanism.joints):
            assert close(articulated_bodies(small, q, v, tau), a, limit, 1.0)
        # every link can still be found, as a frame
        X_W, X_N = forward_kinematics(tree, q), forward_kinematics(small, q)
        for name, number in tree.numbers.items():
            X, Y = X_W[number], frame_pose(small, X_N, name)
            assert close(Y.R, X.R, unit=1.0)
            assert close(Y.p, X.p, unit=1.0)


def test_frames_that_happen_to_be_parallel() -> None:
    """At q = 0 a skew hinge leaves its frames parallel, as no turn about a coordinate axis does."""
    turn = rotation_from_quaternion(3, 1, -2, 1)
    back = Pose(turn).inverse()
    arm = (
        Builder("arm")
        .link("a", mass=1, com=(0.1, 0.2, 0.3), inertia=(1, 1.5, 2, 0.1, 0.2, 0.3))
        .revolute("j1", "a", axis="x")
        .link("b", mass=2, com=(0.3, 0.1, 0.2), inertia=(2, 1.5, 1, 0.2, 0.1, 0.3))
        .joint("revolute", "j2", "b", axis=(0, 0, 1), placement=Pose(turn), after=back)
        .build()
    )
    tree = Tree.of(arm)
    q, v, a = [0, 0], [2, 3], [5, -7]
    tau = inverse_dynamics(tree, q, v, a)
    assert tau == inverse_dynamics(reduce(tree), q, v, a)
    # the same place through arrays, where nothing is structural
    batch = [np.array([0.0, 1.0])] * 2
    assert close([x[0] for x in inverse_dynamics(tree.map(float), batch, v, a)], tau)


# ---- exactly, in the ring


def ring_state(mechanism: Mechanism) -> tuple[Ring, list[list[Element]], Tree, Tree]:
    """Return a ring of motion and parameters, q, v and a in it, and both trees over it."""
    n = mechanism.nv
    q = da.coordinates(" ".join(f"q{i}" for i in range(1, n + 1)))
    v, a = [x.dot for x in q], [x.ddot for x in q]
    plain = Tree.of(mechanism)
    small = reduce(plain)
    found: list[Expr] = []
    for tree in (plain, small):
        tree.map(lambda x: found.append(x) or x if isinstance(x, Expr) else x)
    table = list(dict.fromkeys(found))
    angles = [
        f(node.multiplier * q[node.positions[0]] + node.offset - node.joint.reference)
        for node in plain.nodes
        if node.positions and node.joint.turn
        for f in (da.sin, da.cos)
    ]
    ring = ring_of([*angles, *table], [*q, *v, *a])
    elements = dict(zip(table, canonical_all(ring, table), strict=True))

    def over_ring(tree: Tree) -> Tree:
        return tree.map(lambda x: elements[x] if isinstance(x, Expr) else x)

    state = [[ring.element_of(x) for x in part] for part in (q, v, a)]
    return ring, state, over_ring(plain), over_ring(small)


ARMS: dict[str, Any] = {
    "planar_3r": da.textbook.robots.planar_3r,
    "rp": da.textbook.robots.rp_mechanism,
    "scara": da.textbook.robots.scara,
    "stanford": da.textbook.robots.stanford_arm,
    "puma560": da.textbook.robots.puma560_symbolic,
    "four_bar": da.textbook.robots.four_bar,
}


@pytest.mark.parametrize("name", ARMS)
def test_dynamics_stay_exactly(name: str) -> None:
    arm = ARMS[name]().symbolic()
    assert_identical(arm)


def assert_identical(mechanism: Mechanism) -> None:
    """Check M, τ, T and V of both trees for equality as elements of the ring."""
    ring, (q, v, a), plain, small = ring_state(mechanism)
    for x, y in zip(
        inverse_dynamics(plain, q, v, a), inverse_dynamics(small, q, v, a), strict=True
    ):
        assert ring.element(x) == ring.element(y)
    for row, other in zip(mass_matrix(plain, q), mass_matrix(small, q), strict=True):
        assert [ring.element(x) for x in row] == [ring.element(x) for x in other]
    assert ring.element(kinetic_energy(plain, q, v)) == ring.element(kinetic_energy(small, q, v))
    assert ring.element(potential_energy(plain, q)) == ring.element(potential_energy(small, q))


def test_dynamics_of_random_trees_stay_exactly(rng: np.random.Generator, scale: float) -> None:
    kinds = ("revolute", "continuous", "prismatic", "helical", "universal", "fixed")
    for _ in range(max(2, num_cases(6, scale))):
        mechanism = random_mechanism(rng, 3, kinds=kinds, mimic=0.3)
        if mechanism.nv:
            assert_identical(mechanism)


def test_rotors_that_spin_stay_exactly() -> None:
    J, k, m, l = da.parameters("J k m l")
    arm = (
        Builder("arm")
        .link("one", mass=m, com=(l, 0, 0), inertia=(1, 2, 3))
        .revolute("j1", "one", axis="z")
        .link("cover", mass=1, com=(0, l, 0))
        .fixed("weld", "cover", parent="one", origin=(0, 0, l))
        .link("two", mass=m, com=(0, l, l), inertia=(2, 2, 3, 0.1, 0.2, 0.3))
        .revolute("j2", "two", axis="y", parent="cover", origin=(l, 0, 0))
        .actuator("motor", "j2", gear_ratio=k, rotor_inertia=J, gyroscopic=True, host="one")
        .build()
    )
    assert_identical(arm)


def test_rational_axes_become_coordinate_axes() -> None:
    arm = da.textbook.robots.scara()
    u = (Fraction(3, 13), Fraction(-4, 13), Fraction(12, 13))
    skew = replace(arm, joints=(replace(arm.joints[0], axis=u), *arm.joints[1:]))
    assert reduce(Tree.of(skew)).nodes[0].joint.axis == (0, 0, 1)
    assert_identical(skew.symbolic())


# ---- what is left


def numbers(values: Any) -> int:
    return sum(x != 0 for x in values)


def test_hinges_keep_seven_numbers_of_ten() -> None:
    for node in reduce(Tree.of(da.textbook.robots.panda())).nodes:
        m, h, (xx, yy, zz, *_) = node.inertia
        assert m == 0
        assert h[2] == 0
        # no second moment along the axis
        assert xx + yy == zz
        assert node.joint.after.is_identity


def test_sliders_keep_mass_and_first_moment() -> None:
    nodes = reduce(Tree.of(da.textbook.robots.stanford_arm())).nodes
    (slider,) = (node for node in nodes if node.joint.kind is JointKind.PRISMATIC)
    assert slider.inertia.m != 0
    assert numbers(slider.inertia.I) == 0
    assert numbers(slider.joint.placement.p) == 0


def test_origins_slide_to_where_lengths_vanish() -> None:
    """Of the Panda's lengths 0.316 and 0.384 lie along axes: two joints have none of their own."""
    nodes = reduce(Tree.of(da.textbook.robots.panda())).nodes
    assert [numbers(node.joint.placement.p) for node in nodes[1:]] == [0, 0, 2, 1, 1, 1]


def test_origins_stay_near_where_an_axis_is_almost_level() -> None:
    """An axis tilted by 1e-9 could lift a length of 1 by sliding 1e9 away."""
    arm = (
        Builder("arm")
        .link("a", mass=1)
        .revolute("j1", "a", axis="z")
        .link("b", mass=1)
        .revolute("j2", "b", axis="x", origin=(0.2, 1, 1), rpy=(0, 1e-9, 1e-9))
        .link("c", mass=1)
        .revolute("j3", "c", axis="x", origin=(0.3, 0, 0), rpy=(0.1, 0.2, 1e-9))
        .build()
    )
    for node in reduce(Tree.of(arm)).nodes:
        assert max(abs(x) for x in node.joint.placement.p) < 2


def test_fixed_links_vanish_and_their_frames_stay(rng: np.random.Generator) -> None:
    arm = (
        Builder("arm")
        .link("a", mass=1, com=(0.1, 0, 0), inertia=(1, 1, 1))
        .revolute("j", "a", axis="x", origin=(0.3, 0, 0.2))
        .link("tool", mass=2, com=(0, 0, 0.1), inertia=(1, 2, 2))
        .fixed("weld", "tool", origin=(0, 0.5, 0))
        .frame("tip", "tool", origin=(0, 0, 1))
        .build()
    )
    small = reduce(Tree.of(arm))
    assert [node.name for node in small.nodes] == ["a"]
    for q in rng.normal(size=3).tolist():
        X_W = forward_kinematics(small.map(float), [q])
        s, c = np.sin(q), np.cos(q)
        tip = frame_pose(small, X_W, "tip").p
        assert close(tip, (0.3, 0.5 * c - s, 0.2 + 0.5 * s + c))


# ---- what it saves


LIMITS = {"inverse dynamics": 600, "mass matrix": 350, "articulated": 1200, "factorised": 1200}
"""Operations for the Panda; written out without reduction 811, 470, 2478 and 1547."""


def test_flops_of_the_panda() -> None:
    tree = reduce(Tree.of(da.textbook.robots.panda())).map(as_expr)
    q, v, a = (da.parameters(" ".join(f"{x}{i}" for i in range(7))) for x in "qva")
    graphs = {
        "inverse dynamics": inverse_dynamics(tree, q, v, a),
        "mass matrix": [x for i, row in enumerate(mass_matrix(tree, q)) for x in row[: i + 1]],
        "articulated": articulated_bodies(tree, q, v, a),
        "factorised": forward_dynamics_by_mass_matrix(tree, q, v, a),
    }
    for name, graph in graphs.items():
        nodes = postorder([as_expr(x) for x in graph])
        flops = sum(x.op in ("add", "sub", "mul", "div", "pow") for x in nodes)
        assert flops <= LIMITS[name], f"{name}: {flops}"
