"""Angles with functions inside: none is written by an angle that has it inside."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

import dalembert as da
from dalembert.ring import canonical, ring_of
from dalembert.ring.choose.angles import independent_angles
from dalembert.ring.rebuild import rebuild
from tests.cases import num_cases
from tests.laws.statements import value

x, y = da.coordinates("x y")
s, c = da.sin, da.cos

DIGITS = 60
# rounding of sixty digits through some hundred operations, with a cancellation of ten digits
AGREED = 1e-45


def nested(rng: random.Random, depth: int) -> da.Expr:
    """Return a sine or cosine of a sum of symbols and such functions, ``depth`` inside another."""
    if not depth:
        return rng.choice([x, y, x + y, 2 * x, x / 2, x - y])
    angle = 0 * x
    for _ in range(rng.randint(1, 3)):
        k = Fraction(rng.choice((1, 1, 1, -1, 2, 3, -2)), rng.choice((1, 1, 1, 2, 3)))
        angle = angle + k * rng.choice([x, y, nested(rng, depth - 1)])
    return rng.choice([s, s, c])(angle)


def disagreement(e: da.Expr, *, ordered: bool) -> float:
    """Return how far the canonical form is from the expression at a point, by mpmath."""
    written = rebuild(canonical(ring_of([e], ordered=ordered), e))
    point = {x: Fraction(31, 97), y: Fraction(-53, 89)}
    with mpmath.workdps(DIGITS):
        return float(abs(value(e, point) - value(written, point)))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(
    "e",
    [
        # x is the difference of two angles that have sin 5x inside
        s(x + s(5 * x)) + s(2 * x + s(5 * x)),
        s(x + s(x)) + s(x / 2 + s(x)) + s(x),
        # fractions beside sums with functions inside
        s(y / 2 - s(y + 2 * s(y)) * Fraction(2, 3)) + 2 * s(x),
        s(c(s(y)) / 2) + s(c(s(y) - c(2 * x)) + x / 3) + s(x / 2 + s(3 * y)),
    ],
    ids=str,
)
def test_angles_inside_of_others_have_a_place(e: da.Expr, ordered: bool) -> None:
    assert disagreement(e, ordered=ordered) < AGREED


def test_an_angle_in_two_groups_is_counted_once() -> None:
    """Two groups of angles had (x + 2y)/6 both, and waves of it the double frequency."""
    u = x + 2 * y - Fraction(2, 3) * (x - y)
    e = c(u) - c(c(s(-3 * x) - s(3 * x / 2))) + s(y) * c(u) + 2 * s(c(2 * s(3 * x - 10 * y / 3)))
    assert disagreement(e, ordered=True) < AGREED


@pytest.mark.parametrize("ordered", [False, True])
def test_random_nested_angles_keep_their_value(
    ordered: bool, draw: random.Random, scale: float
) -> None:
    for _ in range(num_cases(12, scale)):
        parts = [nested(draw, draw.randint(1, 3)) for _ in range(draw.randint(2, 4))]
        e = sum((draw.choice((1, 2, -1)) * part * draw.choice([1, parts[0]]) for part in parts), x)
        assert disagreement(e, ordered=ordered) < AGREED, e


def test_half_an_angle_makes_no_half_of_another() -> None:
    """Beside cos(y/2 + z) the angle of sin x was x/2."""
    found = independent_angles([{x: Fraction(1)}, {x: Fraction(1), y: Fraction(1, 2)}])
    assert found == [{x: Fraction(1)}, {x: Fraction(1), y: Fraction(1, 2)}]
