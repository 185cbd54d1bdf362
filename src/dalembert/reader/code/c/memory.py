"""Memory of a C program: arrays of one kind, pointers into them, structs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from dalembert.errors import EvaluationError


class Array:
    """Cells of one kind; ``convert`` makes what is stored a value of that kind."""

    __slots__ = ("cells", "convert")

    def __init__(self, cells: list[Any], convert: Any) -> None:
        self.cells, self.convert = cells, convert


class Pointer(NamedTuple):
    """A cell of an array; ``inner`` are the sizes of what it points to, none of a number."""

    array: Array
    at: int
    inner: tuple[int, ...] = ()

    @property
    def step(self) -> int:
        """How many cells lie between neighbours."""
        return math.prod(self.inner)

    def __add__(self, n: int) -> Pointer:  # type: ignore[override]
        return self._replace(at=self.at + n * self.step)

    def __sub__(self, n: int) -> Pointer:
        return self + -n

    def __bool__(self) -> bool:
        return True

    def cell(self, n: int) -> Any:
        """Return p[n]: a number, a struct, or an array inside."""
        at = self.at + n * self.step
        if self.inner:
            return Pointer(self.array, at, self.inner[1:])
        return self.array.cells[_inside(at, self.array)]

    def store(self, n: int, value: Any) -> None:
        """Set p[n]."""
        self.array.cells[_inside(self.at + n, self.array)] = self.array.convert(value)


def _inside(at: int, array: Array) -> int:
    if not 0 <= at < len(array.cells):
        raise EvaluationError(
            f"expected a cell of an array of {len(array.cells)}, got number {at}: "
            "the text of C is wrong"
        )
    return at
