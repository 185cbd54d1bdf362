"""LaTeX: names, fractions, functions, matrices."""

from __future__ import annotations

import pytest

import dalembert as da

x, q1, q2, theta = da.coordinates("x q1 q2 theta")
m, l, g, w = da.parameters("m l g omega")

CASES = [
    (q1.dot, r"\dot{q}_{1}"),
    (theta.ddot, r"\ddot{\theta}"),
    (q1.ddot.dot, r"q_{1}^{(3)}"),
    (da.parameters("a_c1")[0], "a_{c1}"),
    (da.parameters("m_pole")[0], r"m_{\mathrm{pole}}"),
    (da.parameters("Ixx")[0], "I_{xx}"),
    (da.parameters("I_xx")[0], r"I_{\mathrm{xx}}"),
    (da.parameters("x_1")[0], r"x_{\underline{1}}"),
    (da.inputs("tau_m")[0], r"\tau_{m}"),
    (5 * l**2 / 12, r"\frac{5 l^{2}}{12}"),
    (l / 2 + x, r"\frac{l}{2} + x"),
    (-m * g * l / 2, r"-\frac{m g l}{2}"),
    (m * x.dot**2 / 2, r"\frac{1}{2} m \dot{x}^{2}"),
    (m * (x - l) ** 2 / 2, r"\frac{1}{2} m \left(x - l\right)^{2}"),
    (da.cos(q1 + q2) ** 2, r"c_{12}^{2}"),
    (da.cos(q1 - q2), r"c_{1-2}"),
    (m * da.sin(theta) ** 2, r"m \sin^{2} \theta"),
    (da.cos(theta) * theta.dot, r"\cos \theta \, \dot{\theta}"),
    (da.cos(w * da.time), r"\cos\left(\omega t\right)"),
    (da.sqrt(x**2 + l**2), r"\sqrt{l^{2} + x^{2}}"),
    (da.exp(-x), r"\mathrm{e}^{-x}"),
    (abs(x), r"\left|x\right|"),
    (x / (m + l), r"\frac{x}{m + l}"),
    (da.tan(theta), r"\tan \theta"),
]


@pytest.mark.parametrize(("e", "latex"), CASES, ids=[latex for _, latex in CASES])
def test_latex(e: da.Expr, latex: str) -> None:
    assert e.latex() == latex


def test_matrix() -> None:
    a = da.Matrix([[da.cos(q1), 0], [1, l / 2]])
    assert a.latex() == r"\begin{bmatrix} c_{1} & 0 \\ 1 & \frac{l}{2} \end{bmatrix}"
    assert da.Matrix.zeros(0, 0).latex() == r"\begin{bmatrix}\end{bmatrix}"
