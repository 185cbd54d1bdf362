"""The equation of one coordinate, term by term, with the number of every term at this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.typeset.printer import mathml

if TYPE_CHECKING:
    from dalembert.expr import Matrix
    from dalembert.mechanics import Equations
    from dalembert.model import Model
    from dalembert.studio.state import Moment
    from dalembert.types import Array

EXACT_JOINTS = 4
"""Mechanisms with more joints have equations that are too long to read beside a picture."""
MAX_FORMULA = 160
"""Characters of a formula; a longer one is named by its place in M, C or N."""
SMALL = 1e-12
ROUNDING = 1e-13
WEIGHT = "gravity, springs, damping"
DRIVE = "inputs and applied forces"
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Term(NamedTuple):
    """A term: its name such as ``M₁₂ q̈₂``, its formula if it is short, its value, and its side.

    ``meaning`` says in words what it is, ``kind`` is one of `KINDS` or empty, and ``mathml`` is the
    formula as a page shows it.
    """

    name: str
    formula: str
    value: float
    is_left: bool
    meaning: str = ""
    kind: str = ""
    mathml: str = ""


class Terms:
    """The terms of M q̈ + C q̇ + N = Υ + Aᵀλ of a model, row by row; in a motion also contacts."""

    def __init__(self, model: Model, equations: Equations | None = None) -> None:
        self.model = model
        self._equations = equations
        self._written: dict[tuple[str, int, int], tuple[str, str]] = {}

    def row(self, i: int, moment: Moment) -> list[Term]:
        """Return the terms of equation i; both sides add up to the same number."""
        model = self.model
        when = moment.t if model.description.is_timed else None
        q, qd, qdd = moment.q, moment.qd, moment.qdd
        M, C = model.mass_matrix(q, t=when), model.coriolis(q, qd, t=when)
        N = model.bias(q, qd, t=when) - C @ qd
        forces = model.call("applied_forces", q, qd, moment.u, t=when)
        reaction = self._reaction(moment, when)
        found = [
            *self._products("M", i, M[i], qdd, "q̈", "inertia"),
            *self._products("C", i, C[i], qd, "q̇", "coriolis"),
            self._entry("N", i, float(N[i]), is_left=True, kind="gravity"),
            self._entry("forces", i, float(forces[i]), is_left=False, kind="applied"),
        ]
        if model.description.has_constraints:
            name, value = f"(Aᵀλ){_sub(i)}", float(reaction[i])
            found.append(Term(name, "", value, False, "constraints", "constraint"))
        if moment.contacts:
            found.append(Term(f"contacts{_sub(i)}", "", float(moment.others[i]), False))
        # of all equations: what is small beside it is rounding, though it be the largest here
        largest = max(np.abs(x).max(initial=0.0) for x in (M * qdd, C * qd, N, forces, reaction))
        # what is zero by its formula says nothing
        return [
            x._replace(value=0.0) if abs(x.value) < ROUNDING * largest else x
            for x in found
            if x.formula != "0"
        ]

    def _entry(self, part: str, i: int, value: float, *, is_left: bool, kind: str) -> Term:
        """Return an entry of N or Υ."""
        letter, words = ("Υ", DRIVE) if part == "forces" else (part, WEIGHT)
        formula, mathml = self._formula(part, i, 0)
        return Term(f"{letter}{_sub(i)}", formula, value, is_left, words, kind, mathml)

    def _products(
        self, letter: str, i: int, row: Array, rates: Array, rate: str, kind: str
    ) -> list[Term]:
        """Return the products of a row of a matrix with rates; zeros left out."""
        found = []
        for j, (a, x) in enumerate(zip(row, rates, strict=True)):
            formula, mathml = self._formula(letter, i, j)
            if formula == "0" or (not self._equations and abs(a) < SMALL and abs(a * x) < SMALL):
                continue
            name = f"{letter}{_sub(i, j)} {rate}{_sub(j)}"
            meaning = "Coriolis" if kind == "coriolis" else kind
            words = f"{meaning}, {self.model.configuration.v_names[j]}"
            found.append(Term(name, formula, float(a * x), True, words, kind, mathml))
        return found

    def _reaction(self, moment: Moment, when: float | None) -> Array:
        if not self.model.description.has_constraints:
            return np.zeros(self.model.nv)
        return self.model.constraint_jacobian(moment.q, t=when).T @ moment.lam

    def _formula(self, part: str, i: int, j: int) -> tuple[str, str]:
        """Return an entry of the exact equations as text and as MathML, if it is short."""
        if self._equations is None:
            return "", ""
        if (part, i, j) not in self._written:
            matrix: Matrix = getattr(self._equations, part)
            text = str(matrix[i, j])
            is_short = len(text) <= MAX_FORMULA and "\n" not in text
            lines = mathml(matrix[i, j])[0] if is_short else []
            self._written[part, i, j] = (text, "".join(lines)) if is_short else ("", "")
        return self._written[part, i, j]


def _sub(*places: int) -> str:
    """Return places, counted from 1, as a subscript."""
    between = "," if any(k >= 9 for k in places) else ""
    return between.join(str(k + 1) for k in places).translate(SUBSCRIPT)
