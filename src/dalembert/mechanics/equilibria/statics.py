"""The equations of rest: what must vanish where nothing moves."""

from __future__ import annotations

from collections.abc import Mapping
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
    symbol_text,
    time,
)
from dalembert.mechanics.small_motions.point import inputs_of
from dalembert.ring import equal, rebuild, rebuild_matrix

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Statics(NamedTuple):
    """N - Υ - Aᵀλ = 0 and a(q) = 0 at rest, in the unknowns q and λ.

    ``steady`` are constant velocities of coordinates that occur nowhere: then this is rest for the
    others, a relative equilibrium.
    """

    equations: tuple[Expr, ...]
    coordinates: tuple[Expr, ...]
    multipliers: tuple[Expr, ...]
    values: dict[Expr, Expr]
    steady: dict[Expr, Expr] = {}  # noqa: RUF012, never changed

    @property
    def is_unloaded(self) -> bool:
        """Whether no force acts at rest: only reactions are left, and they vanish."""
        loads = self.equations[: len(self.coordinates)]
        return all(equal(e, 0) for e in substitute(loads, dict.fromkeys(self.multipliers, ZERO)))

    @property
    def unknowns(self) -> tuple[Expr, ...]:
        """q and λ."""
        return (*self.coordinates, *self.multipliers)


def statics(
    eq: Equations,
    values: BySymbol[Scalar] | None,
    steady: BySymbol[Scalar] | None = None,
) -> Statics:
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
    rates = {q: as_expr(v) for q, v in by_symbol(eq.coordinates, steady or {}).items()}
    _check_neutral(eq, fixed, rates)
    rest |= {q.dot: rate for q, rate in rates.items()}
    balance = [rebuild(x) for x in eq.residual_form]
    exprs = [*balance, *rebuild_matrix(eq.forms.a)]
    equations = tuple(substitute(exprs, fixed | rest))
    drift = substitute(list(rebuild_matrix(eq.forms.drift)), fixed | rest)
    if any(time in e.symbols for e in equations) or any(x != 0 for x in drift):
        raise InvalidSystem(
            "expected a system that can rest, got one whose forces or constraints depend on time: "
            "describe it in coordinates that move along, or linearise about its motion"
        )
    return Statics(equations, eq.coordinates, eq.lam, fixed, rates)


def neutral_coordinates(eq: Equations, fixed: Mapping[Expr, Expr]) -> tuple[Expr, ...]:
    """Return the coordinates that occur nowhere in the equations, and that no constraint moves."""
    f = eq.forms
    parts = [x for a in (f.M, f.C, f.N, f.forces, f.A) for x in a]
    used = {s for e in substitute([rebuild(x) for x in parts], fixed) for s in e.symbols}
    bound = {k for row in f.A.rows for k, x in enumerate(row) if not x.is_surely_zero}
    return tuple(q for k, q in enumerate(eq.coordinates) if q not in used and k not in bound)


def _check_neutral(eq: Equations, fixed: Mapping[Expr, Expr], rates: Mapping[Expr, Expr]) -> None:
    """Refuse a steady velocity of a coordinate that the equations contain."""
    neutral = neutral_coordinates(eq, fixed) if rates else ()
    for q in rates:
        if q not in neutral:
            names = ", ".join(symbol_text(x) for x in neutral) or "none"
            raise InvalidSystem(
                f"expected steady velocities of coordinates that occur nowhere ({names}), got "
                f"{symbol_text(q)}, which does: it cannot turn steadily while the others rest"
            )
