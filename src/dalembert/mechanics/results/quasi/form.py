"""Equations of motion in quasi-velocities: Maggi's and Kane's, and those of Boltzmann and Hamel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.expr import Expr, Matrix, Notation, Scalar, substitute
from dalembert.expr.node import printer
from dalembert.mechanics.proofs.domain import defined_where
from dalembert.mechanics.proofs.identity import IDENTICAL, attempt, identity
from dalembert.mechanics.proofs.proof import Proof, Proofs
from dalembert.mechanics.results.quasi.frame import Frame, chosen_frame, given_frame
from dalembert.mechanics.results.quasi.hamel import boltzmann_hamel
from dalembert.ring import Element, canonical_all, canonical_matrix, rebuild_matrix, ring_of, solve
from dalembert.typeset.parts.write import aligned
from dalembert.typeset.render.lines import wrap

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.results.quasi.frame import Definitions


@dataclass(frozen=True, eq=False)
class QuasiForm:
    """M u̇ + h = Q with q̇ = B u + c: the motion without multipliers.

    ``velocities`` are the quasi-velocities u, one for each degree of freedom; ``M`` = BᵀM B,
    ``bias`` h = Bᵀ(M (Ḃ u + ċ) + C q̇ + N), ``forces`` Q = BᵀΥ, ``kinematics`` q̇ by q and u.
    """

    velocities: tuple[Expr, ...]
    definitions: tuple[Expr, ...]
    B: Matrix
    c: Matrix
    M: Matrix
    bias: Matrix
    forces: Matrix
    kinematics: Matrix
    equations: Equations = field(repr=False)

    @property
    def rates(self) -> tuple[Expr, ...]:
        """u̇."""
        return tuple(u.dot for u in self.velocities)

    @property
    def residual(self) -> Matrix:
        """M u̇ + h - Q, zero along every motion."""
        left = self.M @ Matrix.column(self.rates) + self.bias - self.forces
        return left.printed_as(self.M.notation)

    def accelerations(self) -> Matrix:
        """Return u̇ in closed form, or raise `TooLarge`."""
        right = self.forces - self.bias
        ring = ring_of([*self.M.entries, *right.entries])
        x = solve(ring, canonical_matrix(ring, self.M), canonical_matrix(ring, right))
        return rebuild_matrix(x).printed_as(self.M.notation)

    def state_rate(self) -> Matrix:
        """Return (q̇, u̇) by (q, u), for `da.compile_function` or an integrator."""
        return self.kinematics.stack(self.accelerations()).printed_as(self.M.notation)

    def prove(self) -> list[Proof]:
        """Prove that these are the equations with multipliers, and those of Boltzmann and Hamel."""
        statements = (motions_are_admissible, equals_multiplier_form, equals_boltzmann_hamel)
        found = [attempt(statement, self) for statement in statements]
        where = defined_where(list(self.kinematics))
        return Proofs([proof.under(where) for proof in found if proof is not None])

    def __str__(self) -> str:
        return "\n".join(wrap(f"{left} = {right}") for left, right in self._lines("text"))

    def _repr_latex_(self) -> str:
        lines = [f"{left} &= {right}" for left, right in self._lines("latex")]
        return f"$\\displaystyle {aligned(lines)}$"

    def _lines(self, face: str) -> list[tuple[str, str]]:
        """Return both sides of all equations, as text or as LaTeX."""
        write = getattr(printer(), face)
        style = self.M.notation
        left = self.M @ Matrix.column(self.rates) + self.bias
        pairs = [*zip(left, self.forces, strict=True)]
        pairs += zip(self.equations.velocities, self.kinematics, strict=True)
        return [
            (
                write(a, notation=style, named=False),
                write(b, notation=style, named=False),
            )
            for a, b in pairs
        ]


def quasi_form(eq: Equations, definitions: Definitions | None = None) -> QuasiForm:
    """Return the equations in quasi-velocities; see `Equations.quasi_velocities`."""
    frame = chosen_frame(eq) if definitions is None else given_frame(eq, definitions)
    u = Matrix.column(frame.velocities)
    kinematics = frame.B @ u + frame.c
    motion = _motion(eq, kinematics)
    Bd, cd = frame.B.ddt().subs(motion), frame.c.ddt().subs(motion)
    M, B = eq.M, frame.B
    bias = B.T @ (M @ (Bd @ u + cd) + eq.bias.subs(motion))
    forces = B.T @ eq.forces.subs(motion)
    style = _notation(eq, frame)

    def written(a: Matrix) -> Matrix:
        return _canonical(a).printed_as(style)

    return QuasiForm(
        frame.velocities,
        frame.definitions,
        frame.B,
        frame.c,
        written(B.T @ M @ B),
        written(bias),
        written(forces),
        written(kinematics),
        eq,
    )


def _motion(eq: Equations, kinematics: Matrix) -> dict[Expr, Scalar]:
    return dict(zip(eq.velocities, kinematics, strict=True))


def _canonical(a: Matrix) -> Matrix:
    ring = ring_of(a.entries)
    return rebuild_matrix(canonical_matrix(ring, a))


def _notation(eq: Equations, frame: Frame) -> Notation:
    """Return the notation of the system, the quasi-velocities read before the coordinates."""
    symbols = tuple(x.symbol for x in frame.velocities if x.symbol is not None)
    return eq.notation._replace(order=(*symbols, *eq.notation.order))


def motions_are_admissible(form: QuasiForm) -> Proof | None:
    """A (B u + c) + b = 0: every u is an admissible motion."""
    eq = form.equations
    if not eq.lam:
        return None
    left = eq.A @ form.kinematics + eq.drift
    return _vanish("A (B u + c) + b = 0: every u is an admissible motion", list(left))


def equals_multiplier_form(form: QuasiForm) -> Proof:
    """Bᵀ (M q̈ + C q̇ + N - Υ - Aᵀλ) = M u̇ + h - Q, and λ drops out."""
    eq = form.equations
    # q̈ = d/dt (B u + c)
    motion = _motion(eq, form.kinematics)
    second = form.kinematics.ddt().subs(motion)
    motion |= dict(zip(eq.system.accelerations, second, strict=True))
    full = form.B.T @ Matrix.column(substitute(eq.residual.entries, motion))
    differences = [a - b for a, b in zip(full, form.residual, strict=True)]
    return _vanish(
        "Bᵀ (M q̈ + C q̇ + N - Υ - Aᵀλ) = M u̇ + h - Q: Maggi's equations, λ drops out", differences
    )


def equals_boltzmann_hamel(form: QuasiForm) -> Proof:
    """The equations of Boltzmann and Hamel, by brackets of the columns of B, are the same."""
    eq = form.equations
    frame = Frame(form.velocities, form.B, form.c)
    left = boltzmann_hamel(eq.system, frame, form.kinematics)
    differences = [a - b for a, b in zip(left, form.residual, strict=True)]
    return _vanish(
        "d/dt ∂L*/∂u - Bᵀ ∂L*/∂q - Σ u [Bᵢ, Bⱼ] ∂L/∂q̇ = Q, the equations of Boltzmann and Hamel",
        differences,
    )


def _vanish(statement: str, differences: Sequence[Expr]) -> Proof:
    ring = ring_of(differences)
    elements: list[Element] = canonical_all(ring, differences)
    return identity(ring, statement, elements, IDENTICAL)
