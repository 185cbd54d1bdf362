"""Numbers out of expressions: floats, arrays, and named complaints."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from dalembert.errors import EvaluationError, UnknownName
from dalembert.expr import (
    PI,
    acos,
    as_expr,
    asin,
    atan2,
    coordinates,
    cos,
    exp,
    log,
    parameters,
    sin,
    sqrt,
)
from dalembert.expr.evaluate import evaluate
from tests.cases import num_cases

x, y = coordinates("x y")
(m,) = parameters("m")


def test_floats_give_floats():
    value = (m * sin(x) + y / 4).evaluate({m: 2, x: 0.5, y: 1})
    assert type(value) is float
    assert value == 2 * math.sin(0.5) + 0.25
    assert as_expr(9.81).evaluate({}) == 9.81
    assert PI.evaluate({}) == math.pi


def test_values_agree_with_sympy_at_high_precision(draw, scale, random_pair):
    X, Y = sp.symbols("x y")
    for _ in range(num_cases(40, scale)):
        ours, theirs = random_pair(draw, [(x, X), (y, Y)], 4)
        truth = float(theirs.evalf(30, subs={X: sp.Rational(3, 8), Y: sp.Rational(-5, 4)}))
        got = ours.evaluate({x: 0.375, y: -1.25})
        assert got == pytest.approx(truth, rel=1e-12, abs=1e-12)


def test_arrays_broadcast():
    xs, ys = np.linspace(-1, 1, 5), np.arange(3.0)[:, None]
    out = (x * y + sin(x)).evaluate({x: xs, y: ys})
    assert out.shape == (3, 5)
    assert out == pytest.approx(xs * ys + np.sin(xs))
    assert out.dtype == np.float64


@pytest.mark.parametrize(
    "value",
    [1, 1.0, np.float32(1), np.int8(1), Fraction(1), Decimal(1), np.array(1, np.uint16)],
)
def test_every_number_becomes_a_double(value):
    out = (x / 3).evaluate({x: value})
    assert type(out) is float
    assert out == pytest.approx(1 / 3, rel=1e-15)


def test_single_precision_arrays_are_computed_in_double():
    out = sin(x).evaluate({x: np.array([0.5, 0.25], np.float32)})
    assert out.dtype == np.float64
    assert out == pytest.approx(np.sin([0.5, 0.25]), rel=1e-15)


def test_exact_fractions_are_rounded_once():
    third = Fraction(10**40, 3 * 10**40 + 1)
    assert (x * 0 + third).evaluate({}) == 1 / 3


def test_complex_values_serve_the_complex_step():
    assert (x**2).evaluate({x: 3 + 1j}) == (3 + 1j) ** 2


def test_missing_values_are_named():
    with pytest.raises(UnknownName, match=r"got none for y\.dot: .*known: x, y"):
        (x + y.dot).evaluate({x: 1, y: 2})
    with pytest.raises(UnknownName, match="none for x, m"):
        (x + m).evaluate({})


def test_extra_values_are_ignored():
    assert x.evaluate({x: 1, y: 2}) == 1.0


@pytest.mark.parametrize("key", [1, x + y, sin(x)])
def test_keys_must_be_symbols(key):
    with pytest.raises(UnknownName, match="expected symbols as keys"):
        x.evaluate({x: 1, key: 2})


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ([1.0, math.nan], "nan"),
        (True, "True"),
        ("1", "'1'"),
        (None, "None"),
        (x, "x"),
        ([[1], [1, 2]], "[[1], [1, 2]]"),
        (10**400, "1000"),
        (np.array(["a"]), "array"),
    ],
)
def test_bad_values_are_named_with_their_symbol(bad, named):
    with pytest.raises(EvaluationError, match="for x, got") as error:
        (x + 1).evaluate({x: bad})
    assert named in str(error.value)
    assert "\n" not in str(error.value)


def test_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(EvaluationError, match=r"x \(2,\), y \(3,\)"):
        (x + y).evaluate({x: [1, 2], y: [1, 2, 3]})


@pytest.mark.parametrize(
    ("e", "value", "named"),
    [
        (sqrt(x), -1, r"nan from sqrt\(x\) with operands -1\.0"),
        (log(x), 0, r"-inf from log\(x\) with operands 0\.0"),
        (log(x), -1, r"nan from log\(x\)"),
        (1 / x, 0, r"inf from 1 / x with operands 1\.0, 0\.0"),
        (x**-2, 0, r"inf from 1 / "),
        (x / (x - 2), 2, r"inf from x / \(-2 \+ x\)"),
        (asin(x), 1.5, r"nan from asin\(x\)"),
        (acos(x), -1.5, r"nan from acos\(x\)"),
        (exp(x), 1000, r"inf from exp\(x\)"),
        (x ** Fraction(1, 3), -8, r"nan from \(x\)\^\(1/3\)"),
        (sin(1 / x) + 1, 0, r"inf from 1 / x"),
        (sqrt(cos(x) - 2) * 0.5, 0.1, r"nan from sqrt"),
    ],
)
def test_points_outside_the_domain_name_the_operation(e, value, named):
    with pytest.raises(EvaluationError, match=named):
        e.evaluate({x: value})


def test_one_bad_point_in_an_array_is_shown():
    with pytest.raises(EvaluationError, match=r"sqrt\(x\) with operands -3\.0") as error:
        sqrt(x).evaluate({x: np.array([[1.0, 2.0], [4.0, -3.0]])})
    assert "\n" not in str(error.value)


def test_constants_beyond_the_doubles_are_refused():
    with pytest.raises(EvaluationError, match="near 2\\^3321"):
        (as_expr(10) ** 1000 * x).evaluate({x: 1})
    huge = as_expr(10) ** 9999 * as_expr(10) ** 9999
    with pytest.raises(EvaluationError, match="near 2\\^"):
        huge.evaluate({})


def test_the_angle_knows_its_quadrant():
    for a in (-3.0, -1.0, 0.5, 2.5):
        assert atan2(y, x).evaluate({x: math.cos(a), y: math.sin(a)}) == pytest.approx(a)


def test_several_roots_in_one_sweep():
    assert evaluate([x, x + 1, sin(x)], {x: 0.5}) == [0.5, 1.5, math.sin(0.5)]
    assert evaluate([], {}) == []


def test_a_chain_of_100_000_nodes():
    e, value = x, 0.3
    for _ in range(50_000):
        e, value = sin(e) + y, math.sin(value) + 0.9
    assert e.evaluate({x: 0.3, y: 0.9}) == pytest.approx(value, rel=1e-12)


def test_a_pole_inside_is_no_value():
    x, y = coordinates("x y")
    with pytest.raises(EvaluationError, match="not defined there"):
        (1 / (1 / x)).evaluate({x: 0.0})
    with pytest.raises(EvaluationError, match="not defined there"):
        exp(log(y * y) * 2).evaluate({y: np.array([1.0, 0.0])})


def test_complex_values_where_there_is_no_complex_function():
    x, y = coordinates("x y")
    with pytest.raises(EvaluationError, match="real values for atan2"):
        atan2(x, y).evaluate({x: 1 + 1e-20j, y: 2.0})
