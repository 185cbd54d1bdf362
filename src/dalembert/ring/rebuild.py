"""Turn canonical forms back into expressions, in the stable order of the ring.

Angles such as q₁+q₂ that share coordinates with others are written with single sines and cosines
of sums, cos(q₁+q₂)cos(q₁) + sin(q₁+q₂)sin(q₁) = cos(q₂): then an expression contains a coordinate
only if its value depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import flint

from dalembert.expr import ONE, ZERO, Expr, Matrix, constant, cos, power, sin, symbol_text
from dalembert.expr.fold import mul
from dalembert.ring.budget import check_rebuilt
from dalembert.ring.choose.angles import LinearForm, form_expr
from dalembert.ring.ring import Element, Ring

Vector = tuple[int, ...]


def rebuild(element: Element) -> Expr:
    """Return the expanded expression of an element."""
    check_rebuilt(len(element))
    num = _sum(element.ring, element.num)
    return num if element.is_polynomial else num / _sum(element.ring, element.den)


def rebuild_matrix(a: Matrix) -> Matrix:
    """Return the matrix of rebuilt expressions."""
    check_rebuilt(sum(len(x) for x in a))
    return a.map(rebuild)


def monomial_expr(ring: Ring, exponents: Sequence[int]) -> Expr:
    """Return Π generator ** exponent as an expression."""
    return next(_monomials(ring, [exponents]))


def _monomials(ring: Ring, monomials: Sequence[Sequence[int]]) -> Iterator[Expr]:
    """Yield the expressions of monomials; neighbours share the product of their first factors."""
    generators = ring.generators
    used = [i for i, n in enumerate(map(max, zip(*monomials, strict=True))) if n]
    powers: dict[tuple[int, int], Expr] = {}
    # products[k] is the product of the first k factors of the monomial before
    products, before = [ONE] * (len(used) + 1), [-1] * len(used)
    for exponents in monomials:
        is_new = False
        for k, i in enumerate(used):
            n = exponents[i]
            if is_new or n != before[k]:
                is_new, before[k] = True, n
                result = products[k]
                if n:
                    factor = powers.get((i, n))
                    if factor is None:
                        factor = powers[i, n] = power(generators[i], Fraction(int(n)))
                    result = mul(result, factor)
                products[k + 1] = result
        yield products[-1]


def _sum(ring: Ring, p: flint.fmpq_mpoly) -> Expr:
    linked = linked_angles(ring)
    if not linked:
        found = p.to_dict()
        terms: Iterable[Expr] = (
            constant(Fraction(int(k.p), int(k.q))) * monomial
            for k, monomial in zip(found.values(), _monomials(ring, list(found)), strict=True)
        )
    else:
        terms = _folded_terms(ring, p, linked)
    result = ZERO
    for term in terms:
        result = result + term
    return result


def linked_angles(ring: Ring) -> list[int]:
    """Return the numbers of the angles that share a term with a composite angle."""
    linked = {i for i, a in enumerate(ring.angles) if len(a.form) > 1}
    while True:
        terms = {t for i in linked for t in ring.angles[i].form}
        more = {i for i, a in enumerate(ring.angles) if terms & a.form.keys()}
        if more <= linked:
            return sorted(linked)
        linked |= more


def _folded_terms(ring: Ring, p: flint.fmpq_mpoly, linked: Sequence[int]) -> list[Expr]:
    """Return the terms with the linked angles in single sines and cosines."""
    pairs = [(ring.angles[i].sin, ring.angles[i].cos) for i in linked]
    total: dict[tuple[Vector, int, Vector], Fraction] = {}
    for exponents, coefficient in p.to_dict().items():
        e = [int(n) for n in exponents]
        powers = []
        for s, c in pairs:
            powers.append((e[s], e[c]))
            e[s] = e[c] = 0
        rest, k = tuple(e), Fraction(int(coefficient.p), int(coefficient.q))
        for is_sine, vector, value in single_angles(tuple(powers)):
            key = (rest, is_sine, vector)
            total[key] = total.get(key, Fraction(0)) + k * value
    waves: dict[tuple[int, Vector], Expr] = {}
    terms = []
    for (rest, is_sine, vector), k in total.items():
        if k:
            wave = waves.get((is_sine, vector))
            if wave is None:
                wave = waves[is_sine, vector] = _wave(ring, linked, is_sine, vector)
            terms.append(constant(k) * (monomial_expr(ring, rest) * wave))
    return terms


def _wave(ring: Ring, linked: Sequence[int], is_sine: int, vector: Vector) -> Expr:
    form: LinearForm = {}
    for i, n in zip(linked, vector, strict=True):
        for term, k in ring.angles[i].form.items():
            form[term] = form.get(term, Fraction(0)) + n * k
    ordered = sorted(
        ((t, k) for t, k in form.items() if k),
        key=lambda item: symbol_text(item[0]) if item[0].op == "symbol" else "~",
    )
    sign = 1
    if ordered and ordered[0][1] < 0:
        sign, ordered = -1, [(t, -k) for t, k in ordered]
    angle = form_expr(dict(ordered))
    return sign * sin(angle) if is_sine else cos(angle)


@lru_cache(maxsize=4096)
def single_angles(powers: tuple[tuple[int, int], ...]) -> list[tuple[int, Vector, Fraction]]:
    """Return Π sin(φᵢ)ᵃ cos(φᵢ)ᵇ as (is sine, multiples of φ, coefficient) terms.

    With z = e^{iφ}: sin φ = (z - z⁻¹)/2i, cos φ = (z + z⁻¹)/2; an even number of sines gives
    cosines, an odd number sines.

    >>> single_angles(((1, 1),))
    [(1, (2,), Fraction(1, 2))]
    """
    laurent: dict[Vector, Fraction] = {(): Fraction(1)}
    sines = 0
    for a, b in powers:
        factor = _laurent(a, b)
        laurent = {(*v, n): k * w for v, k in laurent.items() for n, w in factor.items()}
        sines += a
    # i^-sines: 1, -i, -1, i; with the odd part 2i sin left after pairing v and -v
    sign = -1 if sines % 4 in (2, 3) else 1
    result = []
    for vector, k in laurent.items():
        lead = next((n for n in vector if n), 0)
        if lead < 0:
            continue
        if not lead:
            if sines % 2 == 0:
                result.append((0, vector, sign * k))
            continue
        result.append((sines % 2, vector, 2 * sign * k))
    return [term for term in result if term[2]]


def _laurent(a: int, b: int) -> dict[int, Fraction]:
    """Return the coefficients of ((z - z⁻¹)/2)ᵃ ((z + z⁻¹)/2)ᵇ by powers of z."""
    total = {0: Fraction(1)}
    half = Fraction(1, 2)
    for minus in [-1] * a + [1] * b:
        after: dict[int, Fraction] = {}
        for n, k in total.items():
            after[n + 1] = after.get(n + 1, Fraction(0)) + k * half
            after[n - 1] = after.get(n - 1, Fraction(0)) + k * half * minus
        total = after
    return {n: k for n, k in total.items() if k}
