"""Derivatives inside a ring: a derivation is known by its values on the generators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import flint

from dalembert.errors import TooLarge
from dalembert.expr import ONE, ZERO, Expr, Matrix, postorder, tangent
from dalembert.expr.calculus import symbol_rate
from dalembert.expr.undefined import undefined_names
from dalembert.ring.budget import product
from dalembert.ring.canonical import canonical_all, has_place
from dalembert.ring.choose.angles import form_expr
from dalembert.ring.elements.denominators import joined
from dalembert.ring.ring import Element, Ring


class Derivative:
    """A map D with D(ab) = aD(b) + D(a)b, given by D of every generator.

    ``seed(symbol)`` is the value on symbols; sines, cosines and atoms follow by the chain rule.
    """

    def __init__(self, ring: Ring, seed: Callable[[Expr], Expr]) -> None:
        self.ring = ring
        seeds = {g: seed(g) for g in ring.generators if g.op == "symbol"}
        rates: dict[int, Expr] = {ring.index[g]: r for g, r in seeds.items() if r is not ZERO}
        atoms = [g for g in ring.generators if g.op not in ("symbol", "pi", "sin", "cos")]
        self._ends: set[int] = set()
        for atom, rate in zip(atoms, tangent(atoms, seeds), strict=True):
            if rate is not ZERO and _is_inside(ring, rate):
                rates[ring.index[atom]] = rate
            elif rate is not ZERO:
                self._ends.add(ring.index[atom])
        images = dict(zip(rates, canonical_all(ring, list(rates.values())), strict=True))
        # an angle whose symbols are all at rest is at rest
        resting = {g for g, rate in seeds.items() if rate is ZERO}
        turning = [a for a in ring.angles if not a.form.keys() <= resting]
        angle_rates = tangent([form_expr(a.form) for a in turning], seeds)
        for a, rate in zip(turning, canonical_all(ring, angle_rates), strict=True):
            if not rate.is_empty:
                images[a.sin] = rate * ring.element_at(a.cos)
                images[a.cos] = -(rate * ring.element_at(a.sin))
        self._images = images
        self._slopes: dict[int, Element] = {}

    def __call__(self, x: Element) -> Element:
        """Return D(x): of p/fᵉ it is D(p)/fᵉ - e p D(f)/fᵉ⁺¹, over no other denominator."""
        whole = self._of_polynomial(x.whole)
        if not x.fractions:
            return whole
        ring, terms = self.ring, [whole]
        for key, p in x.fractions.items():
            terms.append(self._of_polynomial(p).over(key))
            for number, e in key:
                slope = self._slope(number)
                if not slope.is_empty:
                    part = ring.polynomial(p * -e).over(joined(key, ((number, 1),)))
                    terms.append(slope * part)
        return ring.sum(terms)

    def _slope(self, number: int) -> Element:
        """Return D of a factor of denominators."""
        if number not in self._slopes:
            self._slopes[number] = self._of_polynomial(self.ring.denominators.factors[number].poly)
        return self._slopes[number]

    def of_matrix(self, a: Matrix) -> Matrix:
        """Return the matrix of derivatives."""
        return a.map(self)

    def of_symmetric(self, a: Matrix) -> Matrix:
        """Return the matrix of derivatives of a symmetric matrix, half of which is computed."""
        lower = [[self(x) for x in row[: i + 1]] for i, row in enumerate(a.rows)]
        places = range(a.shape[0])
        return Matrix([[lower[max(i, j)][min(i, j)] for j in places] for i in places], len(places))

    def _names(self) -> str:
        generators = self.ring.generators
        return ", ".join(undefined_names(postorder([generators[i] for i in self._ends])))

    def _of_polynomial(self, p: flint.fmpq_mpoly) -> Element:
        ring = self.ring
        if not p:
            return ring.zero
        degrees = p.degrees()
        if self._ends and any(degrees[i] for i in self._ends):
            raise TooLarge(
                "expected derivatives of functions without a definition of at most the order that "
                f"the ring has, got one of {self._names()}: give the function a definition with "
                "subs"
            )
        total = rest = None
        for i, image in self._images.items():
            if degrees[i]:
                slope = p.derivative(i)
                if not image.is_polynomial:
                    part = ring.polynomial(slope) * image
                    rest = part if rest is None else rest + part
                elif total is None:
                    total = product(slope, image.whole)
                else:
                    total = total + product(slope, image.whole)
        whole = ring.zero if total is None else ring.polynomial(total)
        return whole if rest is None else whole + rest


def _is_inside(ring: Ring, rate: Expr) -> bool:
    """Tell whether the ring has the derivatives of undefined functions in a rate.

    Those of the highest derivatives have no place.
    """
    return not ring.has_undefined or has_place(
        ring, [n for n in postorder([rate]) if n.op == "apply"]
    )


def partial(ring: Ring, x: Expr) -> Derivative:
    """Return ∂/∂x for a symbol of the ring."""
    return Derivative(ring, lambda g: ONE if g is x else ZERO)


def partials(ring: Ring, xs: Sequence[Expr]) -> list[Derivative]:
    """Return ∂/∂x for several symbols."""
    return [partial(ring, x) for x in xs]


def time_derivative(ring: Ring, max_order: int = 1) -> Derivative:
    """Return d/dt; rates of coordinates beyond ``max_order`` are taken as absent from the ring."""

    def seed(g: Expr) -> Expr:
        s = g.symbol
        assert s is not None
        if s.kind.value in ("input", "multiplier") or s.order > max_order:
            return ZERO
        return symbol_rate(g)

    return Derivative(ring, seed)
