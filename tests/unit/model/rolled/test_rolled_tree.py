"""Passes along chains as loops: the laws of mechanics hold, whatever the joints and branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Mechanism
from dalembert.model.rolled import segments
from dalembert.model.rolled.rolled_closures import RolledClosures
from dalembert.model.rolled.rolled_tree import RolledTree
from dalembert.model.rolled.segments import is_long, runs_of
from dalembert.recursions.constraints import loops
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.energies import potential_energy
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.lump import lumped
from dalembert.recursions.tree import Tree
from tests.random_mechanisms import random_mechanism

ROUNDING = 1e-11
"""Of trees with some ten links: M has a condition of up to 1e4."""

# kinds of joints, probability of a branch
TREES = {
    "hinges": (("revolute", "continuous"), 0.0),
    "spatial": (("universal", "helical", "prismatic"), 0.0),
    "balls": (("spherical",), 0.0),
    "branches": (("revolute", "spherical"), 0.4),
    "floating": (("floating", "revolute", "fixed"), 0.3),
}


def rolled(mechanism: Mechanism) -> tuple[RolledTree, Tree]:
    """Return the passes along a mechanism, and the tree of it with floats."""
    exact = Tree.of(mechanism)
    # a tree with many runs has many loops: machine code of each would take longer than the test
    backend = "llvm" if len(runs_of(lumped(exact))) == 1 else "numpy"
    return RolledTree(da.compile(mechanism, backend=backend), lumped(exact)), exact.map(float)


def random_state(mechanism: Mechanism, rng: np.random.Generator, count: int) -> Any:
    """Return ``count`` states and forces."""
    model = da.compile(mechanism)
    q = model.configuration.normalized(model.neutral + 0.7 * rng.normal(size=(count, model.nq)))
    return q, rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))


@pytest.mark.parametrize("kind", TREES)
def test_the_equations_of_motion_hold(kind: str, rng: np.random.Generator) -> None:
    kinds, branching = TREES[kind]
    mechanism = random_mechanism(rng, 9, kinds=kinds, branching=branching, mimic=0.0)
    tree, floats = rolled(mechanism)
    q, v, tau = random_state(mechanism, rng, 3)
    qdd = tree.forward_dynamics(q, v, tau)
    T, V = tree.energies(q, v)
    diagonal, places = tree.mass_diagonal(q), tree.places(q)
    for i in range(3):
        # M q̈ + h = τ by the recursion of Newton and Euler, which has no inertias to invert
        found = np.array(inverse_dynamics(floats, q[i], v[i], qdd[i]), float)
        M = np.array(mass_matrix(floats, q[i]), float)
        size = np.abs(M).max() * np.abs(qdd[i]).max() + np.abs(tau[i]).max()
        assert np.abs(found - tau[i]).max() <= ROUNDING * size
        assert T[i] == pytest.approx(v[i] @ M @ v[i] / 2, rel=ROUNDING)
        assert V[i] == pytest.approx(potential_energy(floats, q[i]), rel=ROUNDING, abs=ROUNDING)
        assert diagonal[i] == pytest.approx(np.diag(M), rel=ROUNDING)
        poses = forward_kinematics(tree.tree.map(float), q[i])
        expected = np.array([X.p for X in poses[1:]], float)
        assert np.abs(places.p[i] - expected).max() <= ROUNDING
    # one state alone
    np.testing.assert_allclose(tree.forward_dynamics(q[1], v[1], tau[1]), qdd[1], rtol=1e-12)


@pytest.mark.parametrize("kind", TREES)
def test_the_root_of_the_mass_matrix(kind: str, rng: np.random.Generator) -> None:
    kinds, branching = TREES[kind]
    mechanism = random_mechanism(rng, 7, kinds=kinds, branching=branching, mimic=0.0)
    tree, floats = rolled(mechanism)
    (q,), (v,), (tau,) = random_state(mechanism, rng, 1)
    M = np.array(mass_matrix(floats, q), float)
    A = rng.normal(size=(4, len(v)))
    inverse = np.linalg.inv(M)
    B, root = tree.inward(q, A)
    # L⁻¹ Aᵀ has the products of A M⁻¹ Aᵀ, and L⁻ᵀ L⁻¹ is M⁻¹
    size = np.abs(A @ inverse @ A.T).max()
    assert np.abs(B @ B.T - A @ inverse @ A.T).max() <= ROUNDING * size
    back = np.array([tree.outward(root, row) for row in B])
    assert np.abs(back - A @ inverse).max() <= ROUNDING * np.abs(A @ inverse).max()
    w, _, root = tree.whitened(q, v, tree.motions(q, v).wrenches, tau, A)
    expected = tree.forward_dynamics(q, v, tau)
    assert np.abs(tree.outward(root, w) - expected).max() <= ROUNDING * np.abs(expected).max()


def closed_chain(kind: str, count: int) -> Mechanism:
    """Return a chain of skew hinges whose end is held: at a point or a frame, or by couplings."""
    builder = da.Builder("closed")
    for i in range(count):
        builder.link(f"l{i}", mass=1, com=(0, 0.1, -0.2), inertia=(0.1, 0.2, 0.15))
        builder.revolute(f"j{i}", f"l{i}", axis="xyz"[i % 3], origin=(0.1, 0, -0.5 if i else 0))
    end = (f"l{count - 1}", (0, 0, -0.5))
    if kind == "coupled":
        builder.couple("gear", "j1", "j0", 2, 0.3)
        builder.couple("cam", "j3", "j2", lambda x: da.sin(x) / 2)
        builder.loop("pin", end, ("world", (1, 0, 0)))
    elif kind == "welded":
        builder.loop("weld", end, ("l1", (0.3, 0, 0)), kind="frame")
    else:
        builder.loop("pin", end, ("l0", (1, 0, 0)))
    return builder.build()


@pytest.mark.parametrize("kind", ["pinned", "welded", "coupled"])
def test_closures_are_those_of_the_recursions(kind: str, rng: np.random.Generator) -> None:
    mechanism = closed_chain(kind, 8)
    tree, floats = rolled(mechanism)
    closures = RolledClosures(da.compile(mechanism), tree)
    q, v, tau = random_state(mechanism, rng, 2)
    errors, A = closures.jacobian(q, v)
    bias = closures.bias(q, v)
    for i in range(2):
        assert errors[i] == pytest.approx(loops.loop_error(floats, q[i]), abs=1e-13)
        assert A[i] == pytest.approx(np.array(loops.loop_jacobian(floats, q[i]), float), abs=1e-13)
        assert bias[i] == pytest.approx(loops.loop_bias(floats, q[i], v[i]), abs=1e-12)
    # M q̈ + h = τ + Aᵀ λ and A q̈ + b = 0
    qdd, lam = closures.constrained_dynamics(q[0], v[0], tau[0])
    found = np.array(inverse_dynamics(floats, q[0], v[0], qdd), float)
    assert np.abs(found - tau[0] - lam @ A[0]).max() <= 1e-11 * np.abs(lam @ A[0]).max()
    assert np.abs(A[0] @ qdd + bias[0]).max() <= 1e-11 * np.abs(bias[0]).max()


def hanging(links: int) -> Mechanism:
    """Return a planar chain."""
    builder = da.Builder("chain")
    for i in range(links):
        builder.link(f"l{i}", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
        builder.revolute(f"j{i}", f"l{i}", axis="y", origin=(0, 0, -1 if i else 0))
    return builder.build()


@pytest.mark.parametrize("links", [20, 600])
def test_code_is_that_of_one_link_in_its_plane(links: int) -> None:
    """It does not grow with the links; what is zero in all of them is not computed."""
    tree, _ = rolled(hanging(links))
    tree.forward_dynamics(*np.zeros((3, links)))
    # articulated bodies in space take several hundred for each link
    assert sum(sweep.cost.flops for sweep in tree.sweeps) < 150


def test_which_trees_are_long() -> None:
    long = segments.LONG
    assert is_long(lumped(Tree.of(hanging(long))))
    assert not is_long(lumped(Tree.of(hanging(long - 1))))
    # many short branches
    builder = da.Builder("comb")
    for i in range(long):
        builder.link(f"l{i}", mass=1, inertia=(1, 1, 1))
        builder.revolute(f"j{i}", f"l{i}", parent=f"l{i - i % 5 - 1}" if i >= 5 else "world")
    comb = lumped(Tree.of(builder.build()))
    assert len(runs_of(comb)) > comb.nv / segments.SHORTEST
    assert not is_long(comb)
    # a link without mass at the tip: M has no inverse
    builder = da.Builder("chain")
    for i in range(long):
        builder.link(f"l{i}", mass=int(i < long - 1), inertia=(int(i < long - 1),) * 3)
        builder.revolute(f"j{i}", f"l{i}", origin=(1, 0, 0))
    assert not is_long(lumped(Tree.of(builder.build())))
