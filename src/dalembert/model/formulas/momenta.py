"""The equations of motion in momenta, as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.expr import Expr, gradient, parameters, substitute
from dalembert.recursions.constraints.factorization import solve_symmetric

if TYPE_CHECKING:
    from dalembert.model.model import Model


def momentum_rates(model: Model, u: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return p = ∂L/∂q̇ and ṗ of the symbols q and q̇, without the forces of constraints.

    Of joints with quaternions these are the momenta of their body-fixed velocities.
    """
    q, v = model.q, model.qd
    system: Any = getattr(model.formulas, "system", None)
    if system is not None:
        # ṗ = ∂L/∂q + Υ - ∂R/∂q̇
        slopes, lost = gradient(system.lagrangian, q), gradient(system.dissipation, v)
        forces = model.apply("applied_forces", q, v, u)
        rate = [s + f - r for s, f, r in zip(slopes, forces, lost, strict=True)]
        return gradient(system.lagrangian, v), rate
    # ṗ = M q̈ + Ṁ q̇ = τ - h + (C + Cᵀ) q̇
    n, C, h = model.nv, model.apply("coriolis", q, v), model.apply("bias", q, v)
    p = [_dot(row, v) for row in model.apply("mass_matrix", q)]
    return p, [u[i] - h[i] + _dot([C[i][j] + C[j][i] for j in range(n)], v) for i in range(n)]


def momentum_rate_of_acceleration(model: Model) -> tuple[tuple[Expr, ...], list[Any]]:
    """Return symbols of q̈, and ṗ of q, q̇ and q̈, whatever forces made it.

    They are τ + Aᵀλ = M q̈ + h, in the place of τ.
    """
    q, v = model.q, model.qd
    symbols = parameters(" ".join(f"acceleration{i}" for i in range(model.nv)))
    inputs = [0] * len(model.inputs)
    _, rate = momentum_rates(model, inputs)
    forces = model.apply("inverse_dynamics", q, v, symbols)
    if hasattr(model.formulas, "system"):
        own = model.apply("applied_forces", q, v, inputs)
        forces = [f - o for f, o in zip(forces, own, strict=True)]
    return symbols, [r + f for r, f in zip(rate, forces, strict=True)]


def hamilton_rates(model: Model, u: Sequence[Any]) -> tuple[tuple[Expr, ...], list[Any], list[Any]]:
    """Return symbols of the momenta, and (dq/dt, ṗ) and q̇ as expressions of q and p.

    q̇ = M⁻¹ (p - p(q, 0)): the Lagrangian is quadratic in the velocities.
    """
    q, v = model.q, model.qd
    symbols = parameters(" ".join(f"momentum{i}" for i in range(model.nv)))
    p, rate = momentum_rates(model, u)
    rest = substitute(p, dict.fromkeys(v, 0))
    right = [s - r for s, r in zip(symbols, rest, strict=True)]
    velocity = solve_symmetric(model.apply("mass_matrix", q), right)
    rates = [*model.apply("configuration_rate", q, v), *rate]
    return symbols, substitute(rates, dict(zip(v, velocity, strict=True))), velocity


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
