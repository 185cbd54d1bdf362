"""The canonical form: a ring homomorphism that identifies what is equal."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.ring import canonical, rebuild, ring_of
from dalembert.ring.choose.angles import form_expr, independent_angles
from dalembert.ring.choose.lattice import combination, lattice_basis
from dalembert.ring.forms import linear_form

q1, q2, q3 = da.coordinates("q1 q2 q3")
a, b, c = da.parameters("a b c")


def form(e: da.Expr) -> object:
    return canonical(ring_of([e]), e)


IDENTITIES = [
    (da.sin(q1) ** 2 + da.cos(q1) ** 2, 1),
    (da.cos(q1 + q2), da.cos(q1) * da.cos(q2) - da.sin(q1) * da.sin(q2)),
    (da.sin(2 * q1), 2 * da.sin(q1) * da.cos(q1)),
    (da.cos(3 * q1), 4 * da.cos(q1) ** 3 - 3 * da.cos(q1)),
    (da.cos(q1 / 2) ** 2, (1 + da.cos(q1)) / 2),
    (da.sin(q1 + da.pi), -da.sin(q1)),
    (da.cos(q1 - da.pi / 2), da.sin(q1)),
    (da.sin(q1 + da.pi / 3), da.sin(q1) / 2 + da.sqrt(3) * da.cos(q1) / 2),
    (da.cos(da.pi / 4) ** 2, Fraction(1, 2)),
    (da.tan(q1) * da.cos(q1), da.sin(q1)),
    (1 + da.tan(q1) ** 2, 1 / da.cos(q1) ** 2),
    (da.sin(a * (b + c)), da.sin(a * b + a * c)),
    (da.cos(a * da.time + q1).diff(q1), -da.sin(q1 + a * da.time)),
    ((a**2 - b**2) / (a - b), a + b),
    (1 / a + 1 / b, (a + b) / (a * b)),
    ((1 - da.cos(q1) ** 2) / da.sin(q1), da.sin(q1)),
    (da.sqrt(8), 2 * da.sqrt(2)),
    (da.sqrt(6), da.sqrt(2) * da.sqrt(3)),
    (da.sqrt(Fraction(1, 2)), da.sqrt(2) / 2),
    (da.sqrt(4 * a + 4 * b), 2 * da.sqrt(a + b)),
    (da.sqrt(a + b) ** 3, (a + b) * da.sqrt(a + b)),
    (da.sqrt((q1 - q2) ** 2), abs(q2 - q1)),
    (da.sqrt(a**2 - 2 * a * b + b**2), abs(a - b)),
    (da.sqrt(a / b) ** 2, a / b),
    (1 / da.sqrt(a), da.sqrt(a) / a),
    (a ** Fraction(2, 3) * a ** Fraction(1, 3), a),
    (da.exp(a + b), da.exp(a) * da.exp(b)),
    (da.exp(a / 2) ** 2, da.exp(a)),
    (da.exp(-a) * da.exp(a), 1),
    (da.sin(da.asin(a) + da.acos(a)), 1),
    (da.sin(da.atan2(a, b)), a / da.sqrt(a**2 + b**2)),
    (da.tanh(a - b), -da.tanh(b - a)),
    (da.sign(2 * a - 2 * b), -da.sign(b - a)),
    (da.log(a * b + a * c), da.log(a * (b + c))),
]


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_identities_hold(left: da.Expr, right: da.Expr) -> None:
    assert da.equal(left, right)


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_identities_hold_numerically(left: da.Expr, right: da.Expr) -> None:
    """Guard the table itself against typing errors."""
    values = dict(
        zip((q1, q2, q3, a, b, c, da.time), (0.3, -0.8, 1.1, 0.7, 0.4, 1.3, 0.9), strict=True)
    )
    difference = da.Expr.__sub__(da.parse("0", []) + left, right)
    assert abs(difference.evaluate(values)) < 1e-12


def test_random_trigonometric_polynomials_keep_their_value(draw: random.Random) -> None:
    for _ in range(60):
        e = random_polynomial(draw, 3)
        again = rebuild(canonical(ring_of([e]), e))
        values = {x: draw.uniform(-2, 2) for x in (q1, q2, q3, a, b)}
        expected = e.evaluate(values)
        assert again.evaluate(values) == pytest.approx(expected, rel=1e-10, abs=1e-10)


def random_polynomial(draw: random.Random, depth: int) -> da.Expr:
    if depth == 0:
        angle = draw.choice([q1, q2, q1 + q2, q1 + q2 - q3, 2 * q3, q2 + da.pi / 2])
        return draw.choice([da.sin(angle), da.cos(angle), q1, a, b, da.parse("3/2", [])])
    x, y = random_polynomial(draw, depth - 1), random_polynomial(draw, depth - 1)
    return draw.choice([x + y, x - y, x * y, x * y])


def test_rebuilt_expressions_contain_only_what_they_depend_on() -> None:
    """cos(q₁)cos(q₁+q₂) + sin(q₁)sin(q₁+q₂) is cos q₂."""
    e = da.cos(q1) * da.cos(q1 + q2) + da.sin(q1) * da.sin(q1 + q2)
    assert rebuild(canonical(ring_of([e]), e)) is da.cos(q2)


def test_independent_angles_are_taken_from_those_that_occur() -> None:
    forms = [linear_form(x) for x in (q1, q1 + q2, q1 + q2 + q3, 2 * q1 + q2)]
    angles = [form_expr(x) for x in independent_angles(forms)]
    assert [x is y for x, y in zip(angles, (q1, q1 + q2, q1 + q2 + q3), strict=True)] == [True] * 3


def test_lattice_basis_expresses_every_vector(draw: random.Random) -> None:
    for _ in range(50):
        vectors = [[draw.randint(-4, 4) for _ in range(3)] for _ in range(draw.randint(1, 5))]
        basis = lattice_basis([v for v in vectors if any(v)])
        for v in vectors:
            k = combination(basis, v)
            assert k is not None
            assert all(x.denominator == 1 for x in k)
            total = [sum(int(n) * w[i] for n, w in zip(k, basis, strict=True)) for i in range(3)]
            assert total == v


def test_exponential_units_divide_all_coefficients() -> None:
    ring = ring_of([da.exp(x) for x in (a / 2 + b, a / 3, -b)])
    assert ring.units.exponents == {a: Fraction(1, 6), b: Fraction(1)}


def test_deeply_nested_functions_are_refused_not_recursed() -> None:
    e = q1
    for _ in range(1000):
        e = da.sin(e)
    with pytest.raises(da.TooLarge, match="nested"):
        ring_of([e])


def test_large_powers_are_refused_before_they_are_expanded() -> None:
    e = (a + b + c + q1 + q2 + q3) ** 5000
    with pytest.raises(da.TooLarge, match="terms"):
        canonical(ring_of([e]), e)


def test_vanishing_denominator_is_an_error() -> None:
    e = 1 / (da.sin(q1) ** 2 + da.cos(q1) ** 2 - 1)
    with pytest.raises(da.DivisionByZero):
        canonical(ring_of([e]), e)
