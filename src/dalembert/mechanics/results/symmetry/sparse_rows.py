"""Sparse linear equations over a ring: elimination by the shortest rows first.

A row is a dict from columns to elements that are not zero.
"""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.ring import Element, Ring, is_zero
from dalembert.ring.algebra import minors

Row = dict[int, Element]


def reduced(rows: Iterable[Row]) -> dict[int, Row]:
    """Return the reduced rows by their pivot columns: 1 there, and 0 in all other rows."""
    pending = {_key(row): row for row in map(_scaled, rows) if row}
    done: dict[int, Row] = {}
    while pending:
        # the shortest row, its simplest entry
        row = pending.pop(min(pending, key=lambda key: len(pending[key])))
        pivot = min(row, key=lambda j: (len(row[j]), j))
        row = _divided(row, row[pivot])
        done = {j: _without(other, pivot, row) for j, other in done.items()}
        done[pivot] = row
        touched = [key for key, other in pending.items() if pivot in other]
        for other in [pending.pop(key) for key in touched]:
            left = _scaled(_without(other, pivot, row))
            if left:
                pending[_key(left)] = left
    return done


def null_vectors(ring: Ring, rows: Iterable[Row], num_columns: int) -> list[list[Element]]:
    """Return vectors without denominators that span {x : Σ row[j] xⱼ = 0 for all rows}."""
    pivots = reduced(rows)
    found = []
    for j in range(num_columns):
        if j not in pivots:
            # xⱼ = 1, and each row demands x_pivot = -row[j]
            vector = [ring.zero] * num_columns
            vector[j] = ring.one
            for pivot, row in pivots.items():
                if j in row:
                    vector[pivot] = -row[j]
            found.append(without_denominators(ring, vector))
    return found


def without_denominators(ring: Ring, vector: list[Element]) -> list[Element]:
    """Return a vector times the common denominator of its entries."""
    return minors.without_denominators(ring, vector)[0]


def is_dependent(pivots: dict[int, Row], row: Row) -> bool:
    """Tell whether a row is a combination of rows that are reduced already."""
    for j, other in pivots.items():
        row = _without(row, j, other)
    return not row


def as_row(vector: Iterable[Element]) -> Row:
    """Return the entries of a vector that are not zero."""
    return {j: x for j, x in enumerate(vector) if not is_zero(x)}


def _without(row: Row, pivot: int, other: Row) -> Row:
    """Return row - row[pivot] · other, which has no entry at the pivot."""
    factor = row.get(pivot)
    if factor is None:
        return row
    result = {j: x for j, x in row.items() if j != pivot}
    for j, x in other.items():
        if j != pivot:
            value = (result[j] - factor * x if j in result else -(factor * x)).as_one()
            result[j] = value
            if is_zero(value):
                del result[j]
    return result


def _divided(row: Row, x: Element) -> Row:
    return {j: (y / x).as_one() for j, y in row.items()}


def _scaled(row: Row) -> Row:
    """Return a multiple of a row that is the same for all its multiples."""
    return _divided(row, row[min(row)]) if row else row


def _key(row: Row) -> tuple[tuple[int, str, str], ...]:
    quotients = [(j, row[j].over_one()) for j in sorted(row)]
    return tuple([(j, str(num), str(den)) for j, (num, den) in quotients])
