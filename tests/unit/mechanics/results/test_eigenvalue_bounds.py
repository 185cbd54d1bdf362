"""Guaranteed eigenvalue bounds enclose dense samples and tighten with the tolerance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from tests.cases import num_cases


def test_bounds_of_the_planar_arm_enclose_its_spectrum() -> None:
    eq = da.textbook.planar_arm().equations()
    numbers = {"m1": 2.0, "m2": 3.0, "a1": 0.5, "a_c1": 0.3, "a_c2": 0.4, "I1": 0.2, "I2": 0.1}
    values = {p: numbers[p.symbol.name] for p in eq.parameters if p.symbol and p.symbol.name != "g"}
    q2 = eq.coordinates[1]
    M = eq.M.evaluate({**values, q2: np.linspace(-np.pi, np.pi, 721)})
    spectrum = np.linalg.eigvalsh(M)
    bounds = eq.eigenvalue_bounds(values, tolerance=1e-3)
    assert bounds.lower <= spectrum.min() <= bounds.lower * 1.002
    assert bounds.upper >= spectrum.max() >= bounds.upper * 0.998
    assert bounds.lower > 0


def test_sliding_coordinate_needs_a_range() -> None:
    eq = da.textbook.rp_arm().equations()
    m, l = da.parameters("m l")
    with pytest.raises(da.InvalidSystem, match=r"range for q2"):
        eq.eigenvalue_bounds({m: 1.0, l: 1.0})
    bounds = eq.eigenvalue_bounds({m: 1.0, l: 1.0}, {eq.coordinates[1]: (0.0, 1.0)})
    # M = diag(5/12 + (1/2 + q₂)², 1): from 2/3 at q₂ = 0 to 8/3 at q₂ = 1
    assert bounds.lower == pytest.approx(2 / 3, rel=0.011)
    assert bounds.lower <= 2 / 3
    assert bounds.upper == pytest.approx(8 / 3, rel=0.011)
    assert bounds.upper >= 8 / 3


def test_missing_parameters_are_named() -> None:
    eq = da.textbook.rp_arm().equations()
    with pytest.raises(da.InvalidSystem, match="got none for l, m"):
        eq.eigenvalue_bounds({}, {eq.coordinates[1]: (0.0, 1.0)})


x, y = da.coordinates("x y")
(m,) = da.parameters("m")


def inertia(entry: da.Expr) -> da.Equations:
    """Return a system in which x has the given mass, and y none."""
    system = da.System(kinetic=entry * x.dot**2 / 2, potential=y**2, coordinates=[x, y])
    with pytest.warns(UserWarning, match="none along y"):
        return system.equations()


# what a full turn of x does not repeat: (M, values, range of x, exact extremes over it)
NOT_PERIODIC = {
    "exponential": (1 + da.exp(x), {}, (-5, 5), (1 + np.exp(-5), 1 + np.exp(5))),
    "atan2": (4 + da.atan2(x, 1), {}, (-50, 50), (4 - np.arctan(50), 4 + np.arctan(50))),
    "product inside": (2 + da.sin(x * m / 20), {m: 1.0}, (-40, 40), (1, 3)),
    "parameter inside": (2 + da.cos(m * x), {m: 0.25}, (-20, 20), (1, 3)),
    "half angle": (2 + da.cos(x / 2), {}, (-7, 7), (1, 3)),
    "angle and bare": (200 + x + da.cos(x), {}, (-20, 20), (180 + np.cos(20), 220 + np.cos(20))),
    "root": (da.sqrt(2 + x**2 + da.cos(x)), {}, (-9, 9), (np.sqrt(3), np.sqrt(83 + np.cos(9)))),
    "modulus": (1 + abs(x), {}, (-9, 9), (1, 10)),
}


@pytest.mark.parametrize("case", NOT_PERIODIC)
def test_only_what_repeats_gets_a_full_turn_by_itself(case) -> None:
    entry, values, given, (low, high) = NOT_PERIODIC[case]
    eq = inertia(entry)
    with pytest.raises(da.InvalidSystem, match=r"expected a range for x"):
        eq.eigenvalue_bounds(values)
    # the second coordinate has no inertia: 0 is an eigenvalue, too
    bounds = eq.eigenvalue_bounds(values, {x: given}, max_boxes=100)
    assert bounds.lower <= 0 <= bounds.reached[0]
    assert high <= bounds.upper <= high * 1.1
    only = da.System(kinetic=entry * x.dot**2 / 2, coordinates=[x]).equations()
    bounds = only.eigenvalue_bounds(values, {x: given})
    assert low * 0.98 <= bounds.lower <= low <= bounds.reached[0]
    assert bounds.reached[1] <= high <= bounds.upper <= high * 1.02


def test_whole_multiples_repeat() -> None:
    eq = da.System(kinetic=(3 + 2 * da.cos(3 * x)) * x.dot**2 / 2, coordinates=[x]).equations()
    bounds = eq.eigenvalue_bounds({})
    assert 0.98 <= bounds.lower <= 1
    assert 5 <= bounds.upper <= 5.1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), "one", None])
def test_numbers_that_are_none_are_refused(bad) -> None:
    eq = inertia(m + x**2)
    with pytest.raises(da.InvalidSystem, match="finite real numbers for m"):
        eq.eigenvalue_bounds({m: bad}, {x: (0, 1)})
    with pytest.raises(da.InvalidSystem, match="finite real numbers for x"):
        eq.eigenvalue_bounds({m: 1.0}, {x: (0, bad)})


def test_bad_ranges_and_settings_are_refused() -> None:
    eq = inertia(m + x**2)
    wrong: list[Any] = [(1, 0), 3, (1, 2, 3)]
    for bad in wrong:
        with pytest.raises(da.InvalidSystem, match=r"range \(low, high\) for x"):
            eq.eigenvalue_bounds({m: 1.0}, {x: bad})
    with pytest.raises(da.InvalidSystem, match="got both"):
        eq.eigenvalue_bounds({m: 1.0, x: 1.0}, {x: (0, 1)})
    with pytest.raises(da.InvalidSystem, match="does not occur"):
        eq.eigenvalue_bounds({m: 1.0, da.parameters("unknown")[0]: 1.0}, {x: (0, 1)})
    refused: list[dict[str, Any]] = [
        {"tolerance": float("nan")},
        {"tolerance": -1.0},
        {"max_boxes": -1},
    ]
    for settings in refused:
        with pytest.raises(da.InvalidSystem, match="not negative"):
            eq.eigenvalue_bounds({m: 1.0}, {x: (0, 1)}, **settings)


def test_a_value_fixes_a_coordinate() -> None:
    bounds = inertia(m + x**2).eigenvalue_bounds({m: 1.0, x: 3.0})
    assert bounds.upper == pytest.approx(10, rel=1e-12)
    assert bounds.upper >= 10


def test_unbounded_mass_is_refused() -> None:
    with pytest.raises(da.InvalidSystem, match="no finite bound"):
        inertia(1 / x**2).eigenvalue_bounds({}, {x: (-1, 1)}, max_boxes=50)
    with pytest.raises(da.InvalidSystem, match="no finite bound"):
        inertia(da.log(x)).eigenvalue_bounds({}, {x: (-2, -1)}, max_boxes=50)


def test_a_claimed_mass_matrix_may_contain_anything() -> None:
    """Velocities and time need a range; a matrix that is not symmetric has no such bounds."""
    eq = da.System(kinetic=(x.dot**2 + y.dot**2) / 2, coordinates=[x, y]).equations()
    moving = eq.replaced(M=da.Matrix([[2 + da.sin(x.dot), 0], [0, 2 + da.cos(da.time)]]))
    with pytest.raises(da.InvalidSystem, match=r"got none for t, x\.dot"):
        moving.eigenvalue_bounds({})
    bounds = moving.eigenvalue_bounds({}, {x.dot: (-2, 2), da.time: (0, 4)}, max_boxes=400)
    assert 0.9 <= bounds.lower <= 1
    assert 3 <= bounds.upper <= 3.1
    lopsided = eq.replaced(M=da.Matrix([[1, x], [0, 1]]))
    with pytest.raises(da.InvalidSystem, match="symmetric M"):
        lopsided.eigenvalue_bounds({}, {x: (0, 1)})


def test_bounds_are_rounded_outward() -> None:
    """1/3 is no double: the bounds enclose it, and no double lies between."""
    third = da.System(kinetic=x.dot**2 / 6, coordinates=[x]).equations()
    bounds = third.eigenvalue_bounds({}, tolerance=0.0)
    assert Fraction(bounds.lower) < Fraction(1, 3) < Fraction(bounds.upper)
    assert bounds.upper - bounds.lower < 1e-14


def random_entry(rng: np.random.Generator) -> da.Expr:
    """Return a random smooth function of x and y."""
    a, b, c = (Fraction(int(k), 4) for k in rng.integers(-8, 9, 3))
    u = a * x + b * y + c
    functions = [da.sin, da.cos, da.tanh, lambda z: da.exp(z / 8), lambda z: da.sqrt(1 + z**2)]
    functions += [abs, lambda z: da.atan2(z, 2), lambda z: z**2 / 8, lambda z: da.sin(x * y / 20)]
    return functions[rng.integers(len(functions))](u) * Fraction(int(rng.integers(1, 9)), 2)


def test_dense_samples_never_leave_the_bounds(rng, scale) -> None:
    q = [x, y, *da.coordinates("z")]
    cases, refused = num_cases(20, scale), 0
    for _ in range(cases):
        n = int(rng.integers(2, 4))
        entries = {(i, j): random_entry(rng) for i in range(n) for j in range(i + 1)}
        M = [[entries[max(i, j), min(i, j)] for j in range(n)] for i in range(n)]
        still = da.System(kinetic=sum(u.dot**2 for u in q[:n]), coordinates=q[:n]).equations()
        eq = still.replaced(M=da.Matrix(M))
        ends = np.sort(rng.uniform(-6, 6, (2, 2)), axis=1)
        ranges = {x: tuple(ends[0]), y: tuple(ends[1])}
        try:
            bounds = eq.eigenvalue_bounds({}, ranges, tolerance=0.05, max_boxes=100)
        except da.InvalidSystem:
            # the argument of a root is not seen to be positive on boxes as large as these
            refused += 1
            continue
        xs, ys = np.meshgrid(*(np.linspace(low, high, 25) for low, high in ends))
        at = {x: xs.ravel(), y: ys.ravel()}
        sampled = [[np.broadcast_to(e.evaluate(at), xs.size) for e in row] for row in M]
        spectrum = np.linalg.eigvalsh(np.moveaxis(np.array(sampled), -1, 0))
        # a sample is rounded, the bounds are not
        rounding = 1e-12 * np.abs(spectrum).max()
        assert bounds.lower <= spectrum.min() + rounding
        assert spectrum.max() <= bounds.upper + rounding
        assert bounds.lower <= bounds.reached[0]
        assert bounds.reached[1] <= bounds.upper
    assert refused <= max(1, cases // 3)
