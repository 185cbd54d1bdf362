"""The exact ring: polynomials over ℚ in named generators, modulo relations, and their quotients.

A `Ring` owns its generators: symbols, a pair (s, c) with s² + c² = 1 for each independent angle,
and atoms (roots, exponentials, …) with their own relation. An `Element` owns only its terms,
``num / den``. Reduced numerators are canonical: two polynomial elements are equal if and only if
their ``num`` are identical.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, NamedTuple

import flint

from dalembert.errors import DivisionByZero, Undecided
from dalembert.expr import ExactScalar, Expr, Matrix
from dalembert.ring.budget import check_gcd, check_terms, product
from dalembert.ring.samples import Samples


class Relation(NamedTuple):
    """``generator ** degree`` equals the element ``value`` of later generators."""

    place: int
    degree: int
    value: Element


class Angle(NamedTuple):
    """An independent angle: Σ coefficient · term, with the generators of its sine and cosine."""

    form: dict[Expr, Fraction]
    sin: int
    cos: int


class Units(NamedTuple):
    """The atoms that functions share: exp(unit · term) for each term, base^(1/n) for each base."""

    exponents: dict[Expr, Fraction]
    roots: dict[Expr, int]


class Ring:
    """Generators and relations; `ring.choose.build.ring_of` makes one for given expressions.

    Generators are ordered so that every relation rewrites a generator by later ones.
    """

    def __init__(self, generators: Sequence[Expr]) -> None:
        self.generators = tuple(generators)
        self.index = {g: i for i, g in enumerate(self.generators)}
        # anonymous names: rings of equal size share one FLINT context
        names = [f"x{i}" for i in range(len(self.generators))] or ["x0"]
        self.context: Any = flint.fmpq_mpoly_ctx.get(names, flint.Ordering.lex)
        self._polynomials = self.context.gens()
        self.one_poly = self.context.constant(1)
        self.zero = Element(self, self.context.constant(0), self.one_poly)
        self.one = Element(self, self.one_poly, self.one_poly)
        self.relations: list[Relation] = []
        self.angles: list[Angle] = []
        # generators that may satisfy relations which the ring does not know
        self.unsure: set[int] = set()
        self.units = Units({}, {})
        self._divisors: list[tuple[int, int, Any]] = []
        self._quotients: list[Relation] = []

    def __copy__(self) -> Ring:
        return self

    def __deepcopy__(self, memo: object) -> Ring:
        return self

    @property
    def is_complete(self) -> bool:
        """Tell whether all relations of the generators are known: forms that differ are unequal."""
        return not self.unsure

    @cached_property
    def has_undefined(self) -> bool:
        """Whether functions without a definition are among the generators."""
        return any(g.op == "apply" for g in self.generators)

    @cached_property
    def samples(self) -> Samples:
        """Values of the generators at random points, by which elements are certainly not zero."""
        return Samples(self.generators)

    def is_nonzero(self, p: flint.fmpq_mpoly) -> bool:
        """Tell whether a reduced polynomial is certainly not zero as a function.

        Where all relations of its generators are known its form decides, else balls at points.
        """
        if not p or not self.unsure:
            return bool(p)
        degrees = p.degrees()
        return not any(degrees[i] for i in self.unsure) or self.samples.exclude_zero(p)

    def relate(self, generator: Expr, degree: int, value: Element) -> None:
        """Add the relation generator ** degree = value."""
        i = self.index[generator]
        relation = Relation(i, degree, value)
        self.relations.append(relation)
        if value.den is self.one_poly:
            self._divisors.append((i, degree, self._polynomials[i] ** degree - value.num))
            self._divisors.sort(key=lambda d: d[0])
        else:
            self._quotients.append(relation)
            self._quotients.sort(key=lambda r: r.place)

    def constant(self, value: Fraction | int) -> Element:
        """Return a rational as an element."""
        q = flint.fmpq(value.numerator, value.denominator)
        return Element(self, self.context.constant(q), self.one_poly)

    def element(self, x: Element | Fraction | int) -> Element:
        """Return an element as it is, a rational as an element."""
        return x if isinstance(x, Element) else self.constant(x)

    def element_of(self, g: Expr) -> Element:
        """Return a generator, given as a symbol, sine, cosine or atom, as an element."""
        return Element(self, self._polynomials[self.index[g]], self.one_poly)

    def element_at(self, i: int) -> Element:
        """Return the i-th generator as an element."""
        return Element(self, self._polynomials[i], self.one_poly)

    def column(self, generators: Iterable[Expr]) -> Matrix:
        """Return generators as a column of elements."""
        return Matrix.column([self.element_of(g) for g in generators])

    def reduce(self, p: flint.fmpq_mpoly) -> flint.fmpq_mpoly:
        """Rewrite a polynomial by the polynomial relations."""
        check_terms(len(p))
        if not self._divisors:
            return p
        degrees = p.degrees()
        for i, degree, divisor in self._divisors:
            if degrees[i] >= degree:
                p = divmod(p, divisor)[1]
                degrees = p.degrees()
        return p

    def quotient(self, num: flint.fmpq_mpoly, den: flint.fmpq_mpoly) -> Element:
        """Return num / den in lowest terms, reduced."""
        num, den = self.reduce(num), self.reduce(den)
        if not den:
            raise DivisionByZero(
                "expected a nonzero denominator, got one that vanishes identically"
            )
        if self._quotients and (relation := self._applicable(num, den)):
            return self._unfold(num, relation) / self._unfold(den, relation)
        if not num:
            return self.zero
        if den.is_constant():
            return Element(self, num / den.leading_coefficient(), self.one_poly)
        check_gcd(num, den)
        common = num.gcd(den)
        if not common.is_constant():
            num, den = num / common, den / common
        lead = den.leading_coefficient()
        if lead != 1:
            num, den = num / lead, den / lead
        if den.is_constant():
            return Element(self, num, self.one_poly)
        return Element(self, num, den)

    def _applicable(self, num: flint.fmpq_mpoly, den: flint.fmpq_mpoly) -> Relation | None:
        a, b = num.degrees(), den.degrees()
        for relation in self._quotients:
            if max(a[relation.place], b[relation.place]) >= relation.degree:
                return relation
        return None

    def _unfold(self, p: flint.fmpq_mpoly, relation: Relation) -> Element:
        """Rewrite the powers of one generator whose relation has a quotient for value."""
        i, degree, value = relation
        parts: dict[int, dict[tuple[int, ...], Any]] = {}
        for exponents, coefficient in p.to_dict().items():
            whole, rest = divmod(int(exponents[i]), degree)
            key = (*exponents[:i], rest, *exponents[i + 1 :])
            part = parts.setdefault(whole, {})
            part[key] = part.get(key, 0) + coefficient
        total = self.zero
        for whole, terms in parts.items():
            total = total + self.polynomial(self.context.from_dict(terms)) * value**whole
        return total

    def polynomial(self, p: flint.fmpq_mpoly) -> Element:
        """Return a polynomial of the context as an element, reduced."""
        if self._quotients:
            return self.quotient(p, self.one_poly)
        return Element(self, self.reduce(p), self.one_poly)


class Element(ExactScalar):
    """An element ``num / den`` of a ring, always reduced."""

    __slots__ = ("den", "num", "ring")

    def __init__(self, ring: Ring, num: flint.fmpq_mpoly, den: flint.fmpq_mpoly) -> None:
        self.ring, self.num, self.den = ring, num, den

    def __copy__(self) -> Element:
        return self

    def __deepcopy__(self, memo: object) -> Element:
        return self

    @property
    def is_polynomial(self) -> bool:
        """Tell whether the denominator is 1."""
        return self.den is self.ring.one_poly

    @property
    def is_zero(self) -> bool:
        """Tell whether this is the zero of the ring."""
        return not self.num

    def __add__(self, other: Element | int | Fraction) -> Element:
        ring = self.ring
        b = other if isinstance(other, Element) else ring.constant(other)
        if self.den is b.den:
            if self.den is ring.one_poly:
                return Element(ring, self.num + b.num, ring.one_poly)
            return ring.quotient(self.num + b.num, self.den)
        check_gcd(self.den, b.den)
        common = self.den.gcd(b.den)
        mine, theirs = self.den / common, b.den / common
        top = product(self.num, theirs) + product(b.num, mine)
        return ring.quotient(top, product(self.den, theirs))

    __radd__ = __add__

    def __neg__(self) -> Element:
        return Element(self.ring, -self.num, self.den)

    def __sub__(self, other: Element | int | Fraction) -> Element:
        return self + (-other)

    def __rsub__(self, other: int | Fraction) -> Element:
        return -self + other

    def __mul__(self, other: Element | int | Fraction) -> Element:
        ring = self.ring
        if not isinstance(other, Element):
            q = flint.fmpq(other.numerator, other.denominator)
            return Element(ring, self.num * q, self.den) if q else ring.zero
        num = product(self.num, other.num)
        if self.den is ring.one_poly and other.den is ring.one_poly:
            return ring.polynomial(num)
        return ring.quotient(num, product(self.den, other.den))

    __rmul__ = __mul__

    def __truediv__(self, other: Element | int | Fraction) -> Element:
        if not isinstance(other, Element):
            return self * (1 / Fraction(other))
        if other.num and not self.ring.is_nonzero(other.num):
            raise Undecided(
                "expected a divisor that is certainly not zero, got one that is neither zero in "
                "its canonical form nor different from zero at some point: simplify it"
            )
        return self.ring.quotient(product(self.num, other.den), product(self.den, other.num))

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
        """Equality in the ring: exact where the ring's relations are complete."""
        if isinstance(other, int | Fraction):
            other = self.ring.constant(other)
        if not isinstance(other, Element) or other.ring is not self.ring:
            return NotImplemented
        if self.is_polynomial and other.is_polynomial:
            return self.num == other.num
        return (self - other).is_zero

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        """Number of terms of numerator and denominator."""
        return len(self.num) + (0 if self.is_polynomial else len(self.den))

    def __repr__(self) -> str:
        return f"Element({len(self.num)} terms / {len(self.den)} terms)"

    def content(self) -> Fraction:
        """Return the positive rational common to all coefficients of the numerator."""
        coefficients = self.num.coeffs()
        top = gcd(*(int(k.p) for k in coefficients))
        bottom = lcm(*(int(k.q) for k in coefficients))
        return Fraction(top, bottom)

    def degree(self, i: int) -> int:
        """Degree of the numerator in the i-th generator."""
        return self.num.degrees()[i] if self.num else 0

    def used(self) -> set[int]:
        """Return the numbers of the generators that occur."""
        return {i for p in (self.num, self.den) if p for i, n in enumerate(p.degrees()) if n}

    def involves(self, i: int) -> bool:
        """Tell whether the i-th generator occurs."""
        return any(bool(p) and p.degrees()[i] > 0 for p in (self.num, self.den))
