"""Lagrange's method in the ring: from a `System` to exact equations.

Stages: choose the ring; split L by powers of the velocities into ½ q̇ᵀM q̇ + bᵀq̇ - V₀;
Christoffel symbols give C; what is left is N; differentiate the constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from dalembert.errors import InvalidSystem
from dalembert.expr import ZERO, Expr, Kind, Matrix, symbol, symbol_text, time
from dalembert.mechanics.equations.equations import Equations, Forms
from dalembert.mechanics.system.system import System
from dalembert.ring import (
    Derivative,
    Element,
    Ring,
    canonical_all,
    partials,
    rebuild,
    ring_of,
    time_derivative,
)
from dalembert.ring.algebra.null_space import null_space

_HALF = Fraction(1, 2)


def derive(system: System) -> Equations:
    """Return the equations of motion of a system."""
    multipliers = multiplier_symbols(system)
    ring = ring_of(
        system.expressions(),
        [*system.coordinates, *system.velocities, *system.accelerations, *multipliers, time],
    )
    forms = derive_forms(system, ring)
    equations = Equations(system, ring, forms, multipliers)
    _check_constraints(equations)
    return equations


def multiplier_symbols(system: System) -> tuple[Expr, ...]:
    """Return one multiplier for each constraint, named λ₁, λ₂, …."""
    count = len(system.constraints) + len(system.velocity_constraints)
    return tuple(symbol(Kind.MULTIPLIER, f"lam{i + 1}") for i in range(count))


def derive_forms(system: System, ring: Ring) -> Forms:
    """Return all canonical forms of the equations in a given ring."""
    q, v = system.coordinates, system.velocities
    T, V, L, R = canonical_all(
        ring, [system.kinetic, system.potential, system.lagrangian, system.dissipation]
    )
    Y = Matrix.column(canonical_all(ring, system.forces))
    dq, dv = partials(ring, q), partials(ring, v)
    (dt,) = partials(ring, [time])
    rates = ring.column(v)

    split = split_lagrangian(ring, L, dv, v)
    if system.kinetic is ZERO:
        # a bare Lagrangian: the quadratic part is T, what has no velocity is -V
        T, V = split.quadratic, -split.constant
    M = split.M
    dM = [d.of_matrix(M) for d in dq]
    christoffel = christoffel_symbols(ring, dM)
    C = coriolis_matrix(ring, christoffel, rates)
    N = _remaining_forces(ring, split, R, rates, dq, dv, dt)
    return Forms(T, V, L, M, C, N, Y, R, *constraint_forms(system, ring, dq, dv, dt))


class LagrangianParts(NamedTuple):
    """L = ½ q̇ᵀ M q̇ + bᵀ q̇ + constant, with the quadratic part by itself."""

    quadratic: Element
    M: Matrix
    b: Matrix
    constant: Element


def split_lagrangian(
    ring: Ring, L: Element, dv: list[Derivative], v: tuple[Expr, ...]
) -> LagrangianParts:
    """Split L by powers of the velocities; refuse what is not quadratic in them."""
    n = len(v)
    p = [d(L) for d in dv]
    # M[k, j] = ∂²L/∂q̇ₖ∂q̇ⱼ, symmetric: half of it is computed
    lower = [[dv[j](p[i]) for j in range(i + 1)] for i in range(n)]
    M = Matrix([[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)])
    for i in range(n):
        for j in range(i + 1):
            for k, x in enumerate(v):
                if lower[i][j].involves(ring.index[x]) or not dv[k](lower[i][j]).is_zero:
                    raise InvalidSystem(
                        f"expected a Lagrangian quadratic in the velocities, got one whose second "
                        f"derivative still contains {symbol_text(x)}: only such systems have the "
                        "form M q̈ + C q̇ + N"
                    )
    rates = ring.column(v)
    momentum = M @ rates
    b = Matrix.column(p) - momentum
    quadratic = momentum.dot(rates) * _HALF
    return LagrangianParts(quadratic, M, b, L - quadratic - b.dot(rates))


def christoffel_symbols(ring: Ring, dM: list[Matrix]) -> list[list[list[Element]]]:
    """Return c[i][j][k] = ½ (∂M_kj/∂q_i + ∂M_ki/∂q_j - ∂M_ij/∂q_k), symmetric in i, j (Penn)."""
    n = len(dM)
    c = [[[ring.zero] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            for k in range(n):
                value = (dM[i][k, j] + dM[j][k, i] - dM[k][i, j]) * _HALF
                c[i][j][k] = c[j][i][k] = value
    return c


def coriolis_matrix(ring: Ring, c: list[list[list[Element]]], rates: Matrix) -> Matrix:
    """Return C[k, j] = Σ_i c_ijk q̇_i."""
    n = len(c)
    rows = []
    for k in range(n):
        row = []
        for j in range(n):
            entry = ring.zero
            for i in range(n):
                if not c[i][j][k].is_zero:
                    entry = entry + c[i][j][k] * rates[i]
            row.append(entry)
        rows.append(row)
    return Matrix(rows)


def _remaining_forces(
    ring: Ring,
    split: LagrangianParts,
    R: Element,
    rates: Matrix,
    dq: list[Derivative],
    dv: list[Derivative],
    dt: Derivative,
) -> Matrix:
    """Return N: everything of the left side that is neither M q̈ nor C q̇.

    N_k = -∂L₀/∂q_k + ∂R/∂q̇_k + ∂b_k/∂t + Σ_j (∂b_k/∂q_j - ∂b_j/∂q_k + ∂M_kj/∂t) q̇_j
    """
    b, M = split.b, split.M
    N = []
    for k in range(len(rates)):
        total = dv[k](R) - dq[k](split.constant) + dt(b[k])
        for j in range(len(rates)):
            gyroscopic = dq[j](b[k]) - dq[k](b[j]) + dt(M[k, j])
            if not gyroscopic.is_zero:
                total = total + gyroscopic * rates[j]
        N.append(total)
    return Matrix.column(N)


def constraint_forms(
    system: System, ring: Ring, dq: list[Derivative], dv: list[Derivative], dt: Derivative
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Return a, A, Ȧ, the drift b and ḃ, where A q̇ + b = 0 on velocities."""
    n = len(system.coordinates)
    a = canonical_all(ring, system.constraints)
    phi = canonical_all(ring, system.velocity_constraints)
    rates = ring.column(system.velocities)
    rows = [[d(x) for d in dq] for x in a]
    drift = [dt(x) for x in a]
    for x in phi:
        row = [d(x) for d in dv]
        rows.append(row)
        drift.append(x - Matrix.column(row).dot(rates))
    A, b = Matrix(rows, n), Matrix.column(drift)
    d_dt = time_derivative(ring, max_order=0)
    return Matrix.column(a), A, d_dt.of_matrix(A), b, d_dt.of_matrix(b)


def _check_constraints(eq: Equations) -> None:
    """Refuse constraints that hold always, never, or twice."""
    system, ring, A = eq.system, eq.ring, eq.forms.A
    written = [*system.constraints, *system.velocity_constraints]
    speeds = [ring.index[x] for x in system.velocities]
    for i, expr in enumerate(written):
        holonomic = i < len(system.constraints)
        kind = "constraint" if holonomic else "velocity constraint"
        if not holonomic and any(x.involves(j) for x in A.rows[i] for j in speeds):
            raise InvalidSystem(
                f"expected velocity constraint {i + 1} to be linear in the velocities, got {expr}: "
                "only such constraints have the form A q̇ + b = 0"
            )
        if all(x.is_zero for x in A.rows[i]):
            value = eq.forms.a[i] if holonomic else eq.forms.drift[i]
            fate = (
                "can never hold: correct it"
                if holonomic
                else "has no velocity: put conditions on positions into constraints="
            )
            fate = "holds identically: drop it" if value.is_zero else fate
            raise InvalidSystem(
                f"expected {kind} {i + 1} to restrict the motion, got {expr} = 0, which {fate}"
            )
    for c in null_space(ring, A.T).T.rows:
        i = max(k for k, x in enumerate(c) if not x.is_zero)
        culprit = f"number {i + 1}, {written[i]} = 0"
        left = _contradiction(eq, c)
        if left is not None:
            raise InvalidSystem(
                f"expected consistent constraints, got {culprit}, which together with those before "
                f"it demands {left} = 0: correct or drop one"
            )
        if not system.keep_redundant:
            raise InvalidSystem(
                f"expected independent constraints, got {culprit}, whose gradient is a combination "
                "of those before it: drop it, or pass keep_redundant=True to solve numerically for "
                "the smallest λ"
            )


def _contradiction(eq: Equations, c: Sequence[Element]) -> Expr | None:
    """Return what Σ cᵢ aᵢ demands to vanish, where Σ cᵢ Aᵢ = 0, unless it does or depends on q."""
    f, num_holonomic = eq.forms, len(eq.system.constraints)
    moving = [eq.ring.index[x] for x in eq.coordinates]
    # rates: Σ cᵢ (Aᵢ q̇ + bᵢ) = Σ cᵢ bᵢ
    left = Matrix.column(c).dot(f.drift)
    if left.is_zero and all(x.is_zero for x in c[num_holonomic:]):
        dq = partials(eq.ring, eq.coordinates)
        if all(d(x).is_zero for d in dq for x in c):
            left = Matrix.column(c[:num_holonomic]).dot(f.a)
    return None if left.is_zero or any(left.involves(i) for i in moving) else rebuild(left)
