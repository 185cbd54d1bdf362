"""The reduced tree has the dynamics of the tree: exactly in the ring, and to rounding on floats."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import Expr
from dalembert.mechanics.articulated import (
    articulated_bodies,
    forward_dynamics_by_mass_matrix,
)
from dalembert.mechanics.composite import mass_matrix
from dalembert.mechanics.kinematics import (
    forward_kinematics,
    frame_pose,
    kinetic_energy,
    potential_energy,
)
from dalembert.mechanics.newton_euler import inverse_dynamics
from dalembert.mechanics.reduced import reduced
from dalembert.mechanics.tree import Tree
from dalembert.mechanism import Builder, JointKind, Mechanism
from dalembert.mechanism.random import KINDS, random_mechanism, random_state
from dalembert.ring import Element, Ring, canonical_all, ring_of

# a few ulp of the largest entry, times the depth of the tree
ROUNDING = 1e-12
# solving with M loses the digits of its condition number
FORWARD = 1e-13


def close(a: Any, b: Any, tolerance: float = ROUNDING, unit: float = 0.0) -> bool:
    """Compare relative to the largest entry, or to ``unit``."""
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    size = max(np.abs(b).max(initial=0.0), unit)
    return bool(np.abs(a - b).max(initial=0.0) <= tolerance * size)


def moved_potential(tree: Tree, q: Any) -> Any:
    return potential_energy(tree, q) + tree.potential_constant


@pytest.mark.parametrize("kind", [*KINDS, "all"])
def test_dynamics_of_random_trees_stay(kind: str, rng: np.random.Generator, scale: float) -> None:
    kinds = KINDS if kind == "all" else (kind, "revolute", "fixed")
    for _ in range(max(2, round(12 * scale))):
        mechanism = random_mechanism(rng, int(rng.integers(2, 8)), kinds=kinds)
        if not mechanism.num_v:
            continue
        exact = Tree(mechanism)
        tree, small = exact.over(float), reduced(exact).over(float)
        q, v = (x.tolist() for x in random_state(rng, mechanism))
        a = rng.normal(size=mechanism.num_v).tolist()
        M = np.array(mass_matrix(tree, q), dtype=float)
        unit = np.abs(M).max()
        assert close(mass_matrix(small, q), M)
        tau = inverse_dynamics(tree, q, v, a)
        assert close(inverse_dynamics(small, q, v, a), tau, unit=unit)
        assert close(kinetic_energy(small, q, v), kinetic_energy(tree, q, v), unit=unit)
        assert close(moved_potential(small, q), potential_energy(tree, q), unit=10.0)
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


# ---- exactly, in the ring


def ring_state(mechanism: Mechanism) -> tuple[Ring, list[list[Element]], Tree, Tree]:
    """Return a ring of motion and parameters, q, v and a in it, and both trees over it."""
    n = mechanism.num_v
    q = da.coordinates(" ".join(f"q{i}" for i in range(1, n + 1)))
    v, a = [x.dot for x in q], [x.ddot for x in q]
    plain = Tree(mechanism)
    small = reduced(plain)
    found: list[Expr] = []
    for tree in (plain, small):
        tree.over(lambda x: found.append(x) or x if isinstance(x, Expr) else x)
    table = list(dict.fromkeys(found))
    angles = [
        f(node.multiplier * q[node.positions[0]] + node.offset - node.joint.reference)
        for node in plain.nodes
        if node.positions and node.joint.turn
        for f in (da.sin, da.cos)
    ]
    ring = ring_of([*angles, *table], [*q, *v, *a])
    elements = dict(zip(table, canonical_all(ring, table), strict=True))
    trees = [
        tree.over(lambda x: elements[x] if isinstance(x, Expr) else x) for tree in (plain, small)
    ]
    return ring, [[ring.generator(x) for x in part] for part in (q, v, a)], *trees


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
    assert ring.element(potential_energy(plain, q)) == ring.element(moved_potential(small, q))
