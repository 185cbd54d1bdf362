"""The graph of expressions as a list: one row for each node, operands before their users."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from dalembert.errors import ParseError
from dalembert.expr.fold import add, div, mul, neg, power, sub
from dalembert.expr.functions import FUNCTIONS
from dalembert.expr.graph import Kind, postorder
from dalembert.expr.node import PI, Expr, constant, make
from dalembert.expr.symbols import symbol
from dalembert.expr.undefined import Applied, function

MAX_ORDER = 20
"""Time derivatives of a coordinate."""

# in base 16: the work grows with the length, and Python writes and reads any length
_FRACTION = re.compile(r"(-?)([0-9a-f]+)/([0-9a-f]+)")
_KINDS = {kind.value: kind for kind in Kind}
_BUILDERS: dict[str, tuple[Callable[..., Expr], int]] = {
    "add": (add, 2),
    "sub": (sub, 2),
    "mul": (mul, 2),
    "div": (div, 2),
    "neg": (neg, 1),
    **{name: (f.build, f.arity) for name, f in FUNCTIONS.items()},
}


def fraction_text(value: Fraction | int) -> str:
    """Return a rational number in base 16.

    >>> fraction_text(Fraction(-10, 17))
    '-a/11'
    """
    sign = "-" if value < 0 else ""
    return f"{sign}{abs(value.numerator):x}/{value.denominator:x}"


def read_fraction(text: object) -> Fraction:
    """Return the number that `fraction_text` wrote."""
    match = _FRACTION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not match[3].strip("0"):
        refuse(f"a number, got {str(text)[:40]!r}")
    value = Fraction(int(match[2], 16), int(match[3], 16))
    return -value if match[1] else value


def write_nodes(roots: Sequence[Expr]) -> tuple[list[Any], list[int]]:
    """Return the rows of all nodes below the roots, and the number of each root's row."""
    number: dict[Expr, int] = {}
    rows: list[Any] = []
    for node in postorder(roots):
        number[node] = len(rows)
        rows.append(_row(node, [number[arg] for arg in node.args]))
    return rows, [number[root] for root in roots]


def _row(node: Expr, args: list[int]) -> Any:
    match node.op:
        case "const":
            return fraction_text(node.value)
        case "symbol":
            kind, name, order = node.value
            return ["symbol", kind.value, name, order]
        case "pow":
            return ["pow", *args, fraction_text(node.value)]
        case "apply":
            return ["apply", node.value.name, list(node.value.orders), *args]
        case op:
            return [op, *args]


def read_nodes(rows: object) -> list[Expr]:
    """Return the nodes of rows, each built, and so checked, by the constructor of its operation.

    Raises:
        ParseError: rows that `write_nodes` does not write.
        InvalidExpression, DivisionByZero: an operation without a real value.
    """
    if not isinstance(rows, list):
        refuse("a list of nodes")
    nodes: list[Expr] = []
    for row in rows:
        nodes.append(_node(row, nodes))
    return nodes


def _node(row: Any, nodes: list[Expr]) -> Expr:
    match row:
        case str():
            return constant(read_fraction(row))
        case ["symbol", str(kind), str(name), int(order)] if kind in _KINDS:
            moves = _KINDS[kind] is Kind.COORDINATE
            if not 0 <= order <= (MAX_ORDER if moves else 0):
                refuse(f"a coordinate with its derivatives, got order {order}")
            return symbol(_KINDS[kind], name, order)
        case ["pi"]:
            return PI
        case ["pow", int(arg), str(exponent)]:
            base, p = _operand(arg, nodes), read_fraction(exponent)
            return _same(power(base, p), "pow", (base,), p)
        case ["apply", str(name), [*orders], *args] if len(orders) == len(args) > 0:
            if not all(type(n) is int and 0 <= n <= MAX_ORDER for n in orders):
                refuse(f"orders of derivatives, got {str(orders)[:40]}")
            operands = tuple(_operand(arg, nodes) for arg in args)
            return make("apply", operands, Applied(function(name).name, tuple(orders)))
        case [str(op), *args] if op in _BUILDERS and len(args) == _BUILDERS[op][1]:
            operands = tuple(_operand(arg, nodes) for arg in args)
            return _same(_BUILDERS[op][0](*operands), op, operands)
    refuse(f"a node, got {str(row)[:60]}")


def _same(folded: Expr, op: str, args: tuple[Expr, ...], value: Fraction | None = None) -> Expr:
    """Return the node that was written: what the constructor folds further has the same meaning.

    Only the order of commuting operands is that of this process.
    """
    if folded.op == op and set(folded.args) == set(args):
        return folded
    return make(op, args, value)


def _operand(arg: object, nodes: list[Expr]) -> Expr:
    if isinstance(arg, bool) or not isinstance(arg, int) or not 0 <= arg < len(nodes):
        refuse(f"an operand before its user, got {str(arg)[:40]!r}")
    return nodes[arg]


def refuse(message: str) -> NoReturn:
    """Raise the error of data that nobody wrote."""
    raise ParseError(f"expected {message}: these data are damaged, or not of dalembert")
