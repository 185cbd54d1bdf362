"""√det(A Aᵀ) of a matrix of expressions, in factors where it is square."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from dalembert.expr import Expr, Matrix, as_expr
from dalembert.expr import abs_ as absolute
from dalembert.expr import sqrt as root
from dalembert.ring.algebra.minors import determinant
from dalembert.ring.algebra.trig_factors import common_factors
from dalembert.ring.canonical import canonical_matrix
from dalembert.ring.choose.build import ring_of
from dalembert.ring.decide import is_zero
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element


def matrix_volume(A: Matrix, positive: Sequence[Expr] = ()) -> Expr:
    """Return √det(A Aᵀ), or √det(Aᵀ A) of a tall matrix; |det A| in factors of a square one.

    ``positive`` factors are written without an absolute value.
    """
    m, n = A.shape
    ring = ring_of(A.entries)
    a = canonical_matrix(ring, A)
    if m != n:
        # the smaller product: the other one is singular everywhere
        gram = a @ a.T if m < n else a.T @ a
        return root(rebuild(determinant(ring, gram)))
    det = determinant(ring, a)
    if is_zero(det):
        return as_expr(0)
    factors, (rest,) = common_factors(ring, [det])
    number, volume = rest / ring.polynomial(det.over_one().den), as_expr(1)
    for f, exponent in factors:
        k, e = readable_factor(f)
        volume = volume * (e if e in positive else absolute(e)) ** exponent
        number = number * k**exponent
    return absolute(rebuild(number)) * volume


def readable_factor(f: Element) -> tuple[Fraction, Expr]:
    """Return (number, expression) with whole coefficients, without a minus in front."""
    numbers = [Fraction(int(k.p), int(k.q)) for k in f.polynomial.to_dict().values()]
    bottom = lcm(*(k.denominator for k in numbers))
    k = Fraction(gcd(*(int(x * bottom) for x in numbers)), bottom)
    e = rebuild(f * (1 / k))
    return (-k, -e) if str(e).startswith("-") else (k, e)
