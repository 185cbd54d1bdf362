"""Whole-number lattices: a basis of which every given vector is a whole combination."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

import flint

MAX_COMMON_FACTOR = 12


def lattice_basis(vectors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return independent vectors of which all given ones are whole combinations.

    The given vectors themselves are taken where possible, without small common factors: of 2φ
    remains φ, so that cos 2φ and sin² φ meet.

    >>> lattice_basis([[1, 0], [1, 1], [2, 1]])
    [[1, 0], [1, 1]]
    >>> lattice_basis([[1, 1], [1, -1], [2, 0], [1, 0]])
    [[1, 0], [0, 1]]
    """
    basis: list[list[int]] = []
    for v in vectors:
        # a new direction joins; a whole combination needs nothing; a fraction wants a finer basis
        k = combination(basis, v)
        if k is None:
            basis.append(_positive(v))
        elif any(x.denominator != 1 for x in k):
            return _reduced(vectors)
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


def _positive(v: Sequence[int]) -> list[int]:
    """Return v or -v, whichever starts positive, without a small common factor."""
    common = gcd(*v)
    if common > MAX_COMMON_FACTOR:
        common = 1
    first = next(x for x in v if x)
    return [x // common if first > 0 else -x // common for x in v]


def _reduced(vectors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return short basis vectors of the lattice that the vectors generate."""
    # Hermite normal form: independent rows of the same lattice; LLL: short ones
    hermite = flint.fmpz_mat([list(v) for v in vectors]).hnf()
    independent = [row for row in hermite.tolist() if any(row)]
    short = flint.fmpz_mat(independent).lll().tolist()
    rows = [_positive([int(x) for x in row]) for row in short]
    return sorted(rows, key=lambda row: [-abs(x) for x in row])
