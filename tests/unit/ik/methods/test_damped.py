"""The expressions of a damped step against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.ik.methods.damped_step import clamped, damped_step, free_columns


def symbols(name: str, *shape: int) -> Any:
    if not shape:
        return da.parameters(name)[0]
    return [symbols(f"{name}_{i}", *shape[1:]) for i in range(shape[0])]


@pytest.mark.parametrize("shape", [(1, 1), (6, 6), (6, 7), (3, 6), (7, 3)])
def test_step(shape: tuple[int, int], rng: np.random.Generator) -> None:
    J, e, lam = symbols("J", *shape), symbols("e", shape[0]), symbols("lam")
    step = da.compile_function(damped_step(J, e, lam), {"J": J, "e": e, "lam": lam})
    for damping in (1e-6, 0.1, 10.0):
        A, b = rng.normal(size=shape), rng.normal(size=shape[0])
        right = np.linalg.solve(A.T @ A + damping * np.eye(shape[1]), A.T @ b)
        assert step(A, b, damping) == pytest.approx(right, rel=1e-6, abs=1e-9)


def test_singular_step_is_finite() -> None:
    J, e = symbols("J", 3, 3), symbols("e", 3)
    step = da.compile_function(damped_step(J, e, 0), {"J": J, "e": e})
    A = np.outer([1.0, 2, 3], [1.0, -1, 2])
    assert np.isfinite(step(A, np.array([1.0, 2, 3]))).all()


def test_clamp_is_exact(rng: np.random.Generator) -> None:
    x, lower, upper = symbols("x"), symbols("lower"), symbols("upper")
    inputs = {"x": x, "lower": lower, "upper": upper}
    f = da.compile_function(clamped(x, lower, upper), inputs)
    for value in (-3.0, 3.0, 0.1, -0.7, 0.3, 1e300, *rng.normal(size=100)):
        assert f(value, -0.7, 0.3) == np.clip(value, -0.7, 0.3)
        assert f(value % 1, -1e9, 1e9) == value % 1


def test_columns_at_a_bound_are_held_only_outward() -> None:
    J, e, x = symbols("J", 1, 4), symbols("e", 1), symbols("x", 4)
    lower, upper = symbols("lower", 4), symbols("upper", 4)
    held = free_columns(J, e, [x[0], x[1], None, x[3]], lower, upper)
    inputs = {"J": J, "e": e, "x": x, "lower": lower, "upper": upper}
    f = da.compile_function(held, inputs)
    A, at = np.array([[1.0, 1.0, 1.0, -1.0]]), np.array([1.0, -1.0, 1.0, 0.5])
    bounds = -np.ones(4), np.ones(4)
    # e pulls every joint up: the first stands at its upper bound
    assert f(A, [1.0], at, *bounds).tolist() == [[0, 1, 1, -1]]
    # and down: the second stands at its lower one
    assert f(A, [-1.0], at, *bounds).tolist() == [[1, 0, 1, -1]]
