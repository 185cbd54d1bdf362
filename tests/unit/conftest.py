"""Random expressions for the unit tests."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def draw(rng: np.random.Generator) -> random.Random:
    """The seeded randomness with Python's own integers and choices."""
    return random.Random(int(rng.integers(2**63)))


@pytest.fixture
def random_pair() -> Callable[..., tuple[Any, Any]]:
    """Build the same random expression twice, with dalembert and with SymPy, side by side."""
    import sympy as sp

    import dalembert.expr as ex

    functions = {
        "sin": (lambda a: ex.sin(a), lambda a: sp.sin(a)),
        "cos": (lambda a: ex.cos(a), lambda a: sp.cos(a)),
        "tanh": (lambda a: ex.tanh(a), lambda a: sp.tanh(a)),
        "tan": (lambda a: ex.tan(ex.sin(a)), lambda a: sp.tan(sp.sin(a))),
        "exp": (lambda a: ex.exp(ex.cos(a)), lambda a: sp.exp(sp.cos(a))),
        "log": (lambda a: ex.log(2 + a**2), lambda a: sp.log(2 + a**2)),
        "sqrt": (lambda a: ex.sqrt(1 + a**2), lambda a: sp.sqrt(1 + a**2)),
        "asin": (lambda a: ex.asin(ex.sin(a) / 2), lambda a: sp.asin(sp.sin(a) / 2)),
        "acos": (lambda a: ex.acos(ex.tanh(a) / 2), lambda a: sp.acos(sp.tanh(a) / 2)),
        "atan2": (lambda a: ex.atan2(a, 2 + ex.sin(a)), lambda a: sp.atan2(a, 2 + sp.sin(a))),
        "root": (
            lambda a: (3 + ex.cos(a)) ** Fraction(2, 3),
            lambda a: (3 + sp.cos(a)) ** sp.Rational(2, 3),
        ),
        "neg": (lambda a: -a, lambda a: -a),
        "square": (lambda a: a**2, lambda a: a**2),
    }

    def build(draw: random.Random, leaves: list[tuple[Any, Any]], depth: int) -> tuple[Any, Any]:
        if depth == 0:
            if draw.random() < 0.25:
                r = Fraction(draw.randint(-4, 4), draw.randint(1, 4))
                return ex.as_expr(r), sp.Rational(r.numerator, r.denominator)
            return draw.choice(leaves)
        if draw.random() < 0.4:
            ours, theirs = draw.choice(list(functions.values()))
            a, b = build(draw, leaves, depth - 1)
            return ours(a), theirs(b)
        (a, b), (c, d) = build(draw, leaves, depth - 1), build(draw, leaves, depth - 1)
        match draw.choice("+-*/"):
            case "+":
                return a + c, b + d
            case "-":
                return a - c, b - d
            case "*":
                return a * c, b * d
            case _:
                return a / (2 + ex.sin(c)), b / (2 + sp.sin(d))

    return build
