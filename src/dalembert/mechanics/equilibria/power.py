"""What becomes of the energy near rest: kept, lost, or possibly fed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from dalembert.expr import ZERO, Expr, Matrix, hessian, substitute, time
from dalembert.mechanics.proofs.nonnegative import is_manifestly_nonnegative
from dalembert.ring import (
    canonical,
    canonical_matrix,
    determinant,
    is_zero,
    partials,
    rebuild,
    ring_of,
)

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

Power = Literal["kept", "lost", "open"]
MAX_SIZE = 5
"""Largest damping matrix of which all principal minors are looked at: 31 of them."""


def power_near_rest(eq: Equations, fixed: dict[Expr, Expr]) -> Power:
    """Tell whether ½ q̇ᵀ M q̇ + V, with ∂V/∂q the force at rest, is kept or lost along motions.

    "open" where the forces at rest have no potential, where time occurs, or where the power of the
    forces that depend on velocities may be positive. ``fixed`` are values of inputs and parameters.
    """
    exprs = [rebuild(x) for x in eq.forms.N - eq.forms.forces]
    loads = substitute(exprs, fixed)
    if depends_on_time(eq, fixed) or any(rebuild(x) != 0 for x in eq.forms.drift):
        return "open"
    at_rest = substitute(loads, dict.fromkeys(eq.velocities, ZERO))
    if not _has_potential(eq, at_rest):
        return "open"
    supplied = ZERO
    for v, moving, still in zip(eq.velocities, loads, at_rest, strict=True):
        supplied = supplied + v * (moving - still)
    ring = ring_of([supplied], eq.velocities)
    lost = canonical(ring, supplied)
    if is_zero(lost):
        return "kept"
    return "lost" if _is_nonnegative_form(eq, rebuild(lost)) else "open"


def depends_on_time(eq: Equations, fixed: Mapping[Expr, Expr]) -> bool:
    """Tell whether time occurs in the equations, at rest or not."""
    f = eq.forms
    parts = [rebuild(x) for a in (f.M, f.N, f.forces, f.drift) for x in a]
    return any(time in e.symbols for e in substitute(parts, fixed))


def _has_potential(eq: Equations, forces: list[Expr]) -> bool:
    """Tell whether ∂F/∂q is symmetric."""
    ring = ring_of(forces, eq.coordinates)
    dq = partials(ring, eq.coordinates)
    F = [canonical(ring, f) for f in forces]
    pairs = combinations(range(len(F)), 2)
    return all(is_zero(dq[j](F[i]) - dq[i](F[j])) for i, j in pairs)


def _is_nonnegative_form(eq: Equations, lost: Expr) -> bool:
    """Tell whether the power lost is manifestly nonnegative: term by term, or as a form q̇ᵀ D q̇."""
    ring = ring_of([lost], eq.velocities)
    if is_manifestly_nonnegative(canonical(ring, lost)):
        return True
    D = hessian(lost, eq.velocities)
    used = [i for i in range(len(eq.velocities)) if any(x is not ZERO for x in D.rows[i])]
    if len(used) > MAX_SIZE:
        return False
    d = canonical_matrix(ring, D)
    speeds = {ring.index[v] for v in eq.velocities}
    if any(x.used() & speeds for x in d):
        return False
    # quadratic: the Hessian has no velocity left, and every principal minor shows its sign
    blocks = (rows for k in range(1, len(used) + 1) for rows in combinations(used, k))
    return all(
        is_manifestly_nonnegative(
            determinant(ring, Matrix([[d[i, j] for j in rows] for i in rows]))
        )
        for rows in blocks
    )
