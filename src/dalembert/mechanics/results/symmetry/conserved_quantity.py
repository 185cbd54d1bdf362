"""A quantity that stays constant along every motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.expr import Expr
from dalembert.mechanics.proofs.identity import attempt
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.results.symmetry.field import prove_constant

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


@dataclass(frozen=True, eq=False)
class Conserved:
    """A quantity that stays constant along every motion, why, and under which hypotheses.

    The hypotheses exclude the places where L has a jump or a kink: no derivative exists there.
    ``symmetry`` is the vector field behind it, by coordinate (and ``da.time``).
    """

    name: str
    quantity: Expr
    reason: str
    hypotheses: tuple[str, ...]
    symmetry: Mapping[Expr, Expr]
    equations: Equations = field(repr=False)

    def prove(self) -> Proof:
        """Prove that the quantity is constant: its rate is a combination of the equations."""
        proof = attempt(prove_constant, self.equations, self.symmetry, self.quantity)
        assert proof is not None
        return proof

    def __str__(self) -> str:
        return f"{self.name} is conserved: {self.quantity}{self.where}\n    {self.reason}"

    def _repr_markdown_(self) -> str:
        quantity = f"${self.quantity.latex()}$"
        return f"{self.name} is conserved: {quantity}{self.where}\n\n{self.reason}"

    @property
    def where(self) -> str:
        """The hypotheses in brackets, with spaces before them; empty if there are none."""
        return f"  [{'; '.join(self.hypotheses)}]" if self.hypotheses else ""
