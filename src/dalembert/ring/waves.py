"""Products of sines and cosines as sums of single waves, sin or cos of a sum of angles.

Waves of different frequencies are linearly independent, also where the angles of a ring are not:
of cos q, cos 0.98 q and cos 1.98 q, a polynomial is zero if and only if all its waves cancel.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm, prod
from typing import TYPE_CHECKING

import flint

from dalembert.expr import Expr, cos, sin, symbol_text
from dalembert.ring.budget import check_waves, check_waves_together, spend
from dalembert.ring.choose.angles import LinearForm, form_expr
from dalembert.ring.prime_point import PrimePoint
from dalembert.ring.sparse import Word, sparse_terms

if TYPE_CHECKING:
    from dalembert.ring.ring import Ring

PRIME = (1 << 61) - 1

Vector = tuple[int, ...]
Frequency = tuple[tuple[int, Fraction], ...]
"""(number of a term, multiple) pairs, the first multiple positive."""
Wave = tuple[int, Frequency]
"""(is sine, frequency)."""


def linked_angles(ring: Ring) -> list[int]:
    """Return the numbers of the angles that share a term with a composite or dependent angle."""
    linked = {i for i, a in enumerate(ring.angles) if len(a.form) > 1 or a.sin in ring.wild}
    while True:
        terms = {t for i in linked for t in ring.angles[i].form}
        more = {i for i, a in enumerate(ring.angles) if terms & a.form.keys()}
        if more <= linked:
            return sorted(linked)
        linked |= more


class Waves:
    """The products of linked angles of a ring as waves, remembered."""

    def __init__(self, ring: Ring) -> None:
        self.angles = [ring.angles[i] for i in linked_angles(ring)]
        self.places = {i for angle in self.angles for i in (angle.sin, angle.cos)}
        terms = dict.fromkeys(t for angle in self.angles for t in angle.form)
        # the order of symbols is that of the text, other terms stand behind them
        self.terms = sorted(terms, key=lambda t: symbol_text(t) if t.op == "symbol" else "~")
        number = {t: i for i, t in enumerate(self.terms)}
        self._forms = [{number[t]: k for t, k in a.form.items()} for a in self.angles]
        self._spread: dict[Word, list[tuple[int, flint.fmpq]]] = {}
        self._frequencies: dict[Vector, tuple[int, Frequency]] = {}
        self._waves: list[Wave] = []
        self._numbers: dict[Wave, int] = {}
        self._exprs: dict[int, Expr] = {}
        self._size = len(ring.generators)
        self._stand_first = self.places == set(range(len(self.places)))

    def collected(self, p: flint.fmpq_mpoly) -> dict[tuple[Word, Wave], flint.fmpq]:
        """Return {(rest of a monomial, wave): coefficient}, without zeros: empty if p vanishes."""
        return {(rest, self._waves[i]): k for (rest, i), k in self.totals(p).items() if k}

    def totals(self, p: flint.fmpq_mpoly) -> dict[tuple[Word, int], flint.fmpq]:
        """Return {(rest of a monomial, number of a wave): coefficient}, some of them zero."""
        places = self.places
        total: dict[tuple[Word, int], flint.fmpq] = {}
        count = 0
        for word, k in sparse_terms(p):
            if self._stand_first:
                i = 0
                while i < len(word) and word[i][0] in places:
                    i += 1
                powers, rest = word[:i], word[i:]
            else:
                rest = tuple([x for x in word if x[0] not in places])
                powers = tuple([x for x in word if x[0] in places])
            waves = self._spread.get(powers)
            if waves is None:
                waves = self._spread[powers] = self._spread_out(dict(powers))
            count += len(waves)
            check_waves_together(count)
            spend(len(waves))
            for wave, value in waves:
                key = (rest, wave)
                total[key] = total[key] + k * value if key in total else k * value
        return total

    def cancel(self, p: flint.fmpq_mpoly) -> bool:
        """Tell whether all waves of a polynomial cancel each other."""
        # a point of a prime field at which it is not zero needs no waves
        return not self._value(p) and not self.collected(p)

    def _value(self, p: flint.fmpq_mpoly) -> int:
        """Return the value at a point of the prime field, 0 where there is none."""
        values, total = self._point, 0
        for word, k in sparse_terms(p):
            top, bottom = int(k.p), int(k.q)
            if not bottom % PRIME:
                return 0
            for i, n in word:
                top = top * pow(values[i], n, PRIME) % PRIME
            total += top * pow(bottom, -1, PRIME)
        return total % PRIME

    @cached_property
    def _point(self) -> list[int]:
        """Values of the generators: sums of angles are products on the circle, others are free."""
        point = PrimePoint(random.Random(1736), PRIME)
        values = [point.value(i) for i in range(self._size)]
        scale: dict[int, int] = {}
        for form in self._forms:
            for t, k in form.items():
                scale[t] = lcm(scale.get(t, 1), k.denominator)
        for a, form in zip(self.angles, self._forms, strict=True):
            pair = (0, 1)
            for t, k in form.items():
                pair = point.turned(pair, ("term", t), int(k * scale[t]))
            values[a.sin], values[a.cos] = pair
        return values

    def expr(self, number: int) -> Expr:
        """Return the sine or cosine of a frequency, by the number of the wave."""
        found = self._exprs.get(number)
        if found is None:
            is_sine, frequency = self._waves[number]
            form: LinearForm = {self.terms[i]: k for i, k in frequency}
            angle = form_expr(form)
            found = self._exprs[number] = sin(angle) if is_sine else cos(angle)
        return found

    def _spread_out(self, powers: Mapping[int, int]) -> list[tuple[int, flint.fmpq]]:
        """Return a product of powers of sines and cosines as waves."""
        pairs = tuple([(powers.get(a.sin, 0), powers.get(a.cos, 0)) for a in self.angles])
        count = prod(sum(pair) + 1 for pair in pairs)
        check_waves(count)
        spend(count)
        found = []
        for is_sine, vector, k in single_angles(pairs):
            sign, frequency = self._frequency(vector)
            if frequency or not is_sine:
                value = sign * k if is_sine else k
                number = self._number((is_sine, frequency))
                found.append((number, flint.fmpq(value.numerator, value.denominator)))
        return found

    def _number(self, wave: Wave) -> int:
        if wave not in self._numbers:
            self._numbers[wave] = len(self._waves)
            self._waves.append(wave)
        return self._numbers[wave]

    def _frequency(self, vector: Vector) -> tuple[int, Frequency]:
        """Return (sign, frequency) of a sum of multiples of the linked angles."""
        found = self._frequencies.get(vector)
        if found is None:
            total: dict[int, Fraction] = {}
            for form, n in zip(self._forms, vector, strict=True):
                for t, k in form.items() if n else ():
                    total[t] = total.get(t, Fraction(0)) + n * k
            pairs = sorted((t, k) for t, k in total.items() if k)
            sign = -1 if pairs and pairs[0][1] < 0 else 1
            found = self._frequencies[vector] = sign, tuple([(t, sign * k) for t, k in pairs])
        return found


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
