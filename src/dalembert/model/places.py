"""Where the arrays of a loop lie: in the memory of the host, or on the device that runs it.

On a device the checks run there too, and results stay unless everything was given on the host:
then they are put into rows there and copied once, into pinned memory at the speed of the bus.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.cuda.arrays import family_of, require_cupy
from dalembert.kernel.backends.cuda.loop.launch import is_of_host
from dalembert.model.border import Shape, check_shape, finite_array, to_numpy

if TYPE_CHECKING:
    from dalembert.kernel.backends.cuda.arrays import ForeignArray
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


class Place(ABC):
    """Memory in which many states are computed."""

    @abstractmethod
    def given(self, value: ArrayLike, name: str, shape: Shape, remark: str = "") -> Array:
        """Return finite numbers of a shape that lie here.

        Raises:
            EvaluationError: no real numbers, another shape, or entries that are not finite.
        """

    @abstractmethod
    def empty(self, batch: Sequence[int], rows: int, size: int) -> Array:
        """Return a new array ``(*batch, rows, size)`` for stored states."""

    @abstractmethod
    def store(self, target: Array, row: int, states: Array) -> None:
        """Write states ``(*batch, some rows, size)`` into the rows of a target from one on."""

    @abstractmethod
    def kept(self, array: Array) -> Array:
        """Return what the loop gave as an array that lies here."""

    @abstractmethod
    def result(self, array: Array) -> Array:
        """Return an array as the caller gets it."""


class Host(Place):
    """Arrays of NumPy of one dtype."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def given(self, value: ArrayLike, name: str, shape: Shape, remark: str = "") -> Array:
        return finite_array(value, name, shape, remark=remark).astype(self.dtype, copy=False)

    def empty(self, batch: Sequence[int], rows: int, size: int) -> Array:
        return np.empty((*batch, rows, size), self.dtype)

    def store(self, target: Array, row: int, states: Array) -> None:
        target[..., row : row + states.shape[-2], :] = states

    def kept(self, array: Array) -> Array:
        return to_numpy(array)

    def result(self, array: Array) -> Array:
        array.flags.writeable = False
        return array


class Device(Place):
    """Arrays of CuPy on one device; ``owner`` is an array whose kind results get, None for NumPy's.

    Their batch is last in memory, so that neighbouring threads write neighbouring numbers.
    """

    def __init__(self, dtype: str, owner: Any | None) -> None:
        self.dtype = dtype
        self.family = None if owner is None else family_of([owner], "rollouts")[0]

    def given(self, value: ArrayLike, name: str, shape: Shape, remark: str = "") -> Array:
        cupy = require_cupy()
        if is_of_host(value):
            # checked for its kind here; numbers travel as they are and are converted there
            numbers = np.asarray(value)
            if numbers.dtype.kind not in "iuf":
                numbers = finite_array(value, name)
            array: Any = cupy.asarray(numbers).astype(self.dtype, copy=False)
        elif isinstance(value, cupy.ndarray):
            array = value
        else:
            array = cupy.from_dlpack(value)
        check_shape(array.shape, name, shape, remark)
        if not bool(cupy.isfinite(array).all()):
            place = tuple(int(k) for k in cupy.argwhere(~cupy.isfinite(array))[0])
            raise EvaluationError(f"expected finite numbers for {name}, got others at {place}")
        return array

    def empty(self, batch: Sequence[int], rows: int, size: int) -> Array:
        array = require_cupy().empty((rows, size, *batch), self.dtype)
        n = len(batch)
        return array.transpose(*range(2, 2 + n), 0, 1)

    def store(self, target: Array, row: int, states: Array) -> None:
        # in the order of memory, so that neighbours move together
        batch = target.ndim - 2
        axes = (batch, batch + 1, *range(batch))
        target.transpose(axes)[row : row + states.shape[-2]] = states.transpose(axes)

    def kept(self, array: Array) -> Array:
        return array

    def result(self, array: Array) -> Array:
        cupy = require_cupy()
        if self.family is None:
            rows = cupy.ascontiguousarray(array)
            memory = cupy.cuda.alloc_pinned_memory(max(rows.nbytes, 1))
            host = np.frombuffer(memory, rows.dtype, rows.size).reshape(rows.shape)
            rows.get(out=host)
            host.flags.writeable = False
            return host
        return cast("Array", self.family.own(cast("ForeignArray", array)))


def place_of(model: Model, arrays: Sequence[Any]) -> Place:
    """Return where the loops of a model run; results are of the kind of the given arrays."""
    if model.backend != "cuda":
        return Host(model.dtype)
    there = [x for x in arrays if x is not None and not is_of_host(x)]
    return Device(model.dtype, there[0] if there else None)
