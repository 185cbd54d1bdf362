"""Rows of numbers in memory to lanes and back.

A sample is a row of numbers that lie side by side; a lane holds one sample. So the rows of W
samples, W numbers at a time, are read as vectors and transposed in registers: log₂ W rounds of
shuffles, no gather and no copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.kernel.backends.llvm.lanes import Lanes


def load_rows(lanes: Lanes, pointers: Sequence[str], size: int) -> list[str]:
    """Return for each of ``size`` places the values of all lanes.

    ``pointers`` are the addresses of the rows, one for each lane.
    """
    width = lanes.width
    if width == 1:
        return [_load(lanes, pointers[0], k) for k in range(size)]
    values: list[str] = []
    for start, count in _tiles(size, width):
        if count < width:
            # fewer numbers than lanes: a wide read would leave the row
            values += [_insert(lanes, pointers, start + k) for k in range(count)]
            continue
        rows = [
            lanes.emit(f"load {lanes.type}, ptr {_at(lanes, p, start)}, align 8") for p in pointers
        ]
        columns = transpose(lanes, rows)
        # the last tile may overlap the one before it
        values += columns[len(values) - start :]
    return values


def store_rows(lanes: Lanes, pointers: Sequence[str], values: Sequence[str]) -> None:
    """Write the values of each place to the rows; the inverse of `load_rows`."""
    width = lanes.width
    for start, count in _tiles(len(values), width):
        if width == 1:
            at = _at(lanes, pointers[0], start)
            lanes.lines.append(f"  store double {values[start]}, ptr {at}, align 8")
        elif count < width:
            for k in range(start, start + count):
                for lane, p in enumerate(pointers):
                    x = lanes.emit(f"extractelement {lanes.type} {values[k]}, i32 {lane}")
                    at = _at(lanes, p, k)
                    lanes.lines.append(f"  store double {x}, ptr {at}, align 8")
        else:
            rows = transpose(lanes, values[start : start + width])
            for row, p in zip(rows, pointers, strict=True):
                at = _at(lanes, p, start)
                lanes.lines.append(f"  store {lanes.type} {row}, ptr {at}, align 8")


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
    return lanes.emit(f"getelementptr double, ptr {pointer}, i64 {place}") if place else pointer


def _load(lanes: Lanes, pointer: str, place: int) -> str:
    return lanes.emit(f"load double, ptr {_at(lanes, pointer, place)}, align 8")


def _insert(lanes: Lanes, pointers: Sequence[str], place: int) -> str:
    """Return one place of all rows, read number by number."""
    vector = "poison"
    for lane, p in enumerate(pointers):
        x = _load(lanes, p, place)
        vector = lanes.emit(f"insertelement {lanes.type} {vector}, double {x}, i32 {lane}")
    return vector


def _shuffle(lanes: Lanes, a: str, b: str, places: Sequence[int]) -> str:
    mask = ", ".join(f"i32 {k}" for k in places)
    t = lanes.type
    return lanes.emit(f"shufflevector {t} {a}, {t} {b}, <{lanes.width} x i32> <{mask}>")
