"""What comes from outside, checked once: numbers of the expected shape, objects of a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from types import EllipsisType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dalembert.errors import DalembertError, EvaluationError
from dalembert.spatial.arrays import check_poses

if TYPE_CHECKING:
    from dalembert.model.model import Model
    from dalembert.types import Array

T = TypeVar("T")
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
        array = doubles(to_numpy(value))
    # the last one: an integer beyond the largest double
    except (TypeError, ValueError, DalembertError, OverflowError):
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


def number_in(
    value: object, name: str, *, least: float = -inf, most: float = inf, above: float = -inf
) -> float:
    """Return a finite number of a range.

    >>> number_in("x", "friction", least=0)
    Traceback (most recent call last):
        ...
    dalembert.errors.EvaluationError: expected real numbers for friction, got 'x'
    >>> number_in(0, "gain", above=0, most=1)
    Traceback (most recent call last):
        ...
    dalembert.errors.EvaluationError: expected gain above 0 and at most 1, got 0

    Raises:
        EvaluationError: no real number, none of the range, or not finite.
    """
    if isinstance(value, np.ndarray):
        # even one without axes has no hash, and what keeps it needs one
        raise EvaluationError(f"expected a number for {name}, got {value!r:.60}")
    x = float(finite_array(value, name, ()))
    if least <= x <= most and x > above:
        return x
    low, end = (f"above {above:g}", f"and at most {most:g}")
    if above == -inf:
        low, end = (f"from {least:g}", f"to {most:g}")
    words = [name, *([low] if max(least, above) > -inf else []), *([end] if most < inf else [])]
    raise EvaluationError(f"expected {' '.join(words)}, got {x:g}")


def finite_vector(x: object, name: str, count: int) -> Array:
    """Return ``count`` finite numbers; arrays of the right shape are looked at quickly, not copied.

    Raises:
        EvaluationError: as `finite_array`.
    """
    # a masked array hides numbers
    if isinstance(x, np.ndarray) and x.__class__ is np.ndarray:
        # counting is the quickest look at few numbers
        is_plain = x.shape == (count,) and x.dtype == float
        if is_plain and np.count_nonzero(np.isfinite(x)) == count:
            return x
    return finite_array(x, name, (count,))


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


def of_kind(value: object, kind: type[T] | tuple[type[T], ...], name: str, example: str) -> T:
    """Return an argument that is of a kind.

    >>> of_kind(3, str, "frame=", "the name of a frame")
    Traceback (most recent call last):
        ...
    dalembert.errors.EvaluationError: expected the name of a frame for frame=, got 3

    Raises:
        EvaluationError: it is not.
    """
    if isinstance(value, kind):
        return value
    got = f"{value!r:.60}"
    if isinstance(value, type) and issubclass(value, kind):
        got = f"the class {value.__name__}: write {value.__name__}()"
    raise EvaluationError(f"expected {example} for {name}, got {got}")


def all_of_kind(
    values: object, kind: type[T] | tuple[type[T], ...], name: str, example: str
) -> tuple[T, ...]:
    """Return an argument that is a list of objects of a kind.

    Raises:
        EvaluationError: it is none, or one of the objects is of another kind.
    """
    try:
        each = iter(values)  # type: ignore[call-overload]
    except TypeError:
        message = f"expected a list with {example} for {name}, got {values!r:.60}"
        raise EvaluationError(message) from None
    return tuple(of_kind(value, kind, name, example) for value in each)


def values_of(parameters: object) -> Mapping[Any, Any]:
    """Return what was given as ``parameters=``; None is for no values.

    Raises:
        EvaluationError: it has no keys and values.
    """
    if parameters is None:
        return {}
    return of_kind(parameters, Mapping, "parameters=", "values by symbol or name")


def to_numpy(value: object) -> Array:
    """Return a value as an array of NumPy; one on a GPU is copied to the host.

    Raises:
        EvaluationError: a masked array, whose hidden numbers would count.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise EvaluationError(
            "expected plain numbers, got a masked array: give its .data, or what .filled() returns"
        )
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        value = value.get()  # type: ignore[attr-defined]
    elif hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach().cpu()  # type: ignore[attr-defined]
    return np.asarray(value)


def doubles(array: Array) -> Array:
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
