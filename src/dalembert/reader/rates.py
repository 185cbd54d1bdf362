"""Derivatives that a text writes: q.dot, ẋ, θ'', Derivative(θ(t), t, 2), ∂f/∂x, d/dt (…)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import ParseError
from dalembert.expr.calculus import ddt, diff
from dalembert.expr.graph import Kind, count_nodes, free_symbols
from dalembert.expr.node import Expr, make
from dalembert.expr.symbols import symbol, symbol_text, time
from dalembert.expr.undefined import Applied
from dalembert.reader.limits import MAX_GROWTH, MAX_RATE
from dalembert.reader.names import Word


class Partial(NamedTuple):
    """∂²f/∂x∂y by letters, with how often each, or ∂₁₂f by the numbers of arguments."""

    function: Word
    by: tuple[tuple[Word, int], ...] = ()
    places: tuple[int, ...] = ()


def rate(e: Expr, name: str, order: int, column: int) -> Expr:
    """Return the rate of a coordinate, ``order`` times differentiated."""
    if not order:
        return e
    s = e.symbol
    if s is None or s.kind is not Kind.COORDINATE:
        what = "an expression" if s is None else f"the {s.kind.value} {symbol_text(e)}"
        dots = {1: ".dot", 2: ".ddot"}.get(order, f"{order} dots")
        raise ParseError(
            f"expected a coordinate before {dots}, got {what} at column {column}: "
            "only coordinates have rates of their own"
        )
    if s.order + order > MAX_RATE:
        raise ParseError(
            f"expected at most {MAX_RATE} time derivatives of {name[:20]}, got {s.order + order} "
            f"at column {column}: remove some"
        )
    return symbol(Kind.COORDINATE, s.name, s.order + order)


class Derivatives:
    """Derivatives of expressions in one text; the graphs they are taken of are bounded."""

    def __init__(self) -> None:
        self.nodes = 0

    def _count(self, e: Expr, column: int) -> None:
        self.nodes += count_nodes([e])
        if self.nodes > MAX_GROWTH:
            raise ParseError(
                f"expected derivatives of at most {MAX_GROWTH:,} nodes in a text, got more at "
                f"column {column}: write the derivative out"
            )

    def in_time(self, e: Expr, order: int, column: int) -> Expr:
        """Return dⁿe/dtⁿ, the total derivative."""
        for _ in range(_checked(order, column)):
            self._count(e, column)
            e = ddt(e)
        if any(x.value.order > MAX_RATE for x in free_symbols([e])):
            raise ParseError(
                f"expected at most {MAX_RATE} time derivatives, got more at column {column}: "
                "remove some"
            )
        return e

    def of_call(self, args: Sequence[Expr | tuple[Expr, ...]], column: int) -> Expr:
        """Return what SymPy's ``Derivative(e, t)``, ``(e, x, 2)`` and ``(e, (t, 2))`` mean."""
        e, *rest = args
        if isinstance(e, tuple) or not rest:
            raise ParseError(
                f"expected a derivative of an expression, got none at column {column}: "
                "write Derivative(x(t), t)"
            )
        for x, order in _variables(rest, column):
            if x is time:
                e = self.in_time(e, order, column)
                continue
            for _ in range(_checked(order, column)):
                self._count(e, column)
                e = diff(e, x)
        return e


def _variables(args: Sequence[Expr | tuple[Expr, ...]], column: int) -> list[tuple[Expr, int]]:
    """Return what is differentiated by, and how often."""
    found: list[tuple[Expr, int]] = []
    for x in args:
        if isinstance(x, tuple) and len(x) == 2:
            found.append((x[0], _whole(x[1], column)))
        elif isinstance(x, Expr) and x.op == "const" and found and found[-1][1] == 1:
            found[-1] = (found[-1][0], _whole(x, column))
        elif isinstance(x, Expr) and x.op == "symbol":
            found.append((x, 1))
        else:
            raise ParseError(
                f"expected symbols and whole numbers after the first argument of Derivative at "
                f"column {column}, got {str(x)[:40]}: write Derivative(x(t), t, 2)"
            )
    if any(x.op != "symbol" for x, _ in found):
        raise ParseError(f"expected a symbol to differentiate by at column {column}: name one")
    return found


def _whole(x: Expr, column: int) -> int:
    if x.op != "const" or x.value.denominator != 1:
        raise ParseError(f"expected how often as a whole number at column {column}, got {x}")
    return _checked(int(x.value), column)


def _checked(order: int, column: int) -> int:
    if not 0 < order <= MAX_RATE:
        raise ParseError(
            f"expected 1 to {MAX_RATE} derivatives, got {str(order)[:20]} at column {column}"
        )
    return order


def partial_of(
    name: str, partial: Partial, letters: dict[Word, Expr], args: Sequence[Expr], column: int
) -> Expr:
    """Return the partial derivative of a function without a definition at its arguments."""
    orders = [0] * len(args)
    for place in partial.places:
        if not 0 < place <= len(args):
            raise ParseError(
                f"expected a derivative by one of {len(args)} arguments at column {column}, got "
                f"one by argument {place}"
            )
        orders[place - 1] += 1
    for word, n in partial.by:
        x = letters[word]
        if args.count(x) != 1:
            raise ParseError(
                f"expected {word.spelled[:20]} among the arguments of {name[:20]} at column "
                f"{column}: a derivative is by one of its arguments"
            )
        orders[list(args).index(x)] += n
    return make("apply", tuple(args), Applied(name, tuple(orders)))
