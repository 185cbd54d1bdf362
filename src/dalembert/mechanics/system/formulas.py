"""A system as formulas: its coordinates, energies, forces and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Expr, Matrix, count_nodes
from dalembert.mechanics.equations.formula import DerivationLine

if TYPE_CHECKING:
    from dalembert.mechanics.system.system import System

MAX_SHOWN_NODES = 300


def system_formulas(system: System) -> list[DerivationLine]:
    """Return what describes the system, without what is zero or would fill pages."""
    energies = {"T": system.kinetic, "V": system.potential}
    if system.lagrangian is not system.kinetic - system.potential:
        energies = {"L": system.lagrangian}
    scalars = [*energies.items(), ("R", system.dissipation)]
    scalars = [(name, form) for name, form in scalars if form != 0]
    scalars += [("0", form) for form in (*system.constraints, *system.velocity_constraints)]
    forces = Matrix.column(system.forces)
    lines = [DerivationLine("q", "q", Matrix.column(system.coordinates))]
    lines += [DerivationLine(x, x, form) for x, form in scalars if _is_short([form])]
    if _is_short(forces.entries) and any(f != 0 for f in system.forces):
        lines.append(DerivationLine("Υ", "\\Upsilon", forces))
    return lines


def _is_short(entries: Sequence[Expr]) -> bool:
    return count_nodes(entries) <= MAX_SHOWN_NODES
