"""What is proved about the equations as a whole: Lagrange, D'Alembert, power, linearity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem
from dalembert.expr import Expr, Matrix, ddt_all, free_symbols, gradient, symbol_text, time
from dalembert.mechanics.equations.dalembert import dalembert_residual
from dalembert.mechanics.proofs.domain import restricted
from dalembert.mechanics.proofs.identity import IDENTICAL, are_as_written, identity
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.results.conserved import is_energy, jacobi_integral
from dalembert.mechanics.results.regressor import left_side, regressor
from dalembert.ring import canonical_matrix, partials, time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def manipulator_form_is_lagranges(eq: Equations) -> Proof:
    """M q̈ + C q̇ + N - Υ - Aᵀλ is the Euler–Lagrange residual."""
    return _matches_residual(
        eq,
        "M q̈ + C q̇ + N = d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇, Lagrange's equations",
        lagrange_residual(eq),
        "L differentiated on the graph as written",
    )


def lagrange_residual(eq: Equations) -> list[Expr]:
    """Return d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇ - Υ - Aᵀλ, all on the graph as written."""
    system = eq.system
    q, v = system.coordinates, system.velocities
    momentum_rates = ddt_all(gradient(system.lagrangian, v))
    slopes, drag = gradient(system.lagrangian, q), gradient(system.dissipation, v)
    rows = [gradient(a, q) for a in system.constraints]
    rows += [gradient(phi, v) for phi in system.velocity_constraints]
    reaction = [
        sum((row[k] * lam for row, lam in zip(rows, eq.lam, strict=True)), 0 * v[k])
        for k in range(len(q))
    ]
    parts = zip(momentum_rates, slopes, drag, system.forces, reaction, strict=True)
    return [p - s + d - f - r for p, s, d, f, r in parts]


def lagrange_is_dalembert(eq: Equations) -> Proof | None:
    """The residual equals the one built body by body from Newton's law."""
    if not eq.system.bodies:
        return None
    return _matches_residual(
        eq,
        "Euler–Lagrange residual = D'Alembert's, body by body",
        list(dalembert_residual(eq.system, eq.lam)),
        "positions differentiated twice, inertia forces projected on ∂r/∂q",
    )


def _matches_residual(eq: Equations, statement: str, other: list[Expr], route: str) -> Proof:
    places = [f"the equation of {q}" for q in eq.coordinates] if len(other) > 1 else ()
    return are_as_written(eq, statement, list(eq.residual_form), other, route, places)


def energy_balances_power(eq: Equations) -> Proof:
    """dh/dt = q̇ᵀΥ - q̇ᵀ∂R/∂q̇ + λᵀA q̇ - ∂L/∂t along every motion, h = q̇ᵀ∂L/∂q̇ - L.

    As an identity in q, q̇, q̈: dh/dt - power = q̇ᵀ · residual. Where h = T + V it is the energy.
    """
    ring, f = eq.ring, eq.forms
    dv = partials(ring, eq.velocities)
    (dt,) = partials(ring, [time])
    power = (eq.rates.T @ f.forces)[0] - dt(f.L)
    power = power - Matrix.column([d(f.dissipation) for d in dv]).dot(eq.rates)
    if eq.lam:
        lam = ring.column(eq.lam)
        power = power + lam.dot(f.A @ eq.rates)
    rate = time_derivative(ring, max_order=1)(jacobi_integral(eq))
    difference = rate - power - eq.rates.dot(eq.residual_form)
    terms = ["q̇ᵀΥ"]
    if not f.dissipation.is_surely_zero:
        terms.append("- q̇ᵀ∂R/∂q̇")
    if any(not x.is_surely_zero for x in f.drift):
        terms.append("+ λᵀAq̇")
    if not dt(f.L).is_surely_zero:
        terms.append("- ∂L/∂t")
    name, meaning = "E", ""
    if not is_energy(eq):
        name, meaning = "h", ", where h = q̇ᵀ∂L/∂q̇ - L is the Jacobi integral"
    hypotheses = () if any(not x.is_surely_zero for x in f.drift) or not eq.lam else ("A q̇ = 0",)
    return identity(
        ring,
        f"d{name}/dt = {' '.join(terms)} along every motion{meaning}",
        [difference],
        f"d{name}/dt and power + q̇ᵀ·residual: {IDENTICAL}",
        hypotheses,
        where=restricted(eq.system),
    )


def equations_are_linear_in_parameters(eq: Equations) -> Proof | None:
    """M q̈ + C q̇ + N = Y Θ with Y free of parameters."""
    if not eq.parameters:
        return None
    try:
        Y, theta = regressor(eq)
    except InvalidSystem as error:
        return Proof("M q̈ + C q̇ + N is linear in lumped parameters", "undecided", str(error))
    ring = eq.ring
    product = canonical_matrix(ring, Y) @ canonical_matrix(ring, theta)
    differences = [a - b for a, b in zip(product, left_side(eq), strict=True)]
    inside = [x for x in free_symbols(Y.entries) if x in eq.parameters]
    return identity(
        ring,
        f"M q̈ + C q̇ + N = Y Θ with {len(theta)} lumped parameter{'s' * (len(theta) != 1)}",
        differences,
        f"Y without unknown parameters, Y Θ multiplied out: {IDENTICAL}",
        [f"{symbol_text(x)} known" for x in inside],
        where=restricted(eq.system),
    )
