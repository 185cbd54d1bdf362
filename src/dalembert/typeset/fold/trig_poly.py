"""Trigonometric polynomials with whole multiples of the coordinates as angles, and their forms.

A factor is ``(vector, function)``, the sine or cosine of Σ vector[i] · coordinate[i]; a monomial is
a sorted tuple of ``(factor, exponent)``; a polynomial maps monomials to rationals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations

COS, SIN = 0, 1
Vector = tuple[int, ...]
Factor = tuple[Vector, int]
Monomial = tuple[tuple[Factor, int], ...]
TrigPoly = dict[Monomial, Fraction]

MAX_FOURIER = 400


def unit_factor(vector: Vector, function: int) -> tuple[int, Factor | None]:
    """Return (sign, factor) with a positive first multiple; None stands for 1, sign 0 for 0."""
    first = next((x for x in vector if x), 0)
    if not first:
        return (1, None) if function == COS else (0, None)
    if first > 0:
        return 1, (vector, function)
    return (1 if function == COS else -1), (tuple(-x for x in vector), function)


def monomial(factors: Iterable[Factor]) -> Monomial:
    """Return the product of factors."""
    exponents: dict[Factor, int] = {}
    for f in factors:
        exponents[f] = exponents.get(f, 0) + 1
    return tuple(sorted(exponents.items()))


def factors_of(m: Monomial) -> list[Factor]:
    """Return the factors with repetition."""
    return [f for f, n in m for _ in range(n)]


def add_term(p: TrigPoly, m: Monomial, k: Fraction) -> None:
    """Add k·m to a polynomial in place."""
    total = p.get(m, Fraction(0)) + k
    if total:
        p[m] = total
    else:
        p.pop(m, None)


def shifted(u: Vector, v: Vector, sign: int) -> Vector:
    """Return u ± v."""
    return tuple(a + sign * b for a, b in zip(u, v, strict=True))


def fourier(p: TrigPoly) -> TrigPoly | None:
    """Write every product as a sum of single sines and cosines; None when that is too long."""
    bound = sum(2 ** min(sum(n for _, n in m), 20) for m in p)
    if bound > MAX_FOURIER:
        return None
    result: TrigPoly = {}
    for m, k in p.items():
        for factor, value in _expand(factors_of(m)).items():
            add_term(result, () if factor is None else ((factor, 1),), k * value)
    return result


def _expand(factors: list[Factor]) -> dict[Factor | None, Fraction]:
    total: dict[Factor | None, Fraction] = {None: Fraction(1)}
    for v, g in factors:
        after: dict[Factor | None, Fraction] = {}
        for factor, k in total.items():
            u, f = factor or (tuple([0] * len(v)), COS)
            # cc, ss give cosines, sc, cs give sines of u+v and u-v
            plus = Fraction(-1 if f == g == SIN else 1, 2) * k
            minus = Fraction(-1 if (f, g) == (COS, SIN) else 1, 2) * k
            for vector, value in ((shifted(u, v, 1), plus), (shifted(u, v, -1), minus)):
                sign, unit = unit_factor(vector, f ^ g)
                if sign:
                    after[unit] = after.get(unit, Fraction(0)) + sign * value
        total = {u: k for u, k in after.items() if k}
    return total


def with_sines(p: TrigPoly, vector: Vector) -> TrigPoly:
    """Rewrite the even powers of one cosine by c² = 1 - s²."""
    result: TrigPoly = {}
    c, s = (vector, COS), (vector, SIN)
    for m, k in p.items():
        exponents = dict(m)
        n = exponents.pop(c, 0)
        half = n // 2
        binomial = 1
        for j in range(half + 1):
            new = dict(exponents)
            if n % 2:
                new[c] = 1
            if j:
                new[s] = new.get(s, 0) + 2 * j
            add_term(result, tuple(sorted(new.items())), k * binomial * (-1) ** j)
            binomial = binomial * (half - j) // (j + 1)
    return result


def fold_pairs(p: TrigPoly) -> TrigPoly:
    """Apply cc ∓ ss → c(A±B), sc ± cs → s(A±B) and 1 - c² → s² while a pair of terms matches."""
    p = dict(p)
    while True:
        step = next(_foldings(p), None)
        if step is None:
            return p
        old, partner, new, k = step
        del p[old], p[partner]
        add_term(p, new, k)


def _foldings(p: TrigPoly) -> Iterator[tuple[Monomial, Monomial, Monomial, Fraction]]:
    for m in sorted(p):
        factors = factors_of(m)
        k = p[m]
        for i, j in combinations(range(len(factors)), 2):
            (u, f), (v, g) = factors[i], factors[j]
            rest = factors[:i] + factors[i + 1 : j] + factors[j + 1 :]
            if u == v:
                if f == g and p.get(monomial(rest)) == -k:
                    # X - X c² = X s²
                    yield m, monomial(rest), monomial([*rest, (u, 1 - f), (u, 1 - f)]), -k
                continue
            partner = monomial([*rest, (u, 1 - f), (v, 1 - g)])
            other = p.get(partner)
            if other is None or abs(other) != abs(k):
                continue
            # cos u cos v ∓ sin u sin v = cos(u ± v); sin u cos v ± cos u sin v = sin(u ± v)
            same = other == k
            sign = (-1 if same else 1) if f == g else (1 if same else -1)
            value = k if (f, g) in ((COS, COS), (SIN, COS)) else other
            unit_sign, unit = unit_factor(shifted(u, v, sign), f ^ g)
            if unit is None:
                continue
            yield m, partner, monomial([*rest, unit]), value * unit_sign


def join_pairs(p: TrigPoly) -> TrigPoly:
    """Turn sums into products while terms match: cos U + cos V → 2 cos((U+V)/2) cos((U-V)/2)."""
    p = dict(p)
    while True:
        best = min(_joinings(p), default=None)
        if best is None:
            return p
        _, old, partner, new, k = best
        del p[old], p[partner]
        add_term(p, new, k)


def _joinings(p: TrigPoly) -> Iterator[tuple[tuple, Monomial, Monomial, Monomial, Fraction]]:
    buckets: dict[tuple, list[tuple[Vector, Monomial]]] = {}
    size = next((len(m[0][0][0]) for m in p if m), 0)
    zero = tuple([0] * size)
    for m in sorted(p):
        # the term itself as X · cos 0
        buckets.setdefault((m, COS, abs(p[m])), []).append((zero, m))
        for factor, n in m:
            rest = dict(m)
            rest[factor] = n - 1
            key = tuple((f, e) for f, e in sorted(rest.items()) if e)
            buckets.setdefault((key, factor[1], abs(p[m])), []).append((factor[0], m))
    for (rest, function, _), members in buckets.items():
        for (u, a), (v, b) in combinations(members, 2):
            total, difference = shifted(u, v, 1), shifted(u, v, -1)
            if a == b or any(x % 2 for x in total):
                continue
            big, small = tuple(x // 2 for x in total), tuple(x // 2 for x in difference)
            same = p[a] == p[b]
            f, g, k = {
                (COS, True): (COS, COS, 2),
                (COS, False): (SIN, SIN, -2),
                (SIN, True): (SIN, COS, 2),
                (SIN, False): (COS, SIN, 2),
            }[function, same]
            (s1, first), (s2, second) = unit_factor(big, f), unit_factor(small, g)
            units = [x for x in (first, second) if x is not None]
            new = monomial([*factors_of(rest), *units])
            weight = sum(abs(x) for x in (*big, *small))
            yield (weight, a, b), a, b, new, k * s1 * s2 * p[a]


def reading_cost(p: TrigPoly) -> tuple[int, int, int]:
    """Return (terms, factors, size of the angles), the order in which forms are preferred."""
    factors = angles = 0
    for m in p:
        for (vector, _), n in m:
            # cos 2q is as long as two factors; a square is one glyph more
            factors += max(abs(x) for x in vector) + (n > 1)
            angles += sum(abs(x) for x in vector) + sum(x < 0 for x in vector)
    return len(p), factors, angles
