"""The audit of `da.equal`: true identities are equal, perturbed ones are not."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.oracles import random_values

x, y, z = da.coordinates("x y z")
a, b, l1, l2, m = da.parameters("a b l1 l2 m")
s, c = da.sin, da.cos

# pairs of functions of two angles that are equal for all of them
IDENTITIES = {
    "pythagoras": lambda u, v: (s(u) ** 2 + c(u) ** 2, 1 + 0 * v),
    "sine of a sum": lambda u, v: (s(u + v), s(u) * c(v) + c(u) * s(v)),
    "cosine of a sum": lambda u, v: (c(u + v), c(u) * c(v) - s(u) * s(v)),
    "sine of a difference": lambda u, v: (s(u - v), s(u) * c(v) - c(u) * s(v)),
    "double sine": lambda u, v: (s(2 * u), 2 * s(u) * c(u)),
    "double cosine": lambda u, v: (c(2 * u), 1 - 2 * s(u) ** 2),
    "triple sine": lambda u, v: (s(3 * u), 3 * s(u) - 4 * s(u) ** 3),
    "triple cosine": lambda u, v: (c(3 * u), 4 * c(u) ** 3 - 3 * c(u)),
    "product of sines": lambda u, v: (s(u) * s(v), (c(u - v) - c(u + v)) / 2),
    "product of cosines": lambda u, v: (c(u) * c(v), (c(u - v) + c(u + v)) / 2),
    "mixed product": lambda u, v: (s(u) * c(v), (s(u + v) + s(u - v)) / 2),
    "squared sine": lambda u, v: (s(u) ** 2, (1 - c(2 * u)) / 2),
    "difference of squares": lambda u, v: (
        c(u) ** 2 - s(v) ** 2,
        c(u + v) * c(u - v),
    ),
    "tangent": lambda u, v: (da.tan(u) * c(u), s(u)),
    "tangent of a sum": lambda u, v: (
        da.tan(u + v),
        (da.tan(u) + da.tan(v)) / (1 - da.tan(u) * da.tan(v)),
    ),
    "secant": lambda u, v: (1 + da.tan(u) ** 2, 1 / c(u) ** 2),
    "law of cosines": lambda u, v: (
        (l1 * c(u) + l2 * c(u + v)) ** 2 + (l1 * s(u) + l2 * s(u + v)) ** 2,
        l1**2 + l2**2 + 2 * l1 * l2 * c(v),
    ),
    "determinant of the planar arm": lambda u, v: (
        (-l1 * s(u) - l2 * s(u + v)) * l2 * c(u + v) + l2 * s(u + v) * (l1 * c(u) + l2 * c(u + v)),
        l1 * l2 * s(v),
    ),
    "fourth power": lambda u, v: (c(u) ** 4, (3 + 4 * c(2 * u) + c(4 * u)) / 8),
    "quotient": lambda u, v: (s(u) ** 2 / (1 + c(u)), 1 - c(u)),
    "common denominators": lambda u, v: (
        1 / (1 - s(u)) + 1 / (1 + s(u)),
        2 / c(u) ** 2,
    ),
}
ANGLES = {
    "x, y": (x, y),
    "sums": (x + y, y - 2 * z),
    "with parameters": (x + a, y - b),
    "with a phase": (x + da.pi / 3, y - da.pi / 4),
}
CASES = list(itertools.product(IDENTITIES, ANGLES))


def pair(case: tuple[str, str]) -> tuple[da.Expr, da.Expr]:
    left, right = IDENTITIES[case[0]](*ANGLES[case[1]])
    return left, right


def difference(left: da.Expr, right: da.Expr, rng) -> float:
    """Return the largest difference at some random points, relative to the values."""
    worst = 0.0
    for _ in range(5):
        values = random_values([x, y, z, a, b, l1, l2, m], rng)
        u, v = left.evaluate(values), right.evaluate(values)
        worst = max(worst, abs(u - v) / (1 + abs(u) + abs(v)))
    return worst


@pytest.mark.parametrize("case", CASES, ids=lambda case: "; ".join(case))
def test_true_identities(case, rng):
    left, right = pair(case)
    assert difference(left, right, rng) < 1e-9
    assert da.equal(left, right)
    assert da.counterexample(left, right) is None


def perturbations(left: da.Expr, right: da.Expr) -> list[tuple[str, da.Expr]]:
    """Return right sides that are wrong in one place."""
    return [
        ("one part in a million", right + left * Fraction(1, 10**6)),
        ("constant", right + Fraction(1, 10**9)),
        ("sign", -right),
        ("another angle", right.subs({x: x + Fraction(1, 1000)})),
        ("doubled", 2 * right),
        ("an extra term", right + s(x) * c(y) * Fraction(1, 1000)),
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "; ".join(case))
def test_false_statements(case, rng):
    left, right = pair(case)
    for words, wrong in perturbations(left, right):
        if words == "another angle" and x not in right.symbols:
            continue
        # it is false: floats see it too, unless the change is below what they resolve
        if words not in ("constant", "one part in a million", "another angle"):
            assert difference(left, wrong, rng) > 1e-9, words
        assert not da.equal(left, wrong), words
        point = da.counterexample(left, wrong)
        assert point is not None, words
        assert abs(gap_at(left - wrong, point)) > 1e-25, words


def gap_at(e: da.Expr, point: dict[da.Expr, Fraction]) -> sp.Float:
    """Return the value at a rational point with 40 digits, by SymPy."""
    at: dict[sp.Basic | complex, sp.Basic | complex] = {
        da.to_sympy(symbol): sp.Rational(value.numerator, value.denominator)
        for symbol, value in point.items()
    }
    return sp.N(da.to_sympy(e).subs(at), 40)


def test_counts():
    assert len(CASES) >= 50


WRONG_BY_STUDENTS = [
    (s(2 * x), 2 * s(x)),
    (c(x + y), c(x) + c(y)),
    (s(x) ** 2, 1 + c(x) ** 2),
    (s(x + y), s(x) * s(y) + c(x) * c(y)),
    (c(2 * x), 2 * s(x) * c(x)),
    (da.tan(x), c(x) / s(x)),
    (da.sqrt(x**2), x),
    (da.exp(x + y), da.exp(x) + da.exp(y)),
    (da.log(a * b), da.log(a) * da.log(b)),
    ((x + y) ** 2, x**2 + y**2),
    (1 / (x + y), 1 / x + 1 / y),
    (da.tanh(2 * x), 2 * da.tanh(x)),
    (da.abs(x), x),
    (s(da.pi - x), -s(x)),
    (c(x - da.pi), c(x)),
    (s(x) / x, da.sin(1) + 0 * x),
]


@pytest.mark.parametrize("index", range(len(WRONG_BY_STUDENTS)))
def test_classical_mistakes(index):
    left, right = WRONG_BY_STUDENTS[index]
    assert not da.equal(left, right)


TRUE_BEYOND_TRIGONOMETRY = [
    (da.sqrt(x**2), da.abs(x)),
    (da.exp(x + y), da.exp(x) * da.exp(y)),
    (da.exp(2 * x), da.exp(x) ** 2),
    (da.sqrt(a) * da.sqrt(a), a),
    (da.abs(x) ** 2, x**2),
    (s(da.pi - x), s(x)),
    (s(x + da.pi / 2), c(x)),
    (c(x - da.pi), -c(x)),
    (da.tan(x + da.pi), da.tan(x)),
    (1 / (x + y) - 1 / (x - y), -2 * y / (x**2 - y**2)),
]


@pytest.mark.parametrize("index", range(len(TRUE_BEYOND_TRIGONOMETRY)))
def test_true_beyond_trigonometry(index, rng):
    left, right = TRUE_BEYOND_TRIGONOMETRY[index]
    assert difference(left, right, rng) < 1e-9
    assert da.equal(left, right)


def test_matrices_of_different_shape_are_not_equal():
    assert not da.equal(da.Matrix.identity(2), da.Matrix.identity(3))
    assert not da.equal([x, y], [x])
    assert da.equal(da.Matrix.column([s(2 * x), 1]), [2 * s(x) * c(x), s(x) ** 2 + c(x) ** 2])
    assert np.shape(da.Matrix.identity(2).evaluate({})) == (2, 2)
