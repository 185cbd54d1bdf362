"""Simultaneous substitution of symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from dalembert.errors import InvalidExpression
from dalembert.expr.calculus import ddt, of_order
from dalembert.expr.functions import rebuild
from dalembert.expr.graph import Kind, free_symbols, outline, postorder
from dalembert.expr.node import Expr, Scalar, as_expr
from dalembert.expr.symbols import BySymbol, occurring, symbol_named
from dalembert.expr.undefined import (
    Definition,
    UndefinedFunction,
    defined,
    definitions,
)

Replacements: TypeAlias = (
    BySymbol[Scalar]
    | Mapping[UndefinedFunction, Definition]
    | Mapping[Expr | UndefinedFunction, Scalar | Definition]
    | Mapping[Expr | str | UndefinedFunction, Scalar | Definition]
)
"""Expressions by symbol or name, definitions by function."""


def substitute(roots: Sequence[Expr], values: Replacements) -> list[Expr]:
    """Replace symbols, given by themselves or by name, by expressions, all at once in one sweep.

    A function without a definition gets one by ``{f: lambda x: …}`` or ``{f(x): …}``.

    A coordinate that is replaced by an expression that moves takes its rates along: with
    ``{x: h(q)}``, ``x.dot`` becomes ḣ unless ``x.dot`` is replaced too. A number only says where
    the coordinate is, not that it rests: ``{x: 0}`` leaves ``x.dot`` alone.

    >>> from dalembert import coordinates, sin
    >>> x, q = coordinates("x q")
    >>> (x * x.dot).subs({x: sin(q)})
    sin(q) cos(q) q̇
    """
    new = {}
    functions, symbols = definitions(values)
    known = occurring(roots) if any(isinstance(key, str) for key in symbols) else []
    for given_key, value in symbols.items():
        key = symbol_named(given_key, known)
        if not isinstance(key, Expr) or key.op != "symbol":
            raise InvalidExpression(f"expected a symbol to replace, got {outline(key)}")
        new[key] = as_expr(value)
    # carried from what was given, not from other carried rates: w t has the constant rate w
    given = dict(new)
    for x in free_symbols(roots):
        if x not in new:
            carried = _carried_rate(x, given)
            if carried is not None:
                new[x] = carried
    done: dict[Expr, Expr] = {}
    for node in postorder(roots):
        if node.op == "symbol":
            done[node] = new.get(node, node)
        else:
            args = tuple(done[arg] for arg in node.args)
            same = all(a is b for a, b in zip(args, node.args, strict=True))
            if node.op == "apply" and node.value.name in functions:
                done[node] = defined(node, args, functions[node.value.name])
            else:
                done[node] = node if same else rebuild(node, args)
    return [done[root] for root in roots]


def _carried_rate(x: Expr, given: Mapping[Expr, Expr]) -> Expr | None:
    """Return the rate of the replaced coordinate of which ``x`` is a derivative."""
    s = x.symbol
    assert s is not None
    if s.kind is not Kind.COORDINATE:
        return None
    for order in reversed(range(s.order)):
        below = of_order(x, order)
        if below in given:
            rate = given[below]
            if not any(_moves(y) for y in rate.symbols):
                return None
            for _ in range(s.order - order):
                rate = ddt(rate)
            return rate
    return None


def _moves(x: Expr) -> bool:
    s = x.symbol
    return s is not None and s.kind is not Kind.PARAMETER
