"""Denominators of a ring: products of factors, and how numerators cancel against them.

A denominator is a tuple of (number of a factor, exponent). Most factors are irreducible
polynomials. Sines and roots are factors too, r with a known rⁿ, so that 1/r³ stays 1/r³.

Sums of such fractions are not unique: 1/(xy) = 1/(x (x + y)) + 1/(y (x + y)). Whether one is zero
`vanishing` decides.
"""

from __future__ import annotations

from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple

import flint
from flint.utils.flint_exceptions import DomainError

from dalembert.ring.budget import product, spend
from dalembert.ring.factors import factors

if TYPE_CHECKING:
    from dalembert.ring.ring import Ring

Poly = flint.fmpq_mpoly
Denominator = tuple[tuple[int, int], ...]
"""(number of a factor, exponent) pairs; the empty one is 1."""
Fractions = dict[Denominator, Poly]
"""{denominator: numerator}."""

MAX_FACTORED = 60
"""Terms of a polynomial that is factored where it becomes a denominator; longer ones stay whole."""


class Factor(NamedTuple):
    """A polynomial below the line; of a generator r with known rⁿ also n and rⁿ."""

    poly: Poly
    place: int | None = None
    degree: int = 1
    power: Poly | None = None


class Denominators:
    """The factors that were met in a ring."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.factors: list[Factor] = []
        self._numbers: dict[str, int] = {}
        self._roots: dict[int, int] = {}

    def add_root(self, place: int, degree: int, power: Poly) -> None:
        """Enter a generator r with rⁿ = power as a factor."""
        if not power.is_constant():
            poly = self.ring.context.gens()[place]
            self._roots[place] = self._numbers[str(poly)] = len(self.factors)
            self.factors.append(Factor(poly, place, degree, power))

    # ---- numerators

    def settle(self, key: Denominator, p: Poly, into: Fractions) -> None:
        """Add p over a denominator to a sum of fractions, cancelled."""
        p = self.ring.reduce(p)
        if not p:
            return
        if (parts := self.ring.unfolded(p)) is not None:
            for more, q in parts:
                self.settle(joined(key, more), q, into)
            return
        degrees = p.degrees() if key else ()
        for number, e in key:
            f = self.factors[number]
            if f.place is not None and degrees[f.place]:
                # Σ pⱼ rʲ / rᵉ = Σ pⱼ / rᵉ⁻ʲ
                for j, q in enumerate(_by_powers(p, f.place, f.poly, degrees[f.place])):
                    self._lower(key, number, j, q, into)
                return
            step = f.degree if f.place is not None else 1
            divisor = f.power if f.power is not None else f.poly
            left = e
            while left > 0 and (q := divided(p, divisor)) is not None:
                p, left = q, left - step
            if left != e:
                self._lower(key, number, e - left, p, into)
                return
        if key not in into:
            into[key] = p
            return
        p = into.pop(key) + p
        if not key:
            if p:
                into[key] = p
        else:
            # what is common to the sum cancels
            self.settle(key, p, into)

    def _lower(self, key: Denominator, number: int, by: int, p: Poly, into: Fractions) -> None:
        """Add p over a denominator with fewer powers of one factor."""
        e = dict(key)[number] - by
        if e < 0:
            # only of roots: r²/r is r
            p = p * self.factors[number].poly ** -e
        rest = tuple([(i, n) for i, n in key if i != number or e > 0])
        self.settle(tuple([(i, e if i == number else n) for i, n in rest]), p, into)

    # ---- denominators

    def inverse(self, d: Poly) -> tuple[flint.fmpq, Denominator]:
        """Return (k, denominator) with 1/d = k / denominator."""
        powers: dict[int, int] = {}
        unit = flint.fmpq(1)
        for number in self._roots.values():
            f = self.factors[number]
            while f.power is not None and (q := divided(d, f.power)) is not None:
                d, powers[number] = q, powers.get(number, 0) + f.degree
        for p, n in self._factored(d):
            if p.is_constant():
                unit = unit * p.leading_coefficient() ** n
                continue
            k = _content(p)
            unit = unit * k**n
            number = self._number(p / k)
            powers[number] = powers.get(number, 0) + n
        return 1 / unit, tuple(sorted(powers.items()))

    def expanded(self, key: Denominator) -> Poly:
        """Return a denominator multiplied out, reduced."""
        total = self.ring.one_poly
        for number, e in key:
            for _ in range(e):
                total = self.ring.reduce(product(total, self.factors[number].poly))
        return total

    def max_terms(self, key: Denominator) -> int:
        """Return a bound on the terms of a denominator multiplied out."""
        # multinomials: a sum of n terms to the e-th has at most C(n + e - 1, e)
        return prod(comb(len(self.factors[number].poly) + e - 1, e) for number, e in key)

    def used(self, key: Denominator) -> set[int]:
        """Return the generators in a denominator."""
        return {
            i for number, _ in key for i, n in enumerate(self.factors[number].poly.degrees()) if n
        }

    def _factored(self, d: Poly) -> list[tuple[Poly, int]]:
        if len(d) <= MAX_FACTORED:
            unit, found = factors(d)
            return [(self.ring.context.constant(unit), 1), *found]
        letters = d.term_content()
        return [*self._factored(letters), (d / letters, 1)]

    def _number(self, p: Poly) -> int:
        text = str(p)
        if text not in self._numbers:
            self._numbers[text] = len(self.factors)
            self.factors.append(Factor(p))
        return self._numbers[text]


def joined(a: Denominator, b: Denominator) -> Denominator:
    """Return the product of two denominators."""
    if not a or not b:
        return a or b
    total = dict(a)
    for number, e in b:
        total[number] = total.get(number, 0) + e
    return tuple(sorted(total.items()))


def divided(p: Poly, d: Poly) -> Poly | None:
    """Return p / d where that is exact, else None."""
    if any(m < n for m, n in zip(p.monomial(0), d.monomial(0), strict=True)):
        return None
    if any(m < n for m, n in zip(p.degrees(), d.degrees(), strict=True)):
        return None
    spend(len(p) * len(d))
    try:
        return p / d
    except DomainError:
        return None


def _by_powers(p: Poly, place: int, r: Poly, degree: int) -> list[Poly]:
    """Return pⱼ with p = Σ pⱼ rʲ."""
    if degree == 1:
        slope = p.derivative(place)
        return [p - slope * r, slope]
    parts: list[dict[tuple[int, ...], flint.fmpq]] = [{} for _ in range(int(degree) + 1)]
    for exponents, k in p.to_dict().items():
        parts[int(exponents[place])][(*exponents[:place], 0, *exponents[place + 1 :])] = k
    return [p.context().from_dict(terms) for terms in parts]


def _content(p: Poly) -> flint.fmpq:
    """Return k so that p / k has whole coprime coefficients and a positive first one."""
    ks = p.coeffs()
    top = bottom = flint.fmpz(0)
    top, bottom = flint.fmpz(0), flint.fmpz(1)
    for k in ks:
        top = top.gcd(k.p)
        bottom = bottom.lcm(k.q)
    return flint.fmpq(top, bottom) * (1 if ks[0] > 0 else -1)
