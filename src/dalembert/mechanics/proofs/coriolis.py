"""What is proved about the Coriolis matrix: Christoffel symbols, skew symmetry, three forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Matrix, time
from dalembert.mechanics.equations.coriolis import (
    coriolis_by_differentiation,
    coriolis_by_kronecker,
    mass_matrix_rate,
)
from dalembert.mechanics.proofs.domain import restricted
from dalembert.mechanics.proofs.identity import IDENTICAL, identity
from dalembert.mechanics.proofs.proof import Proof
from dalembert.ring import partials

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def rate_minus_twice_coriolis_is_skew(eq: Equations) -> Proof:
    """(Ṁ - 2C) + (Ṁ - 2C)ᵀ = 0."""
    ring, f = eq.ring, eq.forms
    (dt,) = partials(ring, [time])
    S = mass_matrix_rate(eq) - f.C * 2
    moving = any(not dt(x).is_surely_zero for x in f.M)
    hypotheses = ("Ṁ at fixed explicit time",) if moving else ()
    return identity(
        ring,
        "Ṁ - 2C is skew-symmetric",
        S + S.T,
        "S + Sᵀ = 0 in the ring, S = Ṁ - 2C",
        hypotheses,
        where=restricted(eq.system),
    )


def coriolis_is_christoffels(eq: Equations) -> Proof:
    """C is that of the Christoffel symbols: 2C = Ṁ + B - Bᵀ with B[k, j] = Σ_i ∂M_ki/∂q_j q̇_i."""
    slopes = [d.of_matrix(eq.forms.M) @ eq.rates for d in partials(eq.ring, eq.coordinates)]
    B = Matrix([[slopes[j][k] for j in range(len(slopes))] for k in range(len(slopes))])
    differences = mass_matrix_rate(eq) + B - B.T - eq.forms.C * 2
    return identity(
        eq.ring,
        "C is that of the Christoffel symbols",
        differences,
        f"2C = Ṁ + B - Bᵀ with B = ∂(M q̇)/∂q at fixed q̇: {IDENTICAL}",
        where=restricted(eq.system),
    )


def coriolis_forms_agree(eq: Equations) -> Proof:
    """C q̇ from Christoffel symbols, by differentiation (Savin 18) and by Kronecker (Savin 19)."""
    product = eq.forms.C @ eq.rates
    by_d, by_k = coriolis_by_differentiation(eq), coriolis_by_kronecker(eq)
    differences = [*(product - by_d), *(product - by_k)]
    method = f"C q̇ = Ṁq̇ - ½∂(q̇ᵀMq̇)/∂q = Ṁq̇ - ½(∂vec M/∂q)ᵀ(q̇⊗q̇): {IDENTICAL}"
    statement, where = "the three forms of C q̇ agree", restricted(eq.system)
    return identity(eq.ring, statement, differences, method, where=where)
