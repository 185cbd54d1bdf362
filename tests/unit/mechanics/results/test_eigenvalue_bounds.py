"""Guaranteed eigenvalue bounds enclose dense samples and tighten with the tolerance."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


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
