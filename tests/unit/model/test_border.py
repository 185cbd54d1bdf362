"""The one check of numbers from outside."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array, finite_poses


class OnGPU:
    """Stands for an array on a GPU."""

    __cuda_array_interface__ = None

    def get(self) -> np.ndarray:
        return np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "value", [[1, 2], (1.0, 2.0), np.array([1, 2], np.float32), [Fraction(1), 2], OnGPU()]
)
def test_numbers_of_many_kinds(value: Any) -> None:
    found = finite_array(value, "x", (2,))
    assert found.dtype == float
    assert np.array_equal(found, [1, 2])


def test_result_is_a_new_array() -> None:
    x = np.zeros(3)
    finite_array(x, "x")[0] = 1
    assert x[0] == 0


@pytest.mark.parametrize(
    "value",
    ["12", ["1", "2"], [1j, 2], None, [1, None], [[1], [1, 2]], {}, [True], da.parameters("a b")],
)
def test_values_that_are_no_real_numbers(value: Any) -> None:
    with pytest.raises(EvaluationError, match="expected real numbers for x, got"):
        finite_array(value, "x")


@pytest.mark.parametrize(
    ("found", "shape", "fits"),
    [
        ((2,), (2,), True),
        ((1, 2), (2,), False),
        ((), (), True),
        ((1,), (), False),
        ((5, 7, 2), (..., 2), True),
        ((2,), (..., 2), True),
        ((), (..., 2), False),
        ((4,), (..., 4, 4), False),
        ((3, 4, 4), (..., 4, 4), True),
        ((3, 1), (..., 2), False),
    ],
)
def test_shapes(found: tuple[int, ...], shape: tuple[Any, ...], fits: bool) -> None:
    if fits:
        assert finite_array(np.zeros(found), "x", shape).shape == found
        return
    with pytest.raises(EvaluationError, match=r"expected shape \(.*\) for x, got \("):
        finite_array(np.zeros(found), "x", shape)


def test_messages_name_shape_and_place() -> None:
    with pytest.raises(EvaluationError, match=r"shape \(3,\) for q0 \(a, b, c\), got \(2,\)"):
        finite_array([1, 2], "q0", (3,), labels=("a", "b", "c"))
    with pytest.raises(EvaluationError, match="finite numbers for q0, got nan for b"):
        finite_array([[0, 1], [0, np.nan]], "q0", (..., 2), labels=("a", "b"))
    with pytest.raises(EvaluationError, match=r"finite numbers for x, got inf at \[1, 0\]"):
        finite_array([[0, 1], [np.inf, 0]], "x")
    with pytest.raises(EvaluationError, match=r"finite numbers for x, got nan$"):
        finite_array(np.nan, "x")


def test_poses() -> None:
    assert np.array_equal(finite_poses(np.eye(4).tolist(), "X"), np.eye(4))
    with pytest.raises(EvaluationError, match="expected a rotation matrix for X"):
        finite_poses(2 * np.eye(4), "X")
    with pytest.raises(EvaluationError, match=r"expected shape \(..., 4, 4\) for X"):
        finite_poses(np.eye(3), "X")
    with pytest.raises(EvaluationError, match=r"expected shape \(4, 4\) for X"):
        finite_poses(np.zeros((2, 4, 4)), "X", (4, 4))


@pytest.mark.parametrize(
    "run", [lambda x: da.simulate(x, [0, 0], None, 1.0), lambda x: da.rollout(x, [0, 0], None, 1)]
)
@pytest.mark.parametrize("thing", [da.textbook.double_pendulum, da.textbook.robots.ur5e])
def test_what_was_not_compiled_is_named(run, thing) -> None:
    with pytest.raises(da.EvaluationError, match=r"got a (System|Mechanism): compile"):
        run(thing())
