"""Bounds of expressions over boxes: they hold, and they are never less than zero."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.expr import Expr, sqrt
from dalembert.model import compile_function
from dalembert.simulation.events.bounds import bounds


def of_two(f: Expr, x: Expr, y: Expr):
    """Return centre and radius of f as a function of x, y and their radii."""
    r, s = da.parameters("r s")
    (ball,) = bounds([f], {x: r, y: s})
    inputs = {"x": x, "y": y, "r": r, "s": s}
    return compile_function({"centre": ball.centre, "radius": ball.radius}, inputs)


def test_radii_of_powers_do_not_round_below_zero(rng: np.random.Generator) -> None:
    x, y = da.parameters("x y")
    # of a root of squares, as in the length of a vector: a radius below zero has no root
    ball = of_two(sqrt(x**2 + y**2) + x**3, x, y)
    for _ in range(200):
        a, b = rng.uniform(-1, 1, 2)
        tiny = 10.0 ** rng.uniform(-25, -12)
        _, radius = ball(a, b, tiny, tiny)
        assert radius >= 0


def test_values_are_within_bounds(rng: np.random.Generator) -> None:
    x, y = da.parameters("x y")
    f = sqrt(x**2 + y**2) + x**3 - (x * y) ** 2
    ball, value = of_two(f, x, y), compile_function({"f": f}, {"x": x, "y": y})
    for _ in range(200):
        a, b = rng.uniform(-1, 1, 2)
        r, s = 10.0 ** rng.uniform(-6, 0, 2)
        centre, radius = ball(a, b, r, s)
        other = value(a + r * rng.uniform(-1, 1), b + s * rng.uniform(-1, 1))
        # the last places of both values
        assert abs(other - centre) <= radius + 1e-15
