"""Rows of numbers in memory to lanes and back.

A sample is a row of numbers that lie side by side; a lane holds one sample. So the rows of W
samples, W numbers at a time, are read as vectors and transposed in registers: log₂ W rounds of
shuffles, no gather and no copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.kernel.backends.llvm.lanes import Lanes

STACK_BYTES = 1 << 16
"""Memory of a kernel that may lie on the stack."""
ROLLED = 8
"""Numbers that a loop over one row copies side by side."""
FEW = 3
"""Rows of fewer numbers are read and written one by one."""


def load_rows(lanes: Lanes, pointers: Sequence[str], size: int) -> list[str]:
    """Return for each of ``size`` places the values of all lanes.

    ``pointers`` are the addresses of the rows, one for each lane.
    """
    width = lanes.width
    if width == 1:
        return [_load(lanes, pointers[0], k) for k in range(size)]
    values: list[str] = []
    for start, count in _tiles(size, width):
        # the last tile may overlap the one before it
        new = range(len(values), start + count)
        if count < FEW:
            values += [_insert(lanes, pointers, k) for k in new]
            continue
        rows = [_load_row(lanes, _at(lanes, p, start), count) for p in pointers]
        columns = transpose(lanes, rows)
        values += [columns[k - start] for k in new]
    return values


def store_rows(lanes: Lanes, pointers: Sequence[str], values: Sequence[str]) -> None:
    """Write the values of each place to the rows; the inverse of `load_rows`."""
    width, scalar, align = lanes.width, lanes.real.type, lanes.real.size
    for start, count in _tiles(len(values), width):
        if width == 1:
            at = _at(lanes, pointers[0], start)
            lanes.lines.append(f"  store {scalar} {values[start]}, ptr {at}, align {align}")
        elif count < FEW:
            for k in range(start, start + count):
                for lane, p in enumerate(pointers):
                    x = lanes.emit(f"extractelement {lanes.type} {values[k]}, i32 {lane}")
                    at = _at(lanes, p, k)
                    lanes.lines.append(f"  store {scalar} {x}, ptr {at}, align {align}")
        else:
            part = list(values[start : start + count])
            rows = transpose(lanes, part + ["poison"] * (width - count))
            for row, p in zip(rows, pointers, strict=True):
                _store_row(lanes, row, _at(lanes, p, start), count)


class Reservation(NamedTuple):
    """A request for memory of all lanes of ``size`` places, by the name of its address."""

    name: str
    size: int


def reserve(lanes: Lanes, requests: Sequence[Reservation]) -> tuple[list[str], list[str]]:
    """Return instructions that reserve memory when a kernel begins, and give it back at its end.

    A little lies on the stack; threads have small ones, so that much is asked of the heap. If there
    is none, the kernel returns -1.
    """
    step = lanes.bytes
    sizes = [-(-request.size * step // 64) * 64 for request in requests]
    if sum(sizes) <= STACK_BYTES:
        return [
            f"  {request.name} = alloca [{request.size} x {lanes.type}], align 64"
            for request in requests
        ], []
    lanes.declare("declare ptr @malloc(i64)")
    lanes.declare("declare void @free(ptr)")
    first = [
        f"  %heap = call ptr @malloc(i64 {sum(sizes) + 64})",
        "  %no_heap = icmp eq ptr %heap, null",
        "  br i1 %no_heap, label %no_memory, label %allocated",
        "no_memory:",
        "  ret i64 -1",
        "allocated:",
        # to the next multiple of 64
        "  %heap_number = ptrtoint ptr %heap to i64",
        "  %heap_over = and i64 %heap_number, 63",
        "  %heap_skip = sub i64 64, %heap_over",
        "  %heap_start = getelementptr i8, ptr %heap, i64 %heap_skip",
    ]
    at = 0
    for request, size in zip(requests, sizes, strict=True):
        first.append(f"  {request.name} = getelementptr i8, ptr %heap_start, i64 {at}")
        at += size
    return first, ["  call void @free(ptr %heap)"]


def keep(lanes: Lanes, memory: str, place: int, value: str) -> None:
    """Write the lanes of one place to reserved memory."""
    at = lanes.emit(f"getelementptr {lanes.type}, ptr {memory}, i64 {place}")
    lanes.lines.append(f"  store {lanes.type} {value}, ptr {at}, align {lanes.bytes}")


def store_rolled(
    lanes: Lanes, pointers: Sequence[str], memory: str, size: int, before: str, label: str
) -> tuple[str, str]:
    """Write rows of ``ROLLED`` numbers or more from reserved memory, in a loop.

    Code for a thousand numbers would take longer to compile than it saves. ``before`` is the block
    that the loop follows, ``label`` starts the names of its own. Returns the block in which the
    loop ends, and the sum of all numbers.
    """
    tile, places, targets = _rolled_tile(lanes, pointers, memory, size, label)
    t, align = tile.type, tile.bytes if lanes.width > 1 else lanes.real.size
    values = [tile.emit(f"load {t}, ptr {place}, align {align}") for place in places]
    rows = transpose(tile, values) if lanes.width > 1 else values
    for row, to in zip(rows, targets, strict=True):
        tile.lines.append(f"  store {t} {row}, ptr {to}, align {lanes.real.size}")
    return _rolled(lanes, tile, values, size, before, label)


def load_rolled(
    lanes: Lanes, pointers: Sequence[str], memory: str, size: int, before: str, label: str
) -> tuple[str, str]:
    """Read rows of ``ROLLED`` numbers or more into reserved memory; see `store_rolled`."""
    tile, places, sources = _rolled_tile(lanes, pointers, memory, size, label)
    t, align = tile.type, tile.bytes if lanes.width > 1 else lanes.real.size
    rows = [tile.emit(f"load {t}, ptr {at}, align {lanes.real.size}") for at in sources]
    values = transpose(tile, rows) if lanes.width > 1 else rows
    for x, place in zip(values, places, strict=True):
        tile.lines.append(f"  store {t} {x}, ptr {place}, align {align}")
    return _rolled(lanes, tile, values, size, before, label)


def _rolled_tile(
    lanes: Lanes, pointers: Sequence[str], memory: str, size: int, label: str
) -> tuple[Lanes, list[str], list[str]]:
    """Return the lanes of one tile of a loop over rows, and its places in memory and in rows."""
    real = lanes.real
    tile = Lanes(lanes.width if lanes.width > 1 else ROLLED, f"{label}_", real)
    # the last tile is moved back to be whole
    start = tile.emit(f"call i64 @llvm.smin.i64(i64 %{label}_k, i64 {size - tile.width})")
    at = tile.emit(f"getelementptr {lanes.type}, ptr {memory}, i64 {start}")
    # of one lane the numbers lie in memory as they lie in the row
    count = tile.width if lanes.width > 1 else 1
    places = [at]
    places += [tile.emit(f"getelementptr {tile.type}, ptr {at}, i64 {k}") for k in range(1, count)]
    rows = [tile.emit(f"getelementptr {real.type}, ptr {p}, i64 {start}") for p in pointers]
    return tile, places, rows


def _rolled(
    lanes: Lanes, tile: Lanes, values: list[str], size: int, before: str, label: str
) -> tuple[str, str]:
    """Write the loop around a tile; return the block in which it ends, and the sum of all."""
    t, zero = tile.type, tile.const(0.0)
    # pairs of pairs: a chain of additions would take longer than all else
    while len(values) > 1:
        values = [tile.add(a, b) for a, b in zip(values[::2], values[1::2], strict=True)]
    lanes.lines += [
        f"  br label %{label}",
        f"{label}:",
        f"  %{label}_k = phi i64 [0, %{before}], [%{label}_next, %{label}]",
        f"  %{label}_sum = phi {t} [{zero}, %{before}], [%{label}_more_sum, %{label}]",
        *tile.lines,
        f"  %{label}_more_sum = fadd {t} %{label}_sum, {values[0]}",
        f"  %{label}_next = add i64 %{label}_k, {tile.width}",
        f"  %{label}_more = icmp slt i64 %{label}_next, {size}",
        f"  br i1 %{label}_more, label %{label}, label %{label}_done",
        f"{label}_done:",
    ]
    total, scalar = f"%{label}_more_sum", lanes.real.type
    if lanes.width == 1:
        name = f"llvm.vector.reduce.fadd.{tile.suffix}"
        lanes.declare(f"declare {scalar} @{name}({scalar}, {t})")
        zero = lanes.const(0.0)
        total = lanes.emit(f"call {scalar} @{name}({scalar} {zero}, {t} {total})")
    return f"{label}_done", total


def transpose(lanes: Lanes, rows: Sequence[str]) -> list[str]:
    """Return the columns of a square of W vectors.

    Round d exchanges the two blocks off the diagonal in every square of 2d × 2d.
    """
    width = lanes.width
    rows = list(rows)
    d = 1
    while d < width:
        # places of the upper row: its own where bit d is 0, else the lower row's d before
        upper = [k if not k & d else width + (k ^ d) for k in range(width)]
        lower = [(k | d) if not k & d else width + k for k in range(width)]
        for i in range(width):
            if not i & d:
                a, b = rows[i], rows[i | d]
                rows[i] = _shuffle(lanes, a, b, upper)
                rows[i | d] = _shuffle(lanes, a, b, lower)
        d *= 2
    return rows


def _tiles(size: int, width: int) -> list[tuple[int, int]]:
    """Return (start, count) of groups of places: whole ones, the last moved back to be whole too.

    >>> _tiles(10, 4), _tiles(3, 4)
    ([(0, 4), (4, 4), (6, 4)], [(0, 3)])
    """
    if size < width:
        return [(0, size)] if size else []
    starts = list(range(0, size - width + 1, width))
    if size % width:
        starts.append(size - width)
    return [(start, width) for start in starts]


def _at(lanes: Lanes, pointer: str, place: int) -> str:
    if not place:
        return pointer
    return lanes.emit(f"getelementptr {lanes.real.type}, ptr {pointer}, i64 {place}")


def _load(lanes: Lanes, pointer: str, place: int) -> str:
    scalar, align = lanes.real.type, lanes.real.size
    return lanes.emit(f"load {scalar}, ptr {_at(lanes, pointer, place)}, align {align}")


def _load_row(lanes: Lanes, pointer: str, count: int) -> str:
    """Return the first numbers of a row; fewer than lanes are read without touching the rest."""
    t, width, align = lanes.type, lanes.width, lanes.real.size
    if count == width:
        return lanes.emit(f"load {t}, ptr {pointer}, align {align}")
    name = f"llvm.masked.load.{lanes.suffix}.p0"
    lanes.declare(f"declare {t} @{name}(ptr, i32, <{width} x i1>, {t})")
    mask = _mask(width, count)
    return lanes.emit(f"call {t} @{name}(ptr {pointer}, i32 {align}, {mask}, {t} zeroinitializer)")


def _store_row(lanes: Lanes, row: str, pointer: str, count: int) -> None:
    """Write the first numbers of a row and nothing behind them."""
    t, width, align = lanes.type, lanes.width, lanes.real.size
    if count == width:
        lanes.lines.append(f"  store {t} {row}, ptr {pointer}, align {align}")
        return
    name = f"llvm.masked.store.{lanes.suffix}.p0"
    lanes.declare(f"declare void @{name}({t}, ptr, i32, <{width} x i1>)")
    mask = _mask(width, count)
    lanes.lines.append(f"  call void @{name}({t} {row}, ptr {pointer}, i32 {align}, {mask})")


def _mask(width: int, count: int) -> str:
    bits = ", ".join(f"i1 {'true' if k < count else 'false'}" for k in range(width))
    return f"<{width} x i1> <{bits}>"


def _insert(lanes: Lanes, pointers: Sequence[str], place: int) -> str:
    """Return one place of all rows, read number by number."""
    vector = "poison"
    for lane, p in enumerate(pointers):
        x = _load(lanes, p, place)
        vector = lanes.emit(
            f"insertelement {lanes.type} {vector}, {lanes.real.type} {x}, i32 {lane}"
        )
    return vector


def _shuffle(lanes: Lanes, a: str, b: str, places: Sequence[int]) -> str:
    mask = ", ".join(f"i32 {k}" for k in places)
    t = lanes.type
    return lanes.emit(f"shufflevector {t} {a}, {t} {b}, <{lanes.width} x i32> <{mask}>")
