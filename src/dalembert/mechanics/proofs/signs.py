"""Signs of expressions of parameters that are positive, by their factors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import NamedTuple

import flint

from dalembert.errors import Undecided
from dalembert.expr import ONE, Expr, constant, count_nodes, free_symbols, sqrt
from dalembert.expr import abs_ as absolute
from dalembert.mechanics.proofs.nonnegative import is_manifestly_nonnegative, is_manifestly_positive
from dalembert.ring import Element, Ring, ball, canonical_all, is_zero, rebuild, ring_of
from dalembert.ring.factors import factors

PRECISION = 256


class Sign(NamedTuple):
    """``sign`` times the product of the ``factors``, whose sign depends on the parameters.

    ``nonzero`` factors are nowhere negative, but may vanish for special parameters.
    """

    sign: int
    factors: tuple[Expr, ...] = ()
    nonzero: tuple[Expr, ...] = ()

    @property
    def is_positive(self) -> bool:
        """Tell whether the expression is positive where the ``nonzero`` factors do not vanish."""
        return self.sign > 0 and not self.factors

    @property
    def is_negative(self) -> bool:
        """Tell whether the expression is negative where the ``nonzero`` factors do not vanish."""
        return self.sign < 0 and not self.factors


def sign_of(e: Expr, assumed: Sequence[Expr] = ()) -> Sign:
    """Return the sign of an expression for positive parameters, ``assumed`` factors positive too.

    >>> from dalembert import parameters
    >>> a, b = parameters("a b")
    >>> sign_of(a**2 + 2 * a * b)
    Sign(sign=1, factors=(), nonzero=())
    >>> sign_of((b - a) * a)
    Sign(sign=-1, factors=(a - b,), nonzero=())
    """
    ring = ring_of([e, *assumed])
    x, *known = canonical_all(ring, [e, *assumed])
    if is_zero(x):
        return Sign(0)
    if not free_symbols([e]):
        return Sign(_sign_of_number(e))
    above, below = (_sign_of_part(Element(ring, p), known, assumed) for p in x.over_one())
    # where the denominator vanishes the expression is not defined anyway
    return Sign(above.sign * below.sign, above.factors + below.factors, above.nonzero)


def _sign_of_part(x: Element, known: Sequence[Element], assumed: Sequence[Expr]) -> Sign:
    """Return the sign of a polynomial: as it stands, or by its factors."""
    for sign in (1, -1):
        if is_manifestly_positive(x * sign):
            return Sign(sign)
        if is_manifestly_nonnegative(x * sign):
            return Sign(sign, (), (_vanishing_part(x),))
    sign, factors = _factors(x.ring, x.polynomial)
    open_factors, nonzero = [], []
    for f, n in factors:
        found = _sign_of_factor(f, known) or _sign_of_root(f, assumed)
        k, readable = _readable(f)
        if found:
            sign *= found**n
        elif n % 2 == 0:
            nonzero.append(readable)
        else:
            sign *= 1 if k > 0 else -1
            open_factors.append(readable)
    return Sign(sign, tuple(open_factors), tuple(nonzero))


def _vanishing_part(x: Element) -> Expr:
    """Return a polynomial that is nowhere negative without the factors that are positive."""
    rest = x.ring.one
    for f, n in _factors(x.ring, x.polynomial)[1]:
        rest = rest if is_manifestly_positive(f) else rest * f**n
    return _readable(rest if is_manifestly_nonnegative(rest) else -rest)[1]


def _sign_of_number(e: Expr) -> int:
    value = ball(e, {}, PRECISION)
    if value is None or value.contains(0):
        raise Undecided(f"expected a number of certain sign, got {e}")
    return 1 if value > 0 else -1


def _factors(ring: Ring, p: flint.fmpq_mpoly) -> tuple[int, list[tuple[Element, int]]]:
    """Return the sign of the number in front, and the factors with their exponents."""
    number, found = factors(p)
    return (1 if number > 0 else -1), [(Element(ring, f), n) for f, n in found]


def _sign_of_factor(f: Element, known: Sequence[Element]) -> int:
    """Return 1 or -1, or 0 where the sign is open."""
    if is_manifestly_positive(f):
        return 1
    if is_manifestly_positive(-f):
        return -1
    e = rebuild(f)
    if not free_symbols([e]):
        return _sign_of_number(e)
    for a in known:
        ratio = f.polynomial / a.polynomial if a.is_polynomial and _divides(a, f) else None
        if ratio is not None and ratio.is_constant():
            return 1 if ratio.leading_coefficient() > 0 else -1
    return 0


def _sign_of_root(f: Element, assumed: Sequence[Expr]) -> int:
    """Return 1 for an even root of what is positive, else 0."""
    e = rebuild(f)
    is_even = e.op == "pow" and e.value.denominator % 2 == 0
    return int(is_even and sign_of(e.args[0], assumed).is_positive)


def _divides(a: Element, f: Element) -> bool:
    return bool(a.polynomial) and not divmod(f.polynomial, a.polynomial)[1]


def _readable(f: Element) -> tuple[Fraction, Expr]:
    """Return (number, expression) with whole coefficients, without a minus in front."""
    numbers = [Fraction(int(k.p), int(k.q)) for k in f.polynomial.to_dict().values()]
    bottom = lcm(*(k.denominator for k in numbers))
    k = Fraction(gcd(*(int(x * bottom) for x in numbers)), bottom)
    e = rebuild(f * (1 / k))
    return (-k, -e) if str(e).startswith("-") else (k, e)


def inequality(factors: Sequence[Expr], sign: int, relation: str) -> str:
    """Return ``a > b`` for one factor a - b, else ``(product) > 0``; relation is > or ≥.

    >>> from dalembert import parameters
    >>> a, b = parameters("a b")
    >>> inequality([a - b], -1, "≥")
    'a ≤ b'
    """
    turned = {">": "<", "≥": "≤"}[relation]
    if len(factors) > 1:
        product = " ".join(f"({f})" for f in factors)
        return f"{product} {relation if sign > 0 else turned} 0"
    (f,) = factors
    ring = ring_of([f])
    (x,) = canonical_all(ring, [f])
    terms = x.whole.to_dict()
    plus = {e: k for e, k in terms.items() if k > 0}
    minus = {e: -k for e, k in terms.items() if k < 0}

    def side(part: dict) -> Expr:
        return rebuild(Element(ring, ring.context.from_dict(part)))

    if not x.is_polynomial or not plus or not minus:
        return f"{f} {relation if sign > 0 else turned} 0"
    return f"{side(plus)} {relation if sign > 0 else turned} {side(minus)}"


def root_of(e: Expr, *, positive: bool = False) -> Expr:
    """Return √e with squares of factors taken out; up to its sign, unless ``positive``.

    >>> from dalembert import parameters
    >>> a, b = parameters("a b")
    >>> root_of((a**2 + 2 * a * b + b**2) / b)
    (a + b)/√b
    """
    ring = ring_of([e])
    (x,) = canonical_all(ring, [e])
    if x.is_surely_zero:
        return rebuild(x)
    outside, above, below = ONE, ONE, ONE
    number = Fraction(1)
    for p, power in zip(x.over_one(), (1, -1), strict=True):
        k, found = factors(p)
        number *= Fraction(int(k.p), int(k.q)) ** power
        for f, n in found:
            element = Element(ring, f)
            if number < 0 and n % 2 and len(f) > 1:
                # 2 - √2 rather than -(√2 - 2)
                number, element = -number, -element
            g = rebuild(element)
            is_sure = not positive or is_manifestly_positive(element)
            outside = outside * (g if is_sure else absolute(g)) ** (power * (n // 2))
            if n % 2 and power > 0:
                above = above * g
            elif n % 2:
                below = below * g
    square = _largest_square(number)
    outside = outside * constant(square)
    above = above * constant(number / square**2)
    return outside / sqrt(below) if above is ONE else outside * sqrt(above / below)


def _largest_square(k: Fraction) -> Fraction:
    """Return r with r² dividing k, of small primes: 12 gives 2, 1/4 gives 1/2."""
    result = Fraction(1)
    for part, sign in ((abs(k.numerator), 1), (k.denominator, -1)):
        root = isqrt(part)
        if root * root == part:
            result *= Fraction(root) ** sign
            continue
        for p in range(2, 100):
            while part % (p * p) == 0:
                part //= p * p
                result *= Fraction(p) ** sign
    return result


def rationalised(e: Expr) -> Expr:
    """Return an expression without square roots below a fraction bar, where this is shorter.

    >>> from dalembert import sqrt
    >>> rationalised(1 / (sqrt(2) - 1))
    1 + √2
    """
    ring = ring_of([e])
    (x,) = canonical_all(ring, [e])
    for relation in ring.relations:
        i, degree, _ = relation
        num, den = x.over_one()
        if ring.generators[i].op != "pow" or degree != 2 or not _involves(den, i):
            continue
        # times the conjugate: (a + b r)(a - b r) = a² - b² r²
        conjugate = {
            exponents: -k if exponents[i] % 2 else k for exponents, k in den.to_dict().items()
        }
        c = ring.context.from_dict(conjugate)
        x = ring.polynomial(num * c) / ring.polynomial(den * c)
    found = rebuild(x)
    return found if count_nodes([found]) <= count_nodes([e]) else e


def _involves(p: flint.fmpq_mpoly, i: int) -> bool:
    return not p.is_constant() and p.degrees()[i] > 0
