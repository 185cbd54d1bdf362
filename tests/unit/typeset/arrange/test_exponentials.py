"""Exponentials and hyperbolic functions are printed as a lecturer writes them."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

x, y = da.coordinates("x y")
m, k, a, b, d, g, x0 = da.parameters("m k a b d g x0")
t = da.time


def system(kinetic: da.Expr, potential: da.Expr) -> da.Equations:
    q = [s for s in (x, y) if s in (kinetic + potential).symbols or s.dot in kinetic.symbols]
    return da.System(kinetic=kinetic, potential=potential, coordinates=q).equations()


LINE = m * x.dot**2 / 2
PLANE = m * (x.dot**2 + y.dot**2) / 2
WIRE = m * (x.dot**2 + da.ddt(a * np.cosh(x / a)) ** 2) / 2
SYSTEMS = {
    "Morse": (
        system(LINE, d * (1 - da.exp(-a * (x - x0))) ** 2),
        "m ẍ + 2 a d (exp(-a (x - x₀)) - exp(-2 a (x - x₀))) = 0",
    ),
    "Toda": (
        system(PLANE, da.exp(x - y) + a * da.exp(2 * (y - x))),
        "m ẍ + exp(x - y) - 2 a exp(2 (y - x)) = 0\nm ÿ + 2 a exp(2 (y - x)) - exp(x - y) = 0",
    ),
    "Yukawa": (
        system(LINE, -k * da.exp(-x / a) / x),
        "m ẍ + k (1/(a x) + 1/x²) exp(-x/a) = 0",
    ),
    "Gauss": (
        system(LINE, -k * da.exp(-(x**2) / (2 * a**2))),
        "m ẍ + k x exp(-x²/(2 a²))/a² = 0",
    ),
    "Caldirola": (
        system(LINE * da.exp(2 * b * t), k * x**2 * da.exp(2 * b * t) / 2),
        "m exp(2 b t) ẍ + 2 m b exp(2 b t) ẋ + k x exp(2 b t) = 0",
    ),
    "two exponentials": (
        system(LINE, k * da.exp(x) + a * da.exp(-x)),
        "m ẍ + k exp(x) - a exp(-x) = 0",
    ),
    "cosh": (system(LINE, k * np.cosh(x / a)), "m ẍ + k sinh(x/a)/a = 0"),
    "log cosh": (system(LINE, k * da.log(np.cosh(x / a))), "m ẍ + k tanh(x/a)/a = 0"),
    "Pöschl and Teller": (
        system(LINE, -k / np.cosh(a * x) ** 2),
        "m ẍ + 2 a k sinh(a x)/cosh³(a x) = 0",
    ),
    "bead on a catenary": (
        system(WIRE, m * g * a * np.cosh(x / a)),
        "m cosh²(x/a) ẍ + m sinh(x/a) cosh(x/a) ẋ²/a + m g sinh(x/a) = 0",
    ),
    "logistic": (
        system(LINE, k * da.log(1 + da.exp(x / a))),
        "m ẍ + k exp(x/a)/(a (1 + exp(x/a))) = 0",
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_equations_with_exponentials(name: str) -> None:
    eq, expected = SYSTEMS[name]
    assert str(eq) == expected


@pytest.mark.parametrize(
    ("e", "text", "latex"),
    [
        (np.cosh(x) ** 2, "cosh²(x)", r"\cosh^{2} x"),
        (np.sinh(x + y) * k, "k sinh(x + y)", r"k \sinh\left(x + y\right)"),
        (1 / np.cosh(x), "1/cosh(x)", r"\frac{1}{\cosh x}"),
        (np.cosh(x) + np.sinh(x), "exp(x)", r"\mathrm{e}^{x}"),
        (np.cosh(x) - a * da.exp(x), "(1/2 - a) exp(x) + exp(-x)/2", None),
        (np.cosh(-x) * np.cosh(y), None, None),
    ],
    ids=str,
)
def test_hyperbolic_functions(e: da.Expr, text: str | None, latex: str | None) -> None:
    """What no case names is read back by the hook of all tests."""
    assert text is None or str(e) == text
    assert latex is None or e.latex() == latex


def test_a_function_of_a_person_has_another_name() -> None:
    with pytest.raises(da.InvalidExpression, match="cosh"):
        da.function("cosh")
