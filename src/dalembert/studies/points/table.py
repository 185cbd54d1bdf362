"""Rows that somebody has written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.studies.points.base import Points, check_name, check_num_rows, check_values
from dalembert.studies.points.digest import array_digest

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class Table(Points):
    """Rows as they are given, one beside the other.

    Args:
        columns: For each column its values, ``(rows,)``, or ``(rows, …)`` for arrays. A data frame
            of pandas will do.

    >>> Table({"mass": [1.0, 2.0, 4.0]}).values(1, 3, seed=0)["mass"]
    array([2., 4.])
    """

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        if not hasattr(columns, "keys") or not len(list(columns.keys())):
            raise EvaluationError("expected a table as {name: values}, with one column or more")
        self._columns = {check_name(n): check_values(n, columns[n]) for n in columns.keys()}  # noqa: SIM118
        lengths = {name: len(x) for name, x in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise EvaluationError(f"expected columns of one length, got {lengths}")
        self.num_rows = check_num_rows(next(iter(lengths.values())))

    def values(self, first: int, last: int, seed: int) -> dict[str, Array]:
        """Return the columns of some rows."""
        return {name: x[first:last] for name, x in self._columns.items()}

    def description(self) -> dict[str, object]:
        """Return the kind, and a digest of each column."""
        columns = {name: array_digest(x) for name, x in self._columns.items()}
        return {"kind": "table", "columns": columns}
