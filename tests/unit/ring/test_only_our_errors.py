"""Random nested functions give an answer or one of our own errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.expr.unparse import unparse
from dalembert.ring import canonical, partial, rebuild, ring_of
from tests.effort import effort

SYMBOLS = [*da.coordinates("x y z"), *da.parameters("a b")]
FUNCTIONS: list[Callable[..., da.Expr]] = [
    *(da.sin, da.cos, da.tan, da.asin, da.acos, da.exp, da.log, da.tanh, da.abs, da.sign),
    *(lambda u: da.sqrt(u), lambda u: u ** Fraction(2, 3), lambda u: u ** Fraction(5, 4)),
    *(lambda u: u**3, lambda u: 1 / u),
]


def nested(rng: random.Random, depth: int) -> da.Expr:
    if not depth:
        turn = Fraction(rng.randint(-5, 5), rng.choice((1, 2, 3, 5, 8))) * da.pi
        return rng.choice([*SYMBOLS, SYMBOLS[0] + turn, da.expr.as_expr(rng.randint(-9, 9))])
    u, v = nested(rng, depth - 1), nested(rng, rng.randrange(depth))
    if rng.random() < 0.5:
        return rng.choice(FUNCTIONS)(u)
    return rng.choice([u + v, u * v, u - v, u / (1 + v**2), da.atan2(u, 2 + v)])


def test_nested_functions_raise_only_our_errors(draw: random.Random) -> None:
    answers = 0
    for _ in range(effort(60)):
        try:
            e = nested(draw, draw.choice((2, 3, 4)))
        except DalembertError:
            continue
        x = SYMBOLS[0]
        for work in (str, da.Expr.latex, lambda e: rebuild(canonical(ring_of([e]), e))):
            try:
                work(e)
                answers += 1
            except DalembertError:
                pass
        try:
            # the canonical form is the same function, and its derivative has a place
            ring = ring_of([e], [x])
            assert da.equal(rebuild(canonical(ring, e)), e), unparse(e)
            partial(ring, x)(canonical(ring, e))
            assert not da.equal(e, e + 1), unparse(e)
        except DalembertError:
            pass
    assert answers > 60
