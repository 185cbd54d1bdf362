"""Calls of functions that users gave: they see the state and cannot change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, EvaluationError


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


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
