"""The exact ring: polynomials over ℚ in named generators, modulo relations, and their fractions.

A `Ring` owns its generators: symbols, a pair (s, c) with s² + c² = 1 for each independent angle,
and atoms (roots, exponentials, …) with their own relation. An `Element` owns only its terms, a
polynomial and fractions. Reduced polynomials are canonical, unless angles depend on each other:
there the waves are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import flint

from dalembert.errors import DivisionByZero, OutsideRing
from dalembert.expr import Expr, Matrix
from dalembert.expr.graph import outline
from dalembert.ring.budget import Meter, Poly, check_gcd, check_terms, product
from dalembert.ring.elements.denominators import MAX_FACTORED, Denominator, Denominators, Fractions
from dalembert.ring.elements.element import Element, Quotient
from dalembert.ring.samples import Samples
from dalembert.ring.waves import Waves

if TYPE_CHECKING:
    from dalembert.ring.choose.functions import Functions


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

    functions: Functions
    """What the functions of symbols are over the generators."""

    def __init__(self, generators: Sequence[Expr]) -> None:
        self.generators = tuple(generators)
        self.index = {g: i for i, g in enumerate(self.generators)}
        # anonymous names: rings of equal size share one FLINT context
        names = [f"x{i}" for i in range(len(self.generators))] or ["x0"]
        self.context: Any = flint.fmpq_mpoly_ctx.get(names, flint.Ordering.lex)
        self._polynomials = self.context.gens()
        self.meter = Meter()
        self.one_poly = self.context.constant(1)
        self.zero_poly = self.context.constant(0)
        self.zero = Element(self, self.zero_poly)
        self.one = Element(self, self.one_poly)
        self.denominators = Denominators(self)
        self.relations: list[Relation] = []
        self.angles: list[Angle] = []
        # how many of the angles, one after the other, are independent of each other
        self.clusters: list[int] = []
        # sines and cosines of angles that depend on angles of other clusters
        self.wild: frozenset[int] = frozenset()
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

    @cached_property
    def waves(self) -> Waves:
        """Products of sines and cosines of linked angles as sums of single waves."""
        return Waves(self)

    def vanishes(self, p: flint.fmpq_mpoly) -> bool:
        """Tell whether the relations of the ring make a reduced polynomial zero."""
        return not p or (self.is_wild(p) and self.waves.cancel(p))

    def is_wild(self, p: flint.fmpq_mpoly) -> bool:
        """Tell whether equal polynomials may differ: only their waves are canonical."""
        if not p or not self.wild:
            return False
        degrees = p.degrees()
        return any(degrees[i] for i in self.wild)

    def is_nonzero(self, p: flint.fmpq_mpoly) -> bool:
        """Tell whether a reduced polynomial is certainly not zero as a function.

        Where all relations of its generators are known its form decides, else balls at points.
        """
        if self.vanishes(p) or not self.unsure:
            return not self.vanishes(p)
        degrees = p.degrees()
        return not any(degrees[i] for i in self.unsure) or self.samples.exclude_zero(
            Element(self, p)
        )

    def relate(self, generator: Expr, degree: int, value: Element) -> None:
        """Add the relation generator ** degree = value."""
        i = self.index[generator]
        relation = Relation(i, degree, value)
        self.relations.append(relation)
        if value.is_polynomial:
            self._divisors.append((i, degree, self._polynomials[i] ** degree - value.polynomial))
            self._divisors.sort(key=lambda d: d[0])
            if generator.op in ("pow", "sin"):
                self.denominators.add_root(i, degree, value.polynomial)
        else:
            self._quotients.append(relation)
            self._quotients.sort(key=lambda r: r.place)

    def relate_modulus(self, sign: Expr, modulus: Expr, value: Element) -> None:
        """Add sign(u) u = |u| and sign(u) |u| = u for a polynomial u, so that |u|³ has one slope.

        With σ³ = σ and |u|² = u² they are a Gröbner basis: forms in sign(u) and |u| are unique.
        """
        if not value.is_polynomial:
            return
        i = self.index[sign]
        s, a, u = self._polynomials[i], self._polynomials[self.index[modulus]], value.polynomial
        # σ² |u| gives σ u, which the third replaces
        self._divisors += [(i, 1, s * u - a), (i, 1, s * a - u), (i, 1, s * u - a)]
        self._divisors.sort(key=lambda d: d[0])

    # ---- elements

    def constant(self, value: Fraction | int) -> Element:
        """Return a rational as an element."""
        q = flint.fmpq(value.numerator, value.denominator)
        return Element(self, self.context.constant(q))

    def element(self, x: Element | Fraction | int) -> Element:
        """Return an element as it is, a rational as an element."""
        return x if isinstance(x, Element) else self.constant(x)

    def element_of(self, g: Expr) -> Element:
        """Return a generator, given as a symbol, sine, cosine or atom, as an element.

        Raises:
            OutsideRing: The ring has no such generator.
        """
        i = self.index.get(g)
        if i is None:
            raise OutsideRing(f"expected a generator of the ring, got {outline(g)}")
        return Element(self, self._polynomials[i])

    def element_at(self, i: int) -> Element:
        """Return the i-th generator as an element."""
        return Element(self, self._polynomials[i])

    def polynomial(self, p: flint.fmpq_mpoly) -> Element:
        """Return a polynomial of the context as an element, reduced."""
        p = self.reduce(p)
        if self._quotients and self.unfolded(p) is not None:
            into: Fractions = {}
            self.denominators.settle((), p, into)
            return self.element_from(into)
        return Element(self, p)

    def quotient(self, num: flint.fmpq_mpoly, den: flint.fmpq_mpoly) -> Element:
        """Return num / den, what both have in common cancelled."""
        den = self.reduce(den)
        if not den:
            raise DivisionByZero(
                "expected a nonzero denominator, got one that vanishes identically"
            )
        if den.is_constant():
            return self.polynomial(num / den.leading_coefficient())
        if len(den) > MAX_FACTORED:
            num, den = self.lowest_terms(num, den)
        unit, key = self.denominators.inverse(den)
        into: Fractions = {}
        self.denominators.settle(key, num * unit, into)
        return self.element_from(into)

    def lowest_terms(self, num: flint.fmpq_mpoly, den: flint.fmpq_mpoly) -> Quotient:
        """Return a fraction divided by what both parts have in common; ``den`` starts with 1."""
        num, den = self.reduce(num), self.reduce(den)
        if not num:
            return Quotient(num, self.one_poly)
        if not den.is_constant():
            check_gcd(num, den)
            common = num.gcd(den)
            if not common.is_constant():
                num, den = num / common, den / common
        lead = den.leading_coefficient()
        return Quotient(num / lead, den / lead)

    def element_from(self, into: Fractions) -> Element:
        """Return a sum of fractions as an element; the dictionary becomes its own."""
        whole = into.pop((), self.zero_poly)
        return Element(self, whole, into or None)

    def sum(self, elements: Sequence[Element]) -> Element:
        """Return the sum of elements, added in pairs so that no term is copied often."""
        whole = balanced_sum([x.whole for x in elements]) if elements else self.zero_poly
        if not any(x.fractions for x in elements):
            return Element(self, whole)
        same: dict[Denominator, flint.fmpq_mpoly] = {}
        shared: set[Denominator] = set()
        for x in elements:
            for key, p in (x.fractions or {}).items():
                if key in same:
                    same[key] = same[key] + p
                    shared.add(key)
                else:
                    same[key] = p
        into: Fractions = {(): whole} if whole else {}
        into |= {key: p for key, p in same.items() if key not in shared}
        for key in shared:
            # what is common to the sum cancels
            self.denominators.settle(key, same[key], into)
        return self.element_from(into)

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

    def unfolded(self, p: flint.fmpq_mpoly) -> list[tuple[Denominator, flint.fmpq_mpoly]] | None:
        """Rewrite high powers of a root of fractions: the parts of the result, None if none are.

        With rⁿ = a/b, pⱼ rⁿ⁺ʲ is (pⱼ a) rʲ/b.
        """
        degrees = p.degrees() if self._quotients else ()
        for i, degree, value in self._quotients:
            if degrees[i] < degree:
                continue
            low: dict[tuple[int, ...], Any] = {}
            high: dict[tuple[int, ...], Any] = {}
            for exponents, k in p.to_dict().items():
                n = int(exponents[i])
                side = low if n < degree else high
                side[(*exponents[:i], n if n < degree else n - degree, *exponents[i + 1 :])] = k
            q = self.context.from_dict(high)
            parts = [(key, product(q, a)) for key, a in value.parts()]
            return [((), self.context.from_dict(low)), *parts]
        return None


def balanced_sum(polynomials: list[Poly]) -> Poly:
    """Return the sum of one or more polynomials, added in pairs."""
    while len(polynomials) > 1:
        pairs = zip(polynomials[::2], polynomials[1::2], strict=False)
        rest = polynomials[len(polynomials) & ~1 :]
        polynomials = [a + b for a, b in pairs] + rest
    return polynomials[0]
