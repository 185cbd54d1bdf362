"""Signs that can be read off terms: never claimed where a value contradicts them."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.mechanics.proofs.nonnegative import (
    is_manifestly_nonnegative,
    is_manifestly_positive,
)
from dalembert.ring import canonical, ring_of

x, y = da.coordinates("x y")
a, b = da.parameters("a b")
third = Fraction(1, 3)


def element(e: da.Expr):
    return canonical(ring_of([e]), e)


POSITIVE = {
    "parameters": a / 2 + 2 * a * b**3,
    "square beside a parameter": a + x**2,
    "sum of squares of an angle": a + b * da.sin(x) ** 2,
    "the other way": a + b - b * da.cos(x) ** 2,
    "two angles": a + b * da.sin(x) ** 2 * da.sin(y) ** 2,
    "quotient": (a + x**2) / (b + y**2),
    "root of a prime": da.sqrt(2) * a + b,
    "number": 3 + 0 * x,
}
NONNEGATIVE = {
    "zero": 0 * x,
    "square": a * x**2 * y**4,
    "modulus": a * abs(x),
    "exponential": da.exp(x) * x**2,
    "square root": da.sqrt(x) * a,
    "square of a sine": b * da.sin(x) ** 2,
    "squared sign": da.sign(x) ** 2,
}
NEITHER = {
    "coordinate": x,
    "odd power": a * x**3,
    "sine": a * da.sin(x),
    "difference": a - b,
    "negative": -a,
    "product of coordinates": x * y,
    "cube root": x**third,
    "logarithm": da.log(a),
    "sign": da.sign(x),
    "time": da.time,
    "quotient by a coordinate": a / x,
    "negative quotient": -a / (b + x**2),
    "input": da.inputs("u")[0],
    "too much cosine": a - 2 * a * da.cos(x) ** 2,
}


@pytest.mark.parametrize("case", POSITIVE)
def test_positive(case) -> None:
    assert is_manifestly_positive(element(POSITIVE[case]))
    assert is_manifestly_nonnegative(element(POSITIVE[case]))
    assert not is_manifestly_nonnegative(element(-POSITIVE[case]))


@pytest.mark.parametrize("case", NONNEGATIVE)
def test_nonnegative_may_be_zero(case) -> None:
    assert is_manifestly_nonnegative(element(NONNEGATIVE[case]))
    assert not is_manifestly_positive(element(NONNEGATIVE[case]))


@pytest.mark.parametrize("case", NEITHER)
def test_what_may_be_negative_is_not_claimed(case) -> None:
    assert not is_manifestly_nonnegative(element(NEITHER[case]))
    assert not is_manifestly_positive(element(NEITHER[case]))
