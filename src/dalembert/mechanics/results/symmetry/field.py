"""A vector field beside the equations it may be a symmetry of, in one ring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import InvalidSystem, nearest
from dalembert.expr import (
    Expr,
    Kind,
    Matrix,
    Scalar,
    as_expr,
    free_symbols,
    is_kind,
    symbol_text,
    time,
)
from dalembert.mechanics.proofs.domain import restricted, smooth_where
from dalembert.mechanics.proofs.identity import identity, ring_for
from dalembert.mechanics.proofs.proof import Proof
from dalembert.ring import Element, Ring, canonical_all, partials, rebuild, time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Field(NamedTuple):
    """A vector field ξ on the coordinates with a shift τ of time, and L, M … in one ring."""

    ring: Ring
    xi: Matrix
    tau: Element
    L: Element
    residual: Matrix
    A: Matrix
    drift: Matrix
    applied: Matrix


def _complete(eq: Equations, field: Mapping[Expr, Scalar]) -> list[Expr]:
    """Return ξ for every coordinate, and τ."""
    known = [*eq.coordinates, time]
    for x, value in field.items():
        if x not in known:
            raise InvalidSystem(
                f"expected coordinates (or da.time) as keys of a field, got {x}: "
                f"{nearest(str(x), map(symbol_text, known))}"
            )
        for s in free_symbols([as_expr(value)]):
            if not (s in known or is_kind(s, Kind.PARAMETER)):
                raise InvalidSystem(
                    f"expected a field of coordinates, parameters and time, got {symbol_text(s)} "
                    f"in that of {symbol_text(x)}: fields that depend on velocities are not moved"
                )
    return [as_expr(field.get(x, 0)) for x in known]


def field_of(eq: Equations, given: Mapping[Expr, Scalar], others: Sequence[Expr] = ()) -> Field:
    """Return a field with the equations, in a ring that has a place for all of it."""
    field = _complete(eq, given)
    ring = ring_for(eq, [*field, *others])
    forms = eq.forms
    dv = partials(eq.ring, eq.velocities)
    drag = Matrix.column([d(forms.dissipation) for d in dv])

    def carried(a: Matrix) -> Matrix:
        return a if ring is eq.ring else a._like(canonical_all(ring, [rebuild(x) for x in a]))

    *xi, tau = canonical_all(ring, field)
    return Field(
        ring,
        Matrix.column(xi),
        tau,
        carried(Matrix([[forms.L]]))[0, 0],
        carried(eq.residual_form),
        carried(forms.A),
        carried(forms.drift),
        carried(forms.forces - drag),
    )


def prove_constant(eq: Equations, field: Mapping[Expr, Scalar], J: Expr) -> Proof:
    """dJ/dt = 0 along every motion.

    dJ/dt = (ξ - τ q̇)ᵀ (M q̈ + C q̇ + N - Υ - Aᵀλ) - τ λᵀ(A q̇ + b) is an identity, and the right side
    vanishes along every motion.
    """
    f = field_of(eq, field, [J])
    rates = f.ring.column(eq.velocities)
    (quantity,) = canonical_all(f.ring, [J])
    difference = time_derivative(f.ring)(quantity) - (f.xi - rates * f.tau).dot(f.residual)
    if eq.lam:
        lam = f.ring.column(eq.lam)
        difference = difference + f.tau * lam.dot(f.A @ rates + f.drift)
    return identity(
        f.ring,
        "dJ/dt = 0 along every motion",
        [difference],
        "dJ/dt is a combination of the equations of motion: canonical forms identical",
        smooth_where(eq.system.differentiated()),
        where=restricted(eq.system),
    )
