"""The step from loads to generalized forces: δW = Σ Fᵢ·δpᵢ + Mᵢ·δφᵢ = Υ·δq."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Matrix, as_expr, jacobian, total
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.routes.letters import Letter, letter, spin_letter
from dalembert.mechanics.equations.step import DerivationStep
from dalembert.mechanics.system.body import Load, as_vector, rotation_rate
from dalembert.ring import canonical_all

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def virtual_work(eq: Equations) -> DerivationStep:
    """Return the loads, the displacements of the points pᵢ that they act on, and Υ."""
    loads = eq.system.loads
    formulas = [line for i, load in enumerate(loads, 1) for line in _of_load(eq, load, i)]
    formulas.append(DerivationLine("Υ", "\\Upsilon", eq.forms.forces))
    F, p, M, w = (x.glyph for x in _letters(eq))
    work, force = [], []
    if any(load.force is not None for load in loads):
        work.append(f"{F}ᵢ·δ{p}ᵢ")
        force.append(f"(∂{p}ᵢ/∂q)ᵀ {F}ᵢ")
    if any(load.torque is not None for load in loads):
        work.append(f"{M}ᵢ·δφᵢ")
        force.append(f"(∂{w}ᵢ/∂q̇)ᵀ {M}ᵢ")
    sentence = (
        f"Displace the coordinates by δq: the loads do the work δW = Σ {' + '.join(work)} = Υ·δq, "
        f"so that Υ = Σ {' + '.join(force)}."
    )
    remarks = ("Υ also holds the forces that were given for the coordinates.",)
    return DerivationStep("Virtual work", sentence, tuple(formulas), remarks if _others(eq) else ())


def _letters(eq: Equations) -> tuple[Letter, Letter, Letter, Letter]:
    """Return letters of forces, their points, moments and angular velocities."""
    F, p = letter(eq, "F", "f", "P"), letter(eq, "p", "s", "X")
    return F, p, letter(eq, "M", "K", "m"), spin_letter(eq)


def _of_load(eq: Equations, load: Load, i: int) -> list[DerivationLine]:
    lines, (F, p, M, w) = [], _letters(eq)
    if load.force is not None and load.point is not None:
        point = as_vector(load.point, "a point")
        lines += [
            DerivationLine(*F.of(i), as_vector(load.force, "a force")),
            DerivationLine(*p.of(i), point),
            DerivationLine(*slope(p.of(i), ("q", "q")), jacobian(point, eq.coordinates)),
        ]
    if load.torque is not None and load.orientation is not None:
        J = jacobian(rotation_rate(load.orientation), eq.velocities)
        is_list = isinstance(load.torque, Matrix | tuple | list)
        torque = list(load.torque) if is_list else [load.torque]  # type: ignore[arg-type]
        lines += [
            DerivationLine(*M.of(i), Matrix.column(map(as_expr, torque))),
            DerivationLine(*slope(w.of(i), ("q̇", "\\dot{q}")), J),
        ]
    return lines


def slope(top: tuple[str, str], bottom: tuple[str, str]) -> tuple[str, str]:
    """Return ∂top/∂bottom in Unicode and in LaTeX."""
    latex = f"\\frac{{\\partial {top[1]}}}{{\\partial {bottom[1]}}}"
    return f"∂{top[0]}/∂{bottom[0]}", latex


def _others(eq: Equations) -> bool:
    """Tell whether generalized forces were given beside the loads."""
    parts = [load.generalized(eq.coordinates) for load in eq.system.loads]
    by_loads = canonical_all(eq.ring, [total(column) for column in zip(*parts, strict=True)])
    return any(a != b for a, b in zip(by_loads, eq.forms.forces, strict=True))
