"""The equations of Boltzmann and Hamel: Lagrange's method in quasi-velocities.

With L*(q, u, t) = L(q, B u + c, t) and the momenta p = ∂L/∂q̇ at q̇ = B u + c,
d/dt ∂L*/∂uⱼ - Bⱼᵀ ∂L*/∂q - Σᵢ uᵢ [Bᵢ, Bⱼ]ᵀ p - [B₀, Bⱼ]ᵀ p = Bⱼᵀ (Υ - ∂R/∂q̇).
B₀ is the field (c, 1) with time as a coordinate. Hamel's symbols γ are the brackets written in the
frame itself; with the momenta they are not needed one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr, Matrix, ddt, gradient, jacobian, substitute, time, total
from dalembert.expr.calculus import diff

if TYPE_CHECKING:
    from dalembert.mechanics.results.quasi.frame import Frame
    from dalembert.mechanics.system.system import System


def boltzmann_hamel(system: System, frame: Frame, kinematics: Matrix) -> list[Expr]:
    """Return the left side minus the forces, for each quasi-velocity."""
    q, v, u = system.coordinates, system.velocities, frame.velocities
    motion = dict(zip(v, kinematics, strict=True))
    (L_star,) = substitute([system.lagrangian], motion)
    p = Matrix.column(substitute(gradient(system.lagrangian, v), motion))
    drag = gradient(system.dissipation, v)
    applied = [f - d for f, d in zip(system.forces, drag, strict=True)]
    Q = Matrix.column(substitute(applied, motion))
    slopes = Matrix.column(gradient(L_star, q))
    fields = [Matrix.column(frame.B.col(j)) for j in range(len(u))]
    rows = []
    for j, (uj, Bj) in enumerate(zip(u, fields, strict=True)):
        # d/dt ∂L*/∂uⱼ, with q̇ put in
        (rate,) = substitute([ddt(diff(L_star, uj))], motion)
        turns = [
            ui * bracket(Bi, Bj, q).dot(p)
            for i, (ui, Bi) in enumerate(zip(u, fields, strict=True))
            if i != j
        ]
        turns.append((bracket(frame.c, Bj, q) + jacobian(Bj, [time])).dot(p))
        rows.append(rate - Bj.dot(slopes) - total(turns) - Bj.dot(Q))
    return rows


def bracket(X: Matrix, Y: Matrix, q: tuple[Expr, ...]) -> Matrix:
    """Return [X, Y] = (∂Y/∂q) X - (∂X/∂q) Y of two columns."""
    columns = [Y.diff(x) * X[k] - X.diff(x) * Y[k] for k, x in enumerate(q)]
    result = columns[0]
    for column in columns[1:]:
        result = result + column
    return result
