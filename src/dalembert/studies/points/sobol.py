"""Sobol's points: more even than random ones, by SciPy."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.errors import EvaluationError
from dalembert.studies.points.base import Points, check_num_rows
from dalembert.studies.points.spreads import Spread, Spreads

if TYPE_CHECKING:
    from dalembert.types import Array

BITS = 30
"""Of a coordinate; there are as many points as numbers of so many bits."""


class Sobol(Points):
    """Sobol's points, scrambled with the seed of the study; a power of two of them is best.

    Means over them converge like 1/n instead of 1/√n where the function is smooth.

    Args:
        spreads: For each column its range (lowest, highest), numbers or arrays, or a distribution
            of SciPy.
        num_rows: How many points, at most 2³⁰.

    >>> round(float(Sobol({"x": (0, 1)}, 1024).values(0, 1024, seed=0)["x"].mean()), 4)
    0.5
    """

    def __init__(self, spreads: Mapping[str, Spread], num_rows: int) -> None:
        self._spreads, self.num_rows = Spreads(spreads), check_num_rows(num_rows)
        if self.num_rows > 2**BITS:
            raise EvaluationError(f"expected at most 2**{BITS} points of Sobol, got {num_rows:,}")
        self._sequence: tuple[int, Any] | None = None

    def values(self, first: int, last: int, seed: int) -> dict[str, Array]:
        """Return the columns of some rows; neighbouring ranges in order cost least."""
        sequence = self._at(first, seed)
        # the middle of the cell that the bits name: strictly between 0 and 1
        with warnings.catch_warnings():
            # that a power of two is best is said above
            warnings.filterwarnings("ignore", "The balance properties")
            cube = sequence.random(last - first) + 2.0 ** -(BITS + 1)
        return self._spreads.values(cube)

    def _at(self, first: int, seed: int) -> Any:
        """Return SciPy's sequence before a row: the one at hand if it is not beyond."""
        from scipy.stats import qmc

        if self._sequence is None or self._sequence[0] != seed or self._passed(first):
            # the word of all versions of SciPy that are supported; the newest also say rng
            options: dict[str, Any] = {"seed": seed}
            made = qmc.Sobol(self._spreads.dimension, scramble=True, bits=BITS, **options)
            self._sequence = seed, made
        sequence = self._sequence[1]
        if first > sequence.num_generated:
            sequence.fast_forward(first - sequence.num_generated)
        return sequence

    def _passed(self, first: int) -> bool:
        return self._sequence is not None and self._sequence[1].num_generated > first

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs: it makes a sequence of its own."""
        return self.__dict__ | {"_sequence": None}

    def description(self) -> dict[str, object]:
        """Return the kind and the spreads."""
        return {"kind": "sobol", "columns": self._spreads.description()}
