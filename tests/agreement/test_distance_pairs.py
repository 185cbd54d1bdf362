"""Distances of random pairs of shapes beside MuJoCo: no worse than docs/kinematics.md says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.agreement.distance_pairs import PAIRS, compare
from tests.cases import num_cases

pytest.importorskip("mujoco", reason="the oracle MuJoCo is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "kinematics.md"


ROW = r"^\| (\w+, \w+) \| ([\d.e+-]+) m \| ([\d.e+-]+) m \| ([\d,]+) of ([\d,]+) \|$"
ROUNDING = 1e-15
"""Another draw of random numbers may round by as much more."""


def promised() -> dict[str, tuple[float, float, float]]:
    """Return the largest differences of the page, and the part with another depth, by pair."""
    found = {}
    for name, apart, over, others, total in re.findall(ROW, PAGE.read_text("utf-8"), re.M):
        part = int(others.replace(",", "")) / int(total.replace(",", ""))
        found[name] = float(apart), float(over), part
    return found


@pytest.mark.parametrize("name", PAIRS)
def test_no_pair_is_worse_than_the_page_says(
    name: str, rng: np.random.Generator, scale: float
) -> None:
    apart, over, others = promised()[name]
    found = compare(name, num_cases(2000, scale), rng)
    assert found.num_apart > found.num_overlapping > 0
    assert found.apart <= 2 * apart + ROUNDING
    assert found.overlapping <= 2 * over + ROUNDING
    assert found.num_others <= 1.5 * others * found.num_overlapping + 3


def test_every_pair_with_a_formula_is_on_the_page() -> None:
    assert set(promised()) == set(PAIRS)
