"""Choose the angles in whose sines and cosines a polynomial has the fewest terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import flint

from dalembert.ring.choose.lattice import combination
from dalembert.ring.sparse import Word, sparse_terms
from dalembert.typeset.fold.trig_poly import COS, SIN, Factor, Vector, shifted

MAX_TERMS = 600
MAX_ANGLES = 8
MAX_GROWTH = 8


class AngleBasis:
    """Angles (whole multiples of coordinates) with the generators of their sines and cosines."""

    def __init__(self, vectors: Sequence[Vector], pairs: Sequence[tuple[int, int]]) -> None:
        self.vectors, self.pairs = list(vectors), list(pairs)
        self.poly: Any = None
        self._factor: dict[int, Factor] = {}
        self._odd: set[int] = set()
        for vector, (s, c) in zip(vectors, pairs, strict=True):
            unit = _positive(vector)
            self._factor |= {s: (unit, SIN), c: (unit, COS)}
            if unit != vector:
                self._odd.add(s)

    def holding(self, poly: flint.fmpq_mpoly) -> AngleBasis:
        """Return this basis with a polynomial written in it."""
        basis = AngleBasis(self.vectors, self.pairs)
        basis.poly = poly
        return basis

    def terms(self) -> Iterator[tuple[Word, Fraction]]:
        """Yield (word, coefficient) of the polynomial."""
        for word, k in sparse_terms(self.poly):
            yield word, Fraction(int(k.p), int(k.q))

    def split(self, word: Word) -> tuple[int, Word, list[Factor]]:
        """Return the sign of a monomial, its part without sines, its sines and cosines."""
        rest, factors, sign = [], [], 1
        for i, n in word:
            if i not in self._factor:
                rest.append((i, n))
                continue
            factors += [self._factor[i]] * n
            if i in self._odd and n % 2:
                sign = -sign
        return sign, tuple(rest), factors


def best_basis(p: flint.fmpq_mpoly, given: AngleBasis) -> AngleBasis:
    """Return the polynomial in the basis with the fewest terms, found by steps φᵢ → φᵢ ± φⱼ."""
    start = given.holding(p)
    used = [i for i, (s, c) in enumerate(given.pairs) if _occurs(p, s) or _occurs(p, c)]
    if len(used) < 2 or len(used) > MAX_ANGLES or len(p) > MAX_TERMS:
        return start
    # coordinates themselves win a tie, so that the form does not depend on the ring's choice
    single = _to_coordinates(start)
    best = single if single is not None and len(single.poly) <= len(p) else start
    while True:
        better = min(_neighbours(best, used), key=lambda b: len(b.poly), default=None)
        if better is None or len(better.poly) >= len(best.poly):
            return best
        best = better


def _occurs(p: flint.fmpq_mpoly, i: int) -> bool:
    return bool(p) and p.degrees()[i] > 0


def _to_coordinates(basis: AngleBasis) -> AngleBasis | None:
    """Return the polynomial over single coordinates, when there are as many as angles."""
    n = len(basis.vectors)
    if len(basis.vectors[0]) != n:
        return None
    singles = [tuple(int(i == j) for j in range(n)) for i in range(n)]
    return _rewritten(basis, singles)


def _neighbours(basis: AngleBasis, used: Sequence[int]) -> Iterator[AngleBasis]:
    for i in used:
        for j in used:
            if i == j or not _meet(basis.poly, basis.pairs[i], basis.pairs[j]):
                continue
            for sign in (1, -1):
                vectors = list(basis.vectors)
                vectors[i] = _positive(shifted(vectors[i], vectors[j], sign))
                found = _rewritten(basis, vectors)
                if found is not None:
                    yield found


def _positive(v: Vector) -> Vector:
    """Return v or -v, whichever starts positive."""
    return tuple(-x for x in v) if next(x for x in v if x) < 0 else v


def _meet(p: flint.fmpq_mpoly, a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Tell whether both angles can occur in one term."""
    degrees = p.degrees() if p else ()
    return bool(p) and any(degrees[i] for i in a) and any(degrees[i] for i in b)


def _rewritten(basis: AngleBasis, vectors: Sequence[Vector]) -> AngleBasis | None:
    """Return the polynomial over other angles, by the addition theorem; None if too long."""
    p = basis.poly
    context = p.context()
    gens = list(context.gens())
    images = list(gens)
    new_pairs = [(gens[s], gens[c]) for s, c in basis.pairs]
    for old, (s, c) in zip(basis.vectors, basis.pairs, strict=True):
        multiples = combination(vectors, old)
        if multiples is None or any(k.denominator != 1 for k in multiples):
            return None
        if sum(abs(k) for k in multiples) > 4:
            return None
        images[s], images[c] = _turned(context, new_pairs, [int(k) for k in multiples])
    growth = sum(d for i, d in enumerate(p.degrees()) if images[i] is not gens[i] and d)
    if growth * len(p) > MAX_GROWTH * MAX_TERMS:
        return None
    q = p.compose(*images)
    for s, c in basis.pairs:
        if _occurs(q, s):
            q = divmod(q, gens[s] ** 2 + gens[c] ** 2 - 1)[1]
    return AngleBasis(vectors, basis.pairs).holding(q)


def _turned(context: Any, pairs: Sequence[tuple[Any, Any]], multiples: Sequence[int]) -> Any:
    """Return (sin, cos) of Σ multiple · angle."""
    s, c = context.constant(flint.fmpq(0)), context.constant(flint.fmpq(1))
    for (sj, cj), k in zip(pairs, multiples, strict=True):
        for _ in range(abs(k)):
            sign = 1 if k > 0 else -1
            s, c = s * cj + sign * c * sj, c * cj - sign * s * sj
    return s, c
