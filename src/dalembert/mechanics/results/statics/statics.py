"""Statics by virtual work: δW = Σ (Υ - N) δq = 0 for all admissible displacements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import InvalidSystem, SingularSystem
from dalembert.expr import ZERO, Expr, Matrix, symbol_text
from dalembert.expr.node import printer
from dalembert.mechanics.proofs.identity import ring_for
from dalembert.ring import (
    Element,
    Ring,
    canonical_all,
    canonical_matrix,
    is_zero,
    null_space,
    partials,
    rebuild,
    rebuild_matrix,
    solve,
)
from dalembert.typeset.parts.write import aligned
from dalembert.typeset.render.lines import wrap

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Reaction(NamedTuple):
    """The multiplier of a released constraint, found by the displacement that it had forbidden.

    ``value`` is λ, by zᵀ(N - Υ) = λ (A z) with the ``displacement`` z of the released system;
    ``force`` is Aᵀλ, the generalized force of the constraint. Where the system can still move,
    λ has this value in equilibrium only.
    """

    multiplier: Expr
    value: Expr
    displacement: Matrix
    force: Matrix

    def __str__(self) -> str:
        return f"{self.multiplier} = {self.value}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.multiplier.latex()} = {self.value.latex()}$"


@dataclass(frozen=True, eq=False)
class Statics:
    """A system at rest.

    ``applied`` is Υ - N at q̇ = 0, all forces but those of the constraints; ``displacements`` has
    the virtual displacements for columns; ``work`` is the virtual work of each of them, which
    vanishes in equilibrium; ``residual`` is N - Υ - Aᵀλ.
    """

    equations: Equations
    applied: Matrix
    displacements: Matrix
    work: Matrix
    residual: Matrix

    def solve(self, *unknowns: Expr) -> dict[Expr, Expr]:
        """Return the forces or parameters for which the system is in equilibrium.

        As many unknowns as degrees of freedom, in which the virtual work is linear.

        Raises:
            InvalidSystem: their number is another, or the work is not linear in them.
            SingularSystem: they cannot balance the system.
        """
        return _solved(self, unknowns)

    def reaction(self, number: int) -> Reaction:
        """Return λ of the constraint with this number (from 1), by releasing it.

        Raises:
            SingularSystem: the others hold the system just the same (statically indeterminate).
        """
        return _reaction(self, number)

    def reactions(self) -> list[Reaction]:
        """Return the reactions of all constraints, each by releasing it."""
        return [self.reaction(k + 1) for k in range(len(self.equations.lam))]

    def __str__(self) -> str:
        if not len(self.work):
            return "no virtual displacement: the constraints hold the system"
        return "\n".join(wrap(f"{self._text(w)} = 0") for w in self.work)

    def _repr_latex_(self) -> str:
        lines = [f"{printer().latex(w, notation=self.work.notation)} &= 0" for w in self.work] or [
            "\\delta q &= 0"
        ]
        return f"$\\displaystyle {aligned(lines)}$"

    def _text(self, w: Expr) -> str:
        return printer().text(w, notation=self.work.notation, named=False)


def statics(eq: Equations) -> Statics:
    """Return the conditions of equilibrium; see `Equations.statics`."""
    if any(not is_zero(x) for x in eq.forms.drift):
        raise InvalidSystem(
            "expected constraints at rest for statics, got one that moves with time: "
            "a system that is driven has no equilibrium"
        )
    rest = dict.fromkeys(eq.velocities, ZERO)
    applied = (eq.forces - eq.N).subs(rest)
    Z = _displacements(eq)
    residual = -applied
    if eq.lam:
        residual = residual - eq.A.T @ Matrix.column(eq.lam)
    ring = ring_for(eq, applied.entries)
    work = Z.T @ applied
    return Statics(
        eq,
        applied.printed_as(eq.notation),
        Z.printed_as(eq.notation),
        _canonical(ring, work).printed_as(eq.notation),
        _canonical(ring, residual).printed_as(eq.notation),
    )


def _displacements(eq: Equations) -> Matrix:
    n = len(eq.coordinates)
    return eq.virtual_displacements() if eq.lam else Matrix.identity(n)


def _canonical(ring: Ring, a: Matrix) -> Matrix:
    return rebuild_matrix(canonical_matrix(ring, a))


def _solved(at_rest: Statics, unknowns: Sequence[Expr]) -> dict[Expr, Expr]:
    eq, work = at_rest.equations, at_rest.work
    ring = ring_for(eq, [*work.entries, *unknowns])
    w = canonical_all(ring, work.entries)
    if len(unknowns) != len(w):
        raise InvalidSystem(
            f"expected {len(w)} unknowns, one for each virtual displacement, got {len(unknowns)}: "
            "name inputs or parameters that balance the system"
        )
    d = partials(ring, unknowns)
    slopes = Matrix([[dj(x) for dj in d] for x in w], len(unknowns))
    if any(not is_zero(dj(x)) for dj in d for x in slopes):
        names = ", ".join(map(symbol_text, unknowns))
        raise InvalidSystem(
            f"expected unknowns in which the virtual work is linear, got {names}: "
            "solve for forces, or find the equilibrium numerically"
        )
    column = Matrix.column(w)
    constant = column - slopes @ ring.column(unknowns)
    try:
        x = solve(ring, slopes, -constant)
    except SingularSystem:
        names = ", ".join(map(symbol_text, unknowns))
        raise SingularSystem(
            f"expected forces that can balance the system, got {names}: some virtual displacement "
            "is without their work"
        ) from None
    return dict(zip(unknowns, map(rebuild, x), strict=True))


def _reaction(at_rest: Statics, number: int) -> Reaction:
    eq = at_rest.equations
    ring, A, m = eq.ring, eq.forms.A, len(eq.lam)
    if not 1 <= number <= m:
        raise InvalidSystem(
            f"expected the number of a constraint from 1 to {m}, got {number}"
            if m
            else "expected a system with constraints, got one without: there is no reaction"
        )
    others = Matrix([row for k, row in enumerate(A.rows, 1) if k != number], A.shape[1])
    row = Matrix([A.rows[number - 1]], A.shape[1])
    z = _released(ring, others, row)
    if z is None:
        raise SingularSystem(
            f"expected a constraint that holds the system, got number {number}, without which it "
            "could move no more than with it: statically indeterminate, drop a constraint"
        )
    # zᵀ (N - Υ) = λ A z
    ring = ring_for(eq, at_rest.applied.entries)
    (work, *_) = canonical_all(ring, [(rebuild_matrix(z).T @ at_rest.applied)[0, 0]])
    (moved,) = canonical_all(ring, [rebuild((row @ z)[0, 0])])
    value = rebuild(-work / moved)
    force = eq.A.row(number - 1).T * value
    z_expr = rebuild_matrix(z).printed_as(eq.notation)
    return Reaction(eq.lam[number - 1], value, z_expr, force.printed_as(eq.notation))


def _released(ring: Ring, others: Matrix, row: Matrix) -> Matrix | None:
    """Return the simplest displacement that only the released constraint forbids, or None."""
    n = row.shape[1]
    if others.rows:
        Z = null_space(ring, others)
        columns = [Matrix.column(Z.col(j)) for j in range(Z.shape[1])]
    else:
        columns = [Matrix.column(_unit(ring, n, j)) for j in range(n)]
    columns.sort(key=lambda z: sum(map(len, z)))
    return next((z for z in columns if not is_zero((row @ z)[0, 0])), None)


def _unit(ring: Ring, n: int, j: int) -> list[Element]:
    return [ring.one if i == j else ring.zero for i in range(n)]
