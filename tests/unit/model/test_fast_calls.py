"""Compiled functions in the place of methods look like the methods that they replace."""

from __future__ import annotations

import inspect
import pydoc
import sys
from collections.abc import Callable
from types import FrameType

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model

ARM = da.textbook.robots.ur5e()
TIP = ARM.links[-1].name
Q, QD, TAU = np.linspace(0.1, 1.0, 18).reshape(3, 6)

CALLS: dict[str, Callable[[Model], object]] = {
    "mass_matrix": lambda model: model.mass_matrix(Q),
    "bias": lambda model: model.bias(Q, QD),
    "forward_dynamics": lambda model: model.forward_dynamics(Q, QD, TAU),
    "inverse_dynamics_derivatives": lambda model: model.inverse_dynamics_derivatives(Q, QD, TAU),
    "forward_kinematics": lambda model: model.forward_kinematics(Q, TIP),
    "jacobian": lambda model: model.jacobian(Q, TIP),
}


def look(model: Model, name: str) -> tuple[str | None, str, list[tuple[str, object, object]]]:
    """Return docstring, name and parameters of a model's function."""
    function = getattr(model, name)
    parameters = inspect.signature(function).parameters.values()
    return (
        inspect.getdoc(function),
        function.__name__,
        [(p.name, p.kind, p.default) for p in parameters],
    )


@pytest.mark.parametrize("name", CALLS)
def test_documentation_stays_after_the_first_call(name: str) -> None:
    model = da.compile(ARM)
    before = look(model, name)
    assert before[0]
    first = CALLS[name](model)
    assert look(model, name) == before
    # a batch brings the second code, in front of the first
    batch = getattr(model, name)
    np.testing.assert_equal(CALLS[name](model), first)
    assert before[0].splitlines()[0] in pydoc.render_doc(batch)


def test_documentation_stays_after_a_batch() -> None:
    model = da.compile(ARM)
    before = look(model, "mass_matrix")
    for states in (Q, np.tile(Q, (32, 1)), Q):
        model.mass_matrix(states)
        assert look(model, "mass_matrix") == before
    assert inspect.isbuiltin(model.mass_matrix)


def test_other_arguments_go_to_the_method() -> None:
    model = da.compile(ARM)
    expected = model.mass_matrix(Q)
    np.testing.assert_equal(model.mass_matrix(q=Q), expected)
    np.testing.assert_equal(model.mass_matrix(list(Q)), expected)
    with pytest.raises(da.EvaluationError, match="expected shape"):
        model.mass_matrix(np.zeros(3))


@pytest.mark.parametrize("count", [None, 1, 3])
def test_plain_arrays_run_no_python(count: int | None) -> None:
    """Of one state, and of as few as have no SIMD lanes to fill."""
    model = da.compile(ARM)
    given = Q if count is None else np.tile(Q, (count, 1))
    expected = model.mass_matrix(given)
    called: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        found = model.mass_matrix(given)
    finally:
        sys.setprofile(None)
    # a batch asks Python for the array of its result
    assert called == ([] if count is None else ["_new_rows"])
    np.testing.assert_array_equal(found, expected)
