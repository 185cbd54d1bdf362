"""The reference backend against an interpreter of one number at a time."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program import reference
from dalembert.kernel.program.trace import trace
from tests.unit.kernel.random_programs import interpret, random_program

X = da.parameters("x y z")


def test_agrees_with_the_interpreter(draw: random.Random) -> None:
    for _ in range(30):
        program, points = random_program(draw, 60)
        expected = np.array([interpret(program, point) for point in points]).reshape(3, 2, 3)
        for body in (program, optimise(program)):
            (found,) = reference.run(body, [np.array(points)])
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_batch_axes_broadcast() -> None:
    x, y, z = X
    program = trace("f", {"x": [x, y], "z": z}, {"u": [[x * z], [y * z]], "c": 2})
    a, b = np.arange(8.0).reshape(4, 1, 2), np.arange(3.0)
    u, c = reference.run(program, [a, b])
    assert u.shape == (4, 3, 2, 1)
    np.testing.assert_array_equal(u[..., 0], a * b[:, None])
    assert c.shape == (4, 3)
    assert np.all(c == 2.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_keeps_the_type(dtype: type) -> None:
    x, y, z = X
    program = optimise(trace("f", {"x": X}, {"u": da.sin(x) * y / 3 + da.sqrt(z)}))
    (u,) = reference.run(program, [np.array([0.5, 2.0, 9.0], dtype)])
    assert u.dtype == dtype
    assert u == pytest.approx(np.sin(0.5) * 2 / 3 + 3, rel=1e-6)


def test_complex_step_is_the_derivative() -> None:
    x, y, _ = X
    program = optimise(trace("f", {"x": X}, {"u": da.sin(x * y) / (x**2 + 1)}))
    point = np.array([0.7 + 1e-100j, 1.3, 0.0])
    (u,) = reference.run(program, [point])
    a, b = 0.7, 1.3
    slope = b * np.cos(a * b) / (a**2 + 1) - np.sin(a * b) * 2 * a / (a**2 + 1) ** 2
    assert u.imag * 1e100 == pytest.approx(slope, rel=1e-14)


def test_whole_numbers_compute_as_doubles() -> None:
    x, y, _ = X
    (u,) = reference.run(trace("f", {"x": X}, {"u": x / y}), [[1, 2, 3]])
    assert u == 0.5


def test_objects_keep_their_arithmetic() -> None:
    x, y, z = X
    program = trace("f", {"x": X}, {"u": x * y - z / y})
    given = np.array([Fraction(1, 3), Fraction(2), Fraction(5)], dtype=object)
    (u,) = reference.run(program, [given])
    assert u.item() == Fraction(2, 3) - Fraction(5, 2)


def test_empty_batch() -> None:
    (u,) = reference.run(trace("f", {"x": X}, {"u": X}), [np.empty((0, 3))])
    assert u.shape == (0, 3)


def test_wrong_inputs_are_named() -> None:
    program = trace("f", {"x": X}, {"u": X[0]})
    with pytest.raises(EvaluationError, match=r"expected 1 inputs \(x\), got 2"):
        reference.run(program, [1, 2])
    with pytest.raises(EvaluationError, match=r"'x' of shape \(..., 3\), got \(5, 2\)"):
        reference.run(program, [np.ones((5, 2))])
