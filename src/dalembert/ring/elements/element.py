"""Elements of a ring: a polynomial and fractions over different denominators.

Fractions are never put over one denominator unless that is asked for, by `over_one`: n bodies have
n (n - 1)/2 distances, whose product is long. Polynomials in independent generators are unique, sums
of fractions are not, so whether an element is zero is decided (`vanishing`), never read off its
terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.errors import DivisionByZero, InvalidExpression, TooLarge, Undecided
from dalembert.expr import ExactScalar
from dalembert.ring.budget import MIN_HELD_TERMS, check_fractions, product
from dalembert.ring.elements.denominators import Denominator, Fractions, joined
from dalembert.ring.elements.vanishing import is_nonzero, vanishes

if TYPE_CHECKING:
    from dalembert.ring.ring import Ring

Poly = flint.fmpq_mpoly


class Quotient(NamedTuple):
    """An element over one denominator, in lowest terms; the denominator starts with 1."""

    num: Poly
    den: Poly


class Element(ExactScalar):
    """``whole`` + Σ numerator / denominator in a ring, reduced; ``fractions`` is empty or not."""

    __slots__ = ("__weakref__", "_zero", "fractions", "ring", "whole")

    def __init__(self, ring: Ring, whole: Poly, fractions: Fractions | None = None) -> None:
        self.ring, self.whole = ring, whole
        self.fractions = fractions
        self._zero: bool | None = None
        # more terms than are counted stand in one numerator, as a rule
        if len(whole) > MIN_HELD_TERMS:
            ring.meter.hold(self, (whole,))
        if fractions and max(map(len, fractions.values())) > MIN_HELD_TERMS:
            ring.meter.hold(self, fractions.values())

    def __copy__(self) -> Element:
        return self

    def __deepcopy__(self, memo: object) -> Element:
        return self

    # ---- parts

    @property
    def is_polynomial(self) -> bool:
        """Tell whether there are no denominators."""
        return not self.fractions

    @property
    def is_empty(self) -> bool:
        """Tell whether no terms are left: then it is zero; an element with terms may be, too."""
        return not self.fractions and not self.whole

    @property
    def polynomial(self) -> Poly:
        """The polynomial that the element is.

        Raises:
            InvalidExpression: it has denominators.
        """
        if self.fractions:
            raise InvalidExpression(
                f"expected a polynomial, got a sum of {len(self.fractions)} fractions: "
                "put it over one denominator"
            )
        return self.whole

    def parts(self) -> Iterator[tuple[Denominator, Poly]]:
        """Yield (denominator, numerator) of every part, that of the polynomial first."""
        if self.whole:
            yield (), self.whole
        if self.fractions:
            yield from self.fractions.items()

    def over_one(self) -> Quotient:
        """Return the element over one denominator, in lowest terms.

        Raises:
            TooLarge: the fractions are too many to be multiplied out.
        """
        ring = self.ring
        if not self.fractions:
            return Quotient(self.whole, ring.one_poly)
        key, num = self.joined()
        return ring.lowest_terms(num, ring.denominators.expanded(key))

    def joined(self) -> tuple[Denominator, Poly]:
        """Return (denominator, numerator) of the sum over the least common denominator."""
        if not self.fractions:
            return (), self.whole
        top = common_denominator([self])
        return top, self.above(top)

    def above(self, top: Denominator) -> Poly:
        """Return the numerator over a denominator that all denominators divide."""
        ring, powers = self.ring, dict(top)
        total = ring.zero_poly
        for key, p in self.parts():
            more = powers | {number: powers[number] - e for number, e in key}
            rest = tuple([(number, e) for number, e in more.items() if e])
            total = total + ring.reduce(product(p, ring.denominators.expanded(rest)))
        return total

    def as_one(self) -> Element:
        """Return the element with one denominator, in lowest terms."""
        if not self.fractions or (not self.whole and len(self.fractions) == 1):
            return self
        return self.ring.quotient(*self.over_one())

    # ---- zero

    @property
    def is_surely_zero(self) -> bool:
        """Tell whether it is certain that this is zero; where it is not known, too, it is False."""
        if not self.fractions and not self.ring.wild:
            return not self.whole
        if self._zero is None:
            try:
                self._zero = vanishes(self)
            except TooLarge:
                self._zero = False
        return self._zero

    @property
    def is_surely_nonzero(self) -> bool:
        """Tell whether it is certain that this is not zero, at almost every point."""
        return not self.is_surely_zero and is_nonzero(self)

    # ---- arithmetic

    def __add__(self, other: Element | int | Fraction) -> Element:
        ring = self.ring
        b = other if isinstance(other, Element) else ring.constant(other)
        if not self.fractions and not b.fractions:
            return Element(ring, self.whole + b.whole)
        return ring.sum([self, b])

    __radd__ = __add__

    def __neg__(self) -> Element:
        fractions = self.fractions and {key: -p for key, p in self.fractions.items()}
        return Element(self.ring, -self.whole, fractions)

    def __sub__(self, other: Element | int | Fraction) -> Element:
        return self + (-other)

    def __rsub__(self, other: int | Fraction) -> Element:
        return -self + other

    def __mul__(self, other: Element | int | Fraction) -> Element:
        ring = self.ring
        if not isinstance(other, Element):
            k = flint.fmpq(other.numerator, other.denominator)
            if not k:
                return ring.zero
            fractions = self.fractions and {key: p * k for key, p in self.fractions.items()}
            return Element(ring, self.whole * k, fractions)
        if not self.fractions and not other.fractions:
            return ring.polynomial(product(self.whole, other.whole))
        check_fractions((1 + len(self.fractions or ())) * (1 + len(other.fractions or ())))
        into: Fractions = {}
        for key, p in self.parts():
            for more, q in other.parts():
                ring.denominators.settle(joined(key, more), product(p, q), into)
        return ring.element_from(into)

    __rmul__ = __mul__

    def __truediv__(self, other: Element | int | Fraction) -> Element:
        if not isinstance(other, Element):
            return self * (1 / Fraction(other))
        if other.is_surely_zero:
            raise DivisionByZero(
                "expected a divisor that is not zero, got one that vanishes identically"
            )
        if not other.is_surely_nonzero:
            raise Undecided(
                "expected a divisor that is certainly not zero, got one that is neither zero in "
                "its canonical form nor different from zero at some point: simplify it"
            )
        ring = self.ring
        key, d = other.joined()
        into: Fractions = {}
        for mine, p in self.parts():
            for more, q in ring.quotient(product(p, ring.denominators.expanded(key)), d).parts():
                ring.denominators.settle(joined(mine, more), q, into)
        return ring.element_from(into)

    def __rtruediv__(self, other: int | Fraction) -> Element:
        return self.ring.constant(other) / self

    def __pow__(self, exponent: int) -> Element:
        if exponent < 0:
            return self.ring.one / self**-exponent
        result, square = self.ring.one, self
        while exponent:
            if exponent & 1:
                result = result * square
            exponent >>= 1
            if exponent:
                square = square * square
        return result

    def __eq__(self, other: object) -> bool:
        """Tell whether it is certain that both are equal."""
        if isinstance(other, int | Fraction):
            other = self.ring.constant(other)
        if not isinstance(other, Element) or other.ring is not self.ring:
            return NotImplemented
        return (self - other).is_surely_zero

    __hash__ = None  # type: ignore[assignment]

    def over(self, key: Denominator) -> Element:
        """Return the element over a denominator."""
        if not key:
            return self
        into: Fractions = {}
        for mine, p in self.parts():
            self.ring.denominators.settle(joined(mine, key), p, into)
        return self.ring.element_from(into)

    # ---- terms

    def __len__(self) -> int:
        """Number of terms of all numerators and factors below them."""
        if not self.fractions:
            return len(self.whole)
        factors = self.ring.denominators.factors
        below = sum(len(factors[i].poly) for key in self.fractions for i, _ in key)
        return len(self.whole) + below + sum(map(len, self.fractions.values()))

    def __repr__(self) -> str:
        return f"Element({len(self.whole)} terms, {len(self.fractions or ())} fractions)"

    def content(self) -> Fraction:
        """Return the positive rational common to all coefficients of the numerators."""
        ks = [k for _, p in self.parts() for k in self._coefficients(p)]
        top = gcd(*(int(k.p) for k in ks))
        bottom = lcm(*(int(k.q) for k in ks))
        return Fraction(top, bottom)

    def leading_sign(self) -> int:
        """Return the sign of the first coefficient of the first numerator, 0 of zero."""
        first = next(
            (k for _, p in sorted(self.parts(), key=_first) for k in self._coefficients(p)), 0
        )
        return (first > 0) - (first < 0)

    def _coefficients(self, p: Poly) -> list[flint.fmpq]:
        """Return the coefficients of a polynomial, of its waves where only those are unique."""
        if not self.ring.is_wild(p):
            return p.coeffs()
        return [k for _, k in sorted(self.ring.waves.collected(p).items())]

    def used(self) -> set[int]:
        """Return the numbers of the generators that occur."""
        found = {i for _, p in self.parts() for i, n in enumerate(p.degrees()) if n}
        for key in self.fractions or ():
            found |= self.ring.denominators.used(key)
        return found

    def involves(self, i: int) -> bool:
        """Tell whether the i-th generator occurs."""
        if not self.fractions:
            return bool(self.whole) and self.whole.degrees()[i] > 0
        return i in self.used()


def common_denominator(elements: Iterable[Element]) -> Denominator:
    """Return the least common denominator."""
    top: dict[int, int] = {}
    for x in elements:
        for key in x.fractions or ():
            for number, e in key:
                top[number] = max(top.get(number, 0), e)
    return tuple(sorted(top.items()))


def _first(part: tuple[Denominator, Poly]) -> Denominator:
    return part[0]
