"""Every combination of some values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.studies.points.base import Points, check_name, check_num_rows, check_values
from dalembert.studies.points.digest import array_digest

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class Grid(Points):
    """Every combination of some values; the last column changes from row to row.

    Args:
        values: For each column its values, ``(k,)``, or ``(k, …)`` for k arrays.

    >>> Grid({"mass": [1, 2], "name": ["a", "b", "c"]}).values(2, 5, seed=0)["name"].tolist()
    ['c', 'a', 'b']
    """

    def __init__(self, values: Mapping[str, ArrayLike]) -> None:
        if not isinstance(values, Mapping) or not values:
            raise EvaluationError("expected a grid as {name: values}, with one column or more")
        self._values = {check_name(name): check_values(name, x) for name, x in values.items()}
        self.num_rows = check_num_rows(math.prod(map(len, self._values.values())))

    def values(self, first: int, last: int, seed: int) -> dict[str, Array]:
        """Return the columns of some rows: the digits of their numbers choose the values."""
        rest = np.arange(first, last)
        found = {}
        for name, x in reversed(self._values.items()):
            rest, digit = np.divmod(rest, len(x))
            found[name] = x[digit]
        return dict(reversed(found.items()))

    def description(self) -> dict[str, object]:
        """Return the kind, and the number and digest of the values of each column."""
        values = {n: [len(x), array_digest(x)] for n, x in self._values.items()}
        return {"kind": "grid", "columns": values}
