"""A tree is a value: built once, mapped to other scalars, lumped; it keeps names and places."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UnknownName
from dalembert.expr import Expr, as_expr
from dalembert.mechanism import Mechanism
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.kinematics import forward_kinematics, frame_pose
from dalembert.recursions.lump import lumped
from dalembert.recursions.tree import Tree
from tests.random_mechanisms import random_mechanism, random_state

ROUNDING = 1e-12


def arm() -> Mechanism:
    (l,) = da.parameters("l")
    builder = da.Builder("arm", gravity=(0, 0, -9.81))
    builder.link("upper", mass=2, com=(l / 2, 0, 0)).revolute("shoulder", "upper", axis="y")
    builder.link("plate", mass=0.5).fixed("bolt", "plate", parent="upper", origin=(l, 0, 0))
    builder.link("lower", mass=1, com=(0.1, 0, 0))
    return builder.revolute("elbow", "lower", parent="plate", origin=(0, 0.1, 0)).build()


def test_a_tree_is_frozen_and_holds_no_mechanism() -> None:
    tree = Tree.of(arm())
    with pytest.raises(FrozenInstanceError):
        tree.gravity = (0, 0, 0)  # type: ignore[misc]
    assert not any(isinstance(getattr(tree, f.name), Mechanism) for f in fields(tree))
    assert tree == Tree.of(arm())


def test_map_reaches_every_number() -> None:
    tree = Tree.of(arm())
    (l,) = {x for e in tree.scalars for x in e.symbols}
    floats = tree.map(lambda x: 0.5 if x is l else float(as_expr(x).evaluate({l: 0.5})))
    assert not floats.scalars
    assert isinstance(floats.nodes[0].inertia.m, float)
    assert isinstance(floats.nodes[1].joint.placement.p[0], float)
    assert (floats.nq, floats.nv, floats.numbers) == (tree.nq, tree.nv, tree.numbers)
    assert all(isinstance(x, Expr) for x in tree.scalars)


def test_unknown_names_list_the_nearest() -> None:
    tree = Tree.of(arm())
    with pytest.raises(UnknownName, match=r"expected a frame of arm, got 'lowr'.*lower"):
        tree.frame("lowr")
    with pytest.raises(UnknownName, match=r"expected a link of arm, got 'plat'.*plate"):
        tree.link_name("plat")


def test_angles_are_those_that_joints_turn_by() -> None:
    builder = da.Builder("slide").link("a", mass=1).prismatic("p", "a")
    builder.link("b", mass=1).revolute("r", "b")
    q = da.coordinates("q1 q2")
    assert Tree.of(builder.build()).angles(q) == [q[1]]


def test_lumped_trees_move_alike(rng: np.random.Generator) -> None:
    for _ in range(5):
        mechanism = random_mechanism(rng, 6, kinds=("fixed", "revolute", "helical", "spherical"))
        if not mechanism.nv:
            continue
        exact = Tree.of(mechanism)
        tree, small = exact.map(float), lumped(exact).map(float)
        assert all(node.velocities and node.joint.after.is_identity for node in small.nodes)
        q, _ = random_state(rng, mechanism)
        M, N = (np.array(mass_matrix(t, q), dtype=float) for t in (tree, small))
        assert pytest.approx(M, abs=ROUNDING) == N
        X, Y = forward_kinematics(tree, q), forward_kinematics(small, q)
        for link in mechanism.links:
            one, two = frame_pose(tree, X, link.name), frame_pose(small, Y, link.name)
            assert np.allclose(np.array(one.R, float), np.array(two.R, float), atol=ROUNDING)
            assert np.allclose(np.array(one.p, float), np.array(two.p, float), atol=ROUNDING)
