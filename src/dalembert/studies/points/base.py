"""What all sets of points have in common: any of their rows can be asked for alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.types import Array

RESERVED = ("row", "failure")
"""Columns that every study has."""

MOST_ROWS = 10**12


class Points(ABC):
    """The rows of a study: names of columns, and their values for any range of rows.

    Values of a range cost time and memory of that range alone, so that a study of any length needs
    no table of its points.
    """

    num_rows: int
    """How many rows there are."""

    @abstractmethod
    def values(self, first: int, last: int, seed: int) -> dict[str, Array]:
        """Return the columns of rows from ``first`` to before ``last``, ``(last − first, …)``."""

    @abstractmethod
    def description(self) -> dict[str, object]:
        """Return what tells these points from others, as JSON."""


def check_name(name: object) -> str:
    """Return the name of a column.

    Raises:
        EvaluationError: it is no name, or one that every study has.
    """
    if not isinstance(name, str) or not name or not name.isprintable() or len(name) > 200:
        raise EvaluationError(f"expected a name of a column, got {str(name)[:80]!r}")
    if name in RESERVED or "[" in name:
        raise EvaluationError(
            f"expected a name other than row and failure and without '[', got {name!r}: every "
            "study has such columns of its own"
        )
    return name


def check_num_rows(num_rows: object) -> int:
    """Return a number of rows."""
    if isinstance(num_rows, bool) or not isinstance(num_rows, int | np.integer):
        raise EvaluationError(f"expected a whole number of rows, got {num_rows!r}")
    if not 1 <= num_rows <= MOST_ROWS:
        raise EvaluationError(f"expected 1 to {MOST_ROWS:,} rows, got {num_rows:,}")
    return int(num_rows)


def check_values(name: str, given: object) -> Array:
    """Return the values of a column as an array whose first axis counts them.

    Raises:
        EvaluationError: they are neither numbers nor text, or not finite, or there are none.
    """
    try:
        x = np.asarray(given)
    except ValueError:
        x = np.empty(0, object)
    if x.dtype == object and x.ndim == 1 and all(isinstance(value, str) for value in x):
        x = x.astype(str)
    if x.dtype.kind not in "biufU" or x.ndim == 0 or not x.size:
        raise EvaluationError(
            f"expected numbers or texts in column {name!r}, with one axis or more and none empty, "
            f"got {str(given)[:80]}"
        )
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        raise EvaluationError(f"expected finite numbers in column {name!r}, got some that are not")
    return x
