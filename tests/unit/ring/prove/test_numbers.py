"""Algebraic numbers are zero or not, and which is certain."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

import dalembert as da
from dalembert.expr import as_expr
from dalembert.ring.prove.numbers import is_zero_number
from tests.laws.statements import value

s, c, pi = da.sqrt, da.cos, da.pi

# from tables of radicals and of products of cosines
ZEROS = {
    "denesting": s(5 + 2 * s(6)) - s(2) - s(3),
    "Ramanujan": (as_expr(2) ** Fraction(1, 3) - 1) ** Fraction(1, 3)
    - (1 - as_expr(2) ** Fraction(1, 3) + as_expr(4) ** Fraction(1, 3))
    / as_expr(9) ** Fraction(1, 3),
    "three cosines": c(pi / 9) * c(2 * pi / 9) * c(4 * pi / 9) - Fraction(1, 8),
    "golden ratio": 2 * c(pi / 5) - (1 + s(5)) / 2,
    "heptagon": 8 * c(pi / 7) ** 3 - 4 * c(pi / 7) ** 2 - 4 * c(pi / 7) + 1,
    "quotient": 1 / (s(3) - s(2)) - s(3) - s(2),
    "π/24": da.sin(pi / 24) - s(2 - s(2 + s(3))) / 2,
}


@pytest.mark.parametrize("name", ZEROS)
def test_known_relations(name: str) -> None:
    assert is_zero_number(ZEROS[name]) is True
    assert is_zero_number(ZEROS[name] + Fraction(1, 10**60)) is False


def test_a_best_approximation_is_not_the_number(draw: random.Random) -> None:
    """√n differs from its convergents, by as little as 10⁻⁸⁰."""
    for _ in range(20):
        n = draw.choice([2, 3, 5, 6, 7, 10, 11])
        with mpmath.workdps(120):
            near = Fraction(int(mpmath.sqrt(n) * 10**80), 10**80)
        assert is_zero_number(s(n) - near) is False
        assert is_zero_number((s(n) - near) * (s(n) + near) - n + near**2) is True


def test_random_sums_agree_with_many_digits(draw: random.Random) -> None:
    for _ in range(40):
        p, q, r = (draw.randint(2, 30) for _ in range(3))
        left = (s(p) + s(q) * c(pi * r / 7)) ** 2
        right = p + q * c(pi * r / 7) ** 2 + 2 * s(p) * s(q) * c(pi * r / 7)
        difference = left - right + draw.choice([0, 0, Fraction(1, 10**40), s(2) / 10**30])
        with mpmath.workdps(100):
            expected = abs(value(difference, {})) < mpmath.mpf(10) ** -90
        assert is_zero_number(difference) is expected


@pytest.mark.parametrize("e", [pi - Fraction(355, 113), da.exp(1) - 3, da.cos(1), da.log(2)])
def test_other_numbers_are_not_decided(e: da.Expr) -> None:
    assert is_zero_number(e) is not True


def test_a_bound_too_fine_is_not_reached() -> None:
    e = as_expr(0)
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        e = s(p + s(e + p))
    assert is_zero_number(e - s(37 + s(e**4 - 74 * e**2 + 37**2))) is not False
