"""Joints and frames of a model by name, and what errors of shape say about mimic joints."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.model import Model


@pytest.fixture(scope="module")
def model() -> Model:
    body = {"mass": 1, "inertia": (1, 1, 1)}
    gripper = (
        da.Builder("gripper")
        .link("base", **body)
        .floating("free", "base")
        .link("wrist", **body)
        .spherical("ball", "wrist")
        .link("left", **body)
        .prismatic("finger", "left", parent="wrist", axis="y", limits=(0, 0.04))
        .link("right", **body)
        .prismatic("thumb", "right", parent="wrist", axis="-y", mimic=("finger", -2, 0.5))
        .frame("tip", "right", origin=(0, 0, 0.1), rpy=(0, 0, np.pi / 2))
        .build()
    )
    return da.compile(gripper)


def test_joints_have_places(model: Model) -> None:
    """q is (7 of the base, 4 of the ball, 1), v is (6, 3, 1)."""
    ball, finger, thumb = model.joint("ball"), model.joint("finger"), model.joint("thumb")
    assert (ball.q, ball.v, ball.index) == (slice(7, 11), slice(6, 9), 6)
    assert (finger.q, finger.v, finger.limits.upper) == (slice(11, 12), slice(9, 10), 0.04)
    assert (thumb.q, thumb.v) == (finger.q, finger.v)
    assert (thumb.multiplier, thumb.offset) == (-2.0, 0.5)
    assert thumb.axis.tolist() == [0, -1, 0]
    with pytest.raises(UnknownName, match="did you mean finger"):
        model.joint("fingr")


def test_frames_have_places(model: Model) -> None:
    tip = model.frame("tip")
    q = model.random_configuration(0)
    every = model.forward_kinematics(q)
    expected = model.forward_kinematics(q, "tip")
    assert np.abs(every[tip.index] @ tip.placement - expected).max() < 1e-15
    assert model.frame("wrist").placement.tolist() == np.eye(4).tolist()


def test_neutral_and_random(model: Model) -> None:
    assert model.neutral.tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    model.neutral[:] = 9
    assert model.neutral[0] == 0
    q = model.random_configuration(1, 50)
    assert q.shape == (50, 12)
    assert ((q[:, 11] >= 0) & (q[:, 11] <= 0.04)).all()


@pytest.mark.parametrize("function", ["mass_matrix", "gravity"])
def test_errors_of_shape_name_mimic_joints(model: Model, function: str) -> None:
    """One number for each joint, also for the one that follows: the usual mistake."""
    for _ in range(2):
        with pytest.raises(EvaluationError) as caught:
            getattr(model, function)(np.zeros(13))
        assert "expected shape (..., 12) for q" in str(caught.value)
        assert "(thumb follows finger)" in str(caught.value)
        getattr(model, function)(model.neutral)


def test_errors_of_shape_of_others_say_nothing_of_joints() -> None:
    arm = da.compile(da.textbook.robots.ur5e())
    with pytest.raises(EvaluationError) as caught:
        arm.mass_matrix(np.zeros(7))
    assert "mimic" not in str(caught.value)
