"""Prove that an expression is zero wherever it is defined.

The expression is written with fewer functions and brought into a ring. Its numerator is a
polynomial in signs, in independent functions and in algebraic numbers: for each sign pattern each
coefficient of a monomial in the functions is a number, and a number is decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import lcm

import flint

from dalembert.errors import DalembertError
from dalembert.expr import ONE, PI, ZERO, Expr, constant, free_symbols
from dalembert.expr.node import make
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.build import ring_of
from dalembert.ring.elements.element import Element, Quotient
from dalembert.ring.prove.numbers import is_zero_number
from dalembert.ring.prove.rewrite import rewritten, sine
from dalembert.ring.ring import Ring
from dalembert.ring.sparse import Word, sparse_terms
from dalembert.ring.waves import single_angles

MAX_SIGNS = 5
MAX_TERMS = 5_000
MAX_NUMBERS = 200

Poly = flint.fmpq_mpoly


def is_proved_zero(e: Expr) -> bool:
    """Tell whether the expression is certainly zero at every point where it is defined."""
    try:
        simple = rewritten(e)
        ring = ring_of([simple])
        element = canonical(ring, simple)
        return _vanishes(ring, element)
    except DalembertError:
        return False


def _vanishes(ring: Ring, x: Element) -> bool:
    if x.is_surely_zero:
        return True
    if x.is_surely_nonzero:
        return False
    quotient = x.over_one()
    p = quotient.num
    if len(p) > MAX_TERMS:
        return False
    degrees = p.degrees()
    signs = [i for i, g in enumerate(ring.generators) if g.op == "sign" and degrees[i]]
    if len(signs) > MAX_SIGNS:
        return False
    return all(_is_zero_function(ring, part) for part in _by_cases(ring, quotient, signs))


def _by_cases(ring: Ring, x: Quotient, signs: Sequence[int]) -> Iterator[Poly]:
    """Yield the numerator for every sign pattern that is possible."""
    arguments = {i: canonical(ring, ring.generators[i].args[0]).over_one().num for i in signs}
    nonnegative = [g.args[0] for g in ring.generators if g.op == "pow"]

    def at(p: Poly, chosen: dict[int, int]) -> Poly:
        p = ring.reduce(p.subs({f"x{i}": k for i, k in chosen.items()}) if chosen else p)
        for i, k in chosen.items():
            # where a sign is 0, so is its argument
            if not k and not arguments[i].is_constant():
                p = ring.reduce(divmod(p, arguments[i])[1])
        return p

    for pattern in product((1, -1, 0), repeat=len(signs)):
        chosen: dict[int, int] = dict(zip(signs, pattern, strict=True))
        if any(k < 0 and ring.generators[i].args[0] in nonnegative for i, k in chosen.items()):
            # the root of a negative number is not defined
            continue
        # the expression is not defined where its denominator is 0
        if at(x.den, chosen):
            yield at(x.num, chosen)


def _is_zero_function(ring: Ring, p: Poly) -> bool:
    """Tell whether every coefficient, a number, of the monomials in the functions is zero."""
    if not p:
        return True
    numbers = {i for i, g in enumerate(ring.generators) if not free_symbols([g]) and g.op != "pi"}
    groups: dict[Word, list[tuple[Word, Fraction]]] = {}
    for word, k in sparse_terms(p):
        inside = tuple(x for x in word if x[0] in numbers)
        outside = tuple(x for x in word if x[0] not in numbers)
        groups.setdefault(outside, []).append((inside, Fraction(int(k.p), int(k.q))))
    if not numbers or len(groups) > MAX_NUMBERS:
        return False
    return all(is_zero_number(_number(ring, terms)) is True for terms in groups.values())


def _number(ring: Ring, terms: Sequence[tuple[Word, Fraction]]) -> Expr:
    """Return Σ k · roots · sines of multiples of a part of π, with whole numbers k, times some k₀.

    Powers of one sine and cosine have long coefficients, sines of multiples short ones.
    """
    part = next((a for a in ring.angles if list(a.form) == [PI]), None)
    total: dict[tuple[Word, Fraction], Fraction] = {}
    for word, k in terms:
        exponents = dict(word)
        waves = [(0, (0,), Fraction(1))]
        if part is not None:
            waves = single_angles(((exponents.pop(part.sin, 0), exponents.pop(part.cos, 0)),))
        for is_sine, (n,), q in waves:
            turns = Fraction(1, 2) * (1 - is_sine) + (n * part.form[PI] if part else 0)
            key = tuple(exponents.items()), turns % 2
            total[key] = total.get(key, Fraction(0)) + k * q
    # even numbers: 2 sin(r π) is an algebraic integer
    scale = 2 * lcm(*(k.denominator for k in total.values()))
    result = ZERO
    for (word, turns), k in total.items():
        if k:
            roots = ONE
            for i, n in word:
                roots = roots * make("pow", (ring.generators[i],), Fraction(n))
            wave = make("mul", (constant(k * scale), sine(turns)))
            result = make("add", (result, make("mul", (wave, roots))))
    return result
