"""Functions without a definition: values, derivatives, definitions, SymPy."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

import dalembert as da
from dalembert.expr.taylor.taylor import taylor

x, y = da.coordinates("x y")
m, k = da.parameters("m k")
f: Any = da.function("f")
g: Any = da.function("g")
t = sp.Symbol("t")
F, G = sp.Function("f"), sp.Function("g")
X, Y = sp.Function("x")(t), sp.Function("y")(t)


def test_the_same_name_and_arguments_give_the_same_node():
    assert f(x, y) is da.function("f")(x, y)
    assert f(x, y) is not f(y, x)
    assert f(x) is not g(x)
    assert f(x, 0.5) is f(x, y).subs({y: 0.5})


def test_derivatives_follow_the_chain_rule():
    fx, fy = f(x, y).diff(x), f(x, y).diff(y)
    assert f(x, y).dot is fx * x.dot + fy * y.dot
    assert fx.diff(y) is fy.diff(x)
    assert f(x, y).diff(m) == 0
    # d/dx f(x², x) = 2 x f₁ + f₂
    assert da.equal(
        f(x**2, x).diff(x),
        2 * x * f(x, y).diff(x).subs({x: x**2, y: x}) + f(x, y).diff(y).subs({x: x**2, y: x}),
    )
    assert da.hessian(f(x, y), [x, y]) == da.hessian(f(x, y), [x, y]).T


@pytest.mark.parametrize(
    "ours",
    [
        f(x, y),
        f(x, y).dot,
        f(x, y).ddot,
        da.sin(f(x, y)) ** 2 * g(x).ddot,
        (f(x, y) / g(x)).dot.dot,
        f(x, x).diff(x),
        f(2 * x, x * y).dot,
        f(g(x), m).ddot,
        g(da.time).ddot * x,
        f(x.dot, y).diff("x.dot"),
    ],
)
def test_sympy_and_back(ours):
    theirs: Any = da.to_sympy(ours)
    assert da.equal(da.from_sympy(theirs, functions="f g"), ours)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (f(x, y).ddot, sp.diff(F(X, Y), t, 2)),
        (f(2 * x, y).dot, sp.diff(F(2 * X, Y), t)),
        ((f(x, y) * g(x)).dot, sp.diff(F(X, Y) * G(X), t)),
        (g(g(x)).ddot, sp.diff(G(G(X)), t, 2)),
        (f(x, m).diff(x).diff(m), sp.diff(F(X, sp.Symbol("m")), X, sp.Symbol("m"))),
    ],
)
def test_derivatives_are_those_of_sympy(ours, theirs):
    assert da.equal(da.from_sympy(theirs, functions=[F, "g"]), ours)


def test_sympy_functions_must_be_listed():
    with pytest.raises(da.InvalidExpression, match="functions="):
        da.from_sympy(F(X, Y))
    # a function of time is a coordinate unless it is listed
    assert da.from_sympy(G(t)) is da.coordinates("g")[0]
    assert da.from_sympy(G(t), functions="g") is g(da.time)


def test_equality_is_exact():
    assert da.equal(f(da.sin(x) ** 2 + da.cos(x) ** 2, y), f(1, y))
    assert da.equal(f((x + y) ** 2, y), f(x**2 + 2 * x * y + y**2, y))
    assert da.equal(f(x, y) ** 2 - g(x) ** 2, (f(x, y) - g(x)) * (f(x, y) + g(x)))
    assert not da.equal(f(x, y), f(y, x))
    assert not da.equal(f(x), g(x))
    assert not da.equal(g(-x), -g(x))
    assert not da.equal(g(x + y), g(x) + g(y))
    assert not da.equal(g(x).diff(x), g(x))
    assert not da.equal(f(x, y).diff(x), f(x, y).diff(y))
    assert not da.equal(g(x).diff(x).diff(x) * g(x), g(x).diff(x) ** 2)


def test_a_definition_takes_its_derivatives_along():
    square = {f: lambda a, b: a**2 * b}
    assert da.equal(f(x, y).dot.subs(square), (x**2 * y).dot)
    assert da.equal(f(2 * x, y).diff(x).subs(square), 8 * x * y)
    # by an expression in the symbols it is defined with, wherever it is used
    for e in (f(x, y).ddot, f(y, x).diff(x).diff(x), f(x + y, 3)):
        assert da.equal(e.subs({f(x, y): x**2 * y}), e.subs(square))
    # symbols and functions at once
    assert f(x, y).subs({**square, x: 3}) == 9 * y
    assert g(f(x, y)).subs({g: da.sin}) is da.sin(f(x, y))


def test_copies_and_pickles_are_the_object():
    e = m * f(x, y).diff(x).dot
    assert pickle.loads(pickle.dumps(e)) is e


@pytest.mark.parametrize(
    ("work", "error", "words"),
    [
        (lambda: g(x).evaluate({x: 1}), da.EvaluationError, ["got g", "subs({g:"]),
        (lambda: float(g(2)), da.EvaluationError, ["got g"]),
        (lambda: da.compile_function(g(x), {"x": x}), da.InvalidExpression, ["got g", "bind"]),
        (lambda: f(), da.InvalidExpression, ["at least one argument of f"]),
        (lambda: da.function("sin"), da.InvalidExpression, ["use da.sin"]),
        (lambda: da.function("a b"), da.InvalidExpression, ["symbol name", "a b"]),
        (lambda: f(x, y).subs({f: lambda a: a}), da.InvalidExpression, ["2 arguments"]),
        (lambda: g(x).subs({g: 3}), da.InvalidExpression, ["lambda x", "got 3"]),
        (lambda: g(x).subs({g(2 * x): 3}), da.InvalidExpression, ["different symbols"]),
    ],
)
def test_what_has_no_value_says_what_to_do(work, error, words):
    with pytest.raises(error) as found:
        work()
    for word in words:
        assert word in str(found.value)


@pytest.mark.parametrize(
    ("e", "text", "latex"),
    [
        (f(x, y), "f(x, y)", r"f\left(x, y\right)"),
        (g(x).diff(x), "∂g/∂x", r"\frac{\partial g}{\partial x}"),
        (g(x).diff(x).diff(x), "∂²g/∂x²", r"\frac{\partial^{2} g}{\partial x^{2}}"),
        (
            f(x, y).diff(x).diff(y),
            "∂²f/∂x∂y(x, y)",
            r"\frac{\partial^{2} f}{\partial x \, \partial y}\left(x, y\right)",
        ),
        (g(2 * x).diff(x), "2 ∂₁g(2 x)", r"2 \partial_{1} g\left(2 x\right)"),
        (m / g(x).diff(x), "m/(∂g/∂x)", r"\frac{m}{\frac{\partial g}{\partial x}}"),
        (g(x).diff(x) ** 2, "(∂g/∂x)²", r"\left(\frac{\partial g}{\partial x}\right)^{2}"),
        (da.function("mu1")(x), "μ₁(x)", r"\mu_{1}\left(x\right)"),
        (f(x, y).diff(x) + f(y, x).diff(x), "∂f/∂x(x, y) + ∂f/∂x(y, x)", None),
    ],
)
def test_derivatives_are_printed_as_quotients(e, text, latex):
    assert str(e) == text
    if latex is not None:
        assert e.latex() == latex


def test_a_taylor_polynomial_has_the_derivatives():
    got = taylor([f(x, m * x**2)], [x], 3)[0]
    # f(x, y) = exp(x) y² at y = m x²: no term below x⁴
    assert da.equal(got.subs({f: lambda a, b: da.exp(a) * b**2}), 0)
    # f(x, y) = exp(x) (1 + y): 1 + x + (½ + m) x² + (1/6 + m) x³
    expected = 1 + x + (Fraction(1, 2) + m) * x**2 + (Fraction(1, 6) + m) * x**3
    assert da.equal(got.subs({f: lambda a, b: da.exp(a) * (1 + b)}), expected)
