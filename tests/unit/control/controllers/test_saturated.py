"""Torque limits act, and say so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.control import PDGravity, Saturated, SaturationWarning
from dalembert.mechanism.parts.joint import Limits
from tests.unit.control.controllers import controlled as plants


def strong() -> PDGravity:
    return PDGravity(plants.planar(), [0.0, 0.0], stiffness=100.0, damping=10.0)


def test_torques_are_cut_and_noted() -> None:
    inner = strong()
    limited = Saturated(inner, [40.0, 30.0])
    q, still = np.array([1.0, 0.0]), np.zeros(2)
    wanted = inner(0.5, q, still)
    assert wanted[0] < -40
    assert abs(wanted[1]) < 30
    with pytest.warns(
        SaturationWarning, match=r"PDGravity asks for τ₁ = .* at t = 0.5.* limit is 40"
    ):
        found = limited(0.5, q, still)
    assert np.array_equal(found, [-40.0, wanted[1]])
    (name,) = limited.excess
    note = limited.excess[name]
    assert name == "τ₁"
    assert (note.first, note.last, note.calls) == (0.5, 0.5, 1)
    assert np.isclose(note.most, -wanted[0] - 40)


def test_it_warns_once_until_cleared() -> None:
    limited = Saturated(strong(), 40.0)
    q, still = np.array([1.0, 0.0]), np.zeros(2)
    with pytest.warns(SaturationWarning):
        limited(0.0, q, still)
    limited(1.0, q, still)
    assert limited.excess["τ₁"].calls == 2
    assert limited.excess["τ₁"].last == 1.0
    limited.clear()
    with pytest.warns(SaturationWarning):
        limited(2.0, q, still)


def test_it_is_silent_where_nothing_is_cut() -> None:
    inner = strong()
    limited = Saturated(inner, 1e3)
    q, v = np.array([0.1, 0.2]), np.array([0.3, 0.1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(limited(0.0, q, v), inner(0.0, q, v))
    assert not limited.excess
    assert limited.law is None


def test_limits_of_the_mechanism() -> None:
    builder = da.Builder("limited", gravity=(0, -9.81, 0))
    builder.link("rod", mass=1.0, com=(0.5, 0, 0))
    builder.revolute("hinge", "rod", limits=Limits(effort=3.0))
    model = da.compile(builder.build())
    limited = Saturated(PDGravity(model, [0.0], stiffness=1.0, damping=1.0))
    with pytest.warns(SaturationWarning):
        assert limited(0.0, [0.0], [0.0]) == 3.0


def test_bad_limits() -> None:
    with pytest.raises(da.EvaluationError, match="torque limits in the model, got none"):
        Saturated(strong())
    with pytest.raises(da.EvaluationError, match="expected 2 limits above zero"):
        Saturated(strong(), [1.0, -1.0])
    with pytest.raises(da.EvaluationError, match="expected 2 limits above zero"):
        Saturated(strong(), [1.0, 1.0, 1.0])
    with pytest.raises(da.EvaluationError, match="finite numbers for limits"):
        Saturated(strong(), [np.nan, 1.0])
