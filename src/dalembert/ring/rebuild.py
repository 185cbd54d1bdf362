"""Turn canonical forms back into expressions, in the stable order of the ring.

Angles such as q₁+q₂ that share coordinates with others are written with single sines and cosines
of sums, cos(q₁+q₂)cos(q₁) + sin(q₁+q₂)sin(q₁) = cos(q₂): then an expression contains a coordinate
only if its value depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from weakref import WeakKeyDictionary

import flint

from dalembert.expr import ONE, ZERO, Expr, Matrix, constant, cos, power, sin, symbol_text
from dalembert.expr.fold import add, mul, sub
from dalembert.ring.budget import check_rebuilt
from dalembert.ring.choose.angles import LinearForm, form_expr
from dalembert.ring.ring import Angle, Element, Ring
from dalembert.ring.sparse import Word, sparse_terms

Vector = tuple[int, ...]
Wave = tuple[int, Vector]
"""(is sine, multiples of the linked angles)."""


def rebuild(element: Element) -> Expr:
    """Return the expanded expression of an element."""
    check_rebuilt(len(element))
    num = _sum(element.ring, element.num)
    return num if element.is_polynomial else num / _sum(element.ring, element.den)


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
    p = x.num
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


def _sum(ring: Ring, p: flint.fmpq_mpoly) -> Expr:
    return _words_of(ring).sum(p)


def _words_of(ring: Ring) -> _Words:
    words = _words.get(ring)
    if words is None:
        words = _words[ring] = _Words(ring)
    return words


def linked_angles(ring: Ring) -> list[int]:
    """Return the numbers of the angles that share a term with a composite angle."""
    linked = {i for i, a in enumerate(ring.angles) if len(a.form) > 1}
    while True:
        terms = {t for i in linked for t in ring.angles[i].form}
        more = {i for i, a in enumerate(ring.angles) if terms & a.form.keys()}
        if more <= linked:
            return sorted(linked)
        linked |= more


class _Words:
    """The products and waves of a ring that were rebuilt before: they are met in many elements."""

    def __init__(self, ring: Ring) -> None:
        self.generators = ring.generators
        self.angles = [ring.angles[i] for i in linked_angles(ring)]
        self.products: dict[Word, Expr] = {(): ONE}
        self.spread: dict[Word, list[tuple[Wave, flint.fmpq]]] = {}
        self.waves: dict[Wave, Expr] = {}
        self.sums: dict[str, Expr] = {}
        self.terms: dict[tuple[tuple[Word, Wave], int, int], Expr] = {}
        self.linked = {i for angle in self.angles for i in (angle.sin, angle.cos)}
        self.linked_first = self.linked == set(range(len(self.linked)))

    def known_sum(self, p: flint.fmpq_mpoly) -> Expr:
        """Return the sum of the terms, remembered."""
        text = str(p)
        found = self.sums.get(text)
        if found is None:
            found = self.sums[text] = self.sum(p)
        return found

    def sum(self, p: flint.fmpq_mpoly) -> Expr:
        """Return the sum of the terms, the linked angles in single sines and cosines."""
        result = ZERO
        for key, k in self._collected(p).items():
            if not k:
                continue
            top, bottom = int(k.p), int(k.q)
            if result is ZERO or top > 0:
                result = add(result, self._term(key, top, bottom))
            else:
                result = sub(result, self._term(key, -top, bottom))
        return result

    def _term(self, key: tuple[Word, Wave], top: int, bottom: int) -> Expr:
        """Return top/bottom times a product and a wave."""
        found = self.terms.get((key, top, bottom))
        if found is None:
            rest, wave = key
            factor = self._wave(wave)
            product = mul(self._product(rest), factor)
            found = self.terms[key, top, bottom] = mul(constant(Fraction(top, bottom)), product)
        return found

    def _collected(self, p: flint.fmpq_mpoly) -> dict[tuple[Word, Wave], flint.fmpq]:
        linked = self.linked
        total: dict[tuple[Word, Wave], flint.fmpq] = {}
        for word, k in sparse_terms(p):
            if self.linked_first:
                i = 0
                while i < len(word) and word[i][0] in linked:
                    i += 1
                powers, rest = word[:i], word[i:]
            else:
                rest = tuple([x for x in word if x[0] not in linked])
                powers = tuple([x for x in word if x[0] in linked])
            waves = self.spread.get(powers)
            if waves is None:
                waves = self.spread[powers] = self._spread(dict(powers))
            for wave, value in waves:
                key = (rest, wave)
                total[key] = total[key] + k * value if key in total else k * value
        return total

    def _spread(self, powers: Mapping[int, int]) -> list[tuple[Wave, flint.fmpq]]:
        """Return a product of powers of sines and cosines as single waves."""
        pairs = tuple([(powers.get(a.sin, 0), powers.get(a.cos, 0)) for a in self.angles])
        return [
            ((is_sine, vector), flint.fmpq(k.numerator, k.denominator))
            for is_sine, vector, k in single_angles(pairs)
        ]

    def _product(self, word: Word) -> Expr:
        """Return Π generator ** exponent, from the product without the last of them."""
        found = self.products.get(word)
        if found is None:
            i, n = word[-1]
            found = mul(self._product(word[:-1]), power(self.generators[i], Fraction(n)))
            self.products[word] = found
        return found

    def _wave(self, wave: Wave) -> Expr:
        """Return the sine or cosine of Σ multiple · angle."""
        found = self.waves.get(wave)
        if found is None:
            found = self.waves[wave] = _wave_expr(self.angles, *wave)
        return found


# kept as long as their ring
_words: WeakKeyDictionary[Ring, _Words] = WeakKeyDictionary()


def _wave_expr(angles: Sequence[Angle], is_sine: int, vector: Vector) -> Expr:
    form: LinearForm = {}
    for angle, n in zip(angles, vector, strict=True):
        for term, k in angle.form.items() if n else ():
            form[term] = form.get(term, Fraction(0)) + n * k
    ordered = sorted(
        ((t, k) for t, k in form.items() if k),
        key=lambda item: symbol_text(item[0]) if item[0].op == "symbol" else "~",
    )
    sign = 1
    if ordered and ordered[0][1] < 0:
        sign, ordered = -1, [(t, -k) for t, k in ordered]
    angle = form_expr(dict(ordered))
    return sign * sin(angle) if is_sine else cos(angle)


def single_angles(powers: Sequence[tuple[int, int]]) -> list[tuple[int, Vector, Fraction]]:
    """Return Π sin(φᵢ)ᵃ cos(φᵢ)ᵇ as (is sine, multiples of φ, coefficient) terms.

    With z = e^{iφ}: sin φ = (z - z⁻¹)/2i, cos φ = (z + z⁻¹)/2; an even number of sines gives
    cosines, an odd number sines.

    >>> single_angles(((1, 1),))
    [(1, (2,), Fraction(1, 2))]
    """
    laurent: dict[Vector, int] = {(): 1}
    sines = degree = 0
    for a, b in powers:
        factor = _laurent(a, b)
        laurent = {(*v, n): k * w for v, k in laurent.items() for n, w in factor}
        sines, degree = sines + a, degree + a + b
    # i^-sines: 1, -i, -1, i; with the odd part 2i sin left after pairing v and -v
    sign = -1 if sines % 4 in (2, 3) else 1
    zero = (0,) * len(powers)
    result = []
    for vector, k in laurent.items():
        if vector == zero:
            if sines % 2 == 0:
                result.append((0, vector, Fraction(sign * k, 2**degree)))
        elif vector > zero:
            result.append((sines % 2, vector, Fraction(2 * sign * k, 2**degree)))
    return result


@lru_cache(maxsize=1024)
def _laurent(a: int, b: int) -> list[tuple[int, int]]:
    """Return (power of z, coefficient) of (z - z⁻¹)ᵃ (z + z⁻¹)ᵇ, zeros left out."""
    total = {0: 1}
    for sign in [-1] * a + [1] * b:
        after: dict[int, int] = {}
        for n, k in total.items():
            after[n + 1] = after.get(n + 1, 0) + k
            after[n - 1] = after.get(n - 1, 0) + k * sign
        total = after
    return [(n, k) for n, k in total.items() if k]
