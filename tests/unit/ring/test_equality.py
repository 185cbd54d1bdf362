"""da.equal: True and False are certain, Undecided says so."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.ring import is_nonzero_at, refute

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


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # true statements for which the ring has no relation: never a wrong False
        (da.log(a * b), da.log(a) + da.log(b)),
        (da.tanh(2 * a), 2 * da.tanh(a) / (1 + da.tanh(a) ** 2)),
        (da.sin(da.pi / 5) ** 2, (5 - da.sqrt(5)) / 8),
        (da.asin(a) + da.acos(a), da.pi / 2),
    ],
)
def test_undecided_names_the_functions(left: da.Expr, right: da.Expr) -> None:
    with pytest.raises(da.Undecided, match="neither a proof nor a"):
        da.equal(left, right)


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
