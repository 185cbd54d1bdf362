"""D'Alembert's route: inertia forces body by body, Σ (Fᵢ - mᵢ aᵢ)·δrᵢ + … = 0, no energy of motion.

It reaches the equations of Lagrange's method, which its last step proves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem
from dalembert.expr import Matrix
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.routes.answers import admissible, projected
from dalembert.mechanics.equations.routes.bodies import Bodies, MovingBody
from dalembert.mechanics.equations.routes.kinematics import kept, shown_rows
from dalembert.mechanics.equations.routes.letters import (
    Letter,
    letter,
    position_letter,
    spin_letter,
)
from dalembert.mechanics.equations.routes.virtual_work import slope
from dalembert.mechanics.equations.step import DerivationStep, equation_line
from dalembert.mechanics.proofs.identity import IDENTICAL, identity
from dalembert.mechanics.proofs.proof import Proof
from dalembert.ring import Element

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.typeset.tree import Product


MAX_ADMISSIBLE = 200
"""Terms of the admissible displacements up to which they are written, in place of λ."""


def require_bodies(eq: Equations) -> Bodies:
    """Return the bodies of the equations.

    Raises:
        InvalidSystem: the system was given by its energies alone.
    """
    bodies = Bodies(eq)
    if not bodies:
        raise InvalidSystem(
            "expected bodies for D'Alembert's principle, got only energies: "
            "build the system with System.from_bodies or System.from_particles"
        )
    return bodies


def accelerations(bodies: Bodies) -> DerivationStep:
    """Return the step of r̈ and of the inertia torque of each body."""
    r, K = position_letter(bodies.eq), _torque_letter(bodies.eq)
    rows = shown_rows([body.r for body in bodies.items])
    torques = [t for t in map(bodies.inertia_torque, bodies.items) if t is not None]
    axes = shown_rows(torques)
    formulas = []
    for i, body in enumerate(bodies.items, 1):
        formulas.append(DerivationLine(*r.dotted(i, 2), kept(bodies.acceleration(body), rows)))
        torque = bodies.inertia_torque(body)
        if torque is not None and any(not x.is_surely_zero for x in torque):
            shown = kept(torque, axes) if len(torque) == 3 else torque
            value = shown[0] if len(shown) == 1 else shown
            formulas.append(DerivationLine(*K.of(i), value))
    sentence = "Differentiate once more"
    if len(formulas) > len(bodies.items):
        w = spin_letter(bodies.eq).glyph
        euler = f"I {w}\u0307" if len(torques[0]) == 1 else f"I {w}\u0307 + {w} × I {w}"
        sentence += f"; {K.glyph} = {euler} is the rate of the angular momentum of each body"
    return DerivationStep("Accelerations", f"{sentence}.", tuple(formulas))


def displacements(bodies: Bodies) -> DerivationStep:
    """Return the step of ∂r/∂q and ∂ω/∂q̇, by which a small δq moves and turns each body."""
    r, w = position_letter(bodies.eq), spin_letter(bodies.eq)
    rows = shown_rows([body.r for body in bodies.items])
    axes = shown_rows([body.spin for body in bodies.items if body.spin is not None])
    formulas = []
    for i, body in enumerate(bodies.items, 1):
        J = bodies.displacement(body)
        formulas.append(DerivationLine(*slope(r.of(i), ("q", "q")), _rows(J, rows)))
        turning = bodies.turning(body)
        if turning is not None and any(not x.is_surely_zero for x in turning):
            shown = _rows(turning, axes) if turning.shape[0] == 3 else turning
            formulas.append(DerivationLine(*slope(w.of(i), ("q̇", "\\dot{q}")), shown))
    x, turns = r.glyph, len(formulas) > len(bodies.items)
    sentence = f"A small δq that the constraints allow moves a body by δ{x} = ∂{x}/∂q δq"
    if turns:
        sentence += f" and turns it by δφ = ∂{w.glyph}/∂q̇ δq"
    moments = f" + (Mᵢ - {_torque_letter(bodies.eq).glyph}ᵢ)·δφᵢ" if turns else ""
    law = f"Σ (Fᵢ - mᵢ {x}\u0308ᵢ)·δ{x}ᵢ{moments} = 0"
    remark = f"D'Alembert's principle: {law} for every such δq, with the applied forces Fᵢ."
    return DerivationStep("Virtual displacements", f"{sentence}.", tuple(formulas), (remark,))


def _torque_letter(eq: Equations) -> Letter:
    return letter(eq, "K", "H", "D")


def _rows(a: Matrix, rows: Sequence[int]) -> Matrix:
    return Matrix([list(a.rows[i]) for i in rows])


def without_multipliers(bodies: Bodies, Z: Matrix) -> list[DerivationStep]:
    """Return the steps of constrained bodies: displacements δq = S δu, forces E, and SᵀE = 0."""
    eq = bodies.eq
    S, E = letter(eq, "S", "B", "D"), letter(eq, "E", "G", "X")
    left = eq.forms.M @ eq.second_rates + eq.bias_form - eq.forms.forces
    steps = [admissible(eq, Z, S.glyph)]
    for k, x in enumerate(eq.coordinates):
        found = equation(bodies, k)
        law = found.sentence.rpartition(": ")[0]
        balance = f"{E.glyph} = Σ {_inertia_letter(eq).glyph}ᵢ"
        balance += " + G" * any(line.left == "G" for line in found.formulas)
        sentence = f"{law}: {balance} - Υ has to be balanced by the constraints."
        line = DerivationLine(*E.of(k + 1), left[k])
        steps.append(DerivationStep(f"Along {x}", sentence, (*found.formulas, line)))
    return [*steps, projected(eq, Z, S.glyph, E.glyph, list(left))]


def _inertia_letter(eq: Equations) -> Letter:
    return letter(eq, "Z", "J", "B")


def equation(
    bodies: Bodies, k: int, row: Product | None = None, right: Element | None = None
) -> DerivationStep:
    """Return the step that projects the forces of all bodies on one coordinate.

    ``row`` and ``right`` are the sides of the equation of motion, left out where constraints act.
    """
    eq = bodies.eq
    x, Z, r = str(eq.coordinates[k]), _inertia_letter(eq), position_letter(eq).glyph
    formulas = [
        DerivationLine(*Z.of(i), inertia_along(bodies, body, k))
        for i, body in enumerate(bodies.items, 1)
    ]
    given = given_along(bodies, k)
    if not given.is_surely_zero:
        formulas.append(DerivationLine("G", "G", given))
    if row is not None and right is not None:
        formulas.append(equation_line(eq, row, right))
    rotation = any(body.spin is not None for body in bodies.items)
    K, w = _torque_letter(eq).glyph, spin_letter(eq).glyph
    turning = f" + {K}ᵢ·∂{w}ᵢ/∂{eq.velocities[k]}" if rotation else ""
    sentence = f"{Z.glyph}ᵢ = mᵢ {r}\u0308ᵢ·∂{r}ᵢ/∂{x}{turning} is the inertia of body i along {x}"
    if not given.is_surely_zero:
        sentence += f"; G is the force of {' and '.join(_givers(bodies))}, with the other sign"
    law = f"Σ {Z.glyph}ᵢ{' + G' * (not given.is_surely_zero)} = Υ{' + Aᵀλ' * bool(eq.lam)}"
    return DerivationStep(f"Equation of {x}", f"{sentence}: {law}.", tuple(formulas))


def inertia_along(bodies: Bodies, body: MovingBody, k: int) -> Element:
    """Return m r̈·∂r/∂q + (I ω̇ + ω × I ω)·∂ω/∂q̇ for one body and one coordinate."""
    total = body.mass * bodies.acceleration(body).dot(bodies.dq[k].of_matrix(body.r))
    torque = bodies.inertia_torque(body)
    if torque is not None and body.spin is not None:
        total = total + torque.dot(bodies.dv[k].of_matrix(body.spin))
    return total


def given_along(bodies: Bodies, k: int) -> Element:
    """Return what stands on the left beside the inertia of the bodies.

    The weight of each body, forces that were given by a potential or by Rayleigh's function, and
    the rotors of drives, whose energy is that which the bodies lack.
    """
    dq, dv = bodies.dq[k], bodies.dv[k]
    total = dv(bodies.here(bodies.eq.forms.dissipation))
    for body in bodies.items:
        total = total - bodies.weight(body).dot(dq.of_matrix(body.r))
    potential, rotors = _other_energies(bodies)
    return total + dq(potential) + bodies.d_dt(dv(rotors)) - dq(rotors)


def _other_energies(bodies: Bodies) -> tuple[Element, Element]:
    """Return V less that of weights, and T less that of the bodies."""
    potential, kinetic = bodies.here(bodies.eq.forms.V), bodies.here(bodies.eq.forms.T)
    for body in bodies.items:
        potential = potential + bodies.weight(body).dot(body.r)
        kinetic = kinetic - bodies.kinetic(body)
    return potential, kinetic


def _givers(bodies: Bodies) -> list[str]:
    """Return in words what acts beside inertia and applied forces."""
    potential, rotors = _other_energies(bodies)
    has_weight = bodies.gravity is not None and any(not x.is_surely_zero for x in bodies.gravity)
    present = {
        "weight": has_weight,
        "springs": any(not d(potential).is_surely_zero for d in bodies.dq),
        "dampers": not bodies.eq.forms.dissipation.is_surely_zero,
        "rotors": not rotors.is_surely_zero,
    }
    return [word for word, is_there in present.items() if is_there]


def same_as_lagrange(bodies: Bodies) -> Proof:
    """Return the proof that both routes end at the same equations."""
    eq = bodies.eq
    n = len(eq.coordinates)
    left = eq.forms.M @ eq.second_rates + eq.bias_form
    differences = []
    for k in range(n):
        total = given_along(bodies, k)
        for body in bodies.items:
            total = total + inertia_along(bodies, body, k)
        differences.append(total - bodies.here(left[k]))
    return identity(
        bodies.ring,
        "D'Alembert's principle and Lagrange's method give the same equations",
        differences,
        f"Σ (mᵢ r̈ᵢ - Fᵢ)·∂rᵢ/∂q body by body and M q̈ + C q̇ + N: {IDENTICAL}",
    )


def conclusion(bodies: Bodies) -> DerivationStep:
    """Return the last step: the proof."""
    number = len(bodies.items)
    words = f"The equations of {number} bod{'ies' if number > 1 else 'y'} are those of Lagrange."
    return DerivationStep("The same equations", words, (), (str(same_as_lagrange(bodies)),))
