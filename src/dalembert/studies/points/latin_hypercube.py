"""A Latin hypercube: of n equal parts of every range, each holds exactly one point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.studies import philox
from dalembert.studies.points.base import Points, check_num_rows
from dalembert.studies.points.spreads import Spread, Spreads

if TYPE_CHECKING:
    from dalembert.types import Array

ROUNDS = 6
BELOW_ONE = 1 - 2.0**-53
MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


class LatinHypercube(Points):
    """A Latin hypercube: of ``num_rows`` equal parts of every range, each holds one point.

    M. D. McKay, R. J. Beckman, W. J. Conover, "A comparison of three methods for selecting values
    of input variables", Technometrics 21 (1979). The permutation of the parts is not stored: it is
    a small block cipher on the numbers of the rows, so that any row costs the same.

    Args:
        spreads: For each column its range (lowest, highest), numbers or arrays, or a distribution
            of SciPy.
        num_rows: How many points.

    >>> import numpy as np
    >>> x = LatinHypercube({"mass": (0, 10)}, 10).values(0, 10, seed=0)["mass"]
    >>> sorted(np.floor(x).astype(int).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """

    def __init__(self, spreads: Mapping[str, Spread], num_rows: int) -> None:
        self._spreads, self.num_rows = Spreads(spreads), check_num_rows(num_rows)

    def values(self, first: int, last: int, seed: int) -> dict[str, Array]:
        """Return the columns of some rows."""
        rows, size = np.arange(first, last), self._spreads.dimension
        cube = philox.inside(philox.words(seed, rows, size, philox.DESIGN))
        # a key of the cipher for each coordinate; no row has this number
        keys = philox.words(seed, np.array([2**63]), size * ROUNDS, philox.DESIGN)
        for k, key in enumerate(keys.reshape(size, ROUNDS)):
            cube[:, k] += permuted(rows, self.num_rows, key)
        # the sum rounds up to the next part at times, which must not be beyond the last
        return self._spreads.values(np.minimum(cube / self.num_rows, BELOW_ONE))

    def description(self) -> dict[str, object]:
        """Return the kind and the spreads."""
        return {"kind": "latin hypercube", "columns": self._spreads.description()}


def permuted(x: Array, count: int, key: Array) -> Array:
    """Return the places of numbers in a random order of 0 … count − 1.

    A Feistel network permutes numbers of an even count of bits; one that leads out of the range is
    led on until it is inside again (J. Black, P. Rogaway, "Ciphers with arbitrary finite domains",
    CT-RSA 2002).

    >>> import numpy as np
    >>> order = permuted(np.arange(100), 100, np.arange(6, dtype=np.uint64))
    >>> sorted(order.tolist()) == list(range(100))
    True
    """
    half = np.uint64(max(1, ((count - 1).bit_length() + 1) // 2))
    x = _feistel(np.asarray(x, np.uint64), half, key)
    while (outside := np.flatnonzero(x >= np.uint64(count))).size:
        x[outside] = _feistel(x[outside], half, key)
    return x.astype(np.int64)


def _feistel(x: Array, half: np.uint64, key: Array) -> Array:
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = x >> half, x & mask
    for k in key:
        left, right = right, left ^ (_mixed(right + k) & mask)
    return (left << half) | right


def _mixed(x: Array) -> Array:
    """Return 64-bit words in which every bit depends on every bit of the given ones."""
    x = (x ^ (x >> np.uint64(30))) * MIXERS[0]
    x = (x ^ (x >> np.uint64(27))) * MIXERS[1]
    return x ^ (x >> np.uint64(31))
