"""Conserved quantities: momenta of cyclic coordinates, and energy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, symbol_text, time
from dalembert.ring import Element, partials, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Conserved(NamedTuple):
    """A quantity that stays constant along every motion, and why."""

    name: str
    quantity: Expr
    reason: str


def conserved(eq: Equations) -> list[Conserved]:
    """Return ∂L/∂q̇ₖ for every free cyclic coordinate, and the energy where nothing feeds it."""
    ring, f = eq.ring, eq.forms
    found = []
    dq, dv = partials(ring, eq.coordinates), partials(ring, eq.velocities)
    for k, q in enumerate(eq.coordinates):
        free = f.forces[k].is_zero and dv[k](f.dissipation).is_zero
        untouched = all(row[k].is_zero for row in f.A.rows)
        if free and untouched and dq[k](f.L).is_zero:
            name = symbol_text(q)
            found.append(
                Conserved(
                    f"momentum of {name}",
                    rebuild(dv[k](f.L)),
                    f"∂L/∂{name} = 0: L does not depend on {name}, and no force acts on it",
                )
            )
    (dt,) = partials(ring, [time])
    fed = not all(x.is_zero for x in f.forces) or not f.dissipation.is_zero
    driven = not dt(f.L).is_zero or not all(x.is_zero for x in f.drift)
    if not fed and not driven:
        found.append(
            Conserved(
                "energy",
                rebuild(energy(eq)),
                "∂L/∂t = 0, no force, no dissipation, constraints at rest",
            )
        )
    return found


def energy(eq: Equations) -> Element:
    """Return E = Σ q̇ₖ ∂L/∂q̇ₖ - L; it is T + V when T is quadratic in the velocities."""
    total = -eq.forms.L
    for d, rate in zip(partials(eq.ring, eq.velocities), eq.rates, strict=True):
        total = total + d(eq.forms.L) * rate
    return total
