"""Polynomials of s from 0 to 1 with exact coefficients: the shapes that beams bend in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, factorial

from dalembert.errors import DalembertError
from dalembert.expr import Expr, Scalar, as_expr, parameters, total

MAX_DEGREE = 20
"""Degree of a shape that a person gives, at most."""

Polynomial = list[Fraction]
"""Coefficients of powers of s, the constant first."""

ShapeFunction = Callable[[Expr], Scalar] | Sequence[Fraction]
"""A polynomial as a function of s, or by its coefficients, the constant first."""


def legendre(n: int) -> Polynomial:
    """Return the shifted Legendre polynomial Pₙ: (-1)ⁿ Σ C(n, k) C(n + k, k) (-s)ᵏ.

    They are orthogonal from 0 to 1, with ∫Pₙ² ds = 1/(2n + 1).
    """
    return [Fraction((-1) ** (n + k) * comb(n, k) * comb(n + k, k)) for k in range(n + 1)]


def clamped(n: int) -> Polynomial:
    """Return the n-th shape of a beam that is clamped at s = 0, of n = 0, 1, …

    Their curvatures are Legendre's polynomials, so that each has a strain energy for itself: s²,
    s² (3 - 2 s), and then shapes that leave the tip where it is.
    """
    if n < 2:
        return [[Fraction(0), Fraction(0), Fraction(c)] for c in (1, 3)][n] + [Fraction(-2)] * n
    # of a size about one
    size = 2 * (2 * n - 1) * (2 * n + 3)
    return [size * c for c in integral(integral(legendre(n)))]


def coefficients(shape: ShapeFunction, refused: type[DalembertError]) -> Polynomial:
    """Return the coefficients of a polynomial that a person wrote, or raise ``refused``."""
    if not callable(shape):
        try:
            return [Fraction(c) for c in shape]
        except (TypeError, ValueError, OverflowError):
            raise refused(
                f"expected shapes of a beam as functions of s or coefficients, got {shape!r:.60}"
            ) from None
    (s,) = parameters("s")
    e, found = as_expr(shape(s)), []
    for k in range(MAX_DEGREE + 1):
        here = e.subs({s: 0})
        if here.op != "const":
            raise refused(f"expected shapes of a beam with numbers alone, got {shape(s)}")
        found.append(Fraction(here.value) / factorial(k))
        e = e.diff(s)
        if not any(x is s for x in e.symbols) and e == 0:
            return found
    raise refused(
        f"expected shapes of a beam as polynomials of degree {MAX_DEGREE} at most, got {shape(s)}"
    )


def product(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return a(s) b(s)."""
    found = [Fraction(0)] * (len(a) + len(b))
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return found


def derivative(p: Polynomial) -> Polynomial:
    """Return p'(s)."""
    return [k * c for k, c in enumerate(p)][1:] or [Fraction(0)]


def integral(p: Polynomial) -> Polynomial:
    """Return the integral from 0."""
    return [Fraction(0), *(c / (k + 1) for k, c in enumerate(p))]


def inner(a: Polynomial, b: Polynomial) -> Fraction:
    """Return ∫a b ds from 0 to 1."""
    return sum(integral(product(a, b)), Fraction(0))


def value(p: Polynomial, s: Scalar) -> Expr:
    """Return p(s)."""
    return total([c * as_expr(s) ** k for k, c in enumerate(p)])
