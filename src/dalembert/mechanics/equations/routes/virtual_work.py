"""The step from loads to generalized forces: δW = Σ Fᵢ·δpᵢ + Mᵢ·δφᵢ = Υ·δq."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Matrix, as_expr, jacobian, total
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.routes.letters import Letter, letter, spin_letter
from dalembert.mechanics.equations.step import DerivationStep
from dalembert.mechanics.system.body import Load, as_vector, rotation_rate
from dalembert.ring import canonical_all
from dalembert.spatial.inertia.inertia import NO_INERTIA

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def virtual_work(eq: Equations) -> DerivationStep:
    """Return the loads, the displacements of the points pᵢ that they act on, and Υ."""
    loads = eq.system.loads
    turned = _turned_bodies(eq)
    formulas = [
        line for i, load in enumerate(loads, 1) for line in _of_load(eq, load, i, turned[i - 1])
    ]
    formulas.append(DerivationLine("Υ", "\\Upsilon", eq.forms.forces))
    F, p, M, w = (x.glyph for x in _letters(eq))
    work, force = [], []
    if any(load.force is not None for load in loads):
        work.append(f"{F}ᵢ·δ{p}ᵢ")
        force.append(f"(∂{p}ᵢ/∂q)ᵀ {F}ᵢ")
    if any(load.torque is not None for load in loads):
        work.append(f"{M}ᵢ·δφᵢ")
        force.append(f"(∂{w}/∂q̇)ᵀ {M}ᵢ")
    sentence = (
        f"Displace the coordinates by δq: the loads do the work δW = Σ {' + '.join(work)} = Υ·δq, "
        f"so that Υ = Σ {' + '.join(force)}."
    )
    if any(load.torque is not None for load in loads):
        sentence += f" {w} is the angular velocity of the body that the moment acts on."
    remarks = ("Υ also holds the forces that were given for the coordinates.",)
    return DerivationStep("Virtual work", sentence, tuple(formulas), remarks if _others(eq) else ())


def _letters(eq: Equations) -> tuple[Letter, Letter, Letter, Letter]:
    """Return letters of forces, their points, moments and angular velocities."""
    F, p = letter(eq, "F", "f", "P"), letter(eq, "p", "s", "X")
    return F, p, letter(eq, "M", "K", "m"), spin_letter(eq)


def _turned_bodies(eq: Equations) -> list[int]:
    """Return the number of the body that each load turns, which its ω has in the step before.

    A moment on something else gets a number after those of the bodies.
    """
    bodies = eq.system.bodies
    found, others = [], num_bodies(eq)
    for load in eq.system.loads:
        turned = load.orientation
        number = next((k for k, b in enumerate(bodies, 1) if _is_same(b.orientation, turned)), 0)
        if turned is not None and not number:
            number = others = others + 1
        found.append(number)
    return found


def num_bodies(eq: Equations) -> int:
    """Return how many bodies have an ω of their own in the steps before."""
    if eq.tree is None:
        return len(eq.system.bodies)
    return sum(node.inertia != NO_INERTIA for node in eq.tree.nodes)


def _is_same(a: object, b: object) -> bool:
    return a is not None and a == b


def _of_load(eq: Equations, load: Load, i: int, turned: int) -> list[DerivationLine]:
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
            *_own_rate(eq, load, turned, w),
            DerivationLine(*slope(w.of(turned), ("q̇", "\\dot{q}")), J),
        ]
    return lines


def _own_rate(eq: Equations, load: Load, turned: int, w: Letter) -> list[DerivationLine]:
    """Return what ω is where no body has it."""
    if turned <= num_bodies(eq) or load.orientation is None:
        return []
    rate = rotation_rate(load.orientation)
    return [DerivationLine(*w.of(turned), rate[0] if len(rate) == 1 else rate)]


def slope(top: tuple[str, str], bottom: tuple[str, str]) -> tuple[str, str]:
    """Return ∂top/∂bottom in Unicode and in LaTeX."""
    latex = f"\\frac{{\\partial {top[1]}}}{{\\partial {bottom[1]}}}"
    return f"∂{top[0]}/∂{bottom[0]}", latex


def _others(eq: Equations) -> bool:
    """Tell whether generalized forces were given beside the loads."""
    parts = [load.generalized(eq.coordinates) for load in eq.system.loads]
    by_loads = canonical_all(eq.ring, [total(column) for column in zip(*parts, strict=True)])
    return any(a != b for a, b in zip(by_loads, eq.forms.forces, strict=True))
