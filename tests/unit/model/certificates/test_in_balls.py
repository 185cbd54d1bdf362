"""Programs in ball arithmetic, against mpmath."""

from __future__ import annotations

import random
from fractions import Fraction

import flint
import mpmath
import pytest

import dalembert as da
from dalembert.kernel.program.trace import trace
from dalembert.model.certificates.in_balls import InBalls, precision, rational_point

x, y, z, w = SYMBOLS = da.coordinates("x y z w")
POINT = {x: Fraction(3, 7), y: Fraction(-5, 9), z: Fraction(1, 3), w: Fraction(0)}
CASES = {
    "sin": (da.sin(x), lambda a, b: mpmath.sin(a)),
    "cos": (da.cos(x), lambda a, b: mpmath.cos(a)),
    "tan": (da.tan(x), lambda a, b: mpmath.tan(a)),
    "asin": (da.asin(x), lambda a, b: mpmath.asin(a)),
    "acos": (da.acos(x), lambda a, b: mpmath.acos(a)),
    "atan2": (da.atan2(y, x), lambda a, b: mpmath.atan2(b, a)),
    "exp": (da.exp(x), lambda a, b: mpmath.exp(a)),
    "log": (da.log(x), lambda a, b: mpmath.log(a)),
    "tanh": (da.tanh(x), lambda a, b: mpmath.tanh(a)),
    "abs": (da.abs(y), lambda a, b: -b),
    "sign": (da.sign(y), lambda a, b: mpmath.mpf(-1)),
    "sqrt": (da.sqrt(x), lambda a, b: mpmath.sqrt(a)),
    "pow": (x ** Fraction(-2, 3), lambda a, b: mpmath.cbrt(a) ** -2),
    "3/2": (x ** Fraction(3, 2), lambda a, b: a * mpmath.sqrt(a)),
    "pi": (da.pi * x + y / x, lambda a, b: mpmath.pi * a + b / a),
}


@pytest.mark.parametrize("name", CASES)
def test_balls_contain_the_value(name: str) -> None:
    value, truth = CASES[name]
    program = trace("f", {"x": SYMBOLS}, {"y": [value]})
    with precision(200), mpmath.workprec(300):
        (ball,) = InBalls(POINT, {"x": SYMBOLS}).run(program)["y"]
        expected = truth(mpmath.mpf(3) / 7, mpmath.mpf(-5) / 9)
        assert (
            ball.contains(flint.arb(mpmath.nstr(expected, 80)))
            or abs(ball - flint.arb(mpmath.nstr(expected, 80))) < flint.arb(10) ** -55
        )
        assert ball.rad() < 1e-50


def test_what_is_undefined_is_not_finite() -> None:
    program = trace("f", {"x": SYMBOLS}, {"y": [da.sqrt(y), 1 / w, da.log(y), x]})
    found = InBalls(POINT, {"x": SYMBOLS}).run(program)["y"]
    assert [v.is_finite() for v in found] == [False, False, False, True]


def test_precision_is_put_back() -> None:
    before = flint.ctx.prec
    with precision(before + 100):
        assert flint.ctx.prec == before + 100
    assert flint.ctx.prec == before


def test_rational_points_on_spheres() -> None:
    for seed in range(10):
        point = rational_point(SYMBOLS, [SYMBOLS], random.Random(seed))
        assert sum(v * v for v in point.values()) == 1
        assert all(point.values())
        free = rational_point(SYMBOLS, [], random.Random(seed))
        assert sum(v * v for v in free.values()) != 1


def test_an_evaluation_knows_zero_and_fractions() -> None:
    balls = InBalls(POINT, {"x": SYMBOLS})
    assert balls.is_zero(balls.value(w))
    assert not balls.is_zero(balls.value(x))
    assert not balls.is_zero(flint.arb(0, 1e-30))
    assert balls.number(Fraction(1, 2)) == flint.arb(0.5)
    balls.set_values([w], [flint.arb(3)])
    assert balls.ratio(balls.value(w), flint.arb(2)) == flint.arb(1.5)
    assert balls.reduced(flint.arb(2)) == flint.arb(2)
