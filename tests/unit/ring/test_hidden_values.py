"""Arguments that hide a zero, a number or a power are decided before they become atoms."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.ring import canonical, partial, ring_of

x, y = da.coordinates("x y")
a, b = da.parameters("a b")
# zero, though no folding of the expression sees it
HIDDEN = (x + y) ** 2 - x**2 - 2 * x * y - y**2

VALUES = [
    (da.sqrt(HIDDEN), 0),
    (HIDDEN ** Fraction(1, 3), 0),
    (da.sqrt(HIDDEN + 4), 2),
    ((HIDDEN + 8) ** Fraction(2, 3), 4),
    (da.abs(HIDDEN - 3), 3),
    (da.abs(HIDDEN), 0),
    (da.sign(HIDDEN), 0),
    (da.sign(HIDDEN - 3), -1),
    (da.log(HIDDEN + 1), 0),
    (da.exp(HIDDEN), 1),
    (da.tanh(HIDDEN), 0),
    (da.asin(HIDDEN + Fraction(1, 2)), da.pi / 6),
    (da.acos(HIDDEN - 1), da.pi),
    (da.atan2(HIDDEN, HIDDEN - 2), da.pi),
    (da.sin(HIDDEN), 0),
]


@pytest.mark.parametrize(("e", "value"), VALUES)
def test_a_hidden_number_has_its_value(e: da.Expr, value: da.Expr | int) -> None:
    assert da.equal(e, value)
    assert str(e) == str(da.expr.as_expr(value))
    assert not da.equal(e, value + 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: da.sqrt(HIDDEN - 4),
        lambda: (HIDDEN - 8) ** Fraction(1, 3),
        lambda: da.log(HIDDEN),
        lambda: da.asin(HIDDEN + 2),
        lambda: 1 / da.sqrt(HIDDEN),
        lambda: da.atan2(HIDDEN, 2 * HIDDEN),
    ],
)
def test_what_has_no_real_value_is_refused(make) -> None:
    with pytest.raises((da.InvalidExpression, da.DivisionByZero)):
        da.equal(make(), 2)
    assert "undefined" in str(make())


def test_the_mass_matrix_of_a_hidden_zero_is_the_one_of_zero() -> None:
    """T = ½ (1 + √0) ẋ² + ½ ẏ²."""
    T = ((1 + da.sqrt(HIDDEN)) * x.dot**2 + y.dot**2) / 2
    M = da.System(coordinates=[x, y], kinetic=T).equations().M
    assert da.Matrix([[1, 0], [0, 1]]) == M


POWERS = [
    (da.sqrt(x**4), x**2),
    (da.sqrt(16 * x**4 + 8 * x**2 + 1), 4 * x**2 + 1),
    ((x**6) ** Fraction(1, 3), x**2),
    ((8 * (a + b) ** 3) ** Fraction(1, 3), 2 * (a + b)),
    ((x**4) ** Fraction(1, 4), da.abs(x)),
    ((x**4) ** Fraction(1, 8), da.sqrt(da.abs(x))),
    (da.sqrt(a), (a ** Fraction(1, 4)) ** 2),
    (a ** Fraction(1, 2) * a ** Fraction(1, 3), a ** Fraction(5, 6)),
    ((x ** Fraction(1, 4)) ** Fraction(5, 2), x ** Fraction(5, 8)),
    (da.expr.as_expr(16) ** Fraction(1, 3), 2 * da.expr.as_expr(2) ** Fraction(1, 3)),
    (da.expr.as_expr(Fraction(1, 4)) ** Fraction(1, 3), da.expr.as_expr(2) ** Fraction(1, 3) / 2),
    (da.exp(da.log(x)), x),
    (da.exp(da.log(x) / 2 + y), da.sqrt(x) * da.exp(y)),
    (da.sin(da.asin(x)), x),
]


@pytest.mark.parametrize(("left", "right"), POWERS)
def test_perfect_powers_are_found(left: da.Expr, right: da.Expr) -> None:
    assert da.equal(left, right)


@pytest.mark.parametrize(
    "e",
    [
        da.asin(da.sin(x + da.pi / 8)),
        da.acos(a ** Fraction(1, 4) / 10),
        da.sqrt((x ** Fraction(1, 4)) ** Fraction(5, 2)),
        da.atan2(da.sin(x + da.pi / 8), da.sqrt(a * da.sqrt(a))),
        da.exp(da.log(da.sqrt(a) * a ** Fraction(1, 3)) / 5),
        da.acos(da.tan(b * (x + da.pi / 8))),
    ],
)
def test_canonical_arguments_bring_their_own_functions(e: da.Expr) -> None:
    """What is new in the canonical form of an argument has a place in the ring, too."""
    assert da.equal(e + x, x + e)
    q = e.symbols[0]
    assert da.equal(e * e.diff(q), e.diff(q) * e)
    ring = ring_of([e], [q])
    assert partial(ring, q)(canonical(ring, e)) == canonical(ring, e.diff(q))
    assert str(e)


def test_the_root_of_a_large_number_is_printed_at_once() -> None:
    assert str(da.sqrt(10**97 + 3)) == "≈ 23 √(1.89036·10⁹⁴)"
    # primes of fifty digits: nobody factors their product
    p, q = 10**49 + 9, 10**50 + 151
    assert str(da.sqrt(p * q)) == "≈ √(1.00000·10⁹⁹)"
    assert not da.equal(da.sqrt(p * q), da.sqrt(p * q + 1))
