"""Expressions are compared soundly: what differs is never called equal."""

from __future__ import annotations

import random

import pytest

import dalembert as da
from dalembert.mechanics.points.compare import compare
from tests.cases import num_cases
from tests.laws.statements import statement

x, y = da.coordinates("x y")
a, b = da.parameters("a b")
f = da.function("f")
s, c = da.sin, da.cos

EQUAL = {
    "fractions": (1 / x + 1 / y, (x + y) / (x * y)),
    "circle": (s(x) ** 2, 1 - c(x) ** 2),
    "angles": (s(x + 2 * y), s(x) * c(2 * y) + c(x) * s(2 * y)),
    "a term of an angle in two spellings": (s(x * y + a), s(y * x + a)),
    "roots": (da.sqrt(4 * x + 8), 2 * da.sqrt(x + 2)),
    "root in a denominator": (1 / (a + da.sqrt(x)), (a - da.sqrt(x)) / (a**2 - x)),
    "nested root": (da.sqrt(1 + da.sqrt(x)) ** 2, 1 + da.sqrt(x)),
    "cube root": (da.sqrt(x) ** 4 * (x**3 + 1), x**5 + x**2),
    "modulus": (da.abs(-x) ** 2 * y, x**2 * y),
    "tables": (da.exp(x) * da.log(y + 1) + f(x, y), f(x, y) + da.log(1 + y) * da.exp(x)),
    "derivatives of a function": (f(x, y).diff(x), f(x, y).diff(x)),
    "tan": (da.tan(x), s(x) / c(x)),
}
DIFFERENT = {
    "sign": (x - y, x + y),
    "modulus": (da.abs(x) * y, x * y),
    "root of a square": (da.sqrt(x**2), x),
    "two roots": (da.sqrt(x + a) + da.sqrt(y + a), 2 * da.sqrt(x + a)),
    "a derivative": (f(x, y).diff(x), f(x, y).diff(y)),
    "small": (x, x + y / 10**40),
    "sine": (s(2 * x), 2 * s(x)),
    "logarithm": (da.log(x), da.log(y)),
}


@pytest.mark.parametrize("case", EQUAL)
def test_what_is_equal(case: str) -> None:
    assert compare([EQUAL[case]], random.Random(1)).verdict == "equal"


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_differs(case: str) -> None:
    for seed in range(20):
        found = compare([(x, x), DIFFERENT[case]], random.Random(seed))
        assert (found.verdict, found.place) == ("different", 1)


def test_what_nothing_decides_is_alike() -> None:
    left = da.log(da.exp(x) + da.exp(2 * x))
    assert compare([(left, x + da.log(1 + da.exp(x)))], random.Random(1)).verdict == "alike"


def test_random_statements(draw: random.Random, scale: float) -> None:
    """Pairs of known truth, half of them true in disguise."""
    verdicts = {"equal": 0, "different": 0}
    for _ in range(num_cases(60, scale)):
        claim = statement(draw)
        found = compare([(claim.left, claim.right)], draw)
        if found.verdict in verdicts:
            assert (found.verdict == "equal") == claim.is_true, claim
            verdicts[found.verdict] += 1
    assert min(verdicts.values()) > 10 * min(scale, 1)
