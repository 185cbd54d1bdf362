"""What was typed stays, in an expression and in the equations derived from it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da

x, y, th, q1, p1 = da.coordinates("x y th q1 p1")
m, l, k, a, b, c, x0 = da.parameters("m l k a b c x0")


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        (lambda: x**2 + y**2 - l**2, "x² + y² - l²"),
        (lambda: m * (x.dot + l * y.dot) ** 2 / 2, "m (l ẏ + ẋ)²/2"),
        (lambda: b * (a + b), "b (a + b)"),
        (lambda: a * (b + c) * x, "a (b + c) x"),
        (lambda: k * (x - x0), "k (x - x₀)"),
        (lambda: k * (x - x0) ** 2 / 2, "k (x - x₀)²/2"),
        (lambda: (x - a) ** 2 + (y - b) ** 2 - l**2, "(x - a)² + (y - b)² - l²"),
        (lambda: k * (da.sqrt(x**2 + a**2) - l) ** 2 / 2, "k (√(a² + x²) - l)²/2"),
        (lambda: 0.15 * m, "3 m/20"),
        (lambda: Fraction(3, 20) * m, "3 m/20"),
        (lambda: 9.81 * m, "9.81 m"),
    ],
)
def test_an_expression_is_printed_as_typed(typed, printed):
    assert str(typed()) == printed


def test_squares_of_two_springs_share_their_factor():
    springs = k * (x - x0) ** 2 / 2 + k * (y - 2 * x) ** 2 / 2
    eq = da.System(kinetic=m * (x.dot**2 + y.dot**2) / 2, potential=springs, coordinates=[x, y])
    lines = str(eq.equations().derivation()).splitlines()
    assert "    V = k ((y - 2 x)² + (x - x₀)²)/2" in lines
    assert "    L = m (ẋ² + ẏ²)/2 - k ((y - 2 x)² + (x - x₀)²)/2" in lines


def test_a_common_factor_stays_outside_a_bracket_that_is_needed_anyway():
    potential = b * (a + b) * da.cos(q1) * da.cos(p1)
    eq = da.System(
        kinetic=m * (q1.dot**2 + p1.dot**2) / 2, potential=potential, coordinates=[q1, p1]
    )
    assert str(eq.equations()).splitlines()[0] == "m q̈₁ - b (a + b) cos(p₁) sin(q₁) = 0"
