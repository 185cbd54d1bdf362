"""Intervals enclose the exact results, of ends and of points between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import flint
import numpy as np
import pytest

from dalembert.kernel.program.program import PI
from dalembert.model.certificates.rounding import intervals
from dalembert.model.certificates.rounding.intervals import Interval
from tests.cases import num_cases

CASES = 300


def random_interval(rng: np.random.Generator, low: float = -1e6) -> Interval:
    """Return an interval of any size, often with a zero or an end at zero."""
    a, b = (float(x) for x in rng.normal(size=2) * 10.0 ** rng.integers(-8, 6))
    a, b = (0.0 if rng.random() < 0.1 else a), b
    lower, upper = max(low, min(a, b)), max(low, a, b)
    return lower, upper


def points(x: Interval, rng: np.random.Generator) -> list[Fraction]:
    """Return both ends and exact points between them."""
    a, b = map(Fraction, x)
    return [a, b, *(a + (b - a) * Fraction(int(rng.integers(0, 1001)), 1000) for _ in range(3))]


def encloses(x: Interval, value: Fraction) -> bool:
    return Fraction(x[0]) <= value <= Fraction(x[1])


ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_sums_and_products_enclose_the_exact_ones(name: str, rng, scale) -> None:
    for _ in range(num_cases(CASES, scale)):
        x, y = random_interval(rng), random_interval(rng)
        found = getattr(intervals, name)(x, y)
        for a in points(x, rng):
            for b in points(y, rng):
                assert encloses(found, ARITHMETIC[name](a, b))


def test_quotients_squares_and_roots(rng, scale) -> None:
    for _ in range(num_cases(CASES, scale)):
        x, y = random_interval(rng), random_interval(rng)
        for a in points(x, rng):
            assert encloses(intervals.square(x), a * a)
            assert encloses(intervals.absolute(x), abs(a))
            assert intervals.distance(x) <= abs(a) <= intervals.size(x)
        if not y[0] <= 0 <= y[1]:
            found = intervals.div(x, y)
            assert all(encloses(found, a / b) for a in points(x, rng) for b in points(y, rng))
        z = random_interval(rng, low=0.0)
        lower, upper = intervals.root(z)
        assert all(Fraction(lower) ** 2 <= a <= Fraction(upper) ** 2 for a in points(z, rng))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_waves_enclose_what_lies_between(name: str, rng, scale) -> None:
    wave = {"sin": intervals.sine, "cos": intervals.cosine}[name]
    for _ in range(num_cases(CASES, scale)):
        middle = float(rng.uniform(-20, 20))
        width = float(rng.choice([0.0, 1e-9, 0.1, 2.0, 5.0, 8.0])) * float(rng.random())
        x = (middle, middle + width)
        lower, upper = wave(x)
        for a in points(x, rng):
            value = getattr(flint.arb(flint.fmpq(a.numerator, a.denominator)), name)()
            assert value >= lower
            assert value <= upper
        # no wider than the wave is steep
        assert upper - lower <= min(2.0, width + 1e-14)


@pytest.mark.parametrize("k", [*range(-5, 6), 318309, -318310])
def test_peaks_are_enclosed_from_both_sides(k: int) -> None:
    peak = k * math.pi
    for ends in ((peak - 0.3, peak + 1e-4), (peak - 1e-4, peak + 0.3), (peak - 0.1, peak + 0.1)):
        assert (-1.0) ** k in intervals.cosine(ends)


def test_monotone_functions(rng, scale) -> None:
    for _ in range(num_cases(CASES, scale)):
        low, high = sorted(float(v) for v in rng.uniform(-0.99, 0.99, 2))
        x = (low, high)
        for name in ("exp", "tanh", "asin", "tan"):
            lower, upper = intervals.increasing(name, x)
            for a in points(x, rng):
                value = getattr(flint.arb(flint.fmpq(a.numerator, a.denominator)), name)()
                assert value >= lower
                assert value <= upper
        z = (1 + x[0], 1 + x[1])
        for exponent in (Fraction(1, 3), Fraction(-2, 3), Fraction(5, 7)):
            lower, upper = intervals.power(z, exponent)
            for a in z:
                value = flint.arb(a) ** flint.arb(
                    flint.fmpq(exponent.numerator, exponent.denominator)
                )
                assert value >= lower
                assert value <= upper


def test_constants_know_their_error() -> None:
    assert intervals.constant(Fraction(3, 4)) == ((0.75, 0.75), 0.0)
    x, error = intervals.constant(Fraction(1, 3))
    assert encloses(x, Fraction(1, 3))
    assert abs(Fraction(1 / 3) - Fraction(1, 3)) <= Fraction(error) <= Fraction(1, 2**54)
    x, error = intervals.constant(PI)
    assert x[0] < math.pi < x[1]
    # π - float(π) = 1.2246e-16
    assert 1.2246e-16 <= error <= 1.2247e-16
    assert intervals.constant(Fraction(10) ** 400)[1] == math.inf


def test_what_is_not_a_number_is_everything() -> None:
    whole = (-math.inf, math.inf)
    assert intervals.mul(whole, (0.0, 0.0)) == whole
    assert intervals.add((-math.inf, 0.0), (math.inf, math.inf)) == whole
    assert intervals.increasing("exp", whole) == whole
    assert intervals.sine(whole) == (-1.0, 1.0)
