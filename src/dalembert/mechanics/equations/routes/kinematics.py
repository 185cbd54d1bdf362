"""The steps before the energies: where the bodies are and how they move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Matrix
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.routes.bodies import Bodies, MovingBody
from dalembert.mechanics.equations.routes.letters import (
    energy_letter,
    position_letter,
    spin_letter,
)
from dalembert.mechanics.equations.step import DerivationStep
from dalembert.ring import Element
from dalembert.typeset.render.names import subscript

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_SIZE = 400
"""Terms of positions and angular velocities up to which they are written out."""


def written_bodies(eq: Equations) -> Bodies:
    """Return the bodies that a derivation shows: none where their positions would fill pages."""
    bodies = Bodies(eq)
    if bodies.size() > MAX_SIZE:
        bodies.items = []
    return bodies


def positions(bodies: Bodies) -> DerivationStep:
    """Return the step of the centres of mass."""
    formulas = []
    rows = shown_rows([body.r for body in bodies.items])
    given, r = bodies.eq.system.bodies, position_letter(bodies.eq)
    for i, body in enumerate(bodies.items, 1):
        formulas.append(DerivationLine(*r.of(i), kept(body.r, rows)))
        if given and isinstance(given[i - 1].orientation, Matrix):
            R = given[i - 1].orientation
            formulas.append(DerivationLine(f"R{subscript(i)}", f"R_{{{i}}}", R))  # type: ignore[arg-type]
    sentence = f"Centres of mass{of_whom(bodies.items)} as functions of the coordinates"
    return DerivationStep("Positions", f"{sentence}{_left_out(rows, bodies)}.", tuple(formulas))


def of_whom(items: Sequence[MovingBody]) -> str:
    """Return `` of the links a, b and c``, nothing for bodies without names."""
    names = [body.name for body in items if body.name]
    if not names:
        return ""
    if len(names) == 1:
        return f" of the link {names[0]}"
    return f" of the links {', '.join(names[:-1])} and {names[-1]}"


def shown_rows(columns: Sequence[Matrix]) -> tuple[int, ...]:
    """Return the rows that do not vanish in all columns; all of them if the columns are short."""
    size = len(columns[0]) if columns else 0
    rows = tuple(i for i in range(size) if any(not column[i].is_surely_zero for column in columns))
    return rows if size == 3 and rows else tuple(range(size))


def kept(column: Matrix, rows: Sequence[int]) -> Matrix:
    """Return some rows of a column."""
    return Matrix.column([column[i] for i in rows])


def _left_out(rows: Sequence[int], bodies: Bodies) -> str:
    if len(rows) == len(bodies.items[0].r):
        return ""
    names = ["xyz"[i] for i in range(3) if i not in rows]
    return f"; {' and '.join(names)} {'is' if len(names) == 1 else 'are'} zero"


def velocities(bodies: Bodies) -> DerivationStep:
    """Return the step of the velocities, angular ones in the axes of each body."""
    formulas = []
    rows = shown_rows([body.r for body in bodies.items])
    spins = [body.spin for body in bodies.items if body.spin is not None]
    axes = shown_rows(spins)
    r, w = position_letter(bodies.eq), spin_letter(bodies.eq)
    for i, body in enumerate(bodies.items, 1):
        rate = kept(bodies.velocity(body), rows)
        formulas.append(DerivationLine(*r.dotted(i), rate))
        if body.spin is not None:
            formulas.append(DerivationLine(*w.of(i), _spin(body.spin, axes)))
    sentence = "Differentiate the positions"
    if any(len(spin) == 3 for spin in spins):
        sentence += "; angular velocities, in the axes of each body, come from Rᵀ Ṙ"
        if len(axes) == 1:
            sentence += f", here about {'xyz'[axes[0]]}"
    elif spins:
        sentence += "; angular velocities are the rates of the angles"
    return DerivationStep("Velocities", f"{sentence}.", tuple(formulas))


def _spin(spin: Matrix, axes: Sequence[int]) -> Matrix | Element:
    shown = kept(spin, axes) if len(spin) == 3 else spin
    return shown[0] if len(shown) == 1 else shown


def kinetic_energies(bodies: Bodies) -> list[DerivationLine]:
    """Return T of each body, where there are several."""
    if len(bodies.items) < 2:
        return []
    T = energy_letter(bodies.eq)
    return [
        DerivationLine(*T.of(i), bodies.kinetic(body)) for i, body in enumerate(bodies.items, 1)
    ]


def kinetic_sum(bodies: Bodies) -> str:
    """Return T = Σ ½ m ṙᵀṙ + ½ ωᵀ I ω, the second part if some body turns."""
    v, w = f"{position_letter(bodies.eq).glyph}\u0307", spin_letter(bodies.eq).glyph
    turns = any(body.spin is not None for body in bodies.items)
    return f"T = Σ ½ m {v}ᵀ{v}" + (f" + ½ {w}ᵀ I {w}" if turns else "")
