"""The equations of rest: what must vanish where nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import InvalidSystem
from dalembert.expr import (
    ZERO,
    BySymbol,
    Expr,
    Scalar,
    as_expr,
    by_symbol,
    substitute,
    time,
)
from dalembert.mechanics.small_motions.point import inputs_of
from dalembert.ring import equal, rebuild, rebuild_matrix

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Statics(NamedTuple):
    """N - Υ - Aᵀλ = 0 and a(q) = 0 at rest, in the unknowns q and λ."""

    equations: tuple[Expr, ...]
    coordinates: tuple[Expr, ...]
    multipliers: tuple[Expr, ...]
    values: dict[Expr, Expr]

    @property
    def is_unloaded(self) -> bool:
        """Whether no force acts at rest: only reactions are left, and they vanish."""
        loads = self.equations[: len(self.coordinates)]
        return all(equal(e, 0) for e in substitute(loads, dict.fromkeys(self.multipliers, ZERO)))

    @property
    def unknowns(self) -> tuple[Expr, ...]:
        """q and λ."""
        return (*self.coordinates, *self.multipliers)


def statics(eq: Equations, values: BySymbol[Scalar] | None) -> Statics:
    """Return the equations of rest; ``values`` are those of inputs and parameters.

    Inputs without a value are zero, parameters without one stay symbols.

    Raises:
        InvalidSystem: the system moves by itself: its energies, forces or constraints depend on
            time.
    """
    inputs = inputs_of(eq)
    given = by_symbol([*inputs, *eq.parameters], values or {})
    known = {x: as_expr(v) for x, v in given.items()}
    fixed: dict[Expr, Expr] = dict.fromkeys(inputs, ZERO) | known
    rest = dict.fromkeys((*eq.velocities, *eq.system.accelerations), ZERO)
    balance = [rebuild(x) for x in eq.residual_form]
    exprs = [*balance, *rebuild_matrix(eq.forms.a)]
    equations = tuple(substitute(exprs, fixed | rest))
    drift = substitute(list(rebuild_matrix(eq.forms.drift)), fixed | rest)
    if any(time in e.symbols for e in equations) or any(x != 0 for x in drift):
        raise InvalidSystem(
            "expected a system that can rest, got one whose forces or constraints depend on time: "
            "describe it in coordinates that move along, or linearise about its motion"
        )
    return Statics(equations, eq.coordinates, eq.lam, fixed)
