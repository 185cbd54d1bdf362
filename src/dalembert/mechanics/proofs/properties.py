"""The properties of equations of motion, each proved as an exact identity or refuted by a point.

Every check compares the equations as they stand with an independent route: the energies as the
person wrote them, differentiated on the graph, or the bodies themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem, TooLarge
from dalembert.expr import Expr, Matrix, ddt_all, free_symbols, gradient, symbol_text, time
from dalembert.mechanics.equations.coriolis import (
    coriolis_by_differentiation,
    coriolis_by_kronecker,
    mass_matrix_rate,
)
from dalembert.mechanics.equations.dalembert import dalembert_residual
from dalembert.mechanics.proofs.positivity import (
    gram_sum,
    gram_terms,
    has_nonnegative_minors,
    indefinite_point,
    regular_point,
)
from dalembert.mechanics.proofs.proof import Proof, point_text
from dalembert.mechanics.results.conserved import energy
from dalembert.mechanics.results.regressor import left_side, regressor
from dalembert.ring import (
    Element,
    Ring,
    canonical_all,
    canonical_matrix,
    determinant,
    partials,
    rebuild,
    refute,
    ring_of,
    time_derivative,
)
from dalembert.ring.algebra.null_space import null_space

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

IDENTICAL = "canonical forms identical"


def prove(eq: Equations) -> list[Proof]:
    """Return a proof for every property that applies to these equations."""
    positive = mass_matrix_is_positive(eq)
    proofs = [
        manipulator_form_is_lagranges(eq),
        lagrange_is_dalembert(eq),
        mass_matrix_is_symmetric(eq),
        mass_matrix_is_hessian(eq),
        positive,
        mass_matrix_is_definite(eq, positive),
        rate_minus_twice_coriolis_is_skew(eq),
        coriolis_forms_agree(eq),
        energy_balances_power(eq),
        equations_are_linear_in_parameters(eq),
        constraint_jacobian_is_right(eq),
        constraint_forces_do_no_virtual_work(eq),
    ]
    return [proof for proof in proofs if proof is not None]


def identity(
    ring: Ring,
    statement: str,
    differences: Iterable[Element],
    method: str,
    hypotheses: Sequence[str] = (),
) -> Proof:
    """Return the proof that all differences vanish identically, or a point where one does not."""
    for difference in differences:
        if difference.is_zero:
            continue
        point = refute(rebuild(difference))
        if point is not None or ring.is_complete:
            return Proof(
                statement, "refuted", f"{method}: it is not zero", tuple(hypotheses), point
            )
        return Proof(
            statement,
            "undecided",
            f"{method}: neither shown to be zero nor found to differ at a point",
            tuple(hypotheses),
        )
    return Proof(statement, "proved", method, tuple(hypotheses))


def mass_matrix_is_symmetric(eq: Equations) -> Proof:
    """M = Mᵀ."""
    M = eq.forms.M
    return identity(eq.ring, "M is symmetric", M - M.T, f"M and Mᵀ: {IDENTICAL}")


def mass_matrix_is_hessian(eq: Equations) -> Proof:
    """M is the second derivative of L, taken on the graph as written."""
    slopes = gradient(eq.system.lagrangian, eq.velocities)
    hessian = [gradient(p, eq.velocities) for p in slopes]
    ring = _ring_for(eq, [x for row in hessian for x in row])
    expected = canonical_matrix(ring, Matrix(hessian))
    M = eq.forms.M if ring is eq.ring else canonical_matrix(ring, eq.M)
    return identity(
        ring, "M = ∂²L/∂q̇²", expected - M, f"L differentiated on the graph as written: {IDENTICAL}"
    )


def mass_matrix_is_positive(eq: Equations) -> Proof:
    """M ⪰ 0 for positive masses: a sum of JᵀWJ, or manifestly nonnegative pivots."""
    statement = "M ⪰ 0"
    terms = gram_terms(eq.system)
    if terms is not None:
        source = "the bodies" if eq.system.bodies else "the squares in T"
        # an inertia about an axis that never turns is in the weights, but not in T
        ring = _ring_for(eq, [x for term in terms for x in (*term.weight, *term.J)])
        M = eq.forms.M if ring is eq.ring else canonical_matrix(ring, eq.M)
        # another matrix than the Gram sum may still be positive: then its minors decide
        if all(x.is_zero for x in gram_sum(ring, terms, len(eq.coordinates)) - M):
            method = f"M = Σ JᵀWJ, a Gram matrix from {source}: {IDENTICAL}"
            needs = dict.fromkeys(term.needs for term in terms if term.needs)
            return Proof(statement, "proved", method, tuple(needs))
    hypotheses = ("parameters > 0",)
    try:
        if has_nonnegative_minors(eq):
            method = "leading minors are sums of even powers with positive coefficients"
            return Proof(statement, "proved", method, hypotheses)
    except TooLarge:
        pass
    point = indefinite_point(eq)
    if point is not None:
        method = "det of a leading block is negative at a point"
        return Proof(statement, "refuted", method, hypotheses, point)
    method = "T is not written as a sum of squares, and its minors do not show their sign"
    return Proof(statement, "undecided", method, hypotheses)


def mass_matrix_is_definite(eq: Equations, positive: Proof) -> Proof | None:
    """M ≻ 0 wherever det M ≠ 0, given the proof of M ⪰ 0, and det M is not identically zero."""
    if positive.verdict == "refuted":
        return None
    regular = regular_point(eq)
    if regular is None:
        free = null_space(eq.ring, eq.forms.M)
        if not free.shape[1]:
            return None
        direction = ", ".join(str(rebuild(x)) for x in free.col(0))
        return Proof("M ≻ 0", "refuted", f"M annihilates the direction ({direction})")
    where = "where det M ≠ 0"
    if len(eq.coordinates) <= 3:
        d = determinant(eq.ring, eq.forms.M)
        if d.is_polynomial and d.num.is_constant():
            where = "everywhere"
        elif len(d) <= 12:
            where = f"where det M = {rebuild(d)} ≠ 0"
    return Proof(
        f"M ≻ 0 {where}",
        positive.verdict,
        "M ⪰ 0, and a positive semidefinite matrix of full rank is definite; "
        f"det M ≠ 0 at {point_text(regular) or 'every point'}",
        positive.hypotheses,
    )


def rate_minus_twice_coriolis_is_skew(eq: Equations) -> Proof:
    """(Ṁ - 2C) + (Ṁ - 2C)ᵀ = 0."""
    ring, f = eq.ring, eq.forms
    (dt,) = partials(ring, [time])
    S = mass_matrix_rate(eq) - f.C * 2
    moving = any(not dt(x).is_zero for x in f.M)
    hypotheses = ("Ṁ at fixed explicit time",) if moving else ()
    return identity(
        ring, "Ṁ - 2C is skew-symmetric", S + S.T, "S + Sᵀ = 0 in the ring, S = Ṁ - 2C", hypotheses
    )


def coriolis_forms_agree(eq: Equations) -> Proof:
    """C q̇ from Christoffel symbols, by differentiation (Savin 18) and by Kronecker (Savin 19)."""
    product = eq.forms.C @ eq.rates
    by_d, by_k = coriolis_by_differentiation(eq), coriolis_by_kronecker(eq)
    differences = [*(product - by_d), *(product - by_k)]
    method = f"C q̇ = Ṁq̇ - ½∂(q̇ᵀMq̇)/∂q = Ṁq̇ - ½(∂vec M/∂q)ᵀ(q̇⊗q̇): {IDENTICAL}"
    return identity(eq.ring, "the three forms of C q̇ agree", differences, method)


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


def manipulator_form_is_lagranges(eq: Equations) -> Proof:
    """M q̈ + C q̇ + N - Υ - Aᵀλ is the Euler–Lagrange residual."""
    return _matches_residual(
        eq,
        "M q̈ + C q̇ + N = d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇, Lagrange's equations",
        lagrange_residual(eq),
        "L differentiated on the graph as written",
    )


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
    ring = _ring_for(eq, other)
    mine = eq.residual_form if ring is eq.ring else canonical_matrix(ring, eq.residual)
    theirs = canonical_all(ring, other)
    differences = [a - b for a, b in zip(mine, theirs, strict=True)]
    return identity(ring, statement, differences, f"{route}: {IDENTICAL}")


def energy_balances_power(eq: Equations) -> Proof:
    """dE/dt = q̇ᵀΥ - q̇ᵀ∂R/∂q̇ + λᵀA q̇ - ∂L/∂t along every motion.

    As an identity in q, q̇, q̈: dE/dt - power = q̇ᵀ · residual.
    """
    ring, f = eq.ring, eq.forms
    E = energy(eq)
    dv = partials(ring, eq.velocities)
    (dt,) = partials(ring, [time])
    power = (eq.rates.T @ f.forces)[0] - dt(f.L)
    power = power - Matrix.column([d(f.dissipation) for d in dv]).dot(eq.rates)
    if eq.lam:
        lam = ring.column(eq.lam)
        power = power + lam.dot(f.A @ eq.rates)
    rate = time_derivative(ring, max_order=1)(E)
    difference = rate - power - eq.rates.dot(eq.residual_form)
    terms = ["q̇ᵀΥ"]
    if not f.dissipation.is_zero:
        terms.append("- q̇ᵀ∂R/∂q̇")
    if any(not x.is_zero for x in f.drift):
        terms.append("+ λᵀAq̇")
    if not dt(f.L).is_zero:
        terms.append("- ∂L/∂t")
    hypotheses = () if any(not x.is_zero for x in f.drift) or not eq.lam else ("A q̇ = 0",)
    return identity(
        ring,
        f"dE/dt = {' '.join(terms)} along every motion",
        [difference],
        f"dE/dt and power + q̇ᵀ·residual: {IDENTICAL}",
        hypotheses,
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
        f"M q̈ + C q̇ + N = Y Θ with {len(theta)} lumped parameters",
        differences,
        f"Y without unknown parameters, Y Θ multiplied out: {IDENTICAL}",
        [f"{symbol_text(x)} known" for x in inside],
    )


def constraint_jacobian_is_right(eq: Equations) -> Proof | None:
    """A q̈ + Ȧ q̇ + ḃ is the second rate of the constraints (the first of velocity constraints)."""
    if not eq.lam:
        return None
    system, f = eq.system, eq.forms
    second = ddt_all(ddt_all(list(system.constraints)))
    rates = [*second, *ddt_all(list(system.velocity_constraints))]
    ring = _ring_for(eq, rates)
    if ring is not eq.ring:
        return None
    mine = f.A @ eq.second_rates + f.Ad @ eq.rates + f.drift_rate
    differences = [a - b for a, b in zip(mine, canonical_all(ring, rates), strict=True)]
    return identity(
        ring,
        "A q̈ + Ȧ q̇ + ḃ = ä",
        differences,
        f"constraints differentiated on the graph as written: {IDENTICAL}",
    )


def constraint_forces_do_no_virtual_work(eq: Equations) -> Proof | None:
    """(Aᵀλ)ᵀ δq = 0 for every δq with A δq = 0."""
    if not eq.lam:
        return None
    ring, A = eq.ring, eq.forms.A
    Z = null_space(ring, A)
    lam = ring.column(eq.lam)
    work = Z.T @ (A.T @ lam)
    return identity(
        ring,
        f"constraint forces Aᵀλ do no virtual work ({Z.shape[1]} degrees of freedom)",
        work,
        "Zᵀ(Aᵀλ) = 0 in the ring, Z spanning the virtual displacements",
    )


def _ring_for(eq: Equations, exprs: Sequence[Expr]) -> Ring:
    """Return the ring of the equations, or a larger one when the expressions need it."""
    needed = ring_of(exprs)
    if all(g in eq.ring.index for g in needed.generators):
        return eq.ring
    symbols = [g for g in eq.ring.generators if g.op == "symbol"]
    return ring_of([*eq.system.expressions(), *eq.ring.generators, *exprs], symbols)
