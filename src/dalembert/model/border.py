"""Numbers from outside, checked once: finite, real, of the expected shape."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import DalembertError, EvaluationError
from dalembert.spatial.arrays import check_poses

if TYPE_CHECKING:
    from dalembert.model.model import Model
    from dalembert.types import Array

Shape = tuple[int | EllipsisType, ...]
"""The shape of an array; ``(..., n)`` allows any leading axes."""


def check_doubles(model: Model, what: str) -> None:
    """Raise for a model in single precision, where results would be rounding.

    Raises:
        EvaluationError: its functions compute in float32.
    """
    if model.dtype != "float64":
        raise EvaluationError(
            f"expected a model in double precision for {what}, got {model.dtype}: compile it with "
            "dtype='float64'; da.rollout takes models in single precision"
        )


def finite_array(
    value: object,
    name: str,
    shape: Shape | None = None,
    *,
    labels: Sequence[str] = (),
    remark: str = "",
) -> Array:
    """Return finite real numbers as a new array of doubles.

    Args:
        value: Numbers, nested lists or an array; one on a GPU is copied to the host.
        name: What errors call it: "q0", "the target of tip".
        shape: The shape it must have, ``(..., n)`` with leading axes; any unless given.
        labels: Names of the entries along the last axis, for errors.
        remark: What an error about the shape says besides; see `Configuration.shape_remark`.

    Raises:
        EvaluationError: no real numbers, another shape, or NaN or infinite entries.

    >>> finite_array([1, 2], "q0", (..., 2))
    array([1., 2.])
    """
    listed = f" ({', '.join(labels)})" if labels else ""
    try:
        array = _doubles(to_numpy(value))
    except (TypeError, ValueError, DalembertError):
        raise EvaluationError(
            f"expected real numbers for {name}{listed}, got {value!r:.60}"
        ) from None
    if shape is not None:
        check_shape(array.shape, f"{name}{listed}", shape, remark)
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(k) for k in np.argwhere(~finite)[0])
        where = f" for {labels[place[-1]]}" if labels else f" at {list(place)}" if place else ""
        raise EvaluationError(f"expected finite numbers for {name}, got {array[place]}{where}")
    return array


def check_shape(found: tuple[int, ...], name: str, shape: Shape, remark: str = "") -> None:
    """Raise `EvaluationError` unless an array has a shape."""
    if not _fits(found, shape):
        text = _shape_text(shape)
        raise EvaluationError(f"expected shape {text} for {name}, got {found}{remark}")


def finite_poses(value: object, name: str, shape: Shape = (..., 4, 4)) -> Array:
    """Return homogeneous matrices ``(..., 4, 4)`` whose upper left blocks are rotations.

    Raises:
        EvaluationError: as `finite_array`, or a matrix that is no pose.
    """
    X = finite_array(value, name, shape)
    check_poses(X, name)
    return X


def to_numpy(value: object) -> Array:
    """Return a value as an array of NumPy; one on a GPU is copied to the host."""
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        value = value.get()  # type: ignore[attr-defined]
    elif hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach().cpu()  # type: ignore[attr-defined]
    return np.asarray(value)


def _doubles(array: Array) -> Array:
    """Return a copy in doubles; of objects, such as fractions, what float() makes of each."""
    if array.dtype.kind == "O":
        return np.array([float(x) for x in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise TypeError
    return array.astype(float)


def _fits(found: tuple[int, ...], shape: Shape) -> bool:
    if shape[:1] != (...,):
        return found == shape
    inner = shape[1:]
    return len(found) >= len(inner) and found[len(found) - len(inner) :] == inner


def _shape_text(shape: Shape) -> str:
    sizes = ["..." if n is ... else str(n) for n in shape]
    return f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"
