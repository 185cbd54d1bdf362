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
    frames, found = frames_of(lambda: model.mass_matrix(given))
    # a batch asks Python for the array of its result
    assert frames == ([] if count is None else ["_new_rows"])
    np.testing.assert_array_equal(found, expected)


def frames_of(call: Callable[[], object]) -> tuple[list[str], object]:
    """Return which functions of Python a call runs, besides the test's, and what it returns."""
    called: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        found = call()
    finally:
        sys.setprofile(None)
    return [name for name in called if name != "<lambda>"], found


def test_a_method_that_was_held_before_its_first_call_runs_no_python_either() -> None:
    model = da.compile(ARM)
    held = model.inverse_dynamics
    expected = held(Q, QD, TAU)
    assert model.inverse_dynamics is held
    frames, found = frames_of(lambda: held(Q, QD, TAU))
    assert frames == []
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.forward_kinematics(Q),
        lambda model: model.forward_kinematics(Q, TIP),
        lambda model: model.forward_kinematics(Q, frame=TIP),
        lambda model: model.jacobian(Q, TIP),
        lambda model: model.jacobian(Q, frame=TIP),
        lambda model: model.frame_velocity(Q, QD, TIP),
        lambda model: model.frame_velocity_derivatives(Q, QD, TIP),
    ],
)
def test_a_frame_chooses_the_code_without_python(call: Callable[[Model], object]) -> None:
    model = da.compile(ARM)
    # others must not answer for it
    for frame in (ARM.links[2].name, ARM.links[3].name):
        model.forward_kinematics(Q, frame), model.jacobian(Q, frame)
        model.frame_velocity(Q, QD, frame), model.frame_velocity_derivatives(Q, QD, frame)
    expected = call(da.compile(ARM, backend="numpy"))
    call(model)
    frames, found = frames_of(lambda: call(model))
    assert frames == []
    for ours, other in zip(found, expected, strict=True):  # type: ignore[call-overload]
        np.testing.assert_allclose(ours, other, rtol=0, atol=1e-13)


def test_out_runs_no_python_and_is_what_is_returned() -> None:
    model = da.compile(ARM)
    held, out = model.inverse_dynamics, np.empty(6)
    expected = held(Q, QD, TAU)
    assert held(Q, QD, TAU, out=out) is out
    out[:] = 0
    frames, found = frames_of(lambda: held(Q, QD, TAU, out=out))
    assert frames == []
    assert found is out
    np.testing.assert_array_equal(out, expected)
    # None is no array, and neither is a list
    np.testing.assert_array_equal(held(Q, QD, TAU, out=None), expected)
    with pytest.raises(da.EvaluationError, match="expected 1 array"):
        held(Q, QD, TAU, out=[0.0] * 6)  # type: ignore[arg-type]
    with pytest.raises(da.EvaluationError, match="shared memory"):
        held(out, QD, TAU, out=out)


def test_a_door_takes_what_its_method_takes_and_nothing_else() -> None:
    model = da.compile(ARM)
    model.gravity(Q), model.forward_kinematics(Q), model.jacobian(Q, TIP)
    for wrong in (
        lambda: model.gravity(Q, None),  # type: ignore[call-arg]
        lambda: model.gravity(Q, Q),  # type: ignore[call-arg]
        lambda: model.gravity(),  # type: ignore[call-arg]
        lambda: model.gravity(Q, frame=TIP),  # type: ignore[call-arg]
        lambda: model.gravity(Q, nothing=1),  # type: ignore[call-arg]
        lambda: model.jacobian(Q),  # type: ignore[call-arg]
        lambda: model.jacobian(Q, TIP, "world", 1),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError):
            wrong()
    several = model.forward_kinematics(Q, [TIP, ARM.links[2].name])
    np.testing.assert_allclose(several[0], model.forward_kinematics(Q, TIP), atol=1e-15)
    body = model.jacobian(Q, TIP, "body")
    assert not np.allclose(body, model.jacobian(Q, TIP))
    np.testing.assert_array_equal(model.jacobian(Q, TIP, reference="body"), body)
    np.testing.assert_array_equal(model.jacobian(Q, TIP, "world"), model.jacobian(Q, TIP))
    with pytest.raises(da.UnknownName, match="nobody"):
        model.forward_kinematics(Q, "nobody")
    # a text that was made while the program runs is another object
    name = "".join(list(TIP))
    np.testing.assert_array_equal(model.jacobian(Q, name), model.jacobian(Q, TIP))


def test_code_that_is_replaced_while_it_runs_lives_on() -> None:
    """A first batch compiles the code for batches from inside of a call of the code before it."""
    model = da.compile(ARM)
    held = model.bias
    one = held(Q, QD)
    for count in (2, 40, 1):
        many = held(np.tile(Q, (count, 1)), np.tile(QD, (count, 1)))
        np.testing.assert_allclose(many, np.tile(one, (count, 1)), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_values_of_parameters_reach_the_method(backend: str) -> None:
    m = da.parameters("m")[0]
    (x,) = da.coordinates("x")
    model = da.compile(da.System(kinetic=m * x.dot**2 / 2, coordinates=[x]), backend=backend)
    for value in (2.0, 3.0):
        assert model.mass_matrix([0.0], parameters={m: value}) == value
    with pytest.raises(da.EvaluationError, match="parameters="):
        model.mass_matrix([0.0])
