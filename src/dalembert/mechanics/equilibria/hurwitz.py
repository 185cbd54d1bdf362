"""Stability in letters by the characteristic polynomial det(M s² + D s + K): Routh and Hurwitz."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Expr, coordinates
from dalembert.mechanics.equilibria.verdict import Stability
from dalembert.mechanics.proofs.signs import Sign, inequality, sign_of
from dalembert.mechanics.small_motions.roots import coefficients
from dalembert.ring import Element, canonical_matrix, determinant, rebuild, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.small_motions.linearisation import Linearisation

MAX_DEGREE = 4
"""Degree up to which the conditions are short enough to be read."""

ON_THE_AXIS = "all eigenvalues lie on the imaginary axis, and the linear equations do not tell"


def by_hurwitz(lin: Linearisation, num_kept: int, assumed: Sequence[Expr]) -> Stability | None:
    """Return what the roots of det(M s² + D s + K) say, without those that are always zero.

    M is positive definite; coordinates that occur nowhere, all but ``num_kept``, give a zero each.
    None where the degree is too high or the polynomial does not tell.
    """
    n = lin.M.shape[0]
    degree = n + num_kept
    if not num_kept or degree > MAX_DEGREE:
        return None
    (s,) = coordinates("eigenvalue")
    ring = ring_of([*lin.M, *lin.D, *lin.K], [s])
    z = ring.element_of(s)
    M, D, K = (canonical_matrix(ring, a) for a in (lin.M, lin.D, lin.K))
    p = determinant(ring, M * (z * z) + D * z + K)
    if not p.is_polynomial:
        return None
    parts = coefficients(p, ring.index[s])
    shift = n - num_kept
    a = [parts.get(k + shift, ring.zero) for k in range(degree + 1)]
    odd = a[degree - 1 :: -2]
    if all(x.is_surely_zero for x in odd):
        return None if degree % 2 else _undamped(a, assumed)
    return _damped(a, assumed)


def _damped(a: Sequence[Element], assumed: Sequence[Expr]) -> Stability | None:
    """Return the verdict by a_k > 0 and the last but one of Hurwitz's determinants."""
    degree = len(a) - 1
    tests = [*a[:-1]]
    if degree == 3:
        tests.append(a[2] * a[1] - a[3] * a[0])
    elif degree == 4:
        tests.append(a[3] * a[2] * a[1] - a[4] * a[1] * a[1] - a[3] * a[3] * a[0])
    signs = [sign_of(rebuild(x), assumed) for x in tests]
    against = [x for x in signs if x.is_negative]
    if against:
        words = (
            "the characteristic polynomial has a root right of the imaginary axis (Routh, Hurwitz)"
        )
        return Stability("unstable", words + apart(against[:1]))
    if any(x.sign == 0 for x in signs):
        return None
    words = "all eigenvalues lie left of the imaginary axis"
    open_signs = [x for x in signs if x.factors]
    if not open_signs:
        return Stability("asymptotically stable", f"{words} (Routh, Hurwitz){apart(signs)}")
    if contradict(open_signs):
        words = "a root right of the imaginary axis for all parameters (Routh, Hurwitz)"
        return Stability("unstable", words + _off(open_signs))
    where, elsewhere = both_ways(open_signs)
    reason = f"asymptotically stable where {where}, unstable where {elsewhere} (Routh, Hurwitz)"
    return Stability("depends on the parameters", reason)


def _undamped(a: Sequence[Element], assumed: Sequence[Expr]) -> Stability | None:
    """Return the verdict where only even powers occur: roots s² must be negative numbers."""
    squares = a[::2]
    tests = [*squares[:-1]]
    if len(squares) == 3:
        tests.append(squares[1] * squares[1] - squares[2] * squares[0] * 4)
    signs = [sign_of(rebuild(x), assumed) for x in tests]
    if any(x.is_negative for x in signs):
        against = [x for x in signs if x.is_negative]
        words = "the characteristic polynomial has a root right of the imaginary axis"
        return Stability("unstable", words + apart(against[:1]))
    if any(x.sign == 0 for x in signs):
        return None
    open_signs = [x for x in signs if x.factors]
    if not open_signs:
        return Stability("undecided", ON_THE_AXIS + apart(signs))
    if contradict(open_signs):
        words = "a root right of the imaginary axis for all parameters"
        return Stability("unstable", words + _off(open_signs))
    where, elsewhere = both_ways(open_signs)
    reason = f"unstable where {elsewhere}; where {where}, {ON_THE_AXIS}"
    return Stability("depends on the parameters", reason)


def both_ways(signs: Sequence[Sign]) -> tuple[str, str]:
    """Return what makes all expressions positive, and what makes one of them negative."""
    needed = [x for k, x in enumerate(signs) if not _follows(x, k, signs)]
    where = dict.fromkeys(inequality(x.factors, x.sign, ">") for x in needed)
    elsewhere = dict.fromkeys(inequality(x.factors, -x.sign, ">") for x in needed)
    return " and ".join(where), " or ".join(elsewhere)


def _follows(x: Sign, number: int, signs: Sequence[Sign]) -> bool:
    """Tell whether another condition implies this one: k < a where k < 2 a is asked for too."""
    for k, y in enumerate(signs):
        if k == number or len(x.factors) != 1 or len(y.factors) != 1:
            continue
        above = sign_of(x.sign * x.factors[0] - y.sign * y.factors[0])
        # the first of two equal conditions stays
        if above.is_positive or (above.sign == 0 and k < number):
            return True
    return False


def contradict(signs: Sequence[Sign]) -> bool:
    """Tell whether one expression is positive only where another is negative."""
    known = {(x.factors, x.sign) for x in signs}
    return any((factors, -sign) in known for factors, sign in known)


def apart(signs: Sequence[Sign]) -> str:
    """Return the special parameters that a verdict leaves out, ``, where a - b ≠ 0``."""
    left_out = dict.fromkeys(f"{f} ≠ 0" for s in signs for f in s.nonzero)
    return f", where {' and '.join(left_out)}" if left_out else ""


def _off(signs: Sequence[Sign]) -> str:
    """Return the parameters at which contradicting conditions are on their border."""
    factors = dict.fromkeys(
        f
        for x in signs
        for f in x.factors
        if any(y.factors == x.factors and y.sign == -x.sign for y in signs)
    )
    return f", where {' and '.join(f'{f} ≠ 0' for f in factors)}" if factors else ""
