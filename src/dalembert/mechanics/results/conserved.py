"""Conserved quantities: momenta of cyclic coordinates, and energy or Jacobi integral."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, symbol_text, time
from dalembert.mechanics.proofs.smoothness import smooth_where
from dalembert.ring import Element, partials, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Conserved(NamedTuple):
    """A quantity that stays constant along every motion, why, and under which hypotheses.

    The hypotheses exclude the places where L has a jump or a kink: no derivative exists there.
    """

    name: str
    quantity: Expr
    reason: str
    hypotheses: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} is conserved: {self.quantity}{self._where}\n    {self.reason}"

    def _repr_markdown_(self) -> str:
        quantity = f"${self.quantity.latex()}$"
        return f"{self.name} is conserved: {quantity}{self._where}\n\n{self.reason}"

    @property
    def _where(self) -> str:
        return f"  [{'; '.join(self.hypotheses)}]" if self.hypotheses else ""


def conserved(eq: Equations) -> list[Conserved]:
    """Return ∂L/∂q̇ₖ for every free cyclic coordinate, and h = q̇ᵀ∂L/∂q̇ - L where nothing feeds it.

    h is the energy where it is T + V; otherwise, as in a frame turned at a given rate, it is the
    Jacobi integral, and T + V is not constant.
    """
    where = smooth_where(eq.system.differentiated())
    found = _cyclic_momenta(eq, where)
    f = eq.forms
    (dt,) = partials(eq.ring, [time])
    fed = not all(x.is_zero for x in f.forces) or not f.dissipation.is_zero
    driven = not dt(f.L).is_zero or not all(x.is_zero for x in f.drift)
    if not fed and not driven:
        reason = "∂L/∂t = 0, no force, no dissipation, constraints at rest"
        name = "energy"
        if not is_energy(eq):
            name = "Jacobi integral"
            reason += f"; h = q̇ᵀ∂L/∂q̇ - L{_other_than_energy(eq)}"
        found.append(Conserved(name, rebuild(jacobi_integral(eq)), reason, where))
    return found


def _cyclic_momenta(eq: Equations, where: tuple[str, ...]) -> list[Conserved]:
    ring, f = eq.ring, eq.forms
    found = []
    dq, dv = partials(ring, eq.coordinates), partials(ring, eq.velocities)
    for k, q in enumerate(eq.coordinates):
        free = f.forces[k].is_zero and dv[k](f.dissipation).is_zero
        untouched = all(row[k].is_zero for row in f.A.rows)
        if free and untouched and dq[k](f.L).is_zero:
            name = symbol_text(q)
            reason = f"∂L/∂{name} = 0: L does not depend on {name}, and no force acts on it"
            found.append(Conserved(f"momentum of {name}", rebuild(dv[k](f.L)), reason, where))
    return found


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
    return not eq.system.is_bare and (jacobi_integral(eq) - f.T - f.V).is_zero
