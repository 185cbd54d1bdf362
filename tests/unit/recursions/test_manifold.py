"""integrate and difference against Pinocchio, and as inverses of each other."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.state_layouts import from_pinocchio, to_pinocchio
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.manifold import difference, integrate
from dalembert.recursions.tree import Tree
from tests.random_mechanisms import random_mechanism, random_state

KINDS = ("revolute", "prismatic", "continuous", "spherical", "floating")


def random_tree(rng: np.random.Generator) -> tuple[Mechanism, Tree]:
    mechanism = random_mechanism(rng, 6, kinds=KINDS)
    return mechanism, Tree.of(mechanism).map(float)


def test_difference_undoes_integrate(rng: np.random.Generator) -> None:
    for _ in range(20):
        mechanism, tree = random_tree(rng)
        q, *_ = random_state(rng, mechanism)
        v = rng.uniform(-1, 1, size=tree.nv)
        step = np.array(difference(tree, q, integrate(tree, q, v)))
        assert step == pytest.approx(v, abs=1e-13)
        assert difference(tree, q, q) == pytest.approx([0] * tree.nv, abs=1e-15)


def test_quaternions_stay_units(rng: np.random.Generator) -> None:
    mechanism, tree = random_tree(rng)
    q, *_ = random_state(rng, mechanism)
    for _ in range(200):
        q = integrate(tree, q, rng.normal(size=tree.nv), 0.1)
    for node in tree.nodes:
        if len(node.positions) >= 4:
            w = np.array([q[i] for i in node.positions[-4:]])
            assert np.linalg.norm(w) == pytest.approx(1, abs=1e-13)


def test_velocity_is_the_rate_of_the_pose(rng: np.random.Generator) -> None:
    """Small steps move links by their body twists: checked through forward kinematics."""
    from dalembert.recursions.kinematics import jacobian

    mechanism, tree = random_tree(rng)
    q, *_ = random_state(rng, mechanism)
    v, h = rng.normal(size=tree.nv), 1e-6
    ahead, behind = (forward_kinematics(tree, integrate(tree, q, v, s * h)) for s in (1, -1))
    for name, number in tree.numbers.items():
        J = np.array([[*u, *w] for u, w in jacobian(tree, q, name)], dtype=float).T
        rate = (np.array(ahead[number].p) - np.array(behind[number].p)) / (2 * h)
        assert rate == pytest.approx((J @ v)[:3], abs=1e-7)


def test_agrees_with_pinocchio(rng: np.random.Generator) -> None:
    pin = pytest.importorskip("pinocchio")
    from tests.agreement.test_random_trees import pinocchio_model

    for _ in range(10):
        mechanism, tree = random_tree(rng)
        model = pinocchio_model(mechanism)
        q, *_ = random_state(rng, mechanism)
        v = rng.uniform(-1, 1, size=tree.nv)
        qp, vp = to_pinocchio(mechanism, np.array(q, dtype=float), v, model=model)
        there = pin.integrate(model, qp, vp)
        back, _ = from_pinocchio(mechanism, there, vp, model=model)
        mine = integrate(tree, q, v)
        assert difference(tree, mine, list(back)) == pytest.approx([0] * tree.nv, abs=1e-12)
