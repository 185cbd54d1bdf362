"""Solutions that keep links apart: by another branch, by the null space, or with a reason."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import ik
from dalembert.mechanism import Capsule, Sphere

LIMITS = [ik.JointLimits(), ik.Clearance(0.01)]


def planar(num_links: int, obstacle: tuple[float, float]) -> da.Model:
    """Return an arm of capsules in the plane, with a ball in its way."""
    arm, parent = da.Builder("arm"), "world"
    arm.link("post").fixed("stand", "post", parent="world", origin=(*obstacle, 0))
    arm.shape("post", Sphere(0.1))
    for k in range(num_links):
        name = f"link{k}"
        arm.link(name, mass=1, inertia=(1, 1, 1))
        origin = (0.5 if k else 0, 0, 0)
        arm.revolute(f"joint{k}", name, parent=parent, axis="z", origin=origin, limits=(-3, 3))
        arm.shape(name, Capsule(0.03, 0.4), origin=(0.25, 0, 0), rpy=(0, np.pi / 2, 0))
        parent = name
    return da.compile(arm.frame("tip", parent, origin=(0.5, 0, 0)).build())


def test_the_other_elbow_is_taken() -> None:
    # the elbow of the first solution is in the ball
    model = planar(2, (0.35, 0.4))
    task = ik.PositionTask("tip", [0.75, 0.2], axes="xy")
    q0 = [1.0, -1.5]
    blocked = ik.solve_ik(model, task, q0)
    assert blocked.ok
    assert model.distances(blocked.q).least < 0
    found = ik.solve_ik(model, task, q0, limits=LIMITS)
    assert found.ok, found
    assert found.status == "converged"
    assert model.distances(found.q).least >= 0.01
    assert np.sign(found.q[1]) != np.sign(blocked.q[1])
    tip = model.forward_kinematics(found.q, "tip")[:2, 3]
    assert np.abs(tip - [0.75, 0.2]).max() < 1e-8


def test_what_is_in_the_way_is_said() -> None:
    model = planar(2, (0.35, 0.4))
    # the tip itself would be in the ball, or within the margin of it
    inside = ik.solve_ik(model, ik.PositionTask("tip", [0.35, 0.4], axes="xy"), limits=LIMITS)
    assert not inside.ok
    assert inside.status.startswith("blocked: post and link1 overlap by ")
    beside = [0.35 - 0.135, 0.4]
    found = ik.solve_ik(model, ik.PositionTask("tip", beside, axes="xy"), limits=LIMITS)
    assert found.status.startswith("blocked: post and link1 are ") or found.ok
    assert found.ok or "mm apart, 10 mm are asked for" in found.status
    # what cannot be reached at all says so as before
    far = ik.solve_ik(model, ik.PositionTask("tip", [3.0, 0], axes="xy"), limits=LIMITS)
    assert far.status.startswith("out of reach")


def test_redundant_arms_give_way_in_their_null_space(rng: np.random.Generator) -> None:
    model = planar(4, (0.6, 0.5))
    targets = rng.uniform([0.6, -0.6], [1.2, 1.2], (12, 2))
    task = ik.PositionTask("tip", targets, axes="xy")
    free = ik.solve_ik(model, task)
    found = ik.solve_ik(model, task, limits=LIMITS)
    assert free.ok.all()
    near = model.distances(free.q).least < 0.01
    assert near.any()
    least = model.distances(found.q).least
    assert (least[found.ok] >= 0.01 - 1e-8).all()
    # a target in the ball, or nearer than the tip is thick, cannot be reached
    beyond = np.linalg.norm(targets - [0.6, 0.5], axis=1) > 0.1 + 0.03 + 0.01
    assert found.ok[beyond].all()
    assert (found.q[~near] == free.q[~near]).all()


def test_pairs_and_exclusions() -> None:
    model = planar(2, (0.35, 0.4))
    task = ik.PositionTask("tip", [0.75, 0.2], axes="xy")
    for clearance in (
        ik.Clearance(0.01, exclude=[("post", "link0"), ("post", "link1")]),
        ik.Clearance(0.0, pairs=[("post", "tip_guard")]),
    ):
        if clearance.pairs is not None:
            with pytest.raises(da.UnknownName, match="expected a link, got 'tip_guard'"):
                ik.solve_ik(model, task, limits=[clearance])
        else:
            with pytest.raises(da.InvalidMechanism, match="pairs of links"):
                ik.solve_ik(model, task, limits=[clearance])
