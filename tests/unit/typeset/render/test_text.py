"""Unicode text: names, numbers, functions, matrices, sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.errors import InvalidExpression
from dalembert.typeset.printer import text as printed
from tests.effort import at_once

x, y, q1, q2, theta = da.coordinates("x y q1 q2 theta")
a, w = da.parameters("a omega")

NAMES = [
    (da.parameters("a_c1")[0], "a_c₁"),
    (da.parameters("I1")[0], "I₁"),
    (da.parameters("I_1")[0], "I_1"),
    (da.parameters("Ixx2")[0], "Ixx₂"),
    (da.parameters("I_xx2")[0], "I_xx₂"),
    (da.parameters("x1_2")[0], "x₁_2"),
    (da.parameters("m_pole")[0], "m_pole"),
    (da.parameters("lam")[0], "λ"),
    (da.multipliers("lambda1")[0], "λ₁"),
    (da.parameters("eps")[0] - da.parameters("epsilon")[0], "ϵ - ε"),
    (da.inputs("tau_m")[0], "τ_m"),
    (da.parameters("Omega12")[0], "Ω₁₂"),
    (da.coordinates("pole")[0].dot, "pole′"),
    (q1.dot, "q̇₁"),
    (theta.ddot, "θ̈"),
    (q1.ddot.dot, "q₁⁽³⁾"),
    (q1.ddot.dot**2, "(q₁⁽³⁾)²"),
]

NUMBERS_AND_FUNCTIONS = [
    (da.sin(da.pi / 3), "√3/2"),
    (da.sqrt(6) * x / 4, "√6 x/4"),
    (5 * a**2 / 12, "5 a²/12"),
    (-a * x / 2, "-a x/2"),
    (9.81 * a, "9.81 a"),
    (0.5 * a, "a/2"),
    (Fraction(3, 20) * a, "3 a/20"),
    (0.147 * a, "0.147 a"),
    (da.sqrt(x**2 + a**2), "√(a² + x²)"),
    (da.sqrt(x**2 + a**2).diff(x), "x/√(a² + x²)"),
    ((x**2 + 1) ** Fraction(2, 3), "(x² + 1)^(2/3)"),
    (a ** Fraction(1, 3), "³√a"),
    (da.exp(-x) * da.exp(a * y), "exp(a y - x)"),
    (da.tanh(x / a), "tanh(x/a)"),
    (abs(x) * da.sign(x.dot), "|x| sign(ẋ)"),
    (da.atan2(y, x), "atan2(y, x)"),
    (da.cos(w * da.time), "cos(ω t)"),
    (da.pi * a**2, "π a²"),
    (x / (a * y), "x/(a y)"),
    (x**12, "x¹²"),
]


@pytest.mark.parametrize(
    ("e", "text"), NAMES + NUMBERS_AND_FUNCTIONS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_text(e: da.Expr, text: str) -> None:
    assert str(e) == text


def test_short_sines_only_where_unambiguous() -> None:
    c1 = da.parameters("c1")[0]
    assert str(a * da.cos(q1)) == "a c₁"
    assert str(c1 * da.cos(q1)) == "c₁ cos(q₁)"
    assert str(da.cos(q1) * da.sin(theta)) == "cos(q₁) sin(θ)"
    assert str(da.cos(q1 - q2)) == "c₁₋₂"
    assert str(da.sin(2 * q1 + q2)) == "s₁₁₂"
    # a short sine belongs to a joint coordinate: s₁ never is the sine of something else
    assert str(da.sin(da.coordinates("p1")[0])) == "sin(p₁)"
    assert str(da.sin(da.coordinates("q_1")[0])) == "sin(q_1)"
    assert str(da.sin(da.coordinates("q12")[0])) == "sin(q₁₂)"
    assert printed(da.cos(q1), trig="long") == "cos(q₁)"
    with pytest.raises(InvalidExpression, match="auto"):
        printed(x, trig="brief")


def test_matrices() -> None:
    assert str(da.Matrix([[x, y]])) == "[x  y]"
    assert str(da.Matrix.zeros(0, 0)) == "[]"
    J = da.jacobian([x * da.cos(theta), x * da.sin(theta)], [x, theta])
    assert str(J).splitlines() == ["⎡cos(θ)  -x sin(θ)⎤", "⎣sin(θ)   x cos(θ)⎦"]
    rates = da.Matrix([[q1.dot, 1], [0, x], [1, 1]])
    assert str(rates).splitlines() == ["⎡q̇₁  1⎤", "⎢ 0  x⎥", "⎣ 1  1⎦"]


def test_one_style_of_sines_per_matrix() -> None:
    assert str(da.Matrix([[da.cos(q1), da.cos(q1 - q2)]])) == "[c₁  c₁₋₂]"
    assert str(da.Matrix([[da.cos(q1), da.cos(q1 - theta)]])) == "[cos(q₁)  cos(q₁ - θ)]"


def test_different_names_print_differently() -> None:
    letters = ("x", "I", "Ixx", "lam", "lambda", "eps", "epsilon", "q", "alpha")
    tails = ("", "1", "_1", "12", "1_2", "_1_2", "_c1", "_c_1", "_c", "_xx", "_xx1", "_alpha")
    names = [letter + tail for letter in letters for tail in tails]
    symbols = [*da.parameters(" ".join(names))]
    assert len({str(x) for x in symbols}) == len(names)
    assert len({x.latex() for x in symbols}) == len(names)


@pytest.mark.parametrize(
    ("step", "times"),
    [
        (lambda e: e * y + 1, 100_000),
        (lambda e: da.sin(e) + 1, 20_000),
    ],
    ids=["chain", "nested"],
)
def test_too_large_gives_words_at_once(step, times: int) -> None:
    e = x
    for _ in range(times):
        e = step(e)
    assert "expression of" in at_once(lambda: str(e))
    assert r"\langle\text{" in at_once(e.latex)


def test_a_power_too_large_to_expand_prints_as_typed() -> None:
    assert at_once(lambda: str((x + y) ** 900)) == "(x + y)⁹⁰⁰"


def test_deeply_nested_functions_print() -> None:
    e = x
    for _ in range(25):
        e = da.exp(e)
    assert str(e).count("exp") == 25
