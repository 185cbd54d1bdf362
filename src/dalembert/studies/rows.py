"""Some rows of a study, as its function gets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import UnknownName, nearest
from dalembert.studies import philox

if TYPE_CHECKING:
    from dalembert.types import Array


class Rows:
    """Neighbouring rows of a study: ``rows["mass"]`` is an array with one value for each.

    >>> import numpy as np
    >>> rows = Rows(np.arange(3), {"mass": np.array([1.0, 2.0, 3.0])}, seed=0)
    >>> len(rows), rows["mass"], "load" in rows
    (3, array([1., 2., 3.]), False)
    >>> rows.random(2).shape
    (3, 2)
    """

    def __init__(self, numbers: Array, columns: Mapping[str, Array], seed: int) -> None:
        self.numbers = numbers
        """Numbers of the rows in the study, from 0, ``(n,)``."""
        self.seed = seed
        """Seed of the study."""
        self._columns = dict(columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._columns)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a column of that name."""
        return name in self._columns

    def __getitem__(self, name: str) -> Array:
        """Return a column, ``(n,)`` or ``(n, …)``.

        Raises:
            UnknownName: there is no such column.
        """
        if name not in self._columns:
            raise UnknownName(
                f"expected a column of the study, got {name!r}: {nearest(name, self._columns)}"
            )
        return self._columns[name]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.numbers)

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows one by one."""
        return (Row(self, place) for place in range(len(self)))

    def random(self, count: int) -> Array:
        """Return uniform random numbers of [0, 1), ``(n, count)``: every row has its own."""
        return philox.uniform(philox.words(self.seed, self.numbers, count))

    def normal(self, count: int) -> Array:
        """Return normal random numbers of mean 0 and deviation 1, ``(n, count)``."""
        from scipy.special import ndtri

        return ndtri(philox.inside(philox.words(self.seed, self.numbers, count)))

    def part(self, first: int, last: int) -> Rows:
        """Return the rows from one place to before another."""
        columns = {name: x[first:last] for name, x in self._columns.items()}
        return Rows(self.numbers[first:last], columns, self.seed)


class Row:
    """One row of a study: ``row["mass"]`` is a number, or an array of its own shape."""

    def __init__(self, rows: Rows, place: int) -> None:
        self.number = int(rows.numbers[place])
        """Number of the row in the study, from 0."""
        self._rows, self._place = rows, place

    def __getitem__(self, name: str) -> Array:
        """Return the value of a column.

        Raises:
            UnknownName: there is no such column.
        """
        return self._rows[name][self._place]

    def rng(self) -> np.random.Generator:
        """Return a generator of random numbers that belongs to this row alone."""
        key = np.array([self._rows.seed, self.number], np.uint64)
        return np.random.Generator(np.random.Philox(key=key))
