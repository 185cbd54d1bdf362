"""Turn canonical forms back into expressions, in the stable order of the ring.

Angles such as q₁+q₂ that share coordinates with others are written with single sines and cosines
of sums, cos(q₁+q₂)cos(q₁) + sin(q₁+q₂)sin(q₁) = cos(q₂): then an expression contains a coordinate
only if its value depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from weakref import WeakKeyDictionary

import flint

from dalembert.expr import ONE, ZERO, Expr, Matrix, constant, power
from dalembert.expr.fold import add, mul, sub
from dalembert.ring.budget import check_rebuilt
from dalembert.ring.ring import Element, Ring
from dalembert.ring.sparse import Word


def rebuild(element: Element) -> Expr:
    """Return the expanded expression of an element."""
    check_rebuilt(len(element))
    ring = element.ring
    total = _sum(ring, element.whole)
    words = _words_of(ring)
    for key, p in (element.fractions or {}).items():
        below, is_negative = ONE, False
        for number, e in key:
            factor, is_turned = words.divisor(ring.denominators.factors[number].poly)
            below = below * power(factor, Fraction(e))
            is_negative ^= is_turned and e % 2 == 1
        part = _sum(ring, -p if is_negative else p) / below
        total = total + part
    return total


def rebuild_matrix(a: Matrix, rates: Sequence[Expr] = ()) -> Matrix:
    """Return the matrix of rebuilt expressions, each of them made when it is first asked for.

    Entries that are linear in ``rates`` are written Σ coefficient · rate.
    """
    check_rebuilt(sum(len(x) for x in a))
    done: dict[int, Expr] = {}

    def make(i: int, j: int) -> Expr:
        # a symmetric matrix holds most of its elements twice
        x = a[i, j]
        if id(x) not in done:
            linear = _by_rates(x, rates)
            done[id(x)] = rebuild(x) if linear is None else linear
        return done[id(x)]

    return Matrix.lazy(a.shape, make)


def _by_rates(x: Element, rates: Sequence[Expr]) -> Expr | None:
    """Return Σ coefficient · rate, or None for an element that is not linear in the rates."""
    p = x.whole
    if not rates or not p or not x.is_polynomial:
        return None
    degrees, index = p.degrees(), x.ring.index
    slopes = [(v, p.derivative(index[v])) for v in rates if degrees[index[v]]]
    if any(degrees[index[v]] > 1 for v, _ in slopes) or sum(len(s) for _, s in slopes) != len(p):
        return None
    words = _words_of(x.ring)
    result = ZERO
    for v, slope in slopes:
        # Christoffel symbols stand in several entries, with either sign
        if slope.leading_coefficient() < 0:
            result = sub(result, mul(words.known_sum(-slope), v))
        else:
            result = add(result, mul(words.known_sum(slope), v))
    return result


def monomial_expr(ring: Ring, exponents: Sequence[int]) -> Expr:
    """Return Π generator ** exponent as an expression."""
    result = ONE
    for g, n in zip(ring.generators, exponents, strict=False):
        if n:
            result = result * power(g, Fraction(int(n)))
    return result


def product_expr(ring: Ring, word: Word) -> Expr:
    """Return the product of a word as an expression."""
    result = ONE
    for i, n in word:
        result = result * power(ring.generators[i], Fraction(n))
    return result


def _sum(ring: Ring, p: flint.fmpq_mpoly) -> Expr:
    return _words_of(ring).sum(p)


def _words_of(ring: Ring) -> _Words:
    words = _words.get(ring)
    if words is None:
        words = _words[ring] = _Words(ring)
    return words


class _Words:
    """The products and waves of a ring that were rebuilt before: they are met in many elements."""

    def __init__(self, ring: Ring) -> None:
        self.generators = ring.generators
        self.waves = ring.waves
        self._turning = {i for a in ring.angles for i in (a.sin, a.cos)}
        self.products: dict[Word, Expr] = {(): ONE}
        self.sums: dict[str, Expr] = {}
        self.divisors: dict[str, tuple[Expr, bool]] = {}
        self.terms: dict[tuple[tuple[Word, int], int, int], Expr] = {}

    def known_sum(self, p: flint.fmpq_mpoly) -> Expr:
        """Return the sum of the terms, remembered."""
        text = str(p)
        found = self.sums.get(text)
        if found is None:
            found = self.sums[text] = self.sum(p)
        return found

    def divisor(self, p: flint.fmpq_mpoly) -> tuple[Expr, bool]:
        """Return a factor of a denominator, and whether with the other sign: m₁ + m₂ sin² θ.

        It is turned where all terms without sines and cosines are negative.
        """
        text = str(p)
        found = self.divisors.get(text)
        if found is None:
            plain = [
                k
                for (rest, wave), k in self.waves.collected(p).items()
                if not wave[1] and self._turning.isdisjoint(i for i, _ in rest)
            ]
            is_turned = bool(plain) and all(k < 0 for k in plain)
            found = self.divisors[text] = self.sum(-p if is_turned else p), is_turned
        return found

    def sum(self, p: flint.fmpq_mpoly) -> Expr:
        """Return the sum of the terms, the linked angles in single sines and cosines."""
        result = ZERO
        for key, k in self.waves.totals(p).items():
            if not k:
                continue
            top, bottom = int(k.p), int(k.q)
            if result is ZERO or top > 0:
                result = add(result, self._term(key, top, bottom))
            else:
                result = sub(result, self._term(key, -top, bottom))
        return result

    def _term(self, key: tuple[Word, int], top: int, bottom: int) -> Expr:
        """Return top/bottom times a product and a wave."""
        found = self.terms.get((key, top, bottom))
        if found is None:
            rest, wave = key
            product = mul(self._product(rest), self.waves.expr(wave))
            found = self.terms[key, top, bottom] = mul(constant(Fraction(top, bottom)), product)
        return found

    def _product(self, word: Word) -> Expr:
        """Return Π generator ** exponent, from the product without the last of them."""
        found = self.products.get(word)
        if found is None:
            i, n = word[-1]
            found = mul(self._product(word[:-1]), power(self.generators[i], Fraction(n)))
            self.products[word] = found
        return found


# kept as long as their ring
_words: WeakKeyDictionary[Ring, _Words] = WeakKeyDictionary()
