"""The base of solvers of quadratic programs: one function to write, and what is said on failure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.quadratic.program import Program
    from dalembert.types import Array

SHOWN = 8
"""Conditions that an error lists."""


class Solver(ABC):
    """A solver of quadratic programs; another one serves by the one function `solve`."""

    @abstractmethod
    def solve(self, program: Program) -> Array | None:
        """Return x, or None where no x fulfils the conditions."""

    def solution(self, program: Program, what: str) -> Array:
        """Return x of a program that needs one.

        Equations that follow from others are left out if the solver fails on them.

        Args:
            program: What to solve.
            what: What cannot be done without a solution, for the error.

        Raises:
            EvaluationError: the conditions exclude each other; the message names which.
        """
        x = self.solve(program)
        if x is not None:
            return x
        lean = program.without_dependent_equations()
        if lean is not program and (x := self.solve(lean)) is not None:
            return x
        names = list(dict.fromkeys(self.conflict(lean)))
        listed = ", ".join([*names[:SHOWN], "…"] if len(names) > SHOWN else names)
        if not names:
            raise EvaluationError(
                f"cannot {what}: the solver failed, though no conditions exclude each other. Use "
                "weights and limits closer to one in size, or another solver="
            )
        raise EvaluationError(
            f"cannot {what}: {listed} exclude each other. Relax one of them, or start elsewhere."
        )

    def conflict(self, program: Program) -> list[str]:
        """Return the names of conditions that exclude each other, none of which can be left out.

        Rows come first, then bounds of unknowns, then equations.

        Each condition is dropped in turn: if what is left has no solution either, it stays dropped.
        The list is empty where there is a solution.
        """
        # the nearest point to zero: only the conditions count
        still = program._replace(H=np.eye(program.n), f=np.zeros(program.n))
        if self.solve(still) is not None:
            return []
        kept = np.ones(len(program.names), bool)
        for k in range(len(kept)):
            kept[k] = False
            if self.solve(still.keeping(kept)) is not None:
                kept[k] = True
        # first what can be relaxed: rows, then bounds, then equations
        equal, n = program.lower == program.upper, program.n
        rank = np.where(equal, 2, np.arange(len(kept)) < n)
        places = [int(k) for k in np.argsort(rank, kind="stable") if kept[k]]
        return [program.names[k] for k in places]
