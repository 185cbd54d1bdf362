"""Grade scalars: T, V up to a constant, L up to the rate of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr
from dalembert.mechanics.answers.grade import Grade, right, wrong
from dalembert.mechanics.answers.terms import fault, in_one_ring, vanishes
from dalembert.mechanics.equations.forms import require_quadratic
from dalembert.mechanics.proofs.domain import Condition, conditions
from dalembert.ring import Element, Ring, partials, rebuild, time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def grade_energy(eq: Equations, part: str, mine: Expr) -> Grade:
    """Grade T, V or L."""
    f = eq.forms
    if part != "L":
        require_quadratic(eq, f"part {part}")
    ring, (given,), (T, V, L) = in_one_ring(eq, [mine], [f.T, f.V, f.L])
    expected = {"T": T, "V": V, "L": L}[part]
    if vanishes(expected - given):
        return right(part)
    excuse = _harmless(eq, ring, part, given - expected)
    if excuse:
        # a constant on each side of a jump is none
        return right(part, excuse).only_where(_jumps(eq, given - expected))
    notes = []
    if part == "L" and vanishes(given - T - V):
        notes.append("this is T + V: the Lagrangian is T - V")
    elif part == "L" and vanishes(given + expected):
        notes.append("this is V - T: the equations are the same, but the Lagrangian is T - V")
    elif part != "T" and vanishes(given - T):
        notes.append("this is T")
    elif part != "V" and vanishes(given - V):
        notes.append("this is V")
    return wrong(part, [fault(eq, "", given, expected)], notes)


def _harmless(eq: Equations, ring: Ring, part: str, surplus: Element) -> str:
    """Return why a difference changes no equation of motion, or an empty text."""
    moving = [*eq.coordinates, *eq.velocities]
    if part == "V" and all(vanishes(d(surplus)) for d in partials(ring, moving)):
        return "up to a constant, which does not matter"
    if part == "L" and _has_no_equations(eq, ring, surplus):
        return "up to the rate of a function of q and t, which changes no equation of motion"
    return ""


def _jumps(eq: Equations, surplus: Element) -> tuple[Condition, ...]:
    """Return where a surplus that has no slope may jump, and the system may not."""
    given = conditions(eq.system.differentiated(), is_smooth=True)
    own = conditions([rebuild(surplus)], is_smooth=True)
    return tuple(c for c in own if not any(d.implies(c) for d in given))


def _has_no_equations(eq: Equations, ring: Ring, x: Element) -> bool:
    """Tell whether d/dt ∂x/∂q̇ - ∂x/∂q vanishes for every coordinate."""
    d_dt = time_derivative(ring)
    dq, dv = partials(ring, eq.coordinates), partials(ring, eq.velocities)
    return all(vanishes(d_dt(v(x)) - q(x)) for q, v in zip(dq, dv, strict=True))
