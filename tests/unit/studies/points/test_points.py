"""Points: any range of rows is the same part of the same set."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from scipy.stats import qmc

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.studies import Points
from dalembert.studies.points.latin_hypercube import permuted

SPREADS = {"x": (0.0, 1.0), "q": ([-1.0, 2.0], [1.0, 5.0]), "m": scipy.stats.norm(3.0, 0.5)}
KINDS: list[Callable[[], Points]] = [
    lambda: da.sweep.Grid({"x": np.arange(10), "q": np.eye(10), "name": list("abcdefghij")}),
    lambda: da.sweep.Random(SPREADS, 1000),
    lambda: da.sweep.LatinHypercube(SPREADS, 1000),
    lambda: da.sweep.Sobol(SPREADS, 1000),
    lambda: da.sweep.Table({"x": np.arange(1000.0), "q": np.ones((1000, 2, 2))}),
]


@pytest.mark.parametrize("make", KINDS)
def test_a_range_is_a_part_of_the_whole(make: Callable[[], Points]) -> None:
    points = make()
    whole = points.values(0, 1000, seed=5)
    # backwards, and by another copy, as workers ask for them
    for first, last in [(990, 1000), (400, 401), (0, 333), (333, 700)]:
        for other in (points, make()):
            part = other.values(first, last, seed=5)
            assert list(part) == list(whole)
            for name, x in part.items():
                assert (x == whole[name][first:last]).all()


@pytest.mark.parametrize("make", KINDS[1:4])
def test_the_seed_changes_the_points_and_not_the_ranges(make: Callable[[], Points]) -> None:
    one, other = make().values(0, 1000, seed=1), make().values(0, 1000, seed=2)
    assert all((one[name] != other[name]).mean() > 0.99 for name in one)
    for name, (low, high) in {"x": (0, 1), "q": ([-1, 2], [1, 5])}.items():
        assert ((one[name] >= low) & (one[name] <= high)).all()


def test_a_grid_is_a_product() -> None:
    grid = da.sweep.Grid({"a": [1, 2], "b": [0.5, 1.5, 2.5], "c": ["x", "y"]})
    found = grid.values(0, grid.num_rows, seed=0)
    rows = list(zip(*(x.tolist() for x in found.values()), strict=True))
    assert rows == list(itertools.product([1, 2], [0.5, 1.5, 2.5], ["x", "y"]))


@pytest.mark.parametrize("count", [1, 2, 3, 10, 1000, 4096, 4097])
def test_every_part_of_a_latin_hypercube_has_one_point(count: int) -> None:
    points = da.sweep.LatinHypercube({"x": (0, count), "y": ([0] * 4, [count] * 4)}, count)
    found = points.values(0, count, seed=3)
    cube = np.column_stack((found["x"], found["y"]))
    assert (np.sort(np.floor(cube), axis=0) == np.arange(count)[:, None]).all()


def test_the_order_of_a_latin_hypercube_is_random() -> None:
    """Places of neighbours and of coordinates are not correlated: below 4 deviations of chance."""
    count = 100_000
    keys = np.random.default_rng(0).integers(2**63, size=(2, 6)).astype(np.uint64)
    a, b = (permuted(np.arange(count), count, key) for key in keys)
    for x, y in [(a[1:], a[:-1]), (a, b), (a, np.arange(count))]:
        assert abs(np.corrcoef(x, y)[0, 1]) < 4 / np.sqrt(count)


def test_sobol_points_are_those_of_scipy() -> None:
    found = da.sweep.Sobol({"x": ([0] * 5, [1] * 5)}, 256).values(0, 256, seed=9)["x"]
    theirs = qmc.Sobol(5, scramble=True, bits=30, seed=9).random(256)  # type: ignore[call-arg]
    assert np.abs(found - theirs).max() <= 2.0**-31
    # far more even than chance, for which the discrepancy is about 1/256
    assert qmc.discrepancy(found) < 1e-3


def test_columns_have_their_distributions() -> None:
    count = 20_000
    found = da.sweep.Random(SPREADS, count).values(0, count, seed=0)
    # Kolmogorov's distance, at a level of one in a million
    distance = 2.6 / np.sqrt(count)
    assert scipy.stats.kstest(found["m"], scipy.stats.norm(3.0, 0.5).cdf).statistic < distance
    assert scipy.stats.kstest(found["q"][:, 1], scipy.stats.uniform(2, 3).cdf).statistic < distance
    assert abs(np.corrcoef(found["x"], found["m"])[0, 1]) < 5 / np.sqrt(count)


def test_a_distribution_with_wrong_quantiles_is_refused() -> None:
    class Wrong:
        def ppf(self, q: np.ndarray) -> np.ndarray:
            return np.where(q > 0.995, np.nan, q)

    points = da.sweep.Sobol({"x": Wrong()}, 4096)
    with pytest.raises(EvaluationError, match="finite quantiles of column 'x'"):
        points.values(0, 4096, seed=0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: da.sweep.Grid({}), "one column or more"),
        (lambda: da.sweep.Grid({"x": []}), "none empty"),
        (lambda: da.sweep.Grid({"row": [1]}), "other than row and failure"),
        (lambda: da.sweep.Grid({"x": [float("nan")]}), "finite numbers in column 'x'"),
        (lambda: da.sweep.Grid({"x": [1j]}), "numbers or texts"),
        (lambda: da.sweep.Grid({"x": [[1, 2], [3]]}), "numbers or texts"),
        (lambda: da.sweep.Grid({c: range(10**4) for c in "abcd"}), "got 10,000,000,000,000,000"),
        (lambda: da.sweep.Table({"x": [1, 2], "y": [1]}), "one length"),
        (lambda: da.sweep.Random({"x": (1, 0)}, 10), "lowest ≤ highest"),
        (lambda: da.sweep.Random({"x": (0, float("inf"))}, 10), "finite ranges"),
        (lambda: da.sweep.Random({"x": 3}, 10), "a distribution with ppf, got 3"),  # type: ignore[dict-item]
        (lambda: da.sweep.Random({"x": ([0, 0], [1, 1, 1])}, 10), "arrays of one shape"),
        (lambda: da.sweep.Random({"x": (0, 1)}, 0), "1 to 1,000,000,000,000 rows, got 0"),
        (lambda: da.sweep.Random({"x": (0, 1)}, 1.5), "whole number of rows"),  # type: ignore[arg-type]
        (lambda: da.sweep.Sobol({"x": (0, 1)}, 2**31), "at most 2\\*\\*30"),
    ],
)
def test_points_without_meaning_are_refused(make: Callable[[], Points], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        make()
