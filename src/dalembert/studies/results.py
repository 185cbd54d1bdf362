"""What a function returns, checked and put together: columns, and which values there are."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.studies.points.base import check_name

if TYPE_CHECKING:
    from dalembert.types import Array

LONGEST_REASON = 200
MOST_NUMBERS = 10_000
"""Numbers that a row may have as results: a study stores answers, not everything computed."""

KINDS = {"b": "truth", "i": "number", "u": "number", "f": "number", "U": "text"}


class Part(NamedTuple):
    """Results of some neighbouring rows: columns, or none because one row failed."""

    size: int
    columns: dict[str, Array]
    reasons: Sequence[str | None]


class Results(NamedTuple):
    """Results of a chunk: columns, which of their values there are, and why others are not."""

    columns: dict[str, Array]
    present: dict[str, Array]
    reasons: list[str | None]


def checked_part(found: object, size: int, inputs: Sequence[str]) -> Part:
    """Return what a function returned for some rows.

    Raises:
        EvaluationError: it is no mapping of columns that have one value for each row.
    """
    if not isinstance(found, Mapping):
        raise EvaluationError(
            "expected the function of a study to return {name: values}, got "
            f"{type(found).__name__}: return {{'result': x}} for one result"
        )
    given = dict(found)
    reasons = _reasons(given.pop("failure", None), size)
    columns = {str(name): _column(name, x, size, inputs) for name, x in given.items()}
    count = sum(x[0].size for x in columns.values())
    if count > MOST_NUMBERS:
        raise EvaluationError(
            f"expected at most {MOST_NUMBERS:,} numbers as results of a row, got {count:,}: return "
            "what the study asks for, or fewer times of a motion"
        )
    return Part(size, columns, reasons)


def failed_part(error: Exception) -> Part:
    """Return the results of one row that has none."""
    return Part(1, {}, [short(f"{type(error).__name__}: {error}")])


def short(reason: str) -> str:
    """Return a reason in one line of bounded length."""
    line = " ".join(reason[: 2 * LONGEST_REASON].split())
    line = line.encode("utf-8", "backslashreplace").decode()
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def joined(parts: Sequence[Part], first: int) -> Results:
    """Return the results of neighbouring parts as one, those that are not finite as failures.

    Raises:
        EvaluationError: rows have other columns than rows before them.
    """
    size = sum(part.size for part in parts)
    ends = list(itertools.accumulate(part.size for part in parts))
    whole = [(end - p.size, p) for end, p in zip(ends, parts, strict=True) if p.columns]
    reasons = [reason for part in parts for reason in part.reasons]
    columns: dict[str, Array] = {}
    has_values = np.zeros(size, bool)
    for at, part in whole:
        check_same(outline(whole[0][1].columns), outline(part.columns), first + at)
        has_values[at : at + part.size] = True
    for name in whole[0][1].columns if whole else ():
        dtype = np.result_type(*(part.columns[name].dtype for _, part in whole))
        x = np.zeros((size, *whole[0][1].columns[name].shape[1:]), dtype)
        for at, part in whole:
            x[at : at + part.size] = part.columns[name]
        columns[name] = x
    present = {name: _present(name, x, has_values, reasons) for name, x in columns.items()}
    return Results(columns, present, reasons)


def outline(columns: Mapping[str, Array]) -> dict[str, list[object]]:
    """Return kind and shape of a value of each column, as JSON."""
    return {name: [KINDS[x.dtype.kind], *x.shape[1:]] for name, x in columns.items()}


def check_same(expected: Mapping[str, object], got: Mapping[str, object], row: int) -> None:
    """Check that rows have the same columns as those before.

    Raises:
        EvaluationError: they have not; the message says which.
    """
    if expected == got:
        return
    names = [name for name in {**expected, **got} if expected.get(name) != got.get(name)]
    said = ", ".join(f"{n!r} {expected.get(n, 'no')} and {got.get(n, 'no')}" for n in names[:3])
    raise EvaluationError(
        f"expected the function to return the same columns for all rows, got from row {row} on "
        f"others than before: {said}"
    )


def _present(name: str, x: Array, has_values: Array, reasons: list[str | None]) -> Array:
    """Return which values are there; where one is not finite, give the row its reason."""
    present = np.broadcast_to(has_values.reshape(-1, *(1 for _ in x.shape[1:])), x.shape)
    if x.dtype.kind != "f" or np.isfinite(x).all():
        return present
    bad = ~np.isfinite(x)
    for row in np.flatnonzero(bad.reshape(len(x), -1).any(axis=1)):
        if reasons[row] is None:
            reasons[row] = f"{name} is not finite"
    return present & ~bad


def _reasons(given: object, size: int) -> list[str | None]:
    if given is None:
        return [None] * size
    reasons = list(given)  # type: ignore[call-overload]
    if len(reasons) != size or not all(r is None or isinstance(r, str) for r in reasons):
        raise EvaluationError(
            f"expected 'failure' as {size} texts, None for a row that did not fail, got "
            f"{str(reasons)[:80]}"
        )
    return [short(r) if r else None for r in reasons]


def _column(name: object, given: object, size: int, inputs: Sequence[str]) -> Array:
    if check_name(name) in inputs:
        raise EvaluationError(f"expected results under names of their own, got {name!r} again")
    x = np.asarray(given)
    if x.dtype == object and all(isinstance(value, str) for value in x.flat):
        x = x.astype(str)
    if x.dtype.kind not in KINDS:
        raise EvaluationError(f"expected numbers or texts as {name!r}, got {str(given)[:80]}")
    if x.shape[:1] != (size,) or 0 in x.shape:
        raise EvaluationError(
            f"expected {name!r} with one value for each of {size} rows, got the shape {x.shape}"
        )
    return x
