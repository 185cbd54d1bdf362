"""From a `System` to its equations of motion, by Lagrange's method.

Stages: choose the ring; derive the canonical forms in it; check the constraints.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import InvalidSystem
from dalembert.expr import Expr, Kind, Matrix, symbol, time
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.equations.forms import derive_forms
from dalembert.mechanics.system.physics import check_inertia_of_coordinates
from dalembert.mechanics.system.system import System
from dalembert.ring import Element, partials, rebuild, ring_of
from dalembert.ring.algebra.null_space import null_space


def derive(system: System) -> Equations:
    """Return the equations of motion of a system."""
    multipliers = multiplier_symbols(system)
    ring = ring_of(
        system.expressions(),
        [*system.coordinates, *system.velocities, *system.accelerations, *multipliers, time],
    )
    forms = derive_forms(system, ring)
    check_inertia_of_coordinates(system, forms)
    equations = Equations(system, ring, forms, multipliers)
    _check_constraints(equations)
    return equations


def multiplier_symbols(system: System) -> tuple[Expr, ...]:
    """Return one multiplier for each constraint, named λ₁, λ₂, …."""
    count = len(system.constraints) + len(system.velocity_constraints)
    return tuple(symbol(Kind.MULTIPLIER, f"lam{i + 1}") for i in range(count))


def _check_constraints(eq: Equations) -> None:
    """Refuse constraints that hold always, never, or twice."""
    system, ring, A = eq.system, eq.ring, eq.forms.A
    written = [*system.constraints, *system.velocity_constraints]
    if not written:
        return
    velocities = set(system.velocities)
    speeds = [i for i, g in enumerate(ring.generators) if velocities.intersection(g.symbols)]
    for i, expr in enumerate(written):
        holonomic = i < len(system.constraints)
        kind = "constraint" if holonomic else "velocity constraint"
        if not holonomic and any(
            x.involves(j) for x in (*A.rows[i], eq.forms.drift[i]) for j in speeds
        ):
            raise InvalidSystem(
                f"expected velocity constraint {i + 1} to be linear in the velocities, got {expr}: "
                "only such constraints have the form A q̇ + b = 0"
            )
        if all(x.is_surely_zero for x in A.rows[i]):
            value = eq.forms.a[i] if holonomic else eq.forms.drift[i]
            fate = (
                "can never hold: correct it"
                if holonomic
                else "has no velocity: put conditions on positions into constraints="
            )
            fate = "holds identically: drop it" if value.is_surely_zero else fate
            raise InvalidSystem(
                f"expected {kind} {i + 1} to restrict the motion, got {expr} = 0, which {fate}"
            )
    for c in null_space(ring, A.T).T.rows:
        i = max(k for k, x in enumerate(c) if not x.is_surely_zero)
        culprit = f"number {i + 1}, {written[i]} = 0"
        left = _contradiction(eq, c)
        if left is not None:
            raise InvalidSystem(
                f"expected consistent constraints, got {culprit}, which together with those before "
                f"it demands {left} = 0: correct or drop one"
            )
        if not system.keep_redundant:
            raise InvalidSystem(
                f"expected independent constraints, got {culprit}, whose gradient is a combination "
                "of those before it: drop it, or pass keep_redundant=True to solve numerically for "
                "the smallest λ"
            )


def _contradiction(eq: Equations, c: Sequence[Element]) -> Expr | None:
    """Return what Σ cᵢ aᵢ demands to vanish, where Σ cᵢ Aᵢ = 0, unless it does or depends on q."""
    f, num_holonomic = eq.forms, len(eq.system.constraints)
    moving = [eq.ring.index[x] for x in eq.coordinates]
    # rates: Σ cᵢ (Aᵢ q̇ + bᵢ) = Σ cᵢ bᵢ
    left = Matrix.column(c).dot(f.drift)
    if left.is_surely_zero and all(x.is_surely_zero for x in c[num_holonomic:]):
        dq = partials(eq.ring, eq.coordinates)
        if all(d(x).is_surely_zero for d in dq for x in c):
            left = Matrix.column(c[:num_holonomic]).dot(f.a)
    return None if left.is_surely_zero or any(left.involves(i) for i in moving) else rebuild(left)
