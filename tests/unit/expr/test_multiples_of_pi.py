"""Floats that are simple multiples of π are π; other floats keep their decimal meaning."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import PI, as_expr
from dalembert.expr.rational import multiple_of_pi
from tests.cases import num_cases

q = da.coordinates("q")[0]
PARTS = [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 18, 20, 24, 30, 36, 45, 60, 72, 90, 180, 360]


@pytest.mark.parametrize("part", PARTS)
def test_multiples_are_found_however_they_are_computed(part: int) -> None:
    for k in range(1, 100 * part, 1 + part // 7):
        r = Fraction(k, part)
        for x in (k * math.pi / part, k / part * math.pi, math.pi / part * k, np.pi * k / part):
            assert (multiple_of_pi(x), multiple_of_pi(-x)) == (r, -r)
        assert multiple_of_pi(math.radians(k)) == Fraction(k, 180)


@pytest.mark.parametrize(
    "x",
    [
        *(0.0, 3.1415, 3.14159, 3.141592653589, 1.5708, 0.7853981633, math.e, 22 / 7, 1e308),
        *(math.inf, math.nan, math.pi * (1 + 1e-14), math.pi / 7, math.pi / 1000, 1e5 * math.pi),
    ],
)
def test_other_floats_are_none(x: float) -> None:
    assert multiple_of_pi(x) is None


def test_random_floats_are_none(draw: random.Random, scale: float) -> None:
    assert not any(multiple_of_pi(draw.uniform(-10, 10)) for _ in range(num_cases(100_000, scale)))


def test_pi_in_expressions() -> None:
    assert as_expr(math.pi) is PI
    assert as_expr(math.pi) == math.pi
    assert math.pi * q == da.pi * q
    assert q * np.pi == da.pi * q
    assert (q + np.float64(np.pi) / 2) is (q + da.pi / 2)
    assert str(da.sin(q + math.pi / 3)) == "sin(q + π/3)"
    assert da.equal(da.sin(q + math.pi), -da.sin(q))
    assert da.equal(da.cos(q + 2 * np.pi), da.cos(q))
    assert str(2 * np.pi * q) == "2 π q"
    assert da.Matrix([[math.pi / 4, q]])[0, 0] == da.pi / 4


def test_numbers_of_a_description_stay_decimals() -> None:
    """A mass or a length is a measured number, also if it is π to its last digit."""
    arm = da.Builder("arm").link("a", mass=math.pi, com=(math.pi, 0, 0), inertia=(9, 9, 9))
    built = arm.revolute("j", "a").build()
    assert built.link("a").inertia.m == Fraction("3.141592653589793")


def test_right_angles_in_a_lagrangian_vanish() -> None:
    """A pendulum measured from the horizontal: V = m g l sin(q − π/2) = −m g l cos q."""
    m, g, l = da.parameters("m g l")
    T, V = m * l**2 * q.dot**2 / 2, m * g * l * da.sin(q - math.pi / 2)
    system = da.System(kinetic=T, potential=V, coordinates=[q])
    assert da.equal(system.equations().N[0], m * g * l * da.sin(q))
    assert "1.57" not in str(system.equations())
