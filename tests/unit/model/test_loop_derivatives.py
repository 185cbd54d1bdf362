"""Derivatives of the forward dynamics of mechanisms with loops and couplings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model
from tests.closed_mechanisms import Closed, bennett_linkage, five_bar, four_bar, pantograph

STEP = 1e-4


def geared_carts() -> Model:
    """Return two carts on springs whose positions are x₂ = 2 x₁."""
    return da.compile(
        da.Builder("carts")
        .link("first", mass=3)
        .prismatic("x1", "first", axis="x", parent="world", stiffness=7, damping=0.5)
        .link("second", mass=5)
        .prismatic("x2", "second", axis="x", parent="world", stiffness=11)
        .couple("gear", "x2", "x1", 2)
        .build()
    )


def test_geared_carts_by_hand() -> None:
    # (m₁ + 4 m₂) ẍ₁ = τ₁ - k₁ x₁ - d ẋ₁ + 2 (τ₂ - k₂ x₂)
    model, m = geared_carts(), 3 + 4 * 5
    by_q, by_v, by_tau = model.forward_dynamics_derivatives([0.1, 0.2], [0.3, 0.6], [1.0, 2.0])
    row = np.array([1.0, 2.0])[:, None]
    np.testing.assert_allclose(by_q, row * [-7, -2 * 11] / m, rtol=1e-14)
    np.testing.assert_allclose(by_v, row * [-0.5, 0] / m, rtol=1e-14)
    np.testing.assert_allclose(by_tau, row * [1, 2] / m, rtol=1e-14)


@pytest.mark.parametrize("make", [four_bar, five_bar, pantograph, bennett_linkage])
def test_loops_against_differences(make: Callable[[], Closed], rng: np.random.Generator) -> None:
    closed = make()
    model = closed.model
    rest = np.zeros(model.nv)
    q = da.simulate(model, closed.start, rest, [0, 1e-9], initial="project").q[0]
    # along the motions that the loops allow: beside them redundant rows contradict each other
    _, sizes, rows = np.linalg.svd(model.constraint_jacobian(q))
    P = rows[int((sizes > 1e-9 * sizes[0]).sum()) :].T
    v, tau = P @ rng.normal(size=P.shape[1]), rng.normal(size=model.nv)
    by_q, by_v, by_tau = model.forward_dynamics_derivatives(q, v, tau)
    integrate = model.configuration.integrate
    expected = (
        difference(lambda x: model.forward_dynamics(integrate(q, x, 1.0), v, tau), P),
        difference(lambda x: model.forward_dynamics(q, v + x, tau), P),
        difference(lambda x: model.forward_dynamics(q, v, tau + x), np.eye(model.nv)),
    )
    for ours, theirs in zip((by_q @ P, by_v @ P, by_tau), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-7 * max(1, np.abs(theirs).max()))


def difference(f: Callable[[np.ndarray], np.ndarray], directions: np.ndarray) -> np.ndarray:
    """Return derivatives along columns, by central differences of fourth order."""

    def slope(x: np.ndarray) -> np.ndarray:
        near, far = f(x * STEP) - f(-x * STEP), f(2 * x * STEP) - f(-2 * x * STEP)
        return (8 * near - far) / (12 * STEP)

    return np.stack([slope(x) for x in directions.T], axis=-1)
