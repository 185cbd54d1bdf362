"""Split forces into the part along the admissible motions and the part across them (Penn 3.2).

Only the part along the motions accelerates the system; at rest the constraints balance the part
across. With the columns of Z for virtual displacements the projector P onto the first part is
P = G Z (Zᵀ G Z)⁻¹ Zᵀ; G is M, the kinetic metric, or the identity, as Penn draws it for particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dalembert.errors import InvalidSystem, SingularSystem
from dalembert.expr import Matrix, Scalar
from dalembert.mechanics.equations.closed_form import explain_singular
from dalembert.mechanics.equations.formula import DerivationLine, formulas_latex, formulas_text
from dalembert.mechanics.proofs.identity import IDENTICAL, identity, ring_for
from dalembert.mechanics.proofs.proof import Proof, Proofs
from dalembert.ring import (
    Element,
    Ring,
    canonical_matrix,
    null_space,
    rebuild_matrix,
    solve,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.mechanics.equations.equations import Equations

Metric = Literal["kinetic", "euclidean"]


@dataclass(frozen=True, eq=False)
class ForceSplit:
    """``along`` + ``across`` is the force; ``projector`` P gives along = P force.

    Across does no virtual work, and along is G times an admissible motion, G = M or the identity.
    """

    equations: Equations
    metric: Metric
    projector: Matrix
    along: Matrix
    across: Matrix

    def prove(self) -> list[Proof]:
        """Prove what makes the split the only one."""
        return Proofs(_proofs(self))

    def _formulas(self) -> list[DerivationLine]:
        style = self.equations.notation
        return [
            DerivationLine("f∥", "f_{\\parallel}", self.along, style),
            DerivationLine("f⊥", "f_{\\perp}", self.across, style),
        ]

    def __str__(self) -> str:
        return formulas_text(self._formulas())

    def _repr_latex_(self) -> str:
        return formulas_latex(self._formulas())


def split_forces(
    eq: Equations, forces: Sequence[Scalar] | Matrix | None = None, metric: Metric = "kinetic"
) -> ForceSplit:
    """Return the parts of a generalized force; see `Equations.split_forces`."""
    if metric not in ("kinetic", "euclidean"):
        raise InvalidSystem(f'expected metric "kinetic" or "euclidean", got {metric!r}')
    f = eq.forces - eq.N if forces is None else _column(eq, forces)
    ring = ring_for(eq, f.entries)
    G, A = _metric(eq, ring, metric), _in(ring, eq, eq.A)
    P = _projector(eq, ring, G, A)
    force = canonical_matrix(ring, f)
    along = P @ force

    def written(a: Matrix) -> Matrix:
        return rebuild_matrix(a).printed_as(eq.notation)

    return ForceSplit(eq, metric, written(P), written(along), written(force - along))


def _column(eq: Equations, forces: Sequence[Scalar] | Matrix) -> Matrix:
    f = forces if isinstance(forces, Matrix) else Matrix.column(forces)
    if f.shape != (len(eq.coordinates), 1):
        raise InvalidSystem(
            f"expected one generalized force for each of the {len(eq.coordinates)} coordinates, "
            f"got shape {f.shape}: use 0 for a coordinate without force"
        )
    return f


def _metric(eq: Equations, ring: Ring, metric: Metric) -> Matrix:
    if metric == "kinetic":
        return _in(ring, eq, eq.M)
    return _identity(ring, len(eq.coordinates))


def _in(ring: Ring, eq: Equations, a: Matrix) -> Matrix:
    return canonical_matrix(ring, a) if len(a) else a


def _identity(ring: Ring, n: int) -> Matrix:
    return Matrix([[ring.one if i == j else ring.zero for j in range(n)] for i in range(n)], n)


def _projector(eq: Equations, ring: Ring, G: Matrix, A: Matrix) -> Matrix:
    """Return P = G Z (Zᵀ G Z)⁻¹ Zᵀ, the identity without constraints, zero if nothing can move."""
    n = len(eq.coordinates)
    if not eq.lam:
        return _identity(ring, n)
    Z = null_space(ring, A)
    if not Z.shape[1]:
        return _identity(ring, n) * 0
    try:
        return G @ Z @ solve(ring, Z.T @ G @ Z, Z.T)
    except SingularSystem:
        raise SingularSystem(explain_singular(eq)) from None


def _proofs(split: ForceSplit) -> list[Proof]:
    eq = split.equations
    ring = ring_for(eq, [*split.projector.entries, *split.along.entries, *split.across.entries])
    P, across = (canonical_matrix(ring, a) for a in (split.projector, split.across))
    G = _metric(eq, ring, split.metric)
    n = len(eq.coordinates)
    Z = null_space(ring, _in(ring, eq, eq.A)) if eq.lam else _identity(ring, n)
    letter = "M" if split.metric == "kinetic" else "1"

    def vanish(statement: str, a: Matrix) -> Proof:
        differences: list[Element] = list(a)
        return identity(ring, statement, differences, IDENTICAL)

    return [
        vanish("P² = P: what is along the motions has no part across them", P @ P - P),
        vanish("Zᵀ f⊥ = 0: what is across the motions does no virtual work", Z.T @ across),
        vanish(
            f"P G Z = G Z with G = {letter}: along is G times an admissible motion",
            P @ G @ Z - G @ Z,
        ),
    ]
