"""Taylor polynomials against SymPy, and where there is none."""

from fractions import Fraction
from typing import Any

import pytest
import sympy

import dalembert as da
from dalembert.errors import InvalidExpression
from dalembert.expr import Expr, as_expr

x, y = da.coordinates("x y")
(a,) = da.parameters("a")

CASES = [
    (da.sin(x), {x: 0}),
    (da.cos(x * y + a), {x: 0, y: 0}),
    (da.tan(x), {x: da.pi / 4}),
    (da.exp(x) * da.log(1 + x), {x: 0}),
    (da.sqrt(a**2 + x**2 + y), {x: 0, y: 0}),
    (1 / (a - x) ** 2, {x: 0}),
    (da.tanh(x + x**2), {x: 0}),
    (da.asin(x / 2) + da.acos(x * y / 3), {x: 0, y: 1}),
    (da.atan2(1 + y, 2 + x), {x: 0, y: 0}),
    ((1 + x) ** Fraction(5, 3), {x: 0}),
    ((x + y) ** 7, {x: 1, y: -1}),
]


@pytest.mark.parametrize(("e", "about"), CASES, ids=[str(e)[:30] for e, _ in CASES])
@pytest.mark.parametrize("order", [0, 1, 4])
def test_polynomial_is_that_of_sympy(e: Expr, about: dict, order: int) -> None:
    eps = sympy.Symbol("eps", real=True)
    # SymPy by repeated differentiation along the line a + ε (x - a)
    points = {da.to_sympy(v): da.to_sympy(as_expr(at)) for v, at in about.items()}
    line = {v: at + eps * (v - at) for v, at in points.items()}
    f = da.to_sympy(e).subs(line, simultaneous=True)
    wanted = sum(sympy.diff(f, eps, k).subs(eps, 0) / sympy.factorial(k) for k in range(order + 1))
    got = da.to_sympy(e.series(about, order))
    numbers: Any = {da.to_sympy(x): 0.37, da.to_sympy(y): -0.21, da.to_sympy(a): 1.3}
    assert abs(sympy.N((got - wanted).subs(numbers), 30)) < 1e-12


def test_a_polynomial_is_its_own_series() -> None:
    e = x**3 * y - 2 * x + 5
    assert da.equal(e.series([x, y], 4), e)
    assert da.equal(e.series([x, y], 3), 5 - 2 * x)


def test_away_from_its_kink_a_modulus_is_smooth() -> None:
    assert da.equal((da.abs(x - 2) * x).series([x], 2), (2 - x) * x)
    assert da.equal((da.sign(x - 2) * x).series([x], 2), -x)


def test_velocities_are_small_only_where_named() -> None:
    e = da.cos(x) * x.dot**2
    assert da.equal(e.series([x], 2), (1 - x**2 / 2) * x.dot**2)
    assert da.equal(e.series([x, x.dot], 2), x.dot**2)


@pytest.mark.parametrize(
    ("e", "words"),
    [
        (da.abs(x), "smooth"),
        (da.sign(x + x**2), "smooth"),
        (da.sqrt(x), "root"),
        (1 / da.sin(x), "denominator"),
    ],
)
def test_no_series_at_a_kink_or_a_pole(e: Expr, words: str) -> None:
    with pytest.raises(InvalidExpression, match=words):
        e.series([x], 2)


def test_order_and_symbols_are_checked() -> None:
    with pytest.raises(InvalidExpression, match="order"):
        da.sin(x).series([x], -1)
    with pytest.raises(InvalidExpression, match="symbol"):
        da.sin(x).series([x + 1], 2)
