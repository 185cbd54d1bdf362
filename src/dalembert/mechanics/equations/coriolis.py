"""The Coriolis matrix from the Christoffel symbols, and the other two forms of C q̇."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dalembert.expr import Matrix, time
from dalembert.ring import Element, Ring, partials, time_derivative
from dalembert.ring.budget import product

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

_HALF = Fraction(1, 2)


def christoffel_symbols(ring: Ring, dM: list[Matrix]) -> list[list[list[Element]]]:
    """Return c[i][j][k] = ½ (∂M_kj/∂q_i + ∂M_ki/∂q_j - ∂M_ij/∂q_k), symmetric in i, j (Penn)."""
    n = len(dM)
    d = [slope.rows for slope in dM]
    c = [[[ring.zero] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            for k in range(n):
                plus, also, minus = d[i][k][j], d[j][k][i], d[k][i][j]
                if not (plus.is_empty and also.is_empty and minus.is_empty):
                    c[i][j][k] = c[j][i][k] = (plus + also - minus) * _HALF
    return c


def coriolis_matrix(ring: Ring, c: list[list[list[Element]]], rates: Matrix) -> Matrix:
    """Return C[k, j] = Σ_i c_ijk q̇_i."""
    n = len(c)
    return Matrix(
        [[_linear(ring, [c[i][j][k] for i in range(n)], rates) for j in range(n)] for k in range(n)]
    )


def _linear(ring: Ring, coefficients: Sequence[Element], rates: Matrix) -> Element:
    """Return Σ coefficient · rate; the rates are free, so that polynomials stay reduced."""
    whole = ring.context.constant(0)
    rest = ring.zero
    for x, v in zip(coefficients, rates, strict=True):
        if x.is_polynomial:
            whole = whole + product(x.whole, v.whole) if x.whole else whole
        else:
            rest = rest + x * v
    result = Element(ring, whole)
    return result if rest.is_empty else result + rest


def mass_matrix_rate(eq: Equations) -> Matrix:
    """Return Ṁ at fixed explicit time, as ring elements: what depends on t itself belongs to N."""
    M, ring = eq.forms.M, eq.ring
    (dt,) = partials(ring, [time])
    return time_derivative(ring, max_order=0).of_matrix(M) - dt.of_matrix(M)


def coriolis_by_differentiation(eq: Equations) -> Matrix:
    """Return C q̇ = Ṁ q̇ - ½ ∂(q̇ᵀ M q̇)/∂q as ring elements (Savin 18)."""
    twice_T = (eq.rates.T @ eq.forms.M @ eq.rates)[0]
    slopes = [d(twice_T) for d in partials(eq.ring, eq.coordinates)]
    return mass_matrix_rate(eq) @ eq.rates - Matrix.column(slopes) / 2


def coriolis_by_kronecker(eq: Equations) -> Matrix:
    """Return C q̇ = Ṁ q̇ - ½ (∂vec(M)/∂q)ᵀ (q̇ ⊗ q̇) as ring elements (Savin 19)."""
    kronecker = Matrix.column([x * y for x in eq.rates for y in eq.rates])
    vec_M = eq.forms.M.entries
    jacobian_T = Matrix([[d(x) for x in vec_M] for d in partials(eq.ring, eq.coordinates)])
    return mass_matrix_rate(eq) @ eq.rates - jacobian_T @ kronecker / 2
