"""A function of one row as a function of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.studies.rows import Row, Rows

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True)
class Each:
    """A function that takes one row, for a study.

    Args:
        function: Takes a `Row`, ``row["mass"]`` being a number or an array of its own, and
            returns results by their names.

    >>> import numpy as np
    >>> rows = Rows(np.arange(2), {"x": np.array([3.0, 4.0])}, seed=0)
    >>> Each(lambda row: {"square": row["x"] ** 2})(rows)
    {'square': array([ 9., 16.])}
    """

    function: Callable[[Row], Mapping[str, ArrayLike]]

    def __call__(self, rows: Rows) -> dict[str, Array]:
        """Return the results of all rows."""
        found = [dict(self.function(row)) for row in rows]
        return {name: np.array([one[name] for one in found]) for name in found[0]}
