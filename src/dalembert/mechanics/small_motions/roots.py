"""Roots of polynomials of low degree in closed form, with parameters that are positive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dalembert.errors import Undecided
from dalembert.expr import ZERO, Expr
from dalembert.mechanics.proofs.signs import root_of, sign_of
from dalembert.ring import Element, rebuild


def coefficients(f: Element, i: int) -> dict[int, Element]:
    """Return the coefficients of the powers of one generator."""
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for exponents, k in f.polynomial.to_dict().items():
        e = [int(n) for n in exponents]
        power, e[i] = e[i], 0
        parts.setdefault(power, {})[tuple(e)] = k
    ring = f.ring
    return {n: Element(ring, ring.context.from_dict(terms)) for n, terms in parts.items()}


def real_roots(parts: dict[int, Element]) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Yield the real roots of a polynomial, each with what must be nonnegative for it to be real.

    ``parts`` are its coefficients by power. Roots that are not real for any positive parameters
    are left out.

    Raises:
        Undecided: the degree is too high for a closed form.
    """
    degree = max(parts)
    a = parts[degree]
    zero = a.ring.zero
    if degree == 1:
        yield rebuild(-parts.get(0, zero) / a), ()
    elif degree == 2:
        yield from _quadratic_roots(a, parts.get(1, zero), parts.get(0, zero))
    elif degree == 4 and not {1, 3} & parts.keys():
        # biquadratic: first the square
        for square, conditions in _quadratic_roots(a, parts.get(2, zero), parts.get(0, zero)):
            yield from _square_roots(square, ZERO, conditions)
    else:
        raise Undecided(
            f"expected equations of degree one or two in an unknown, got an irreducible one of "
            f"degree {degree}"
        )


def _quadratic_roots(a: Element, b: Element, c: Element) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Yield the roots of a x² + b x + c: -b/2a ± √(b²/4a² - c/a)."""
    middle = -b / (a * 2)
    yield from _square_roots(rebuild(middle * middle - c / a), rebuild(middle), ())


def _square_roots(
    square: Expr, middle: Expr, conditions: tuple[Expr, ...]
) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Yield middle ± √square where it can be real."""
    sign = sign_of(square)
    if sign.is_negative:
        return
    if sign.sign == 0:
        yield middle, conditions
        return
    needs = conditions if sign.is_positive else (*conditions, square)
    root = root_of(square)
    yield middle + root, needs
    yield middle - root, needs
