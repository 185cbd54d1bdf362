"""Base parameters: the fewest combinations of parameters that the motion depends on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from dalembert.expr import Matrix, Scalar, total
from dalembert.mechanics.equations.formula import (
    DerivationLine,
    formulas_latex,
    formulas_text,
)
from dalembert.mechanics.proofs.proof import Proof
from dalembert.ring import Element, rebuild, rebuild_matrix

MAX_SHOWN_TERMS = 500


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The fewest combinations of parameters with left side of the equations = Y · combinations.

    ``full`` (a column) lists the parameters that are combined: of a system every product of its
    parameters that occurs, of a mechanism the ten of every link, m, h = m c and I about the origin
    of its frame, and those of rotors, friction and springs. ``weights[i][j]`` is the part of
    full[j] in combination i, ``independent`` the place in full of the parameter that leads it.
    ``columns`` is Y as ring elements, ``given`` what full stands for in this system or mechanism;
    ``proof`` says why it takes that many.
    """

    full: Matrix
    independent: tuple[int, ...]
    weights: tuple[tuple[Element, ...], ...]
    columns: Matrix
    given: tuple[Scalar, ...]
    proof: Proof

    def __len__(self) -> int:
        return len(self.independent)

    @cached_property
    def combinations(self) -> Matrix:
        """The base parameters, a column: each a linear combination of ``full``."""
        return self._combined(self.full)

    @cached_property
    def values(self) -> Matrix:
        """The combinations with ``given``, the numbers of the mechanism itself, for ``full``."""
        return self._combined(self.given)

    @cached_property
    def Y(self) -> Matrix:
        """The independent columns of the regressor, a function of q, q̇ and q̈."""
        return rebuild_matrix(self.columns)

    def __str__(self) -> str:
        return f"{formulas_text(self._formulas())}\n{self.proof}"

    def __repr__(self) -> str:
        return f"BaseParameters({len(self)} of {len(self.full)})"

    def _repr_latex_(self) -> str:
        return formulas_latex(self._formulas())

    def _formulas(self) -> list[DerivationLine]:
        theta = DerivationLine("Θ", "\\Theta", self.combinations)
        # of a real robot Y would fill pages
        is_short = sum(map(len, self.columns)) <= MAX_SHOWN_TERMS
        return [theta, DerivationLine("Y", "Y", self.Y)] if is_short else [theta]

    def _combined(self, parameters: Iterable[Scalar]) -> Matrix:
        theta = list(parameters)
        rows = [
            [rebuild(k) * p for k, p in zip(row, theta, strict=True) if not k.is_surely_zero]
            for row in self.weights
        ]
        return Matrix.column([total(row) for row in rows])
