"""What people, books and SymPy write is read; what can be read in two ways is refused."""

from __future__ import annotations

import random

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols, vlatex

import dalembert as da
from dalembert.errors import DalembertError, ParseError, UnknownName
from dalembert.expr import Expr
from dalembert.mechanics.points.compare import compare
from dalembert.reader import parse, parse_equation
from tests.cases import num_cases
from tests.effort import refused_at_once

q1, q2, theta, theta1, x, y, x1, x_1 = da.coordinates("q1 q2 theta theta1 x y x1 x_1")
m, m1, l, g, k, a_c1, Ixx1, m_pole = da.parameters("m m1 l g k a_c1 Ixx1 m_pole")
(F,) = da.inputs("F")
f, h = da.function("f"), da.function("h")
KNOWN = [q1, q2, theta, theta1, x, y, x1, x_1, m, m1, l, g, k, a_c1, Ixx1, m_pole, F, f, h]
s, c, sqrt = da.sin, da.cos, da.sqrt

READ: dict[str, Expr] = {
    # what word processors, documents and people in a hurry write
    "½ m x": m * x / 2,
    "⅔ m": 2 * m / 3,
    "m ℓ x": m * l * x,
    r"\frac12 m \ell": m * l / 2,
    "(g∕l) x – 1": g / l * x - 1,
    "m\u2009x\u00a0y": m * x * y,
    "theta’’": theta.ddot,
    "g sinθ + cosθ": g * s(theta) + c(theta),
    "m g sinθ cosx": m * g * s(theta) * c(x),
    "sinθ̇": s(theta.dot),
    "sinhx": (da.exp(x) - da.exp(-x)) / 2,
    # dots and primes
    "θ̈": theta.ddot,
    "theta''": theta.ddot,
    "theta′": theta.dot,
    "theta_ddot": theta.ddot,
    "theta1_dot": theta1.dot,
    "thetadot": theta.dot,
    "θ̇₁": theta1.dot,
    "ẋ_1": x_1.dot,
    "ẍ₁": x1.ddot,
    "d²θ/dt²": theta.ddot,
    "dx/dt": x.dot,
    "d/dt(m x)": m * x.dot,
    "Derivative(theta(t), t, 2)": theta.ddot,
    "Derivative(theta(t), (t, 2))": theta.ddot,
    "Derivative(x(t), t)*m": m * x.dot,
    "diff(m*x(t)^2, t)": 2 * m * x * x.dot,
    # products without a sign
    "2x": 2 * x,
    "m l² θ̈": m * l**2 * theta.ddot,
    "mgl": m * g * l,
    "m g l sin(θ)": m * g * l * s(theta),
    "x(y + 1)": x * (y + 1),
    "(x)(y)": x * y,
    "1/2 m x'^2": m * x.dot**2 / 2,
    "2(x + y)^2": 2 * (x + y) ** 2,
    # functions
    "sin²(q1) + cos^2(q1)": s(q1) ** 2 + c(q1) ** 2,
    "cos 2θ": c(2 * theta),
    "sin θ cos θ": s(theta) * c(theta),
    "sin θ θ̇": s(theta) * theta.dot,
    "sin(θ(t))": s(theta),
    "c₁₂ + s₁₋₂": c(q1 + q2) + s(q1 - q2),
    "|x| x": da.abs(x) * x,
    "k|ẋ|ẋ": k * da.abs(x.dot) * x.dot,
    "√2 x": sqrt(2) * x,
    "√(x² + 1)": sqrt(x**2 + 1),
    "³√x": x ** da.parse("1/3", []).value,
    "-x/³√x": -x / x ** da.parse("1/3", []).value,
    "1-⁴√x": 1 - x ** da.parse("1/4", []).value,
    "e^(-x)": da.exp(-x),
    "arcsin(x) + ln(y) + sgn(x)": da.asin(x) + da.log(y) + da.sign(x),
    "cosh(x)": (da.exp(x) + da.exp(-x)) / 2,
    "Abs(x)": da.abs(x),
    "f(x, y)": f(x, y),
    "∂f/∂x(x, y)": f(x, y).diff(x),
    "∂h/∂x ẋ": h(x).dot,
    "∂²f/∂x∂y(x, y)": f(x, y).diff(x).diff(y),
    "∂₁f(2 x, y)": f(x, y).diff(x).subs({x: 2 * x}),
    # LaTeX
    r"m l^2 \ddot\theta": m * l**2 * theta.ddot,
    r"\frac{1}{2} m \dot{x}^{2}": m * x.dot**2 / 2,
    r"\tfrac12 m\dot x^2": m * x.dot**2 / 2,
    r"\frac12mgl": m * g * l / 2,
    r"\dot{\theta}_{1}^2 + \dot\theta^2_1": 2 * theta1.dot**2,
    r"x_{\underline{1}} x_{1}": x_1 * x1,
    r"a_{c1} I_{xx1} m_{\mathrm{pole}}": a_c1 * Ixx1 * m_pole,
    r"\sin\theta\cos\theta": s(theta) * c(theta),
    r"\cos^2\theta + \sin^{2}\left(\theta\right)": c(theta) ** 2 + s(theta) ** 2,
    r"\sin(\theta - \theta_1)": s(theta - theta1),
    r"\cos \theta \, \dot{\theta}": c(theta) * theta.dot,
    r"m g l \sin\theta \dot\theta": m * g * l * s(theta) * theta.dot,
    r"\left|\dot{x}\right| \dot x": da.abs(x.dot) * x.dot,
    r"\sqrt[3]{x} + \sqrt{y}": x ** da.parse("1/3", []).value + sqrt(y),
    r"\mathrm{e}^{-x} + e^{y}": da.exp(-x) + da.exp(y),
    r"\frac{d}{dt}\left(m \dot x\right)": m * x.ddot,
    r"\frac{d^2\theta}{dt^2}": theta.ddot,
    r"\frac{\mathrm{d}x}{\mathrm{d}t}": x.dot,
    r"\frac{\partial f}{\partial x}\left(x, y\right)": f(x, y).diff(x),
    r"\frac{\partial h}{\partial x} \left(x + y\right)": h(x).diff(x) * (x + y),
    r"\partial_{1} f\left(2 x, y\right)": f(x, y).diff(x).subs({x: 2 * x}),
    r"\theta'' + \theta^{\prime}": theta.ddot + theta.dot,
    r"\operatorname{atan2}\left(x, y\right)": da.atan2(x, y),
    r"$m_1 x \cdot y$": m1 * x * y,
    r"c_{12} + s_{1-2}": c(q1 + q2) + s(q1 - q2),
}
READ_MATHML: dict[str, Expr] = {
    "<math><mi>m</mi><mo>&#x2062;</mo><mover><mi>θ</mi><mo>¨</mo></mover></math>": m * theta.ddot,
    "<mfrac><mi>x</mi><mn>2</mn></mfrac>": x / 2,
    "<msup><mi>x</mi><mn>2</mn></msup><mo>−</mo><msqrt><mi>y</mi></msqrt>": x**2 - sqrt(y),
    "<msup><mi>sin</mi><mn>2</mn></msup><mo>&#x2061;</mo><mo>(</mo><mi>θ</mi><mo>)</mo>": s(theta)
    ** 2,
}


@pytest.mark.parametrize("text", [*READ, *READ_MATHML])
def test_what_people_write(text: str) -> None:
    expected = (READ | READ_MATHML)[text]
    assert da.equal(parse(text, KNOWN), expected)


WRONG: dict[str, str] = {
    "x/2 y": "a/b c is read in two ways",
    "sin x y": "sin x y is read in two ways",
    "√x²": "√x² is read in two ways",
    "|x": r"\| for the \| at column 1",
    r"\frac{x}": "an argument",
    r"\frac{x}{y": "open {",
    r"\dot x}": "expected { before }",
    r"\foo x": "got the command 'foo'",
    r"\dot{x y}": "one letter below",
    r"\left(x": r"\) for the \(",
    r"\sqrt[y]{x}": "a whole degree",
    r"\frac{\partial f}{\partial x \partial y}": "expected a derivative such as",
    "∂f/∂x∂y(x, y)": "as many derivatives",
    "∂f/∂k(x, y)": "among the arguments of f",
    "<math><mi>x</math>": "close elements in turn",
    "<mfrac><mi>x</mi></mfrac>": "expected 2 elements in <mfrac>",
    "<mscript>x</mscript>": "expected a formula, got '<mscript>x'",
    "x''''''''''''": "at most 10 time derivatives of x, got 12",
    "m'": "a coordinate before .dot, got the parameter m",
    "Derivative(x, x+y)": "symbols and whole numbers",
    "Derivative(x, t, 99)": "expected 1 to 10 derivatives",
    "d²x/dt": "one of its squares is missing",
    "⟨large expression⟩": "correct the sign before it",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_pointed_at(text: str) -> None:
    with pytest.raises((ParseError, UnknownName), match=WRONG[text]) as error:
        parse(text, KNOWN)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 250


BOMBS = {
    "fractions": r"\frac" * 20_000,
    "halves": r"\frac12" * 14_000 + "\\",
    "braces": r"\dot" + "{" * 99_000,
    "dots": r"\dot{" * 16_000,
    "roots": r"\sqrt{" * 16_000,
    "subscripts": r"\theta" + "_1" * 40_000 + "}",
    "powers": r"\theta" + "^2" * 40_000 + "_",
    "rows": "<mrow>" * 16_000,
    "elements": "<mi>" * 20_000,
    "letters": r"\!" + "x" * 99_000,
    "names": "m" * 99_000,
    "ways": "ml" * 40 + "z",
    "derivatives": "Derivative(" * 150 + "x" + ", t, 9)" * 150,
    "dots of a sum": "d/dt(" * 150 + "+".join(["sin(x*y)"] * 500) + ")" * 150,
    "partials": "∂h/∂x(" * 199 + "x" * 200 + ")" * 10,
    "bars": "|" * 99_999,
}


def test_primes_of_functions_differentiate_by_the_argument():
    x, y = da.coordinates("x y")
    f = da.function("f")
    names = [x, y, f]
    assert parse("f'(x)", names) is f(x).diff(x)
    assert parse("f''(2 x)", names) is f(2 * x).diff(x).diff(x) / 4
    assert parse(r"f'\left(x\right)", names) is f(x).diff(x)
    assert parse(r"\dot{f} (x + y)", names) is parse("ḟ*(x + y)", names)
    with pytest.raises(ParseError, match="one argument of f"):
        parse("f'(x, y)", names)


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_at_once(name: str) -> None:
    message = str(refused_at_once(DalembertError, lambda: parse(BOMBS[name], KNOWN)))
    assert len(message) < 300


@pytest.mark.parametrize(
    "text", ["m x.ddot = F", "m x'' == F", r"m \ddot x &= F", r"m \ddot{x} = F"]
)
def test_equations(text: str) -> None:
    assert parse_equation(text, KNOWN) == (m * x.ddot, F)


@pytest.mark.parametrize(("text", "count"), [("x", 0), ("x = y = 1", 2)])
def test_an_equation_has_two_sides(text: str, count: int) -> None:
    with pytest.raises(ParseError, match=f"one = in an equation, got {count}"):
        parse_equation(text, KNOWN)


def test_a_word_that_is_two_products_is_refused() -> None:
    ml, l2, m_, ll = da.parameters("ml l2 m ll")
    with pytest.raises(ParseError, match="which is m l l or m ll"):
        parse("mll", [ml, l2, m_, ll, l])


def test_equal_names_of_two_kinds_need_a_mapping() -> None:
    (lam,) = da.multipliers("lam")
    (word,) = da.parameters("lambda")
    assert parse("λ lambda", [lam, word]) is lam * word


# ---- what SymPy writes

T = sp.Symbol("t")
SYMPY_Q = dynamicsymbols("theta x q1 q2")
SYMPY_P = sp.symbols("m l g k omega m_c l1 alpha", positive=True)
NAMES = ["theta", "x", "q1", "q2"]
SYMPY_KNOWN = [*da.coordinates(" ".join(NAMES)), *da.parameters("m l g k omega m_c l1 alpha")]
FUNCTIONS = [sp.sin, sp.cos, sp.exp, sp.sqrt, sp.Abs, sp.tanh, sp.tan, sp.sinh, sp.sign]


def sympy_expression(draw: random.Random, depth: int) -> sp.Expr:
    if not depth:
        kind = draw.random()
        if kind < 0.6:
            q = draw.choice(SYMPY_Q)
            return draw.choice([q, q, q.diff(T), q.diff(T, 2)])
        return draw.choice([*SYMPY_P, sp.Rational(draw.randint(1, 9), draw.randint(1, 5))])
    a = sympy_expression(draw, depth - 1)
    b = sympy_expression(draw, draw.randrange(depth))
    kind = draw.random()
    if kind < 0.35:
        return draw.choice([a + b, a - b, a**2])
    if kind < 0.7:
        return draw.choice([a * b, a * b, a / b])
    return draw.choice(
        [
            *(lambda f=f: f(a) for f in FUNCTIONS),
            lambda: sp.sin(a) ** 2,
            lambda: sp.log(a**2 + 1),
            lambda: sp.atan2(a, draw.choice(SYMPY_P)),
            lambda: (a**2 + 1) ** sp.Rational(2, 3),
        ]
    )()


def test_what_sympy_writes_is_read(draw: random.Random, scale: float) -> None:
    checked = 0
    for _ in range(num_cases(150, scale)):
        e = sympy_expression(draw, draw.randint(1, 4))
        try:
            truth = da.from_sympy(e, coordinates=NAMES)
        except DalembertError:
            # 1/(x - x)
            continue
        if e.has(sp.E, sp.re, sp.im):
            # the number by itself, or parts of complex numbers, are no names of the language
            continue
        for text in (str(e), sp.latex(e), vlatex(e)):
            found = compare([(parse(text, [*SYMPY_KNOWN, da.time]), truth)], draw)
            assert found.verdict == "equal", text
        checked += 1
    assert checked > 140 * min(scale, 1)
