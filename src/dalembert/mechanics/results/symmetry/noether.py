"""Noether's theorem: a vector field that leaves L alone gives a quantity that stays constant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem
from dalembert.expr import ZERO, Expr, Matrix, Scalar, as_expr, time, total
from dalembert.mechanics.proofs.domain import smooth_where
from dalembert.mechanics.results.integrals.potential import potential
from dalembert.mechanics.results.symmetry.conserved_quantity import Conserved
from dalembert.mechanics.results.symmetry.field import Field, field_of
from dalembert.mechanics.results.symmetry.pieces import lagrangian_pieces
from dalembert.ring import Element, canonical, is_zero, partials, rebuild, ring_of, time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def noether(eq: Equations, field: Mapping[Expr, Scalar]) -> Conserved:
    """Return what a given symmetry conserves; see `Equations.noether`."""
    f = field_of(eq, field)
    rates = f.ring.column(eq.velocities)
    change = _change(eq, f)
    _require_no_work(eq, f)
    F = _gauge(eq, f, change)
    # J = Σ pₖ (ξₖ - τ q̇ₖ) + τ L - F
    p = Matrix.column([d(f.L) for d in partials(f.ring, eq.velocities)])
    J = rebuild(p.dot(f.xi - rates * f.tau) + f.tau * f.L) - F
    return _conserved(eq, "momentum of the symmetry", field, J, F)


def momentum(eq: Equations, name: str, field: Mapping[Expr, Expr], F: Expr) -> Conserved:
    """Return Σ pₖ ξₖ - F of a field that is known to change L by dF/dt only."""
    pieces = lagrangian_pieces(eq)
    J = -F
    for q, value in field.items():
        (d,) = partials(eq.ring, [q.dot])
        J = J + total([rebuild(d(x)) for x in pieces]) * value
    return _conserved(eq, name, field, J, F)


def _conserved(
    eq: Equations, name: str, field: Mapping[Expr, Scalar], J: Expr, F: Expr
) -> Conserved:
    words = motion_text(eq, field)
    reason = f"L does not change under {words}"
    if F is not ZERO:
        reason = f"under {words} L changes by d/dt({F}) only"
    return Conserved(
        name,
        rebuild(canonical(ring_of([J]), J)),
        f"{reason}, along which no force does work",
        smooth_where(eq.system.differentiated()),
        {x: as_expr(value) for x, value in field.items()},
        eq,
    )


def motion_text(eq: Equations, field: Mapping[Expr, Scalar]) -> str:
    """Return the field as ``δx = -y, δy = x``."""
    moved = {**field}
    return ", ".join(f"δ{x} = {as_expr(moved[x])}" for x in [*eq.coordinates, time] if x in moved)


def _change(eq: Equations, f: Field) -> Element:
    """Return how L dt changes: ξ ∂L/∂q + (ξ̇ - q̇ τ̇) ∂L/∂q̇ + τ ∂L/∂t + L τ̇."""
    d_dt = time_derivative(f.ring, max_order=0)
    (dt,) = partials(f.ring, [time])
    rate = d_dt(f.tau)
    change = f.tau * dt(f.L) + f.L * rate
    moved = zip(
        f.xi,
        f.ring.column(eq.velocities),
        partials(f.ring, eq.coordinates),
        partials(f.ring, eq.velocities),
        strict=True,
    )
    for xi, v, dq, dv in moved:
        change = change + xi * dq(f.L) + (d_dt(xi) - v * rate) * dv(f.L)
    return change


def _gauge(eq: Equations, f: Field, change: Element) -> Expr:
    """Return F(q, t) with dF/dt equal to the change of L, zero if it does not change."""
    if is_zero(change):
        return ZERO
    dv = partials(f.ring, eq.velocities)
    slopes = [d(change) for d in dv]
    rest = change - Matrix.column(slopes).dot(f.ring.column(eq.velocities))
    parts = [*slopes, rest]
    F = None
    if all(is_zero(d(x)) for d in dv for x in parts):
        F = potential([rebuild(x) for x in parts], [*eq.coordinates, time])
    if F is None:
        raise InvalidSystem(
            f"expected a symmetry of L, got a field along which L changes by {rebuild(change)}, "
            "which is not known as the rate of a function of q and t: correct the field"
        )
    return F


def _require_no_work(eq: Equations, f: Field) -> None:
    """Refuse a field along which forces, dissipation or constraints do work."""
    work = f.applied.dot(f.xi - f.ring.column(eq.velocities) * f.tau)
    if not is_zero(work):
        raise InvalidSystem(
            f"expected a symmetry without work, got applied forces with the power {rebuild(work)} "
            "along it: what is not conserved has this rate"
        )
    for number, x in enumerate(f.A @ f.xi + f.drift * f.tau if eq.lam else (), 1):
        if not is_zero(x):
            raise InvalidSystem(
                "expected a symmetry that the constraints admit, got a field that constraint "
                f"{number} forbids, A ξ + b τ = {rebuild(x)}: choose a virtual displacement"
            )
