"""The elementary functions: exact values, signs, domains, slopes."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.errors import InvalidExpression
from dalembert.expr import (
    FUNCTIONS,
    ONE,
    PI,
    ZERO,
    abs_,
    acos,
    as_expr,
    asin,
    atan2,
    coordinates,
    cos,
    exp,
    log,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)
from dalembert.expr.functions import partials, rebuild

x, y = coordinates("x y")
ROUNDING = 4e-16 * 8  # a few operations in double precision

NUMBERS = {
    "sin": (sin, math.sin),
    "cos": (cos, math.cos),
    "tan": (tan, math.tan),
    "asin": (asin, math.asin),
    "acos": (acos, math.acos),
    "exp": (exp, math.exp),
    "log": (log, math.log),
    "tanh": (tanh, math.tanh),
    "sqrt": (sqrt, math.sqrt),
    "abs": (abs_, abs),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_values_agree_with_the_standard_library(name):
    build, truth = NUMBERS[name]
    for value in (0.125, 0.5, 0.75, 1.0):
        assert build(x).evaluate({x: value}) == pytest.approx(truth(value), rel=ROUNDING)
        # folding of a constant argument keeps the value
        assert float(build(value)) == pytest.approx(truth(value), rel=ROUNDING)


@pytest.mark.parametrize("twelfths", range(-30, 31))
def test_circular_functions_at_multiples_of_15_degrees(twelfths):
    angle = PI * Fraction(twelfths, 12)
    number = math.pi * twelfths / 12
    assert float(sin(angle)) == pytest.approx(math.sin(number), abs=1e-14)
    assert float(cos(angle)) == pytest.approx(math.cos(number), abs=1e-14)
    if twelfths % 12 != 6:
        assert float(tan(angle)) == pytest.approx(math.tan(number), abs=1e-13)
    if twelfths % 2 == 0 or twelfths % 3 == 0:
        assert "sin" not in {node.op for node in (sin(angle), *sin(angle).args)}


EXACT = [
    (lambda: sin(PI / 6), lambda: as_expr(0.5)),
    (lambda: cos(PI / 4), lambda: sqrt(2) / 2),
    (lambda: sin(-PI / 3), lambda: -sqrt(3) / 2),
    (lambda: cos(PI), lambda: -ONE),
    (lambda: sin(7 * PI), lambda: ZERO),
    (lambda: tan(PI / 4), lambda: ONE),
    (lambda: tan(-PI), lambda: ZERO),
    (lambda: tan(PI / 3), lambda: sqrt(3)),
    (lambda: asin(1), lambda: PI / 2),
    (lambda: asin(-0.5), lambda: -PI / 6),
    (lambda: acos(0), lambda: PI / 2),
    (lambda: acos(-1), lambda: PI),
    (lambda: acos(0.5), lambda: PI / 3),
    (lambda: atan2(0, 3), lambda: ZERO),
    (lambda: atan2(0, -3), lambda: PI),
    (lambda: atan2(2, 0), lambda: PI / 2),
    (lambda: atan2(-2, 0), lambda: -PI / 2),
    (lambda: exp(0), lambda: ONE),
    (lambda: log(1), lambda: ZERO),
    (lambda: tanh(0), lambda: ZERO),
    (lambda: sqrt(0), lambda: ZERO),
    (lambda: sqrt(Fraction(9, 4)), lambda: as_expr(1.5)),
    (lambda: abs_(-3), lambda: as_expr(3)),
    (lambda: sign(-3), lambda: -ONE),
    (lambda: sign(0), lambda: ZERO),
    (lambda: sin(-x), lambda: -sin(x)),
    (lambda: sin(-2 * x), lambda: -sin(2 * x)),
    (lambda: sin(-3), lambda: -sin(3)),
    (lambda: cos(-x), lambda: cos(x)),
    (lambda: cos(-2 * x), lambda: cos(2 * x)),
    (lambda: tan(-x), lambda: -tan(x)),
    (lambda: asin(-x), lambda: -asin(x)),
    (lambda: tanh(-x), lambda: -tanh(x)),
    (lambda: abs_(-x), lambda: abs_(x)),
    (lambda: abs_(abs_(x)), lambda: abs_(x)),
    (lambda: sign(-2 * x), lambda: -sign(x * 2)),
    (lambda: sign(sign(x)), lambda: sign(x)),
    (lambda: abs_(x**2 + exp(y)), lambda: x**2 + exp(y)),
    (lambda: log(exp(x)), lambda: x),
]


@pytest.mark.parametrize("case", range(len(EXACT)))
def test_exact_folding(case):
    built, expected = EXACT[case]
    assert built() is expected()


def test_what_would_be_wrong_is_not_folded():
    assert asin(sin(x)).op == "asin"
    assert acos(-x).op == "acos"
    assert sqrt(x**2).op == "pow"
    assert atan2(-y, x).op == "atan2"


def test_folding_does_not_enlarge_the_domain():
    """√y² and e^(log y) need y ≥ 0, sin(asin y) needs |y| ≤ 1: y alone would not say so."""
    assert (sqrt(y) ** 2).op == "pow"
    assert exp(log(y)).op == "exp"
    assert sin(asin(y)).op == "sin"
    assert cos(acos(y)).op == "cos"
    # where the base shows that it is not negative nothing is lost
    assert sqrt(x**2 + y**2) ** 2 is x**2 + y**2
    assert sqrt(x) ** 3 is x**1.5


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: asin(2), "asin in [-1, 1], got 2"),
        (lambda: acos(-1.5), "acos in [-1, 1], got -3/2"),
        (lambda: log(0), "log, got 0"),
        (lambda: log(-2), "log, got -2"),
        (lambda: log(-(10**5000)), "-bit number"),
        (lambda: sqrt(-1), "-1**(1/2)"),
        (lambda: tan(PI / 2), "tan(1/2 π)"),
        (lambda: tan(-7 * PI / 2), "a pole"),
        (lambda: atan2(0, 0), "atan2(0, 0)"),
    ],
)
def test_arguments_outside_the_real_domain_are_named(make, named):
    with pytest.raises(InvalidExpression) as error:
        make()
    assert named in str(error.value)


def complex_step(e, symbol, value):
    """Return the slope to rounding: Im f(v + i h)/h has no cancellation."""
    h = 1e-40
    return e.evaluate({symbol: complex(value, h)}).imag / h


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"atan2", "abs", "sign"}))
def test_slopes_agree_with_the_complex_step(name):
    e = FUNCTIONS[name].build(x)
    for value in (0.3, 0.6, 0.9):
        exact = partials(e)[0].evaluate({x: value})
        assert exact == pytest.approx(complex_step(e, x, value), rel=1e-14)


@pytest.mark.parametrize("n", [2, 7, Fraction(1, 2), Fraction(3, 2), Fraction(1, 3), -1, -2.5])
def test_slopes_of_powers_agree_with_the_complex_step(n):
    e = x**n
    for value in (0.3, 1.7):
        assert e.diff(x).evaluate({x: value}) == pytest.approx(complex_step(e, x, value), rel=1e-13)


def test_slopes_of_the_angle_in_all_quadrants():
    e = atan2(y, x)
    for a in (0.3, 2.0, -2.0, -0.5):
        at = {x: 3 * math.cos(a), y: 3 * math.sin(a)}
        assert e.evaluate(at) == pytest.approx(a)
        # the gradient of the polar angle is (-sin, cos)/r
        assert e.diff(x).evaluate(at) == pytest.approx(-math.sin(a) / 3)
        assert e.diff(y).evaluate(at) == pytest.approx(math.cos(a) / 3)


def test_slopes_of_modulus_and_sign():
    for value in (-2.0, 3.0):
        assert abs_(x).diff(x).evaluate({x: value}) == math.copysign(1, value)
    assert sign(x).diff(x) is ZERO


def test_rebuild_folds_again():
    assert rebuild(sin(x), (ZERO,)) is ZERO
    assert rebuild(x + y, (x, -x)) is ZERO
    assert rebuild(atan2(y, x), (x, y)) is atan2(x, y)
    assert rebuild(x**3, (-x,)) is -(x**3)
    assert rebuild(PI, ()) is PI
    for e in (
        x + y,
        x - y,
        x * y,
        x / y,
        -x,
        x**2,
        *(FUNCTIONS[n].build(x) for n in ("sin", "exp")),
    ):
        assert rebuild(e, e.args) is e


@pytest.mark.parametrize("value", [-3.0, -0.25, 0.0, 1e-3, 0.7, 5.0])
@pytest.mark.parametrize("name", ["sinh", "cosh", "atan"])
def test_composed_functions_are_those_of_mathematics(name: str, value: float) -> None:
    import mpmath

    (x,) = da.parameters("x")
    build, exact = getattr(da, name), getattr(mpmath, name)
    # e^x and e^-x cancel in sinh: its error is that of e^x
    assert build(x).evaluate({x: value}) == pytest.approx(float(exact(value)), rel=1e-14, abs=4e-16)
    slope = float(mpmath.diff(exact, value))
    assert build(x).diff(x).evaluate({x: value}) == pytest.approx(slope, rel=1e-12, abs=1e-12)
    assert da.compile_function(build(x), x)(value) == pytest.approx(float(exact(value)), abs=1e-14)


def test_composed_functions_are_known_by_every_tool() -> None:
    (x,), (m, g, a) = da.coordinates("x"), da.parameters("m g a")
    assert da.equal(da.cosh(x) ** 2 - da.sinh(x) ** 2, 1)
    assert da.equal(da.sinh(2 * x), 2 * da.sinh(x) * da.cosh(x))
    assert da.equal(da.tanh(x), da.sinh(x) / da.cosh(x))
    # a bead on the catenary y = a cosh(x/a): T = m ẋ² cosh²(x/a)/2
    y = a * da.cosh(x / a)
    bead = da.System.from_particles([m], [(x, y)], coordinates=[x], gravity=(0, -g))
    eq = bead.equations()
    assert str(eq) == "m cosh²(x/a) ẍ + m sinh(x/a) cosh(x/a) ẋ²/a + m g sinh(x/a) = 0"
    assert eq.prove()[0].verdict == "proved"
    assert "refuted" not in {proof.verdict for proof in eq.prove()}
    assert r"\cosh" in eq.latex()
    assert da.equal(da.parse("cosh(x/a)", {"x": x, "a": a}), da.cosh(x / a))
    assert da.atan(x) is da.atan2(x, 1)
    assert da.atan(1) is da.pi / 4
    assert da.atan(-1) is -da.pi / 4
