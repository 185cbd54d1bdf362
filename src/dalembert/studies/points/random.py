"""Independent random points: plain Monte Carlo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.studies import philox
from dalembert.studies.points.base import Points, check_num_rows
from dalembert.studies.points.spreads import Spread, Spreads

if TYPE_CHECKING:
    from dalembert.types import Array


class Random(Points):
    """Independent random points, drawn with the seed of the study.

    Args:
        spreads: For each column its range (lowest, highest), numbers or arrays, or a distribution
            of SciPy, such as ``scipy.stats.norm(1.0, 0.1)``.
        num_rows: How many points.

    >>> Random({"mass": (1, 2), "q0": ([-1] * 3, [1] * 3)}, 100).values(0, 5, seed=0)["q0"].shape
    (5, 3)
    """

    def __init__(self, spreads: Mapping[str, Spread], num_rows: int) -> None:
        self._spreads, self.num_rows = Spreads(spreads), check_num_rows(num_rows)

    def values(self, first: int, last: int, seed: int) -> dict[str, Array]:
        """Return the columns of some rows."""
        rows = np.arange(first, last)
        drawn = philox.words(seed, rows, self._spreads.dimension, philox.DESIGN)
        return self._spreads.values(philox.inside(drawn))

    def description(self) -> dict[str, object]:
        """Return the kind and the spreads."""
        return {"kind": "random", "columns": self._spreads.description()}
