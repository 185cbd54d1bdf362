"""Python that builds formulas, read back: assignments of expressions, and nothing is executed.

Python itself says what the text means: its own parser makes the tree that is walked here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import ParseError
from dalembert.expr import FUNCTIONS, PI, Expr, sqrt

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_RATES = ("dot", "ddot")


def python_formulas(source: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a text of assignments gives: expressions, numbers, rows of matrices, by name.

    Args:
        source: The assignments, without imports and definitions of symbols.
        names: Symbols and functions without a definition, by their names in the text.

    Raises:
        ParseError: the text is no Python, has something else than formulas, or a number of it is
            rounded, as 1 / 3 is.
    """
    try:
        statements = ast.parse(source).body
    except (SyntaxError, RecursionError) as error:
        raise ParseError(f"expected Python, got: {error}") from None
    known = dict(names)
    found: dict[str, Any] = {}
    for x in statements:
        match x:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                known[name] = found[name] = _value(value, known)
            case _:
                raise _refused(x)
    return found


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    # sums and products of many terms lean to the left: no recursion there
    chain: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(node, ast.BinOp):
        chain.append((node.op, node.right))
        node = node.left
    found = _operand(node, known)
    for sign, right in reversed(chain):
        apply = _OPERATORS.get(type(sign))
        if apply is None:
            raise _refused(sign)
        found = apply(found, _value(right, known))
        if isinstance(found, float):
            raise ParseError(f"expected exact numbers, got {found}: write Fraction(…)")
    return found


def _operand(node: ast.expr, known: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, known)
        case ast.Attribute(value=ast.Name(id="da"), attr="pi"):
            return PI
        case ast.Attribute(value=inner, attr=rate) if rate in _RATES:
            return getattr(_symbol(_value(inner, known)), rate)
        case ast.Call(func=ast.Name(id="Fraction"), args=[a, b], keywords=[]):
            return Fraction(_value(a, known), _value(b, known))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in known:
            return known[name](*_values(args, known))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="da"), attr=name), args=args):
            return _called(name, args, known, node)
        case _:
            raise _refused(node)


def _called(name: str, args: Sequence[ast.expr], known: Mapping[str, Any], node: ast.expr) -> Any:
    match name, args:
        case "Matrix", [ast.List(elts=rows)]:
            return [_values(_cells(row), known) for row in rows]
        case "sqrt", [x]:
            return sqrt(_value(x, known))
        case _ if name in FUNCTIONS:
            return FUNCTIONS[name].build(*_values(args, known))
    raise _refused(node)


def _cells(row: ast.expr) -> list[ast.expr]:
    if not isinstance(row, ast.List):
        raise _refused(row)
    return row.elts


def _values(nodes: Sequence[ast.expr], known: Mapping[str, Any]) -> list[Any]:
    return [_value(x, known) for x in nodes]


def _symbol(x: Any) -> Expr:
    if not isinstance(x, Expr):
        raise ParseError(f"expected a symbol, got {x!r:.40}")
    return x


def _refused(node: ast.AST) -> ParseError:
    return ParseError(f"expected a formula, got {ast.dump(node)[:60]}")
