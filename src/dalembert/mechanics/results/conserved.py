"""Conserved quantities: momenta of symmetries, and energy or Jacobi integral."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalembert.expr import MINUS_ONE, ONE, Expr, time
from dalembert.expr.calculus import diff
from dalembert.mechanics.proofs.domain import smooth_where
from dalembert.mechanics.results.symmetry.conserved_quantity import Conserved
from dalembert.mechanics.results.symmetry.noether import momentum
from dalembert.mechanics.results.symmetry.search import linear_symmetries
from dalembert.ring import Element, equal, partials, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

__all__ = ["Conserved", "conserved", "cyclic_coordinates", "is_energy", "jacobi_integral"]


def conserved(eq: Equations) -> list[Conserved]:
    """Return the momenta of all symmetries that are found, and h = q̇ᵀ∂L/∂q̇ - L.

    First come ∂L/∂q̇ₖ of the free cyclic coordinates, then the momenta of translations and rotations
    of several coordinates. h is there where nothing feeds it: it is the energy where it is T + V;
    otherwise, as in a frame turned at a given rate, it is the Jacobi integral, and T + V is not
    constant.
    """
    where = smooth_where(eq.system.differentiated())
    cyclic = cyclic_coordinates(eq)
    found = [_cyclic_momentum(eq, q, where) for q in cyclic]
    for field, gauge in linear_symmetries(eq, cyclic):
        found.append(momentum(eq, _name(field), field, gauge))
    f = eq.forms
    (dt,) = partials(eq.ring, [time])
    fed = not all(x.is_surely_zero for x in f.forces) or not f.dissipation.is_surely_zero
    driven = not dt(f.L).is_surely_zero or not all(x.is_surely_zero for x in f.drift)
    if not fed and not driven:
        reason = "∂L/∂t = 0, no force, no dissipation, constraints at rest"
        name = "energy"
        if not is_energy(eq):
            name = "Jacobi integral"
            reason += f"; h = q̇ᵀ∂L/∂q̇ - L{_other_than_energy(eq)}"
        h = rebuild(jacobi_integral(eq))
        found.append(Conserved(name, h, reason, where, {time: MINUS_ONE}, eq))
    return found


def cyclic_coordinates(eq: Equations) -> list[Expr]:
    """Return the coordinates on which L does not depend, and which no force or constraint touches.

    Constraints of other coordinates may be there.
    """
    f = eq.forms
    dq, dv = partials(eq.ring, eq.coordinates), partials(eq.ring, eq.velocities)
    return [
        q
        for k, q in enumerate(eq.coordinates)
        if f.forces[k].is_surely_zero
        and dv[k](f.dissipation).is_surely_zero
        and all(row[k].is_surely_zero for row in f.A.rows)
        and dq[k](f.L).is_surely_zero
    ]


def _cyclic_momentum(eq: Equations, q: Expr, where: tuple[str, ...]) -> Conserved:
    (d,) = partials(eq.ring, [q.dot])
    name, p = str(q), rebuild(d(eq.forms.L))
    reason = f"∂L/∂{name} = 0: L does not depend on {name}, and no force acts on it"
    return Conserved(f"momentum of {name}", p, reason, where, {q: ONE}, eq)


def _name(field: Mapping[Expr, Expr]) -> str:
    """Return what the momentum of a field is called."""
    names = ", ".join(map(str, field))
    if all(not any(x in value.symbols for x in field) for value in field.values()):
        return f"momentum of {names}{' together' * (len(field) > 1)}"
    at_rest = dict.fromkeys(field, 0)
    turned = all(equal(value.subs(at_rest), 0) for value in field.values())
    skew = all(equal(diff(field[a], b) + diff(field[b], a), 0) for a in field for b in field)
    kind = "momentum of the linear symmetry" if turned else "momentum of the screw"
    return f"{'angular momentum' if turned and skew else kind} of {names}"


def _other_than_energy(eq: Equations) -> str:
    if eq.system.is_bare:
        return ", the energy if L = T - V with T quadratic in q̇"
    return " is not T + V: T has terms that are not quadratic in q̇"


def jacobi_integral(eq: Equations) -> Element:
    """Return h = Σ q̇ₖ ∂L/∂q̇ₖ - L; it is T + V when T is quadratic in the velocities."""
    total = -eq.forms.L
    for d, rate in zip(partials(eq.ring, eq.velocities), eq.rates, strict=True):
        total = total + d(eq.forms.L) * rate
    return total


def is_energy(eq: Equations) -> bool:
    """Tell whether the Jacobi integral is the energy T + V; of a bare Lagrangian nobody knows."""
    f = eq.forms
    return not eq.system.is_bare and (jacobi_integral(eq) - f.T - f.V).is_surely_zero
