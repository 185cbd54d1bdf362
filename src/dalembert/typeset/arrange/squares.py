"""Find squares in a polynomial over letters: perfect ones, and those a coordinate completes."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, lcm

from dalembert.typeset.arrange.letters import COORDINATE, Alphabet, Mono, Poly, divide, multiply

MAX_TERMS = 200
MAX_NUMBER = 1000


def is_square(m: Mono) -> bool:
    """Tell whether a monomial is the square of another."""
    return bool(m) and all(n > 0 and n % 2 == 0 for _, n in m)


def complete_square(alphabet: Alphabet, p: Poly) -> tuple[Fraction, Poly, Poly] | None:
    """Return (a, x + h, rest) with p = a (x + h)² + rest, when that has fewer terms than p.

    x is a coordinate that stands outside sines: the one with the plainest numbers.
    """
    if len(p) > MAX_TERMS:
        return None
    coordinates = [i for i, kind in enumerate(alphabet.kind) if kind == COORDINATE]
    found = [square for i in coordinates if (square := _completed(i, p)) is not None]
    return min(found, key=_denominator, default=None)


def _denominator(square: tuple[Fraction, Poly, Poly]) -> int:
    a, inside, rest = square
    return lcm(*(k.denominator for k in (*inside.values(), *(x / a for x in rest.values()))))


def _completed(i: int, p: Poly) -> tuple[Fraction, Poly, Poly] | None:
    """Return the square that the letter i completes."""
    a = p.get(((i, 2),))
    if a is None or any(n not in (1, 2) for m in p for j, n in m if j == i):
        return None
    linear = {m: k for m, k in p.items() if (i, 1) in m}
    if not linear or any((i, 2) in m and len(m) > 1 for m in p):
        return None
    # a x² + b x + c = a (x + h)² + c - a h²  with  h = b / 2a
    h = {m: k / (2 * a) for m, k in divide(linear, ((i, 1),)).items()}
    rest = {m: k for m, k in p.items() if m != ((i, 2),) and m not in linear}
    for m1, k1 in h.items():
        for m2, k2 in h.items():
            m = multiply(m1, m2)
            rest[m] = rest.get(m, Fraction(0)) - a * k1 * k2
    rest = {m: k for m, k in rest.items() if k}
    return (a, {**h, ((i, 1),): Fraction(1)}, rest) if 1 + len(rest) < len(p) else None


def square_free_numbers(p: Poly) -> list[int]:
    """Return the numbers that squares may be multiplied by: 1, -1, and those of 3 a², -6 b²."""
    found = {1: None, -1: None}
    for m, k in p.items():
        if is_square(m) and k.denominator == 1 and abs(k.numerator) <= MAX_NUMBER:
            found.setdefault(_square_free(k.numerator))
    return list(found)


def _square_free(n: int) -> int:
    for i in range(isqrt(abs(n)), 1, -1):
        if n % (i * i) == 0:
            return n // (i * i)
    return n


def perfect_squares(p: Poly, number: int = 1) -> tuple[list[Poly], Poly]:
    """Return sums whose squares, times the number, are contained in p, and what is left.

    A square is contained when every a², b² and 2ab of (a + b + …)² is a term of p.
    """
    rest = {m: k / number for m, k in p.items()}
    roots = {m: r for m, k in sorted(rest.items()) if is_square(m) and (r := _root(k)) is not None}
    found = []
    if len(p) > MAX_TERMS or len(roots) < 2:
        return found, p
    for m in list(roots):
        if m not in rest:
            continue
        half = _half(m)
        inside = {half: roots[m]}
        for other, r in roots.items():
            if other in rest and _half(other) not in inside:
                fitting = _sign_of(rest, inside, _half(other), r)
                if fitting:
                    inside[_half(other)] = fitting * r
        if len(inside) > 1:
            for m1 in inside:
                for m2 in inside:
                    rest.pop(multiply(m1, m2), None)
            found.append(inside)
    return found, {m: number * k for m, k in rest.items()}


def _sign_of(p: Poly, inside: Poly, m: Mono, r: Fraction) -> int:
    """Return the sign with which r·m joins the sum, or 0 when a product with it is missing."""
    signs = set()
    for m2, r2 in inside.items():
        ratio = p.get(multiply(m, m2), Fraction(0)) / (2 * r * r2)
        signs.add(int(ratio) if abs(ratio) == 1 else 0)
    return signs.pop() if len(signs) == 1 else 0


def _half(m: Mono) -> Mono:
    return tuple((i, n // 2) for i, n in m)


def _root(k: Fraction) -> Fraction | None:
    if k <= 0:
        return None
    top, bottom = isqrt(k.numerator), isqrt(k.denominator)
    return Fraction(top, bottom) if Fraction(top * top, bottom * bottom) == k else None
