"""Random systems are printed as text, LaTeX and MathML, and read back as the same equations."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.expr.node import printer
from dalembert.mechanics.printed.read_back import fault_of_latex, fault_of_mathml, fault_of_text
from dalembert.mechanics.printed.statement import fault_of_equations
from tests.cases import num_cases
from tests.figures import Figures
from tests.random_systems import random_system

PARTS = ("T", "V", "M", "C", "N", "forces")


def faults(eq: da.Equations) -> dict[str, str]:
    """Return what is wrong with each print of equations and their parts."""
    found = {"equations": fault_of_equations(eq)}
    for name in PARTS:
        part = getattr(eq, name)
        found[f"text of {name}"] = fault_of_text(part, printer().text(part, notation=eq.notation))
        found[f"LaTeX of {name}"] = fault_of_latex(part, part.latex())
        found[f"MathML of {name}"] = fault_of_mathml(part, printer().mathml(part))
    return {name: words for name, words in found.items() if words}


@pytest.mark.parametrize("state", [405, 793, 1052])
def test_named_parts_of_a_matrix_have_names_of_their_own(state: int) -> None:
    """Entries were called w₁ and a sum in them too, a sum u₁ or w as an input or a drive w(t)."""
    assert faults(random_system(random.Random(state)).equations()) == {}


@pytest.mark.parametrize("batch", range(4))
def test_prints_of_random_systems_are_read_back(
    batch: int, rng: np.random.Generator, scale: float, figures: Figures
) -> None:
    for _ in range(num_cases(6, scale)):
        state = int(rng.integers(2**40))
        eq = random_system(random.Random(state)).equations()
        assert faults(eq) == {}, f"random_system(random.Random({state}))\n{eq}"
        figures.count("systems printed and read back")
