"""Where equations are linearised: a point at rest, or a motion q(t), with what acts there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem, TooLarge, Undecided, UnknownName, nearest
from dalembert.expr import (
    ONE,
    ZERO,
    BySymbol,
    Expr,
    Kind,
    Matrix,
    Scalar,
    as_expr,
    free_symbols,
    is_kind,
    postorder,
    substitute,
    symbol_text,
    tangent,
    time,
)
from dalembert.expr.functions import rebuild as rebuild_node
from dalembert.mechanics.proofs.signs import root_of, sign_of
from dalembert.ring import canonical, is_zero, rebuild, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class Base:
    """Values of coordinates, rates, inputs and parameters along a motion, for substitution.

    What is not named is zero: coordinates and inputs alike. A coordinate may be an expression of
    parameters and time; its rates follow. With ``positive`` parameters √(l²) is l.
    """

    def __init__(
        self, eq: Equations, about: BySymbol[Scalar] | None, *, positive: bool = False
    ) -> None:
        self.positive = positive
        inputs = inputs_of(eq)
        known = [*eq.coordinates, *inputs, *eq.parameters]
        given = {x: as_expr(v) for x, v in _by_symbol(known, about or {}).items()}
        _check(given, eq.coordinates)
        self.parameters = {x: v for x, v in given.items() if is_kind(x, Kind.PARAMETER)}
        self.values: dict[Expr, Expr] = dict(self.parameters)
        for u in inputs:
            self.values[u] = self._with_parameters(given.get(u, ZERO))
        for q in eq.coordinates:
            at = self._with_parameters(given.get(q, ZERO))
            self.values |= {q: at, q.dot: time_rate(at), q.ddot: time_rate(time_rate(at))}
        self.coordinates = {q: self.values[q] for q in eq.coordinates}
        self.rests = all(self.values[q.dot] == 0 for q in eq.coordinates)

    def _with_parameters(self, e: Expr) -> Expr:
        return e.subs(self.parameters) if self.parameters else e

    def at(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Return expressions along the motion, simplified."""
        found = simplified(substitute(exprs, self.values))
        return [without_moduli(e) for e in found] if self.positive else found

    def matrix(self, a: Matrix) -> Matrix:
        """Return a matrix along the motion, simplified."""
        return a._like(self.at(a.entries))


def time_rate(e: Expr) -> Expr:
    """Return the derivative by time of an expression in which nothing else moves."""
    return tangent([e], {time: ONE})[0]


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


def without_moduli(e: Expr) -> Expr:
    """Return an expression with √(l²) = l, for positive parameters."""
    done: dict[Expr, Expr] = {}
    for node in postorder([e]):
        args = tuple(done[arg] for arg in node.args)
        if node.op == "pow" and node.value.denominator == 2:
            done[node] = root_of(args[0], positive=True) ** node.value.numerator
        elif node.op == "abs" and sign_of(args[0]).is_positive:
            done[node] = args[0]
        else:
            done[node] = rebuild_node(node, args) if args else node
    return e if done[e] is e else _simplified(done[e])


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


def _check(given: dict[Expr, Expr], coordinates: Sequence[Expr]) -> None:
    for x, value in given.items():
        for s in value.symbols:
            moves = is_kind(s, Kind.INPUT) or is_kind(s, Kind.MULTIPLIER)
            if moves or s in coordinates or (s.symbol and s.symbol.order):
                raise InvalidSystem(
                    f"expected {symbol_text(x)} as an expression of parameters and da.time, got "
                    f"{value} with {symbol_text(s)} in it: give the point or the motion itself"
                )
