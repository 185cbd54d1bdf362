"""da.equal: True and False are certain, Undecided says so."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.ring import canonical, is_nonzero_at, refute, ring_of

x, y = da.coordinates("x y")
a, b = da.parameters("a b")


def test_matrices_and_lists_compare_entry_by_entry() -> None:
    left = da.Matrix([[da.sin(x) ** 2, 0], [1, a]])
    assert da.equal(left, [[1 - da.cos(x) ** 2, 0], [1, a]])
    assert not da.equal(left, da.Matrix([[da.sin(x) ** 2, 0], [1, b]]))
    assert not da.equal(left, da.Matrix([[1, 2]]))
    assert da.equal([a + b, 2], [b + a, 2])
    assert not da.equal([a], [a, b])


def test_equal_where_both_are_defined() -> None:
    assert da.equal(x / x, 1)
    assert da.equal((x**2 - 1) / (x - 1), x + 1)


def test_false_on_functions_is_refuted_by_balls() -> None:
    assert not da.equal(da.sqrt(x**2), x)
    assert not da.equal(da.exp(a) + da.exp(b), da.exp(a + b))
    assert not da.equal(da.tanh(2 * a), 2 * da.tanh(a))
    assert not da.equal(da.log(a + b), da.log(a) + da.log(b))


def test_undecided_names_the_functions() -> None:
    """A true statement for which there is no rule: never a wrong False."""
    with pytest.raises(da.Undecided, match="log, got neither a proof nor a"):
        da.equal(da.log(a * b), da.log(a) + da.log(b))


u = (x + da.pi / 3) / 3
BEYOND_THE_RING = [
    # functions that others express
    (da.tanh(2 * a), 2 * da.tanh(a) / (1 + da.tanh(a) ** 2)),
    (da.tanh(x), (da.exp(2 * x) - 1) / (da.exp(2 * x) + 1)),
    (da.asin(a) + da.acos(a), da.pi / 2),
    # parts of π beside symbols
    (da.cos(3 * u), 4 * da.cos(u) ** 3 - 3 * da.cos(u)),
    (sum((da.cos(x + 2 * da.pi * k / 5) for k in range(5)), 0 * x), 0),
    # algebraic numbers
    (da.sin(da.pi / 5) ** 2, (5 - da.sqrt(5)) / 8),
    (da.sqrt(5 + 2 * da.sqrt(6)), da.sqrt(2) + da.sqrt(3)),
    (da.cos(da.pi / 7) - da.cos(2 * da.pi / 7) + da.cos(3 * da.pi / 7), Fraction(1, 2)),
    (x * da.sqrt(3 + 2 * da.sqrt(2)), x + x * da.sqrt(2)),
    # signs
    (da.sign(x) * da.abs(x), x),
    (da.sign(x) ** 2 * x, x),
    (da.abs(x * y), da.abs(x) * da.abs(y)),
    (da.abs(x - y), (x - y) * da.sign(x - y)),
    (x / da.abs(x), da.sign(x)),
    (da.sign(1 + x**2 + da.exp(y)), 1),
    (da.abs(x - y) * da.abs(x + y), da.abs(x**2 - y**2)),
    # half angles
    (da.sqrt((1 + da.cos(x)) / 2), da.abs(da.cos(x / 2))),
    (da.sqrt(1 - da.cos(x) ** 2), da.abs(da.sin(x))),
    # only where the root is defined
    (da.sqrt(y) ** 2, da.abs(da.sqrt(y) ** 2)),
    (y * da.sqrt(y), da.abs(y) * da.sqrt(y)),
]


@pytest.mark.parametrize(("left", "right"), BEYOND_THE_RING)
def test_true_where_the_ring_lacks_a_relation(left: da.Expr, right: da.Expr) -> None:
    assert da.equal(left, right)
    assert da.counterexample(left, right) is None


NEARLY = [
    (x + Fraction(1, 10**200), x),
    (da.sqrt(x**2 + Fraction(1, 10**100)), da.abs(x)),
    (da.exp(x) * (1 + Fraction(1, 10**80)), da.exp(x)),
    # zero at small rationals
    (da.abs(x) * da.sin(da.pi * 27720 * x), 0),
    (da.exp(y) * (40 * x - 3) * (39 * x - 2), da.exp(y) * (40 * x - 3) * (39 * x - 2) * (1 + x)),
    # algebraic numbers that agree to 15 digits
    (da.sqrt(5 + 2 * da.sqrt(6)), Fraction(3146264369941973, 10**15)),
    (da.cos(da.pi / 7), Fraction(900968867902419126, 10**18)),
    # wrong on one side only
    (da.sqrt(a**2), a),
    (da.abs(x) + x, 0),
    (da.sign(x) ** 2, 1),
    (da.sqrt((1 + da.cos(x)) / 2), da.cos(x / 2)),
    # a narrow domain
    (da.asin(10**6 * x), 10**6 * x),
    (da.sqrt(x - 1000), x - 1000),
]


@pytest.mark.parametrize(("left", "right"), NEARLY)
def test_a_small_or_hidden_difference_has_a_point(left: da.Expr, right: da.Expr) -> None:
    assert not da.equal(left, right)
    point = da.counterexample(left, right)
    assert point is not None
    assert is_nonzero_at(left - right, point, (4096,))


def test_unlike_shapes_have_no_point() -> None:
    with pytest.raises(da.InvalidExpression, match="a list of 1 and a list of 2"):
        da.counterexample([x], [x, y])
    with pytest.raises(da.InvalidExpression, match=r"\(2, 2\)"):
        da.counterexample(da.Matrix.identity(2), da.Matrix.identity(3))


def test_what_is_nowhere_defined_is_neither() -> None:
    nowhere = da.sqrt(-1 - x**2)
    with pytest.raises(da.Undecided):
        da.equal(nowhere, 2 * nowhere)
    zero = da.log(x**2 + 1) * 2 - da.log((x**2 + 1) ** 2)
    ring = ring_of([zero])
    with pytest.raises(da.Undecided, match="divisor"):
        canonical(ring, 1 / zero)
    # nor does the text say that it is undefined
    assert "undefined" not in str(1 / zero)


def test_counterexample_is_a_point_where_they_differ() -> None:
    point = da.counterexample(da.sin(2 * x), 2 * da.sin(x))
    assert point is not None
    difference = da.sin(2 * x) - 2 * da.sin(x)
    assert abs(difference.evaluate({k: float(v) for k, v in point.items()})) > 1e-6
    assert da.counterexample(da.sin(x) ** 2, 1 - da.cos(x) ** 2) is None


def test_refute_never_claims_a_zero_is_not_zero() -> None:
    zero = da.sin(x + y) - da.sin(x) * da.cos(y) - da.cos(x) * da.sin(y)
    assert refute(zero) is None
    assert not is_nonzero_at(1 / (x - x + a - a + b - b + y - y + x), {x: 0})  # type: ignore[dict-item]


def test_expressions_have_no_truth_value() -> None:
    with pytest.raises(TypeError, match=r"da\.equal"):
        bool(x)


def test_a_matrix_is_not_compared_with_a_scalar() -> None:
    with pytest.raises(da.InvalidExpression, match="matrix"):
        da.equal(da.Matrix([[x]]), x)


def test_an_angle_of_the_ring_may_hold_a_half_turn() -> None:
    """The angles here have a basis with 2y/3 - z + π, of which no multiple is 2y/3 - z alone."""
    (x, y, z), (a,) = da.coordinates("x y z"), da.parameters("a")
    u, v = 3 * y + Fraction(3, 2) * x + da.pi / 5, a + x * y / 3
    others = (
        da.cos(z + y + Fraction(3, 2) * x)
        + da.sin(3 * x - y / 3 + 3 * z)
        + da.sin(u + v)
        + da.sin(u - v)
    )
    product, half_sum = da.sin(u) * da.cos(v), (da.sin(u + v) + da.sin(u - v)) / 2
    assert da.equal(others + da.exp(product), others + da.exp(half_sum))
    assert not da.equal(others + da.exp(product), others + da.exp(-half_sum))
