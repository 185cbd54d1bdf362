"""Soundness of print: what is read back is what was printed."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.mechanics.printed.read_back import (
    WORDS,
    fault_of_latex,
    fault_of_mathml,
    fault_of_text,
)
from dalembert.typeset.printer import latex, mathml, text
from tests.cases import num_cases

Q = ex.coordinates("q1 q2 q3")
SYMBOLS = [
    *Q,
    *ex.coordinates("x theta"),
    *(q.dot for q in Q),
    Q[0].ddot,
    *ex.parameters("m1 m2 l a_c1 g omega I_xx m_pole c2"),
    *ex.inputs("tau1 F"),
    *ex.multipliers("lam1"),
    ex.time,
]


def random_angle(rng: random.Random) -> Expr:
    chosen = rng.sample(SYMBOLS[:5], rng.randint(1, 3))
    k = [rng.choice([1, 1, 1, -1, 2]) for _ in chosen]
    return ex.total([a * x for a, x in zip(k, chosen, strict=True)])


def random_expr(rng: random.Random, depth: int, rational: bool) -> Expr:
    if depth == 0:
        kind = rng.random()
        if kind < 0.5:
            return rng.choice(SYMBOLS)
        if kind < 0.6:
            return ex.constant(rng.randint(-3, 3))
        function = rng.choice([ex.sin, ex.cos])
        return function(random_angle(rng))
    a = random_expr(rng, depth - 1, rational)
    b = random_expr(rng, rng.randrange(depth), rational)
    kind = rng.random()
    if rational and kind < 0.12:
        return a / (b if b.op != "const" else b**2 + 3)
    if rational and kind < 0.18:
        return rng.choice([ex.sqrt(a**2 + 1), ex.exp(a / 4), ex.tanh(b), ex.tan(random_angle(rng))])
    if rational and kind < 0.2:
        return rng.choice([ex.abs_(a), ex.atan2(a, b), (a**2 + 2) ** Fraction(2, 3)])
    if kind < 0.5:
        return a + b
    if kind < 0.65:
        return a - b * rng.choice([1, 2, ex.constant(1) / 3, ex.constant(5) / 12, 1.25])
    if kind < 0.75:
        return a**2 * b
    return a * b


def check(e: Expr) -> bool:
    """Compare text, LaTeX and MathML with the expression; False if it is too large for print."""
    printed = text(e, named=False)
    if WORDS in printed:
        return False
    assert fault_of_text(e, printed) == "", printed
    assert fault_of_text(e, text(e, trig="long")) == "", printed
    assert fault_of_latex(e, latex(e)) == "", latex(e)
    assert fault_of_mathml(e, mathml(e)) == "", mathml(e)
    return True


@pytest.mark.parametrize("rational", [False, True])
@pytest.mark.parametrize(("depth", "count"), [(1, 100), (2, 100), (3, 60), (4, 20)])
def test_reads_back(
    depth: int, count: int, rational: bool, draw: random.Random, scale: float
) -> None:
    count = num_cases(count, scale)
    checked = sum(check(random_expr(draw, depth, rational)) for _ in range(count))
    assert checked > count // 2


X, Y = ex.coordinates("x y")
TWO, FIVE = (ex.constant(k) for k in (2, 5))


@pytest.mark.parametrize(
    "e",
    [
        3 * X * TWO ** Fraction(2, 3),
        40 * FIVE ** Fraction(2, 3) * TWO ** Fraction(2, 3) * X,
        (X + 1) / (FIVE ** Fraction(2, 3) * TWO ** Fraction(1, 5) * Y),
        X.dot * ex.constant(7) ** Fraction(3, 5),
    ],
    ids=str,
)
def test_powers_of_numbers_stand_apart_from_numbers(e: Expr) -> None:
    """40 5^(2/3) was printed, which is no product."""
    assert fault_of_text(e, text(e)) == ""
    assert fault_of_latex(e, latex(e)) == ""
