"""Whole-number lattices: a basis of which every given vector is a whole combination."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

import flint

MAX_COMMON_FACTOR = 12


def lattice_basis(
    vectors: Sequence[Sequence[int]], unit: int = 1, levels: Sequence[int] = ()
) -> list[list[int]]:
    """Return independent vectors of which all given ones are whole combinations.

    The given vectors themselves are taken where possible, without small common factors: of 2φ
    remains φ, so that cos 2φ and sin² φ meet. Numbers are multiples of 1/``unit``: of φ/2, given
    as 1 with the unit 2, nothing comes off.

    Each column may have a level. Vectors without columns above a level are whole combinations of
    basis vectors without them; those given must come in the order of their highest level.

    >>> lattice_basis([[1, 0], [1, 1], [2, 1]])
    [[1, 0], [1, 1]]
    >>> lattice_basis([[1, 1], [1, -1], [2, 0], [1, 0]])
    [[1, 0], [0, 1]]
    >>> lattice_basis([[2, 0], [1, 2]], unit=2)
    [[2, 0], [1, 2]]
    >>> lattice_basis([[4, 0], [2, 2], [1, 2]], unit=2, levels=[0, 1])
    [[1, 0], [0, 2]]
    """
    basis: list[list[int]] = []
    for v in vectors:
        # a new direction joins; a whole combination needs nothing; a fraction wants a finer basis
        k = combination(basis, v)
        if k is None:
            basis.append(_positive(v, unit))
        elif any(x.denominator != 1 for x in k):
            return _reduced(vectors, unit, levels or [0] * len(v))
    return basis


def combination(basis: Sequence[Sequence[int]], v: Sequence[int]) -> list[Fraction] | None:
    """Return k with Σ kᵢ basisᵢ = v for an independent basis, or None outside its span."""
    n = len(basis)
    if not any(v):
        return [Fraction(0)] * n
    if not n:
        return None
    # rref of [basisᵀ | v]: independent columns give an identity on top
    rows = [[*(b[i] for b in basis), v[i]] for i in range(len(v))]
    reduced, rank = flint.fmpq_mat(flint.fmpz_mat(rows)).rref()
    if rank > n:
        return None
    return [Fraction(int(reduced[i, n].p), int(reduced[i, n].q)) for i in range(n)]


def _positive(v: Sequence[int], unit: int) -> list[int]:
    """Return v or -v, whichever starts positive, without a small common factor."""
    common = Fraction(gcd(*v), unit).numerator
    if common > MAX_COMMON_FACTOR:
        common = 1
    first = next(x for x in v if x)
    return [x // common if first > 0 else -x // common for x in v]


def _reduced(vectors: Sequence[Sequence[int]], unit: int, levels: Sequence[int]) -> list[list[int]]:
    """Return short basis vectors of the lattice that the vectors generate, level by level."""
    # Hermite normal form, highest level first: rows without the first columns generate all such
    order = sorted(range(len(levels)), key=lambda i: -levels[i])
    hermite = flint.fmpz_mat([[v[i] for i in order] for v in vectors]).hnf().tolist()
    blocks: dict[int, list[list[int]]] = {}
    for row in ([int(x) for x in row] for row in hermite if any(row)):
        first = next(i for i, x in enumerate(row) if x)
        blocks.setdefault(levels[order[first]], []).append(row)
    back = sorted(range(len(order)), key=order.__getitem__)
    rows = []
    for level in sorted(blocks):
        # LLL: short vectors of one level
        short = flint.fmpz_mat(blocks[level]).lll().tolist()
        found = [_positive([int(row[i]) for i in back], unit) for row in short]
        rows += sorted(found, key=lambda row: [-abs(x) for x in row])
    return rows
