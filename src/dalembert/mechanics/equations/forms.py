"""The canonical forms of the equations of a system: Lagrange's method in the ring.

Stages: split L by powers of the velocities into ½ q̇ᵀM q̇ + bᵀq̇ - V₀; Christoffel symbols give C;
what is left is N; differentiate the constraints.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import InvalidSystem
from dalembert.expr import Expr, Matrix, symbol_text, time
from dalembert.mechanics.equations.coriolis import christoffel_symbols, coriolis_matrix
from dalembert.ring import Derivative, Element, Ring, canonical_all, partials, time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.system.system import System

_HALF = Fraction(1, 2)


class Forms(NamedTuple):
    """The canonical forms behind `Equations`: ring elements and matrices of them."""

    T: Element
    V: Element
    L: Element
    M: Matrix
    C: Matrix
    N: Matrix
    forces: Matrix
    dissipation: Element
    a: Matrix
    A: Matrix
    Ad: Matrix
    drift: Matrix
    drift_rate: Matrix


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
    constraints = constraint_forms(system, ring, dq, dv, dt)
    momenta = [d(L) for d in dv]
    M = _mass_matrix(momenta, dv)
    inside = _velocity_inside(ring, L, M, v)
    if system.is_bare and inside is not None:
        h, N = _general_forms(L, R, momenta, rates, dq, dv, dt)
        C = Matrix([[ring.zero] * len(v) for _ in v])
        return Forms(h, ring.zero, L, M, C, N, Y, R, *constraints)

    # L = ½ q̇ᵀ M q̇ + bᵀ q̇ + constant
    _require_quadratic(inside)
    split = _parts(L, momenta, M, rates)
    if system.is_bare:
        # a bare Lagrangian: the quadratic part is T, what has no velocity is -V
        T, V = split.quadratic, -split.constant
    # C from the Christoffel symbols of M, N from what is left
    dM = [d.of_symmetric(M) for d in dq]
    christoffel = christoffel_symbols(ring, dM)
    C = coriolis_matrix(ring, christoffel, rates)
    N = _remaining_forces(ring, split, R, rates, dq, dv, dt)
    return Forms(T, V, L, M, C, N, Y, R, *constraints)


def _general_forms(
    L: Element,
    R: Element,
    p: list[Element],
    rates: Matrix,
    dq: list[Derivative],
    dv: list[Derivative],
    dt: Derivative,
) -> tuple[Element, Matrix]:
    """Return the energy h = Σ q̇ p - L and all forces N beside M q̈ of any regular L, p = ∂L/∂q̇.

    d/dt ∂L/∂q̇_k - ∂L/∂q_k + ∂R/∂q̇_k = Σ_j M_kj q̈_j + N_k; there is no C of its own.
    """
    n = len(rates)
    N = []
    for k in range(n):
        total = dv[k](R) - dq[k](L) + dt(p[k])
        for j in range(n):
            total = total + dq[j](p[k]) * rates[j]
        N.append(total)
    return Matrix.column(p).dot(rates) - L, Matrix.column(N)


class LagrangianParts(NamedTuple):
    """L = ½ q̇ᵀ M q̇ + bᵀ q̇ + constant, with the quadratic part by itself."""

    quadratic: Element
    M: Matrix
    b: Matrix
    constant: Element


def split_lagrangian(
    ring: Ring, L: Element, dv: list[Derivative], v: tuple[Expr, ...]
) -> LagrangianParts:
    """Split L by powers of the velocities; refuse one that is not quadratic in them."""
    momenta = [d(L) for d in dv]
    M = _mass_matrix(momenta, dv)
    _require_quadratic(_velocity_inside(ring, L, M, v))
    return _parts(L, momenta, M, ring.column(v))


def _parts(L: Element, p: list[Element], M: Matrix, rates: Matrix) -> LagrangianParts:
    """Return the parts of L by its momenta p = ∂L/∂q̇ = M q̇ + b."""
    momentum = M @ rates
    b = Matrix.column(p) - momentum
    quadratic = momentum.dot(rates) * _HALF
    return LagrangianParts(quadratic, M, b, L - quadratic - b.dot(rates))


def _mass_matrix(p: list[Element], dv: list[Derivative]) -> Matrix:
    """Return M[k, j] = ∂pₖ/∂q̇ⱼ = ∂²L/∂q̇ₖ∂q̇ⱼ; of a symmetric matrix half is computed."""
    n = len(dv)
    lower = [[dv[j](p[i]) for j in range(i + 1)] for i in range(n)]
    return Matrix([[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)])


def _require_quadratic(x: Expr | None) -> None:
    """Refuse an L that has a velocity otherwise than in a polynomial of degree two."""
    if x is not None:
        raise InvalidSystem(
            "expected a Lagrangian quadratic in the velocities, got one that is no polynomial "
            f"of degree two in {symbol_text(x)}: momenta are solved for velocities, and T is a "
            "part of L, for such only; any regular Lagrangian has equations by lagrangian="
        )


def is_quadratic(ring: Ring, forms: Forms, v: tuple[Expr, ...]) -> bool:
    """Tell whether L is a polynomial of degree at most two in the velocities."""
    return _velocity_inside(ring, forms.L, forms.M, v) is None


def require_quadratic(eq: Equations, what: str) -> None:
    """Raise `InvalidSystem` where L has velocities otherwise than as a quadratic polynomial."""
    if not eq.is_quadratic:
        raise InvalidSystem(
            f"expected a Lagrangian quadratic in the velocities for {what}, got {eq.L}: "
            "conserved() has its energy, M and N its equations"
        )


def _velocity_inside(ring: Ring, L: Element, M: Matrix, v: tuple[Expr, ...]) -> Expr | None:
    """Return a velocity in which L is no polynomial of degree two, None if there is none."""
    in_M = {i for k, row in enumerate(M.rows) for entry in row[: k + 1] for i in entry.used()}
    velocities = set(v)
    below = {i for key in L.fractions or () for i in ring.denominators.used(key)}
    for i, g in enumerate(ring.generators):
        x = next((x for x in g.symbols if x in velocities), None)
        if x is None:
            continue
        # a velocity inside a function, as in |ẋ|, or below a fraction bar; or M still moves with it
        inside = (g is not x and L.involves(i)) or i in below
        if inside or i in in_M:
            return x
    return None


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
    moves = any(not x.is_surely_zero for x in b)
    dM = dt.of_symmetric(M).rows
    for k in range(len(rates)):
        total = dv[k](R) - dq[k](split.constant) + dt(b[k])
        for j in range(len(rates)):
            gyroscopic = dM[k][j]
            if moves:
                gyroscopic = gyroscopic + dq[j](b[k]) - dq[k](b[j])
            if not gyroscopic.is_empty:
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
    # holonomic rows ∂a/∂q with drift ∂a/∂t
    rows = [[d(x) for d in dq] for x in a]
    drift = [dt(x) for x in a]
    # Pfaffian rows ∂φ/∂q̇ with drift φ - (∂φ/∂q̇) q̇
    for x in phi:
        row = [d(x) for d in dv]
        rows.append(row)
        drift.append(x - Matrix.column(row).dot(rates))
    A, b = Matrix(rows, n), Matrix.column(drift)
    d_dt = time_derivative(ring, max_order=0)
    return Matrix.column(a), A, d_dt.of_matrix(A), b, d_dt.of_matrix(b)
