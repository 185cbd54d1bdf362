"""The work of a study: what becomes of a range of its rows, in this process or another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from dalembert.errors import ShapeMismatch, UnknownName
from dalembert.studies import results
from dalembert.studies.parquet import encoded
from dalembert.studies.points.base import Points
from dalembert.studies.rows import Rows

if TYPE_CHECKING:
    from dalembert.types import ArrayLike

Function: TypeAlias = "Callable[[Rows], Mapping[str, ArrayLike]]"
"""What a study computes: columns of results, one value for each row."""

FAULTS = (NameError, ImportError, SyntaxError, MemoryError, UnknownName, ShapeMismatch)
"""Errors that no value of a row explains: they end the study."""


class Chunk(NamedTuple):
    """A range of rows with its results, as the content of a file."""

    first: int
    last: int
    data: bytes
    num_failed: int
    outline: dict[str, list[object]]


@dataclass(frozen=True)
class Task:
    """All that a worker needs to compute any range of rows.

    The function gets blocks of rows that begin at multiples of ``block``, whatever the range: a
    row has the same company in every run, so that its results are the same bits.
    """

    function: Function
    points: Points
    seed: int
    block: int

    def run(self, first: int, last: int) -> Chunk:
        """Compute the rows from ``first`` to before ``last``.

        Raises:
            EvaluationError: the function returned something else than columns of results.
        """
        rows = self.rows(first, last)
        return self.chunk(rows, self.computed(rows))

    def rows(self, first: int, last: int) -> Rows:
        """Return the rows from ``first`` to before ``last``."""
        return Rows(np.arange(first, last), self.points.values(first, last, self.seed), self.seed)

    def computed(self, rows: Rows) -> results.Results:
        """Return what the function makes of rows, block by block.

        Raises:
            EvaluationError: it returned something else than columns of results.
        """
        parts = []
        for at in range(0, len(rows), self.block):
            parts += self._parts(rows.part(at, min(at + self.block, len(rows))))
        return results.joined(parts, int(rows.numbers[0]))

    def chunk(self, rows: Rows, found: results.Results) -> Chunk:
        """Return rows with their results as the content of a file."""
        first, last = int(rows.numbers[0]), int(rows.numbers[-1]) + 1
        num_failed = sum(reason is not None for reason in found.reasons)
        outline = results.outline(found.columns)
        return Chunk(first, last, encoded(rows, found), num_failed, outline)

    def _parts(self, rows: Rows) -> Iterator[results.Part]:
        """Yield the results of a block; of one with an error, its halves until it stands alone."""
        try:
            found = self.function(rows)
        except FAULTS:
            raise
        except Exception as error:
            if len(rows) == 1:
                yield results.failed_part(error)
                return
            middle = len(rows) // 2
            yield from self._parts(rows.part(0, middle))
            yield from self._parts(rows.part(middle, len(rows)))
            return
        yield results.checked_part(found, len(rows), rows.names)
