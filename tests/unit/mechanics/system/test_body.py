"""The orientation of a body is a rotation at every point, not at one."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.ring import random_point

q, r = da.coordinates("q r")
a, b = da.parameters("a b")
BALL = da.Matrix.diagonal([1, 1, 1])


def body(R: da.Matrix) -> da.Body:
    return da.Body(1, (0, 0, 0), BALL, R)


def test_a_scaled_rotation_is_refused_wherever_its_scale_is_one() -> None:
    # the scale 1 + (q - v) is one at q = v, for every point that a search with this seed tries
    rng = random.Random(1743)
    zeros = [random_point([q], rng)[q] for _ in range(12)]
    scale = q**0
    for v in {*zeros, Fraction(0), Fraction(1)}:
        scale = scale * (q - v)
    with pytest.raises(da.InvalidSystem, match="not orthonormal"):
        body(da.rotation_z(q) * (1 + scale))
    with pytest.raises(da.InvalidSystem, match="not orthonormal"):
        body(da.rotation_z(q) * (1 + da.sin(r) ** 2 * scale))


def test_a_reflection_is_refused() -> None:
    mirror = da.Matrix.diagonal([1, 1, -1])
    with pytest.raises(da.InvalidSystem, match="right-handed"):
        body(da.rotation_x(q) @ mirror)


ROTATIONS = {
    "product": da.rotation_z(q) @ da.rotation_x(r) @ da.rotation_y(q + r),
    "multiples": da.rotation_x(3 * q - r / 2) @ da.rotation_x(r),
    "about a skew axis": da.rotation_z(a) @ da.rotation_x(q) @ da.rotation_z(-a),
    "numbers": da.Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    "roots": da.Matrix(
        [
            [a / da.sqrt(a**2 + b**2), -b / da.sqrt(a**2 + b**2), 0],
            [b / da.sqrt(a**2 + b**2), a / da.sqrt(a**2 + b**2), 0],
            [0, 0, 1],
        ]
    ),
}


@pytest.mark.parametrize("case", ROTATIONS)
def test_rotations_are_accepted(case) -> None:
    assert body(ROTATIONS[case]).orientation is ROTATIONS[case]
