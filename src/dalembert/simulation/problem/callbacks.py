"""Calls of functions that users gave: they see the state, cannot change it, and give numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, EvaluationError
from dalembert.model.border import Shape, finite_array


def call(function: Callable[..., Any], what: str, t: float, *arrays: np.ndarray | None) -> Any:
    """Return a user's function of the time and of arrays, which it may read only.

    Raises:
        EvaluationError: the function raised; its own error is the cause.
    """
    try:
        return function(t, *(None if a is None else read_only(a) for a in arrays))
    except DalembertError:
        raise
    except Exception as error:
        raise EvaluationError(
            f"expected {what} to return, got {type(error).__name__} at t = {t:.9g}: {error}"
        ) from error


def call_for_numbers(
    function: Callable[..., Any],
    what: str,
    shape: Shape | None,
    t: float,
    *arrays: np.ndarray | None,
) -> np.ndarray:
    """Return the numbers that a user's function gives, as an array of doubles.

    Raises:
        EvaluationError: the function raised, or gave something else.
    """
    value = call(function, what, t, *arrays)
    try:
        return finite_array(value, what, shape)
    except EvaluationError:
        # once more, with what it takes time to write
        return finite_array(value, f"the result of {what} at t = {t:.9g}", shape)


def call_for_state(
    function: Callable[[float], Any], what: str, nq: int, nv: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pair (q, qd) that a user's function of the time gives.

    Raises:
        EvaluationError: the function raised, or gave something else.
    """
    found = call(function, what, t)
    try:
        parts = dict(zip(("q", "qd"), found, strict=True))
    except (TypeError, ValueError):
        raise EvaluationError(
            f"expected (q, qd) for the result of {what} at t = {t:.9g}, got {found!r:.60}"
        ) from None
    q, v = (
        finite_array(part, f"{name} of the result of {what} at t = {t:.9g}", (size,))
        for (name, part), size in zip(parts.items(), (nq, nv), strict=True)
    )
    return q, v


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
