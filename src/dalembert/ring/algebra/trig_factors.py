"""Factor trigonometric polynomials: in half angles they have unique factors, in angles they do not.

In s and c alone s² = (1 - c)(1 + c) has two factorisations, and a product such as
(a + b s)(d + e s) no longer shows its factors once s² is rewritten. With S = sin(φ/2) and
C = cos(φ/2) every polynomial becomes a form, homogeneous in each pair (S, C):
s = 2 S C, c = C² - S², 1 = C² + S². Forms have unique factors, and a factor of even degree in every
pair is a polynomial in s and c again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint
from flint.utils.flint_exceptions import DomainError

from dalembert.errors import TooLarge
from dalembert.expr import ZERO, Expr, constant, cos, sin
from dalembert.ring.budget import check_factor, check_gcd
from dalembert.ring.choose.angles import form_expr
from dalembert.ring.factors import factors
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element, Ring

MAX_FORM_TERMS = 200_000
MAX_SQUARE_TERMS = 60

Factors = list[tuple[Element, int]]
FormFactor = tuple[flint.fmpq_mpoly, int]
Parity = tuple[int, ...]


def common_factors(ring: Ring, elements: Sequence[Element]) -> tuple[Factors, list[Element]]:
    """Return the factors that all numerators share, and what is left of each of them.

    numerator = Π factor ** exponent · rest, exactly. Of a single element the rest is a number.

    Raises:
        TooLarge: If the forms would have too many terms.
    """
    half = HalfAngles(ring)
    forms = [half.form(x.over_one().num) for x in elements]
    shared = forms[0]
    for form in forms[1:]:
        check_gcd(shared, form)
        shared = shared.gcd(form)
    check_factor(shared)
    # exact division below fixes all numbers, so the leading one is dropped here
    even = half.even_factors(factors(shared)[1])
    product = ring.one_poly
    for form, n in even:
        product = product * form**n
    found = [(half.element(form), n) for form, n in even]
    return (
        [(f, n) for f, n in found if not f.polynomial.is_constant()],
        [half.element(form / product) * _numbers(found) for form in forms],
    )


def square_root(x: Element) -> tuple[Fraction, Expr] | None:
    """Return (k, f) with x = k f² and f a form in half angles, or None when there is none.

    (1 + cos φ)/2 = cos²(φ/2)
    """
    if not x.is_polynomial or x.is_empty or len(x) > MAX_SQUARE_TERMS:
        return None
    ring, half = x.ring, HalfAngles(x.ring)
    form = Element(ring, half.form(x.polynomial))
    k = form.content() * (1 if form.polynomial.leading_coefficient() > 0 else -1)
    try:
        root = (form * (1 / k)).polynomial.sqrt() if k > 0 else None
    except DomainError:
        root = None
    if root is None:
        return None
    if not any(half.parity(root)):
        return k, rebuild(half.element(root))
    halves = list(ring.generators)
    for angle in ring.angles:
        phi = form_expr({term: n / 2 for term, n in angle.form.items()})
        halves[angle.sin], halves[angle.cos] = sin(phi), cos(phi)
    f = ZERO
    for exponents, number in root.to_dict().items():
        term = constant(Fraction(int(number.p), int(number.q)))
        for g, n in zip(halves, exponents, strict=False):
            term = term * g ** int(n)
        f = f + term
    return k, f


def _numbers(factors: Factors) -> Element | int:
    """Return the product of the factors that are numbers, such as S² + C² = 1."""
    result: Element | int = 1
    for f, n in factors:
        if f.polynomial.is_constant():
            result = f**n * result
    return result


class HalfAngles:
    """Polynomials of a ring as forms in half angles; S and C stand at the places of s and c."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.pairs = [(a.sin, a.cos) for a in ring.angles]

    def form(self, p: flint.fmpq_mpoly) -> flint.fmpq_mpoly:
        """Return the form of a polynomial in s and c."""
        for s, c in self.pairs:
            S, C = self.ring.element_at(s).polynomial, self.ring.element_at(c).polynomial
            parts = self._by_powers(p, s, c)
            d = max((i + j for i, j in parts), default=0)
            p = self.ring.context.constant(0)
            for (i, j), rest in parts.items():
                # sⁱ cʲ = (2 S C)ⁱ (C² - S²)ʲ (C² + S²)ᵈ⁻ⁱ⁻ʲ
                wave = (2 * S * C) ** i * (C**2 - S**2) ** j * (C**2 + S**2) ** (d - i - j)
                p = p + rest * wave
            if len(p) > MAX_FORM_TERMS:
                raise TooLarge(
                    f"expected at most {MAX_FORM_TERMS:,} terms in half angles, got {len(p):,}: "
                    "give numbers for some parameters, or search numerically"
                )
        return p

    def element(self, form: flint.fmpq_mpoly) -> Element:
        """Return the polynomial in s and c of a form of even degrees.

        S² = (1 - c)/2, C² = (1 + c)/2, S C = s/2.
        """
        for s, c in self.pairs:
            sine, cosine = self.ring.element_at(s).polynomial, self.ring.element_at(c).polynomial
            total = self.ring.context.constant(0)
            for (i, j), rest in self._by_powers(form, s, c).items():
                wave = ((1 - cosine) / 2) ** (i // 2) * ((1 + cosine) / 2) ** (j // 2)
                total = total + rest * (wave * (sine / 2) if i % 2 else wave)
            form = total
        return self.ring.polynomial(form)

    def even_factors(self, forms: Sequence[FormFactor]) -> list[FormFactor]:
        """Return factors of even degrees: odd ones squared, or joined with others of their kind.

        A factor that finds no partner is left out.
        """
        found: list[FormFactor] = []
        single: dict[Parity, flint.fmpq_mpoly] = {}
        for form, n in forms:
            parity = self.parity(form)
            if not any(parity):
                found.append((form, n))
                continue
            if n // 2:
                found.append((form**2, n // 2))
            if n % 2:
                other = single.pop(parity, None)
                if other is None:
                    single[parity] = form
                else:
                    found.append((form * other, 1))
        found += self._joined(single)
        return found

    def _joined(self, single: dict[Parity, flint.fmpq_mpoly]) -> list[FormFactor]:
        """Return the product of all odd factors where it is even."""
        product = self.ring.one_poly
        for form in single.values():
            product = product * form
        return [(product, 1)] if single and not any(self.parity(product)) else []

    def parity(self, form: flint.fmpq_mpoly) -> Parity:
        """Return the degree of a form in each pair (S, C), modulo 2."""
        exponents = next(iter(form.to_dict()))
        return tuple((int(exponents[s]) + int(exponents[c])) % 2 for s, c in self.pairs)

    def _by_powers(
        self, p: flint.fmpq_mpoly, s: int, c: int
    ) -> dict[tuple[int, int], flint.fmpq_mpoly]:
        """Return the parts of p by their powers of the generators s and c."""
        parts: dict[tuple[int, int], dict[tuple[int, ...], Any]] = {}
        for exponents, k in p.to_dict().items():
            e = [int(n) for n in exponents]
            powers = (e[s], e[c])
            e[s] = e[c] = 0
            parts.setdefault(powers, {})[tuple(e)] = k
        return {powers: self.ring.context.from_dict(terms) for powers, terms in parts.items()}
