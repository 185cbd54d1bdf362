"""Derivatives inside the ring agree with those on the graph."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.ring import canonical, partial, rebuild, ring_of, time_derivative

x, y = da.coordinates("x y")
a, b = da.parameters("a b")
FUNCTIONS = [
    a * x**3 * da.sin(x + 2 * y),
    da.cos(x * y) / (a + da.sin(x)),
    da.sqrt(1 + x**2) * da.exp(-a * x),
    da.asin(x / 4) + da.acos(y / 5) * da.atan2(x, y),
    da.log(2 + da.cos(x)) * da.tanh(x - y),
    abs(x - y) * da.sign(x) + abs(x + y),
    (x + 2 * a) ** da.parse("2/3", []).value,
    da.cos(a * da.time + x) * da.time**2,
]


@pytest.mark.parametrize("e", FUNCTIONS)
def test_partial_derivative(e: da.Expr) -> None:
    ring = ring_of([e], [x, y, a])
    inside = partial(ring, x)(canonical(ring, e))
    assert (inside - canonical(ring, e.diff(x))).is_surely_zero


@pytest.mark.parametrize("e", FUNCTIONS)
def test_total_time_derivative(e: da.Expr) -> None:
    ring = ring_of([e], [x.dot, y.dot])
    inside = time_derivative(ring, max_order=0)(canonical(ring, e))
    values = {x: 0.7, y: 0.4, x.dot: 0.3, y.dot: -0.9, a: 1.2, b: 0.5, da.time: 0.8}
    assert rebuild(inside).evaluate(values) == pytest.approx(e.dot.evaluate(values), rel=1e-10)
