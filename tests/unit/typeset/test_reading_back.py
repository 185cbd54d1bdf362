"""Soundness of print: what is read back has the value of what was printed."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from dalembert import expr as ex
from dalembert.errors import DalembertError
from dalembert.expr import Expr
from dalembert.typeset.printer import expr_tree, latex, text
from tests.cases import num_cases
from tests.unit.typeset.reading import read_latex, read_text, tree_value

# the printed form is expanded and evaluated in another order; cancellation costs some digits
RELATIVE = 1e-7

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


def check(e: Expr, rng: random.Random) -> bool:
    """Compare the tree, the text and the LaTeX with the expression at a random point."""
    values = {x: rng.uniform(0.3, 1.9) for x in e.symbols}
    try:
        expected = e.evaluate(values)
        scale = max(1.0, abs(expected))
        tree = expr_tree(e)
    except DalembertError:
        return False
    by_symbol = {x.symbol: v for x, v in values.items()}
    printed = text(e, named=False)
    if "⟨" in printed:
        return False
    found = {
        "tree": tree_value(tree, by_symbol),
        "text": read_text(printed, values),
        "long": read_text(text(e, trig="long", named=False), values),
        "latex": read_latex(latex(e, named=False), values),
    }
    for face, value in found.items():
        assert math.isclose(value, expected, rel_tol=RELATIVE, abs_tol=RELATIVE * scale), (
            f"{face} of {printed}: {value} instead of {expected}"
        )
    return True


@pytest.mark.parametrize("rational", [False, True])
@pytest.mark.parametrize(("depth", "count"), [(1, 100), (2, 100), (3, 60), (4, 20)])
def test_reads_back(
    depth: int, count: int, rational: bool, draw: random.Random, scale: float
) -> None:
    count = num_cases(count, scale)
    checked = sum(check(random_expr(draw, depth, rational), draw) for _ in range(count))
    assert checked > count // 2
