"""SymPy objects out and in again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

from dalembert.errors import InvalidExpression, MissingDependency, TooLarge
from dalembert.expr import (
    PI,
    Matrix,
    abs_,
    acos,
    as_expr,
    asin,
    atan2,
    coordinates,
    cos,
    ddt,
    exp,
    inputs,
    log,
    multipliers,
    parameters,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    time,
)
from dalembert.expr.mixing.from_sympy import from_sympy
from dalembert.expr.mixing.to_sympy import to_sympy
from tests.cases import num_cases

q, r = coordinates("q r")
m, l, g = parameters("m l g")
(tau,) = inputs("tau")
(lam,) = multipliers("lam")
t = sp.Symbol("t")
Q, R = dynamicsymbols("q r")
M, L, G = sp.symbols("m l g")
POINT = {q: 0.7, r: -0.4, m: 1.5, l: 0.3, g: 9.81, time: 0.2, tau: 2.5, lam: -0.6}
POINT |= {q.dot: 0.9, q.ddot: -1.1}


def number(expression) -> float:
    """Evaluate a SymPy expression at POINT, with SymPy's own arithmetic."""
    rates = {Q.diff(t, 2): POINT[q.ddot], Q.diff(t): POINT[q.dot]}
    values = {Q: POINT[q], R: POINT[r], M: POINT[m], L: POINT[l], G: POINT[g], t: POINT[time]}
    values |= {sp.Symbol("tau"): POINT[tau], sp.Symbol("lam"): POINT[lam]}
    return float(sp.N(expression.subs(rates).subs(values), 30))


# ---- out


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (as_expr(9.81), sp.Rational(981, 100)),
        (PI, sp.pi),
        (m, M),
        (time, t),
        (tau, sp.Symbol("tau")),
        (lam, sp.Symbol("lam")),
        (q, Q),
        (q.dot, dynamicsymbols("q", 1)),
        (q.ddot, dynamicsymbols("q", 2)),
        (q.ddot.dot, dynamicsymbols("q", 3)),
        (m * q.dot**2 / 2 - m * g * l * cos(q), M * Q.diff(t) ** 2 / 2 - M * G * L * sp.cos(Q)),
        (sin(q) / (m * r), sp.sin(Q) / (M * R)),
        (sqrt(q**2), sp.sqrt(Q**2)),
        (m ** Fraction(-2, 3), M ** sp.Rational(-2, 3)),
        (atan2(q, r), sp.atan2(Q, R)),
        (tan(q) * tanh(r), sp.tan(Q) * sp.tanh(R)),
        (asin(m) + acos(l), sp.asin(M) + sp.acos(L)),
        (exp(-q) * log(m), sp.exp(-Q) * sp.log(M)),
        (abs_(q) * sign(q), sp.Abs(Q) * sp.sign(Q)),
        (-(q - r) * 3, (R - Q) * 3),
    ],
)
def test_to_sympy_gives_the_object_one_would_write(ours, theirs):
    assert to_sympy(ours) == theirs


def test_to_sympy_of_matrices_lists_and_numbers():
    a = to_sympy(Matrix([[q, 1], [0, m]]))
    assert a == sp.Matrix([[Q, 1], [0, M]])
    assert to_sympy(Matrix.zeros(0, 3)).shape == (0, 3)
    assert to_sympy([q, 2, (m)]) == [Q, 2, M]
    assert to_sympy(0.5) == sp.Rational(1, 2)


def test_names_that_sympy_could_not_tell_apart_are_refused():
    (other,) = inputs("m")
    with pytest.raises(InvalidExpression, match="'m' as parameter and as input"):
        to_sympy(m * other)
    (clock,) = parameters("t")
    with pytest.raises(InvalidExpression, match="'t'"):
        to_sympy(clock + time)
    # a coordinate is a function in SymPy: no confusion
    (plain,) = parameters("q")
    assert to_sympy(plain * q) == sp.Symbol("q") * Q


# ---- in


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sp.Integer(3), as_expr(3)),
        (sp.Rational(-2, 7), as_expr(Fraction(-2, 7))),
        (sp.Float(9.81), as_expr(9.81)),
        (sp.Float(0.1 + 0.2), as_expr(0.1 + 0.2)),
        (sp.Float("0.1", 50), as_expr(0.1)),
        (sp.Float("1.5e-3", 5), as_expr(0.0015)),
        (sp.Float("1e-400", 20), as_expr(Fraction(1, 10**400))),
        (sp.Float(0), as_expr(0)),
        (sp.pi / 2, PI / 2),
        (sp.E, exp(1)),
        (sp.exp(Q), exp(q)),
        (sp.S.Half * M, m / 2),
        (M / (L * G), m / (l * g)),
        (1 / M**2, 1 / m**2),
        (M**-0.5, 1 / sqrt(m)),
        (sp.sqrt(M) / sp.sqrt(L), sqrt(m) / sqrt(l)),
        (M - L, m - l),
        (-M, -m),
        (sp.atan(Q), atan2(q, 1)),
        (sp.cot(Q), cos(q) / sin(q)),
        (sp.sec(Q), 1 / cos(q)),
        (sp.csc(Q), 1 / sin(q)),
        (sp.sinh(Q), (exp(q) - exp(-q)) / 2),
        (sp.cosh(Q), (exp(q) + exp(-q)) / 2),
        (sp.coth(Q), 1 / tanh(q)),
        (2**Q, exp(q * log(2))),
        (M**sp.pi, exp(PI * log(m))),
        (sp.Abs(sp.exp(M)), exp(m)),
        (sp.conjugate(M), m),
        (sp.im(M), as_expr(0)),
        (sp.Derivative(Q, t), q.dot),
        (sp.Derivative(Q, t, t), q.ddot),
        (t * Q, time * q),
        (sp.Symbol("m", positive=True), m),
        (sp.Function("q", real=True)(t), q),
        (sp.Function("q")(sp.Symbol("t", nonnegative=True)), q),
        (3, as_expr(3)),
        (0.25, as_expr(0.25)),
    ],
)
def test_from_sympy(theirs, ours):
    assert from_sympy(theirs) is ours


def test_kinds_are_chosen_by_name_or_by_object():
    F, S = sp.Function("F")(t), sp.Symbol("s")
    (s,) = coordinates("s")
    (force,) = inputs("F")
    assert from_sympy(F * S, inputs=["F"], coordinates=["s"]) is force * s
    assert from_sympy(F * S, inputs=[F], coordinates=[S]) is force * s
    assert from_sympy(F * S, inputs="F", coordinates="s, x") is force * s
    assert from_sympy(F, inputs=[sp.Function("F")]) is force
    assert from_sympy(sp.Symbol("lam") * M, multipliers=["lam"]) is lam * m
    assert from_sympy(sp.Symbol("tau"), inputs=[sp.Symbol("tau")]) is tau
    clock = sp.Symbol("s")
    assert from_sympy(sp.Function("q")(clock).diff(clock) * clock, time=clock) is q.dot * time
    assert from_sympy(t, time="s") is parameters("t")[0]


def test_matrices_and_lists():
    a = from_sympy(sp.Matrix([[Q, 1], [M, 0]]))
    assert a == Matrix([[q, 1], [m, 0]])
    assert from_sympy(sp.ImmutableMatrix([[Q, R]])) == Matrix([[q, r]])
    assert from_sympy(sp.zeros(0, 3)).shape == (0, 3)
    assert from_sympy([Q, sp.Matrix([M]), 2]) == [q, Matrix([[m]]), 2]
    assert from_sympy(sp.Tuple(Q, R)) == [q, r]


X = sp.Symbol("x")


@pytest.mark.parametrize(
    ("theirs", "named"),
    [
        ("x + 1", "objects only"),
        ("__import__('os')", "da.parse"),
        (b"x", "objects only"),
        (sp.I * X, "ImaginaryUnit"),
        (sp.oo, "Infinity"),
        (-sp.oo, "NegativeInfinity"),
        (sp.zoo, "ComplexInfinity"),
        (sp.nan, "NaN"),
        (sp.Piecewise((X, X > 0), (0, True)), "Piecewise"),
        (sp.Eq(X, 1), "Equality in it: pass lhs - rhs"),
        (X > 1, "StrictGreaterThan"),
        (sp.true, "BooleanTrue"),
        (sp.Integral(sp.sin(X**2), X), "Integral"),
        (sp.Sum(X, (X, 1, 3)), "Sum"),
        (sp.gamma(X), "gamma"),
        (sp.Max(X, 1), "Max"),
        (sp.Heaviside(X), "Heaviside"),
        (sp.GoldenRatio, "GoldenRatio"),
        (sp.MatrixSymbol("A", 2, 2), "MatrixSymbol"),
        (sp.Derivative(sp.sin(X), X), ".doit()"),
        (sp.Derivative(Q**2, t), ".doit()"),
        (sp.Derivative(Q, t, X), "Derivative"),
        (sp.Function("f")(X), "functions of time t only, got f of Symbol x"),
        (sp.Function("f")(t, X), "got f of Symbol t, Symbol x"),
        (sp.Function("f")(2 * t), "got f of Mul 2*t"),
        (X ** sp.Symbol("y"), "rational exponent"),
        (X**10_001, "10001"),
        (sp.Symbol("λ"), "'λ': rename it with subs"),
        (sp.Symbol("a b"), "'a b'"),
        (sp.Symbol("z", imaginary=True), "'z'"),
        (X + sp.Symbol("x", positive=True), "two for 'x'"),
        (X + sp.Dummy("x"), "two for 'x'"),
        (sp.Float("1e100000"), "near 2^332193"),
        (sp.log(-2, evaluate=False), "log, got -2"),
        (sp.asin(2), "asin in [-1, 1], got 2"),
        (None, "NoneType"),
        (True, "True"),
        (object(), "object"),
    ],
)
def test_what_has_no_real_meaning_is_refused_by_type(theirs, named):
    with pytest.raises(InvalidExpression, match="expected") as error:
        from_sympy(theirs)
    assert named in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"inputs": ["F"], "coordinates": ["F"]}, "'F' as coordinate and as input"),
        ({"inputs": ["t"]}, "'t' as input and as time"),
        ({"inputs": [3]}, "got int"),
        ({"coordinates": [sp.sin(X)]}, "got sin"),
    ],
)
def test_wrong_lists_of_names(options, named):
    with pytest.raises(InvalidExpression) as error:
        from_sympy(X, **options)
    assert named in str(error.value)


def test_rates_of_inputs_are_refused():
    with pytest.raises(InvalidExpression, match="Derivative"):
        from_sympy(sp.Function("F")(t).diff(t), inputs=["F"])


# ---- there and back


SAME = [
    q + m,
    q - m,
    m * q.dot**2 / 2,
    m * g * cos(q),
    sin(q) / (m * r),
    m**2 / sqrt(g),
    sqrt(q**2),
    atan2(q, r),
    atan2(m, -1),
    abs_(m - q),
    sign(r) * tanh(q.dot),
    exp(-q),
    log(1 + exp(q)),
    -1 / q,
    (q + r) ** 3,
    PI * time,
    q.ddot,
    abs_(sqrt(abs_(q))),
]


@pytest.mark.parametrize("e", SAME, ids=[f"{i}" for i in range(len(SAME))])
def test_there_and_back_is_the_same_node(e):
    assert from_sympy(to_sympy(e)) is e


def test_there_and_back_keeps_the_value(draw, scale, random_pair):
    leaves = [(q, Q), (r, R), (m, M), (q.dot, Q.diff(t)), (time, t)]
    for _ in range(num_cases(80, scale)):
        ours, theirs = random_pair(draw, leaves, 4)
        truth = ours.evaluate(POINT)
        assert from_sympy(to_sympy(ours)).evaluate(POINT) == pytest.approx(
            truth, rel=1e-10, abs=1e-10
        )
        assert from_sympy(theirs).evaluate(POINT) == pytest.approx(truth, rel=1e-10, abs=1e-10)


def test_both_sides_have_the_same_value(draw, scale, random_pair):
    leaves = [(q, Q), (r, R), (m, M), (q.dot, Q.diff(t)), (q.ddot, Q.diff(t, 2)), (time, t)]
    for _ in range(num_cases(15, scale)):
        ours, _ = random_pair(draw, leaves, 3)
        assert number(to_sympy(ours)) == pytest.approx(ours.evaluate(POINT), rel=1e-12, abs=1e-12)


def test_inputs_and_multipliers_come_back_by_name():
    e = tau * q + lam * m
    assert from_sympy(to_sympy(e), inputs=["tau"], multipliers=["lam"]) is e


def test_time_derivatives_commute_with_the_conversion(draw, random_pair):
    for _ in range(10):
        ours, _ = random_pair(draw, [(q, Q), (m, M), (time, t)], 3)
        theirs = sp.diff(to_sympy(ours), t)
        assert from_sympy(theirs).evaluate(POINT) == pytest.approx(
            ddt(ours).evaluate(POINT), rel=1e-10, abs=1e-10
        )


def test_a_pendulum_of_sympy_mechanics():
    lagrangian = M * L**2 * Q.diff(t) ** 2 / 2 + M * G * L * sp.cos(Q)
    method = LagrangesMethod(lagrangian, [Q])
    equation = from_sympy(method.form_lagranges_equations())
    assert equation.shape == (1, 1)
    hand = m * l**2 * q.ddot + m * g * l * sin(q)
    assert equation[0].evaluate(POINT) == pytest.approx(hand.evaluate(POINT), rel=1e-14)
    assert from_sympy(method.mass_matrix)[0] is m * l**2


# ---- size


def test_a_long_sum_and_a_long_product_are_converted_once():
    terms = [q * (i + 2) + m**i for i in range(1, 2000)]
    chain = as_expr(0)
    for term in terms:
        chain = chain + term
    assert len(to_sympy(chain).args) == 2000
    assert from_sympy(to_sympy(chain)).evaluate({q: 0.5, m: 0.9}) == pytest.approx(
        sum((i + 2) * 0.5 + 0.9**i for i in range(1, 2000)), rel=1e-12
    )
    product = as_expr(1)
    for i in range(1, 1000):
        product = product * (q + i)
    assert len(to_sympy(product).args) == 999


def test_shared_sums_are_not_merged_away():
    s = q + r + m
    e = (s + l) * sin(s) - s
    at = {q: 0.1, r: 0.2, m: 0.3, l: 0.4}
    assert from_sympy(to_sympy(e)).evaluate(at) == pytest.approx(e.evaluate(at), rel=1e-14)
    assert to_sympy([s, s + l])[1] == Q + R + M + L


def test_a_deep_chain_does_not_recurse():
    e = q
    for _ in range(2 * sys.getrecursionlimit()):
        e = sin(e) + m
    back = from_sympy(to_sympy(e))
    at = {q: 0.3, m: 0.9}
    assert back.evaluate(at) == pytest.approx(e.evaluate(at), rel=1e-12)


def test_recursion_inside_sympy_becomes_our_error(monkeypatch):
    def overflow(*_):
        raise RecursionError

    monkeypatch.setattr(sp, "sin", overflow)
    with pytest.raises(TooLarge, match="SymPy can hold, got 2 nodes"):
        to_sympy(sin(q))


def test_without_sympy_the_message_is_the_command(absent: Callable[[str], None]) -> None:
    absent("sympy")
    for convert in (to_sympy, from_sympy):
        with pytest.raises(MissingDependency, match="pip install sympy"):
            convert(q)


def test_arrays_of_numbers_are_no_sympy_objects():
    with pytest.raises(InvalidExpression, match="ndarray"):
        from_sympy(cast("Any", np.zeros(3)))
