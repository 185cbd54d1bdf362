"""Where equations are linearised: a point at rest, or a motion q(t), with what acts there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem, TooLarge, Undecided, UnknownName, nearest
from dalembert.expr import (
    ZERO,
    BySymbol,
    Expr,
    Kind,
    Matrix,
    Scalar,
    as_expr,
    ddt,
    free_symbols,
    is_kind,
    substitute,
    symbol_text,
)
from dalembert.ring import canonical, is_zero, rebuild, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Base:
    """Values of coordinates, rates, inputs and parameters along a motion, for substitution.

    What is not named is zero: coordinates and inputs alike. A coordinate may be an expression of
    parameters and time; its rates follow.
    """

    def __init__(self, eq: Equations, about: BySymbol[Scalar] | None) -> None:
        inputs = inputs_of(eq)
        known = [*eq.coordinates, *inputs, *eq.parameters]
        given = {x: as_expr(v) for x, v in _by_symbol(known, about or {}).items()}
        _check(given)
        self.parameters = {x: v for x, v in given.items() if is_kind(x, Kind.PARAMETER)}
        self.values: dict[Expr, Expr] = dict(self.parameters)
        for u in inputs:
            self.values[u] = self._with_parameters(given.get(u, ZERO))
        for q in eq.coordinates:
            at = self._with_parameters(given.get(q, ZERO))
            self.values |= {q: at, q.dot: ddt(at), q.ddot: ddt(ddt(at))}
        self.coordinates = {q: self.values[q] for q in eq.coordinates}
        self.rests = all(self.values[q.dot] == 0 for q in eq.coordinates)

    def _with_parameters(self, e: Expr) -> Expr:
        return e.subs(self.parameters) if self.parameters else e

    def at(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Return expressions along the motion, simplified."""
        return simplified(substitute(exprs, self.values))

    def matrix(self, a: Matrix) -> Matrix:
        """Return a matrix along the motion, simplified."""
        return a._like(self.at(a.entries))


def inputs_of(eq: Equations) -> tuple[Expr, ...]:
    """Return the inputs that occur in the forces, in the order in which they do."""
    used = [x for f in eq.system.forces for x in free_symbols([f])]
    return tuple(dict.fromkeys(x for x in used if is_kind(x, Kind.INPUT)))


def simplified(exprs: Sequence[Expr]) -> list[Expr]:
    """Return expressions rewritten from their canonical form; zeros become 0.

    Those that have none, such as sines of numbers of many digits, stay as they are.
    """
    return [_simplified(e) for e in exprs]


def _simplified(e: Expr) -> Expr:
    try:
        x = canonical(ring_of([e]), e)
        return ZERO if is_zero(x) else rebuild(x)
    except (TooLarge, Undecided):
        return e


def _by_symbol(known: Sequence[Expr], about: BySymbol[Scalar]) -> dict[Expr, Scalar]:
    names = {symbol_text(x): x for x in known}
    found: dict[Expr, Scalar] = {}
    for key, value in about.items():
        x = names.get(key) if isinstance(key, str) else key
        if x not in names.values():
            raise UnknownName(
                f"expected coordinates, inputs or parameters as the point to linearise about, got "
                f"{key} ({nearest(str(key), list(names))})"
            )
        found[x] = value  # type: ignore[index]
    return found


def _check(given: dict[Expr, Expr]) -> None:
    for x, value in given.items():
        for s in value.symbols:
            allowed = is_kind(s, Kind.PARAMETER) or is_kind(s, Kind.TIME)
            if not allowed:
                raise InvalidSystem(
                    f"expected {symbol_text(x)} as an expression of parameters and da.time, got "
                    f"{value} with {symbol_text(s)} in it: give the point or the motion itself"
                )
