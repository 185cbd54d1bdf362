"""What must be positive for constraints to be independent, by hand."""

from __future__ import annotations

import flint
import pytest

from dalembert.model.certificates.evaluation import Evaluation
from dalembert.model.certificates.in_balls import InBalls, precision
from dalembert.model.certificates.in_field import FieldPoint, InField, Pole
from dalembert.model.certificates.pivots import pivots
from dalembert.recursions.constraints.constrained import THRESHOLDS

EPSILON, NOISE = 1e-10, 1e-24


def balls(*numbers: float) -> list[flint.arb]:
    return [flint.arb(x) for x in numbers]


def found(at: Evaluation, M: list, A: list, groups: list[str]) -> list[float]:
    n = round(len(M) ** 0.5)
    with precision(200):
        return [float(x) for x in pivots(at, M, A, n, groups)]


def test_pivots_by_hand() -> None:
    """A = [[1, 0], [1, 1]], M = 1: S = [[1, 1], [1, 2]], D = (1, 1)."""
    at = InBalls({}, {})
    A, M = balls(1, 0, 1, 1), balls(1, 0, 0, 1)
    assert found(at, M, A, ["a", "b"]) == pytest.approx([1 - EPSILON, 1 - 2 * EPSILON], abs=1e-16)
    # less a part of the sum 3 over the group
    with precision(200):
        apart = pivots(at, M, A, 2, ["a", "b"])
        grouped = pivots(at, M, A, 2, ["a", "a"])
        differences = [float(x - y) for x, y in zip(apart, grouped, strict=True)]
    assert differences == pytest.approx([3 * NOISE, 3 * NOISE], rel=1e-12)


def test_thresholds_are_those_of_the_precision() -> None:
    """A = [[1, 0], [1, 1]], M = 1 again: less 3e-5 of S_jj in single precision."""
    at = InBalls({}, {})
    with precision(200):
        left = pivots(
            at, balls(1, 0, 0, 1), balls(1, 0, 1, 1), 2, ["a", "b"], THRESHOLDS["float32"]
        )
    assert [float(x) for x in left] == pytest.approx([1 - 3e-5, 1 - 6e-5], abs=1e-16)


def test_inertia_divides() -> None:
    """M = [[2, 1], [1, 3]]: A = [1, 0] has S = (M⁻¹)₁₁ = 3/5; A = [0, 1] has 2/5."""
    at = InBalls({}, {})
    M = balls(2, 1, 1, 3)
    assert found(at, M, balls(1, 0), ["a"]) == pytest.approx([0.6], rel=1e-9)
    # both: S = M⁻¹, D = (3/5, 2/5 - (1/5)²/(3/5)) = (3/5, 1/3)
    assert found(at, M, balls(1, 0, 0, 1), ["a", "b"]) == pytest.approx([0.6, 1 / 3], rel=1e-9)


def test_constraints_lend_inertia_where_there_is_none() -> None:
    """M = diag(1, 0), A = [0, 2]: M + AᵀA = diag(1, 4), S = 4/4."""
    at = InBalls({}, {})
    assert found(at, balls(1, 0, 0, 0), balls(0, 2), ["a"]) == pytest.approx([1], rel=1e-9)


def test_a_row_of_zeros_is_left_out_and_a_dependent_one_has_no_pivot() -> None:
    at = InBalls({}, {})
    assert len(found(at, balls(1, 0, 0, 1), balls(0, 0, 0, 1), ["a", "b"])) == 1
    # (1, 1) twice: D₂ = 0, less ε 2
    M, A = balls(1, 0, 0, 1), balls(1, 1, 1, 1)
    assert found(at, M, A, ["a", "b"])[1] == pytest.approx(-2 * EPSILON)
    field = InField(FieldPoint(3), {})
    with pytest.raises(Pole):
        pivots(field, [1, 0, 0, 1], [1, 1, 1, 1, 1, 0], 2, ["a", "b", "c"])


def test_fields_and_balls_agree() -> None:
    point = FieldPoint(4)
    field = InField(point, {})
    numbers = pivots(field, [2, 1, 1, 3], [1, 0, 0, 1], 2, ["a", "b"])
    # 3/5 (1 - ε) and 1/3 - 2/5 ε with ε = 1e-10
    first = 5 * 10**10 * numbers[0] - 3 * (10**10 - 1)
    second = 15 * 10**10 * numbers[1] - (5 * 10**10 - 6)
    assert first % point.p == 0
    assert second % point.p == 0


def test_assumptions_hold_at_a_point_or_it_is_left_out() -> None:
    at = InBalls({}, {})
    at.assume_positive(balls(1, 2))
    assert at.is_admissible
    at.assume_positive(balls(-1))
    assert not at.is_admissible
    at.assume_positive(balls(1))
    assert not at.is_admissible
