"""Mutants of a source file: each has one small change that should matter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}


class Mutant(NamedTuple):
    """A changed source: where, what was changed, and the whole text."""

    line: int
    words: str
    text: str


Change = tuple[str, ast.AST]
"""What is changed, in words, and what stands in its place."""


def mutants(source: str) -> list[Mutant]:
    """Return all mutants of a source.

    Comparisons, connectives, signs and constants are changed one by one; `not` is dropped, `any`
    becomes `all`, an early end of a loop or a raised error is left out. Annotations, docstrings,
    assertions and ``strict=`` stay as they are.

    >>> [m.words for m in mutants("def f(x):\\n    return x < 1 and not x")]
    ['and to or', 'not dropped', '< to <=', '1 to 2']
    """
    tree = ast.parse(source)
    places = list(_live(tree))
    found = []
    for number, node in enumerate(places):
        for words, build in changes(node):
            copy = deepcopy(tree)
            target = list(_live(copy))[number]
            other = build(target)
            text = ast.unparse(ast.fix_missing_locations(_Replace(target, other).visit(copy)))
            found.append(Mutant(getattr(node, "lineno", 0), words, text))
    return sorted(found, key=lambda mutant: mutant.line)


class _Replace(ast.NodeTransformer):
    """Puts another node in the place of one."""

    def __init__(self, target: ast.AST, other: ast.AST) -> None:
        self.target, self.other = target, other

    def visit(self, node: ast.AST) -> ast.AST:
        return self.other if node is self.target else self.generic_visit(node)


def _live(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run: no annotations, no docstrings, no imports, nothing for types."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_text(node) or _is_for_types(node):
            continue
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases"):
                continue
            children = value if isinstance(value, list) else [value]
            stack += [c for c in children if isinstance(c, ast.AST) and not _is_guard(c)]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_guard(node: ast.AST) -> bool:
    """Tell whether a node only makes a wrong program fail earlier: zip(..., strict=True)."""
    return isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg == "strict")


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], ast.AST]]]:
    """Yield what can be changed in a node: words, and what makes the other node of its copy."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            other = COMPARISONS[type(op)]
            yield f"{_symbol(op)} to {_symbol(other())}", lambda n: _set(n, ops=[other()])
        case ast.BoolOp(op=op):
            swapped = ast.Or if isinstance(op, ast.And) else ast.And
            words = "and to or" if swapped is ast.Or else "or to and"
            yield words, lambda n: _set(n, op=swapped())
        case ast.UnaryOp(op=ast.Not()):
            yield "not dropped", lambda n: n.operand  # type: ignore[attr-defined]
        case ast.UnaryOp(op=ast.USub()):
            yield "minus dropped", lambda n: n.operand  # type: ignore[attr-defined]
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in SUMS:
            sum_op = SUMS[type(op)]
            yield f"{_symbol(op)} to {_symbol(sum_op())}", lambda n: _set(n, op=sum_op())
        case ast.Constant(value=bool() as value):
            yield f"{value} to {not value}", lambda n: _set(n, value=not value)
        case ast.Constant(value=int() as value):
            yield f"{value} to {value + 1}", lambda n: _set(n, value=value + 1)
        case ast.Constant(value=float() as value):
            other_value = 2 * value or 1.0
            yield f"{value} to {other_value}", lambda n: _set(n, value=other_value)
        case ast.Name(id=name) if name in NAMES:
            yield f"{name} to {NAMES[name]}", lambda n: _set(n, id=NAMES[name])
        case ast.Continue() | ast.Break() | ast.Raise():
            yield f"{type(node).__name__.lower()} left out", lambda _: ast.Pass()
        case ast.IfExp():
            yield "else for if", lambda n: n.orelse  # type: ignore[attr-defined]


def _set(node: ast.AST, **fields: object) -> ast.AST:
    for name, value in fields.items():
        setattr(node, name, value)
    return node


def _symbol(op: ast.cmpop | ast.operator) -> str:
    """Return how an operator is written."""
    if isinstance(op, ast.operator):
        node: ast.expr = ast.BinOp(ast.Name("a"), op, ast.Name("b"))
    else:
        node = ast.Compare(ast.Name("a"), [op], [ast.Name("b")])
    return ast.unparse(node)[2:-2]
