"""Types of C: numbers, pointers to them, structs, and how declarations name them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from dalembert.reader.code.c.memory import Array, Pointer

QUALIFIERS = {
    "const",
    "static",
    "extern",
    "inline",
    "restrict",
    "__restrict__",
    "__restrict",
    "volatile",
    "__global__",
    "__device__",
    "__forceinline__",
    "__noinline__",
}
"""Words that do not change what a program computes."""

WHOLE = {"int", "long", "short", "unsigned", "signed", "char", "size_t", "casadi_int"}
REAL = {"double", "float"}


class Struct(NamedTuple):
    """A struct: its fields in order, each with its type."""

    fields: tuple[tuple[str, Type], ...]


class Type(NamedTuple):
    """A base, how often it is a pointer, and the sizes of arrays around it."""

    base: str | Struct
    pointers: int = 0
    sizes: tuple[int, ...] = ()

    @property
    def convert(self) -> Callable[[Any], Any]:
        """What makes a value one of this type."""
        if self.pointers or isinstance(self.base, Struct) or self.sizes:
            return same
        if self.base in REAL:
            return float
        return int if self.base in WHOLE else same

    @property
    def cell(self) -> Type:
        """The type of a cell of an array."""
        return self._replace(sizes=())

    def zero(self) -> Any:
        """Return a value as it is before it is set; an array has its own cells."""
        if self.sizes:
            cells = [self.cell.zero() for _ in range(math.prod(self.sizes))]
            return Pointer(Array(cells, self.cell.convert), 0, self.sizes[1:])
        if isinstance(self.base, Struct) and not self.pointers:
            return {name: kind.zero() for name, kind in self.base.fields}
        return self.convert(0) if not self.pointers else 0


def same(x: Any) -> Any:
    """Return what is given."""
    return x
