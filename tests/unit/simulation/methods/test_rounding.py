"""Sums and iterations that go as far as rounding lets them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from dalembert.errors import EvaluationError
from dalembert.simulation.methods.rounding import CompensatedSum, iterate


def test_compensated_sum_errs_by_rounding_the_changes(rng: np.random.Generator) -> None:
    start, scale = np.array([1.0, 1e8, 0.0]), np.array([1e-3, 1.0, 1e-20])
    total, exact = CompensatedSum(start), [Fraction(x) for x in start]
    for change in rng.standard_normal((3000, 3)) * scale:
        total.add(change)
        exact = [e + Fraction(c) for e, c in zip(exact, change, strict=True)]

    errors = [abs(float(e - Fraction(x))) for e, x in zip(exact, total.value, strict=True)]
    # half a unit of the value, and what the changes lose
    eps = np.finfo(float).eps
    assert np.all(np.array(errors) <= 0.5 * eps * np.abs(total.value) + 300 * eps * scale)


def test_compensated_sum_keeps_what_plain_sums_lose() -> None:
    total = CompensatedSum(np.array([1.0]))
    for _ in range(1000):
        total.add(np.array([1e-17]))
    assert 1.0 + 1e-17 == 1.0
    assert total.value[0] == 1.0 + 1e-14


def sweeps(*changes: float) -> tuple[Iterator[float], list[float]]:
    """Return changes to give out, and where those taken are noted."""
    return iter(changes), []


def test_iteration_ends_where_changes_no_longer_shrink() -> None:
    left, taken = sweeps(1e-2, 1e-6, 3e-16, 3e-16, 1e-16)

    def sweep() -> float:
        taken.append(next(left))
        return taken[-1]

    iterate(sweep, "a test")
    assert taken == [1e-2, 1e-6, 3e-16, 3e-16]


def test_iteration_may_grow_while_it_is_far() -> None:
    left, _ = sweeps(1e-2, 2e-2, 1e-5, 0.0)
    iterate(lambda: next(left), "a test")
    assert next(left, None) is None


@pytest.mark.parametrize("change", [0.5, float("nan"), float("inf")])
def test_iteration_that_does_not_converge(change: float) -> None:
    with pytest.raises(EvaluationError, match=r"step of a test .* smaller step="):
        iterate(lambda: change, "a test")
