"""Where the coefficients of power series stand while their recurrences are written."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator

from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.write.kernel_text import KernelText
from dalembert.kernel.program.program import Port, Program

LANES = 8
ROW = 8 * LANES
"""Bytes of one order of a group of products."""

Series = tuple[str, int]
"""A value of the program ("value", i); its derivative ("slope", i), with coefficients k·aₖ; or a
series that a recurrence carries along ("extra", i)."""


class SeriesMemory:
    """The values of order 0, the coefficients of order k, and the sums over lower orders.

    The workspace holds the factors of all products, then numbers: first the rates of the states,
    then what the loop wants of order 0, which would be too much for the registers.
    """

    def __init__(self, program: Program, order: int, host: Host) -> None:
        self.program = program
        self.order = order
        shown = tuple(i for i, (op, _, _) in enumerate(program.code) if op != "sincos")
        outputs = (Port("values", (len(shown),)), Port("workspace", ()))
        self.values = _Values(
            Program(program.name, program.inputs, outputs, program.code, shown), 1, host
        )
        self.lanes = self.values.lanes
        self.first = dict(zip(shown, self.values.instructions(), strict=True))
        self.head = self.take_lines()
        # coefficients of order k; a series that does not change in time has none
        self.now: dict[Series, str] = {}
        self.still = _still_values(program)
        self._kept: dict[Hashable, str] = {}
        self._products: dict[tuple[Series, Series], str] = {}
        self._sums: list[str] = []
        # places that want a coefficient which is not there yet
        self._waiting: dict[Series, list[str]] = {}
        self._num_numbers = program.inputs[0].size

    # ---- text

    def take_lines(self) -> list[str]:
        """Return what was written since the last time."""
        lines, self.lanes.lines = self.lanes.lines, []
        return lines

    @contextlib.contextmanager
    def before_loop(self) -> Iterator[None]:
        """Write to the part that runs once."""
        inside, self.lanes.lines = self.lanes.lines, self.head
        yield
        self.lanes.lines = inside

    def declarations(self) -> list[str]:
        """Return the declarations of all intrinsics used."""
        lanes = (self.lanes, *self.values.wide)
        return list(dict.fromkeys(line for each in lanes for line in each.declarations()))

    @property
    def sums_size(self) -> int:
        """Bytes of the factors of all products."""
        return 2 * len(self._sums) * self.order * ROW

    @property
    def size(self) -> int:
        """Bytes of the workspace."""
        return self.sums_size + 8 * self._num_numbers

    # ---- numbers in memory

    def write_number(self, place: int, x: str) -> None:
        """Store a number in the workspace."""
        at = self.lanes.emit(f"getelementptr double, ptr %numbers, i64 {place}")
        self.lanes.lines.append(f"  store double {x}, ptr {at}, align 8")

    def read_number(self, place: int) -> str:
        """Load a number from the workspace."""
        at = self.lanes.emit(f"getelementptr double, ptr %numbers, i64 {place}")
        return self.lanes.emit(f"load double, ptr {at}, align 8")

    def write_output(self, order: str, place: int, x: str) -> None:
        """Store a coefficient of the state."""
        self.lanes.lines.append(f"  store double {x}, ptr {self._output(order, place)}, align 8")

    def read_output(self, order: str, place: int) -> str:
        """Load a coefficient of the state."""
        return self.lanes.emit(f"load double, ptr {self._output(order, place)}, align 8")

    def _output(self, order: str, place: int) -> str:
        row = self.lanes.emit(f"mul i64 {order}, {8 * self.program.inputs[0].size}")
        at = self.lanes.emit(f"getelementptr i8, ptr %out, i64 {row}")
        return self.lanes.emit(f"getelementptr double, ptr {at}, i64 {place}")

    # ---- order 0

    def zeroth(self, i: int) -> str:
        """Return the coefficient of order 0 of a value."""
        return self.keep(("value", i), self.first[i])

    def keep(self, key: Hashable, x: str) -> str:
        """Return inside the loop what was computed before it."""
        if not x.startswith("%"):
            return x
        if key not in self._kept:
            place, self._num_numbers = self._num_numbers, self._num_numbers + 1
            with self.before_loop():
                self.write_number(place, x)
            self._kept[key] = self.read_number(place)
        return self._kept[key]

    def inverse(self, i: int) -> str:
        """Return 1/a₀ of a value."""
        if ("inverse", i) in self._kept:
            return self._kept["inverse", i]
        with self.before_loop():
            x = self.lanes.div(self.lanes.const(1.0), self.first[i])
        return self.keep(("inverse", i), x)

    # ---- order k

    def define(self, series: Series, coefficient: str) -> None:
        """Set the coefficient of order k."""
        self.now[series] = coefficient
        for place in self._waiting.pop(series, ()):
            self._put(coefficient, place)

    def slope(self, i: int) -> Series:
        """Return the series k·aₖ of a value whose coefficient is there."""
        series = ("slope", i)
        if series not in self.now:
            self.define(series, self.lanes.mul("%kd", self.now["value", i]))
        return series

    def inner(self, a: Series, b: Series) -> str:
        """Return D(a, b) = Σ aⱼ b₍ₖ₋ⱼ₎, j = 1 … k-1; aₖ and bₖ may come later."""
        a, b = sorted((a, b))
        if (a, b) not in self._products:
            self._products[a, b] = self._new_product(a, b)
        return self._products[a, b]

    def _new_product(self, a: Series, b: Series) -> str:
        emit, vector = self.lanes.emit, f"<{LANES} x double>"
        group, lane = divmod(len(self._products), LANES)
        starts = [(2 * group + side) * self.order * ROW for side in (0, 1)]
        if lane == 0:
            pa, pb = (emit(f"getelementptr i8, ptr %work, i64 {at}") for at in starts)
            self._sums.append(emit(f"call {vector} @sums(ptr {pa}, ptr {pb}, i64 %k)"))
        for series, at in zip((a, b), starts, strict=True):
            place = emit(f"getelementptr i8, ptr %work, i64 {at + 8 * lane}")
            if series in self.now:
                self._put(self.now[series], place)
            else:
                self._waiting.setdefault(series, []).append(place)
        return emit(f"extractelement {vector} {self._sums[group]}, i32 {lane}")

    def _put(self, coefficient: str, place: str) -> None:
        at = self.lanes.emit(f"getelementptr i8, ptr {place}, i64 %row")
        self.lanes.lines.append(f"  store double {coefficient}, ptr {at}, align 8")


class _Values(KernelText):
    """The values of order 0; whether they are finite is asked of the coefficients, at the end."""

    def watch(self, x: str) -> None:
        """Do nothing."""


def _still_values(program: Program) -> set[int]:
    """Return the values that do not change in time: no state is in them, or only its sign."""
    still: set[int] = set()
    for i, (op, args, value) in enumerate(program.code):
        if op == "input":
            if value[0] != 0:
                still.add(i)
        elif op == "sign" or all(a in still for a in args):
            still.add(i)
    return still
