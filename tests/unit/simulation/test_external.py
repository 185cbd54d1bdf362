"""Wrenches on frames in simulations and rollouts."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName
from dalembert.model import Model
from dalembert.simulation import RK4

T = np.linspace(0, 1, 5)


def free_box() -> Model:
    """Return a box in space without weight, 2 kg, with a handle half a metre off its centre."""
    return da.compile(
        da.Builder("box", gravity=(0, 0, 0))
        .link("box", mass=2, inertia=(3, 3, 4))
        .floating("free", "box")
        .frame("handle", "box", origin=(0.5, 0, 0))
        .build()
    )


def panda() -> Model:
    return da.compile(da.textbook.robots.panda())


def test_push_at_the_centre_by_hand() -> None:
    model = free_box()
    motion = da.simulate(model, model.neutral, None, T, external={"box": [6, 0, 0, 0, 0, 0]})
    # x = ½ (F / m) t², and the work of the force is the kinetic energy
    np.testing.assert_allclose(motion.q[:, 0], 1.5 * T**2, atol=1e-13)
    np.testing.assert_allclose(motion.energy.work, 9 * T**2, atol=1e-12)


def test_couple_in_body_axes_by_hand() -> None:
    model = free_box()
    wrench = [0, 0, 0, 0, 0, 8]
    motion = da.simulate(model, model.neutral, None, T, external={"box": wrench}, reference="body")
    # ω̇ = M / I about a principal axis
    np.testing.assert_allclose(motion.qd[:, 5], 2 * T, atol=1e-12)


def test_lever_of_a_frame_off_the_centre() -> None:
    model = free_box()
    # a force that keeps its direction in the box: moment r × F = 0.5 · 4 about z
    motion = da.simulate(
        model, model.neutral, None, T, external={"handle": [0, 4, 0, 0, 0, 0]}, reference="body"
    )
    np.testing.assert_allclose(motion.qd[:, 5], 0.5 * T, atol=1e-12)


@pytest.mark.parametrize("form", ["numbers", "expressions", "function"])
@pytest.mark.parametrize("forces", ["law", "constant", "function", "none"])
def test_all_forms_agree(form: str, forces: str) -> None:
    model = panda()
    q0, F = np.full(7, 0.3), np.array([5.0, -3.0, 10.0, 0.5, 0.2, -0.1])
    wrench = {
        "numbers": F,
        "expressions": [f + 0 * da.time for f in F],
        "function": lambda t, q, qd: F,
    }[form]
    damping = {
        "law": [-2 * v for v in model.symbols.qd],
        "constant": np.arange(7.0),
        "function": lambda t, q, qd: -2 * qd,
        "none": None,
    }[forces]
    motion = da.simulate(model, q0, None, [0, 0.2], damping, external={"flange": wrench})
    # the same forces, added by hand
    J = lambda q: model.jacobian(q, "flange", reference="world")  # noqa: E731
    own = {
        "law": lambda q, qd: -2 * qd,
        "constant": lambda q, qd: np.arange(7.0),
        "function": lambda q, qd: -2 * qd,
        "none": lambda q, qd: np.zeros(7),
    }[forces]
    expected = da.simulate(model, q0, None, [0, 0.2], lambda t, q, qd: own(q, qd) + J(q).T @ F)
    np.testing.assert_allclose(motion.q[-1], expected.q[-1], rtol=0, atol=1e-10)


def test_rollouts_and_simulation_agree() -> None:
    model = panda()
    q0 = np.full((3, 7), 0.3)
    (f,) = da.parameters("f")
    sizes = np.array([0.0, 5.0, 10.0])
    runs = da.rollout(
        model,
        q0,
        None,
        200,
        method=RK4(1e-3),
        external={"flange": [f, 0, 0, 0, 0, 0]},
        parameters={f: sizes},
        record=None,
    )
    for k, size in enumerate(sizes):
        alone = da.simulate(
            model, q0[k], None, [0, 0.2], external={"flange": [size, 0, 0, 0, 0, 0]}
        )
        np.testing.assert_allclose(runs.q[k, -1], alone.q[-1], rtol=0, atol=1e-9)


def test_controls_and_wrenches_add() -> None:
    model = free_box()
    controls = np.zeros((10, 6))
    controls[:, 0] = 2.0
    runs = da.rollout(
        model,
        model.neutral,
        None,
        10,
        method=RK4(0.1),
        controls=controls,
        external={"box": [6, 0, 0, 0, 0, 0]},
        record=None,
    )
    np.testing.assert_allclose(runs.q[-1, 0], 0.5 * 8 / 2, atol=1e-12)


def test_no_wrenches_are_none() -> None:
    model = free_box()
    motion = da.simulate(model, model.neutral, None, T, external={})
    np.testing.assert_array_equal(motion.q[-1], model.neutral)


def test_wrong_wrenches_are_named() -> None:
    model = free_box()
    start = (model.neutral, None, 1.0)
    with pytest.raises(EvaluationError, match="the wrench on box"):
        da.simulate(model, *start, external={"box": [1, 2, 3]})
    with pytest.raises(EvaluationError, match="six expressions"):
        da.simulate(model, *start, external={"box": [da.time, 0]})
    with pytest.raises(EvaluationError, match="name of a frame"):
        da.simulate(model, *start, external=[1, 2, 3, 4, 5, 6])  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="hand"):
        da.simulate(model, *start, external={"hand": np.zeros(6)})
    with pytest.raises(UnknownName, match="reference"):
        da.simulate(model, *start, external={"box": np.zeros(6)}, reference="tool")
    with pytest.raises(EvaluationError, match="simulate takes"):
        da.rollout(model, model.neutral, None, 1, external={"box": lambda t, q, qd: np.zeros(6)})
    (x,) = da.coordinates("x")
    system = da.compile(da.System(kinetic=x.dot**2, potential=0, coordinates=[x]))
    with pytest.raises(InvalidMechanism):
        da.simulate(system, [0.0], None, 1.0, external={"tip": np.zeros(6)})
