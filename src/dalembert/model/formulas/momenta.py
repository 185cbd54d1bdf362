"""The equations of motion in momenta, as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Expr, parameters, substitute, time
from dalembert.recursions.constraints.factorization import solve_symmetric

if TYPE_CHECKING:
    from dalembert.model.model import Model
    from dalembert.types import Scalar


def momentum_rates(model: Model, u: Sequence[Scalar]) -> tuple[list[Expr], list[Expr]]:
    """Return p = ∂L/∂q̇ and ṗ of the symbols q and q̇, without the forces of constraints.

    Of joints with quaternions these are the momenta of their body-fixed velocities.
    """
    q, v = model.symbols.q, model.symbols.qd
    return model.expressions("momenta", q, v, u)


def momentum_rate_of_acceleration(model: Model) -> tuple[tuple[Expr, ...], list[Expr]]:
    """Return symbols of q̈, and ṗ of q, q̇ and q̈, whatever forces made it.

    They are τ + Aᵀλ = M q̈ + h, in the place of τ.
    """
    q, v = model.symbols.q, model.symbols.qd
    symbols = parameters(" ".join(f"acceleration{i}" for i in range(model.nv)))
    inputs = [0] * len(model.symbols.inputs)
    _, rate = momentum_rates(model, inputs)
    forces = model.expressions("inverse_dynamics", q, v, symbols)
    own = model.expressions("applied_forces", q, v, inputs)
    return symbols, [r + f - o for r, f, o in zip(rate, forces, own, strict=True)]


def hamilton_rates(
    model: Model, u: Sequence[Scalar]
) -> tuple[tuple[Expr, ...], list[Expr], list[Expr]]:
    """Return symbols of the momenta, and (dq/dt, ṗ) and q̇ as expressions of q and p.

    q̇ = M⁻¹ (p - p(q, 0)): the Lagrangian is quadratic in the velocities.
    """
    q, v = model.symbols.q, model.symbols.qd
    symbols = parameters(" ".join(f"momentum{i}" for i in range(model.nv)))
    p, rate = momentum_rates(model, u)
    rest = substitute(p, dict.fromkeys(v, 0))
    right = [s - r for s, r in zip(symbols, rest, strict=True)]
    velocity = solve_symmetric(model.expressions("mass_matrix", q), right)
    rates = [*model.expressions("configuration_rate", q, v), *rate]
    return symbols, substitute(rates, dict(zip(v, velocity, strict=True))), velocity


def step_correction(
    model: Model, u: Sequence[Scalar], p: Sequence[Expr], xi: Sequence[Expr], t: Expr, h: Expr
) -> tuple[list[Expr], list[Expr]]:
    """Return how much the velocity ξ of a step from (q, p) at t is to change, and the force in it.

    With p(q + h ξ/2, ξ) and ṗ = F in the middle of the step, p_start = p - h/2 F is to be the
    momentum given; M⁻¹ of what is left is the change. For coordinates without quaternions.
    """
    q, v, n = model.symbols.q, model.symbols.qd, model.nv
    momentum, force = momentum_rates(model, u)
    M = model.expressions("mass_matrix", q)
    flat = [*momentum, *force, *(x for row in M for x in row)]
    middle = {x: x + h / 2 * rate for x, rate in zip(q, xi, strict=True)} | {time: t + h / 2}
    flat = substitute(flat, middle | dict(zip(v, xi, strict=True)))
    momentum, force, entries = flat[:n], flat[n : 2 * n], flat[2 * n :]
    rest = [a - (b - h / 2 * f) for a, b, f in zip(p, momentum, force, strict=True)]
    return solve_symmetric([entries[i * n : i * n + n] for i in range(n)], rest), force
