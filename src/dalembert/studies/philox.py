"""Random numbers of rows: those of one row are the same whoever computes it, and when.

The generator is Philox4x64-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel
random numbers: as easy as 1, 2, 3", SC11 (2011), as in NumPy: a counter is encrypted with a key,
here (seed of the study, number of the row). There is no state that one row hands to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.types import Array

ROUNDS = 10
MULTIPLIERS = np.array([0xD2E7470EE14C6C93, 0xCA5A826395121157], np.uint64)[:, None, None]
KEY_STEPS = np.array([0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B], np.uint64)[:, None, None]
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)

FUNCTION, DESIGN = 0, 1
"""Streams of a row: numbers for its function, and numbers that make the row itself."""


def words(seed: int, rows: Array, count: int, stream: int = FUNCTION) -> Array:
    """Return random 64-bit words, the same for a row in whatever company it comes.

    Args:
        seed: Seed of the study, from 0 to 2⁶⁴ − 1.
        rows: Numbers of the rows, ``(n,)``.
        count: Words for each row.
        stream: Which of the independent sequences of a row.

    Returns:
        Unsigned integers, ``(n, count)``: those of NumPy's
        ``Philox(key=[seed, row], counter=[0, 0, 0, stream])``.

    >>> import numpy as np
    >>> one = np.random.Philox(key=[7, 12]).random_raw(5)
    >>> bool((words(7, np.array([3, 12]), 5)[1] == one).all())
    True
    """
    blocks = -(-count // 4)
    # a counter is four words, of which the first and third are multiplied; they begin at one, as
    # NumPy counts before it draws
    even, odd = np.zeros((2, 2, len(rows), blocks), np.uint64)
    even[0], odd[1] = np.arange(1, blocks + 1), stream
    key = np.empty((2, len(rows), 1), np.uint64)
    key[0], key[1, :, 0] = seed, rows
    with np.errstate(over="ignore"):
        for _ in range(ROUNDS):
            high, low = _product(MULTIPLIERS, even)
            even, odd = high[::-1] ^ odd ^ key, low[::-1]
            key = key + KEY_STEPS
    x = np.stack([even[0], odd[0], even[1], odd[1]], axis=-1)
    return x.reshape(len(rows), 4 * blocks)[:, :count]


def _product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the upper and lower 64 bits of a·b, of products of 32-bit halves."""
    a_low, a_high, b_low, b_high = a & LOW, a >> HALF, b & LOW, b >> HALF
    middle = a_high * b_low + (a_low * b_low >> HALF)
    other = a_low * b_high + (middle & LOW)
    return a_high * b_high + (middle >> HALF) + (other >> HALF), a * b


def uniform(x: Array) -> Array:
    """Return numbers of [0, 1) of 64-bit words, as NumPy's `Generator.random` makes them."""
    return (x >> np.uint64(11)) * 2.0**-53


def inside(x: Array) -> Array:
    """Return numbers strictly between 0 and 1: every quantile of them is finite."""
    return ((x >> np.uint64(12)) + 0.5) * 2.0**-52
