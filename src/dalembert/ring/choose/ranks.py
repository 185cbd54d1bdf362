"""How deep functions stand inside each other, however they are spelled."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.expr import Expr
from dalembert.ring.choose.atoms import TRIGONOMETRIC, Power, is_atom, is_function
from dalembert.ring.choose.functions import Functions


class Ranks:
    """The rank of an expression: more than that of every function inside."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._known: dict[Expr, int] = {}

    def of(self, e: Expr) -> int:
        """Return 0 for polynomials in symbols, 1 for their functions, and so on."""
        found = self._known.get(e)
        if found is None:
            found = self._known[e] = max(map(self._function, outermost([e])), default=0)
        return found

    def _function(self, node: Expr) -> int:
        inside: Iterable[Expr] = node.args
        if node.op in TRIGONOMETRIC:
            turn = self._functions.turns.get(node.args[0])
            inside = node.args if turn is None else turn.free
        elif node in self._functions.meanings:
            powers = self._functions.meanings[node].powers
            return max((self._power(p) for p in powers), default=0)
        return 1 + max(map(self.of, inside), default=0)

    def _power(self, p: Power) -> int:
        base, exponent = p
        if exponent.denominator != 1 and base.op != "exp":
            return 1 + self.of(base)
        return 1 + max(map(self.of, base.args), default=0) if is_atom(base) else self.of(base)


def outermost(exprs: Iterable[Expr]) -> list[Expr]:
    """Return the functions in expressions that stand in no other function."""
    outer: dict[Expr, None] = {}
    stack = list(exprs)[::-1]
    while stack:
        e = stack.pop()
        if is_function(e):
            outer[e] = None
        else:
            stack += e.args[::-1]
    return list(outer)
