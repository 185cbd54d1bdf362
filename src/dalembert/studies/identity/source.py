"""What the source of a function says, in text that is the same for every version of Python.

Bytecode changes with the version and with `python -O`. The source does not; of it counts the syntax
tree, without comments and docstrings.
"""

from __future__ import annotations

import ast
import inspect
import sys
import warnings
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import NamedTuple

MAX_FILES = 64
"""Source files whose syntax trees are kept."""

# what a tree says of the text and not of its meaning
_IGNORED = {"ctx", "kind", "type_comment"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Written(NamedTuple):
    """What the source of a function says.

    ``asserted`` are names that only its assertions may read; `python -O` leaves these out.
    """

    text: str
    asserted: frozenset[str]


class _Functions(NamedTuple):
    """The functions of a file by first line and name: as trees, and the essence of their code."""

    trees: dict[tuple[int, str], list[_Function]]
    codes: dict[tuple[int, str], list[object]]


def written(function: FunctionType) -> Written | None:
    """Return what the source of a function says, or None.

    There is none for functions of a prompt or made by `exec`, for two lambdas on one line, and
    where the file has changed since it was loaded: its text is not that of the code that runs.
    """
    code = function.__code__
    place = code.co_firstlineno, code.co_name
    try:
        lines, _ = inspect.findsource(code)
        found = _functions("".join(lines), sys.flags.optimize)
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return None
    trees = found.trees.get(place, [])
    if len(trees) != 1 or _essence(code) not in found.codes.get(place, []):
        return None
    (tree,) = trees
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    asserts = (part for part in ast.walk(tree) if isinstance(part, ast.Assert))
    names = (name for part in asserts for name in _names(part))
    return Written(_text([_arguments(tree.args), _without_docstring(body)]), frozenset(names))


@lru_cache(maxsize=MAX_FILES)
def _functions(source: str, optimize: int) -> _Functions:
    with warnings.catch_warnings():
        # said when the file was loaded
        warnings.simplefilter("ignore", SyntaxWarning)
        tree = ast.parse(source)
        whole = compile(tree, "source", "exec", dont_inherit=True, optimize=optimize)
    found = _Functions({}, {})
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
            line = min(x.lineno for x in (node, *decorators))
            name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
            found.trees.setdefault((line, name), []).append(node)
    for code in _codes(whole):
        found.codes.setdefault((code.co_firstlineno, code.co_name), []).append(_essence(code))
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield value
            yield from _codes(value)


def _essence(value: object) -> object:
    """Return what tells code from other code, and constants from others that are equal."""
    if isinstance(value, CodeType):
        names = value.co_names, value.co_varnames, value.co_cellvars, value.co_freevars
        return value.co_code, names, tuple(map(_essence, value.co_consts))
    if isinstance(value, tuple):
        return tuple(map(_essence, value))
    if isinstance(value, frozenset):
        return frozenset(map(_essence, value))
    return type(value), repr(value)


def _arguments(args: ast.arguments) -> list[object]:
    """Return the names of arguments by kind; defaults are values, which belong to the function."""
    single = [None if x is None else x.arg for x in (args.vararg, args.kwarg)]
    several = [[x.arg for x in xs] for xs in (args.posonlyargs, args.args, args.kwonlyargs)]
    return [*several, *single]


def _without_docstring(body: list[ast.stmt] | list[ast.expr]) -> list[ast.stmt] | list[ast.expr]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *_]:
            return body[1:]
    return body


def _names(node: ast.AST) -> Iterator[str]:
    for x in ast.walk(node):
        if isinstance(x, ast.Name | ast.Attribute):
            yield x.id if isinstance(x, ast.Name) else x.attr


def _text(x: object) -> str:
    """Return a tree as text; what a version of Python added, and is empty, is not in it.

    >>> _text(ast.parse("f(x, 2.0)", mode="eval").body)
    "Call(func=Name(id='f'),args=[Name(id='x'),Constant(value=2.0)])"
    """
    if isinstance(x, list):
        return f"[{','.join(map(_text, x))}]"
    if not isinstance(x, ast.AST):
        return repr(x)
    parts = [
        f"{name}={_text(value)}"
        for name, value in ast.iter_fields(x)
        if name not in _IGNORED and value is not None and value != []
    ]
    return f"{type(x).__name__}({','.join(parts)})"
