"""Antiderivatives: differentiated again they are what was integrated, also in SymPy's numbers."""

from __future__ import annotations

import pytest
import sympy as sp

import dalembert as da
from dalembert.mechanics.results.integrals.antiderivative import antiderivative
from dalembert.mechanics.results.integrals.potential import potential

x, y, phi = da.coordinates("x y phi")
a, k = da.parameters("a k")
s, c = da.sin, da.cos

SIMPLE = [
    a * y,
    x**3 * y / (a + k),
    1 / x,
    3 / x**4,
    x**2 * s(2 * x + y),
    x * c(k * x),
    s(x) ** 2 * c(x) ** 3,
    s(x) * c(x + y),
    x**3 * da.exp(2 * x - y),
    2 * x / (x**2 + a**2),
    s(x) / c(x),
    1 / s(2 * x + y),
    k / c(x),
    (x**2 + y) * s(x) + x / y,
]


@pytest.mark.parametrize("e", SIMPLE, ids=str)
def test_simple_forms(e):
    F = antiderivative(e, x)
    assert F is not None
    assert da.equal(F.diff(x), e)
    # a difference of two values is the integral by SymPy's quadrature
    at = {y: 0.7, a: 1.3, k: 0.9}
    value = F.subs(at).evaluate({x: 1.1}) - F.subs(at).evaluate({x: 0.4})
    symbol = sp.Symbol("x")
    integrand = da.to_sympy(e.subs(at)).subs(da.to_sympy(x), symbol)
    assert float(value) == pytest.approx(float(sp.Integral(integrand, (symbol, 0.4, 1.1)).evalf()))


@pytest.mark.parametrize("e", [da.exp(x**2), da.sqrt(1 + x**3), s(x**2), s(x) / x, 1 / (x**2 + 1)])
def test_others_are_left_alone(e):
    assert antiderivative(e, x) is None


def test_potential():
    F = x**2 * y + s(phi) * x
    found = potential([F.diff(q) for q in (x, y, phi)], [x, y, phi])
    assert found is not None
    assert da.equal(found, F)
    # curl
    assert potential([y, -x], [x, y]) is None
    assert potential([y, 0 * x], [x, y]) is None
