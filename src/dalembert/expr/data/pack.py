"""Values as text: what is pickled is data, and reading it builds and checks everything again.

A pickle of ours names one function of this file, and holds a text. The text is JSON: expressions
share one list of nodes, and objects are their class's name with the arguments of its constructor.
We write and read no pickle ourselves.
"""

from __future__ import annotations

import copyreg
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, TypeVar

from dalembert.errors import DalembertError, InvalidExpression, ParseError
from dalembert.expr.data.nodes import (
    fraction_text,
    read_fraction,
    read_nodes,
    refuse,
    write_nodes,
)
from dalembert.expr.graph import Notation
from dalembert.expr.matrix import Matrix
from dalembert.expr.node import Expr
from dalembert.expr.symbols import Symbols, symbol
from dalembert.files import parse_json

FORMAT = "dalembert values 1"
MAX_VALUES = 50_000_000
MAX_DEPTH = 50
TRIG = ("auto", "short", "long")
# beyond these, and in base 16, whole numbers are text
_PLAIN = 1 << 53

C = TypeVar("C", bound=type)
_classes: dict[str, type] = {}


def packable(cls: C) -> C:
    """Make a class of immutable values that pickles as text, and is its own copy.

    Its objects are packed by the fields of a dataclass or a named tuple, by the value of an
    enumeration, or by what its method ``packed_fields`` returns; its constructor, or its class
    method ``from_packed``, gets them back by name. Named tuples and enumerations are packed as
    parts of others; by themselves Python copies and pickles them as it does all of these.
    """
    _classes[f"{cls.__module__}.{cls.__qualname__}"] = cls
    if not issubclass(cls, Enum | tuple):
        cls.__reduce__ = lambda self: (rebuilt, (type(self), pack(self)))  # type: ignore[method-assign]
        cls.__copy__ = lambda self: self  # type: ignore[attr-defined]
        cls.__deepcopy__ = lambda self, memo: self  # type: ignore[attr-defined]
    return cls


def rebuilt(cls: type, text: str) -> Any:
    """Return the object of a class that `pack` wrote, built and checked by its constructor.

    Raises:
        DalembertError: the text is damaged, or its values are refused.
    """
    value = unpack(text)
    if not isinstance(cls, type) or type(value) is not cls:
        refuse(f"an object of {getattr(cls, '__name__', cls)}, got {type(value).__name__}")
    return value


def pack(value: object) -> str:
    """Return plain values, expressions, matrices and objects of packable classes as text.

    >>> from dalembert.expr import coordinates, sin
    >>> (q,) = coordinates("q")
    >>> unpack(pack({"a": [1.5, sin(q)]}))["a"][1] is sin(q)
    True
    """
    writer = _Writer()
    tree = writer.tree(value)
    nodes, roots = write_nodes(list(writer.roots))
    data = {"format": FORMAT, "nodes": nodes, "roots": roots, "value": tree}
    return json.dumps(data, separators=(",", ":"))


def unpack(text: str) -> Any:
    """Return the value that `pack` wrote.

    Raises:
        DalembertError: the text is damaged, or its values are refused.
    """
    if not isinstance(text, str):
        refuse(f"text, got {type(text).__name__}")
    try:
        data = parse_json(text, MAX_VALUES)
    except ValueError as error:
        raise ParseError(f"expected packed values, got text that is none: {error}") from None
    match data:
        case {"format": str(name), "nodes": nodes, "roots": [*roots], "value": tree} if (
            name == FORMAT
        ):
            made = read_nodes(nodes)
            reader = _Reader([_at(made, k) for k in roots])
            return reader.value(tree)
    refuse("packed values")


def _at(nodes: list[Expr], k: object) -> Expr:
    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < len(nodes):
        refuse(f"the number of a node, got {str(k)[:40]!r}")
    return nodes[k]


def _are_fields(data: Mapping[str, object]) -> bool:
    """Tell whether these are fields of a notation, each of its type."""
    defaults = Notation._field_defaults
    return all(x in defaults and type(value) is type(defaults[x]) for x, value in data.items())


class _Writer:
    """Values to a tree of JSON; collects the expressions in it."""

    def __init__(self) -> None:
        self.roots: dict[Expr, int] = {}

    def tree(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | str):
            return str(value) if isinstance(value, str) else value
        if isinstance(value, Expr):
            return {"e": self.root(value)}
        if isinstance(value, Matrix):
            return {"m": [*value.shape, *map(self.root, value.entries)], "n": self.notation(value)}
        if type(value) is int:
            return value if abs(value) < _PLAIN else {"i": f"{value:x}"}
        if isinstance(value, float):
            return {"x": float(value).hex()}
        if type(value) is Fraction:
            return {"f": fraction_text(value)}
        if (name := f"{type(value).__module__}.{type(value).__qualname__}") in _classes:
            return {"o": [name, self.tree(_fields(value))]}
        if isinstance(value, list | tuple) and type(value) in (list, tuple, Symbols):
            items = [self.tree(x) for x in value]
            return items if isinstance(value, list) else {"t": items}
        if isinstance(value, Mapping):
            return {"d": [[self.tree(k), self.tree(x)] for k, x in value.items()]}
        raise InvalidExpression(
            f"expected values that are data to pack, got {type(value).__name__}: only numbers, "
            "text, expressions, matrices of them and objects made of these are"
        )

    def notation(self, matrix: Matrix) -> Any:
        if matrix.notation is None:
            return None
        order = tuple(symbol(*s) for s in matrix.notation.order)
        return self.tree({**matrix.notation._asdict(), "order": order})

    def root(self, e: object) -> int:
        if not isinstance(e, Expr):
            raise InvalidExpression(
                f"expected a matrix of expressions to pack, got {type(e).__name__} in it"
            )
        return self.roots.setdefault(e, len(self.roots))


def _fields(value: Any) -> dict[str, object]:
    """Return the arguments by name from which the object is built again."""
    if hasattr(value, "packed_fields"):
        return value.packed_fields()
    if isinstance(value, Enum):
        return {"value": value.value}
    if isinstance(value, tuple):
        return value._asdict()  # type: ignore[attr-defined]
    assert is_dataclass(value)
    return {f.name: getattr(value, f.name) for f in fields(value) if f.init}


class _Reader:
    """A tree of JSON to values."""

    def __init__(self, roots: list[Expr]) -> None:
        self.roots = roots

    def value(self, tree: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            refuse(f"values at most {MAX_DEPTH} deep")
        match tree:
            case None | bool() | str() | int():
                return tree
            case list():
                return [self.value(x, depth + 1) for x in tree]
            case {"e": k, **rest} if not rest:
                return _at(self.roots, k)
            case {"m": [int(m), int(n), *ks], "n": notation} if len(tree) == 2 and m >= 0 <= n:
                if len(ks) != m * n:
                    refuse(f"{m} × {n} entries of a matrix, got {len(ks)}")
                entries = [_at(self.roots, k) for k in ks]
                matrix = Matrix([entries[i * n : (i + 1) * n] for i in range(m)], n)
                return matrix.printed_as(self.notation(self.value(notation, depth + 1)))
            case {"i": str(text)} if len(tree) == 1:
                return self.number(lambda: int(text, 16), text)
            case {"x": str(text)} if len(tree) == 1:
                return self.number(lambda: float.fromhex(text), text)
            case {"f": text, **rest} if not rest:
                return read_fraction(text)
            case {"t": [*items]} if len(tree) == 1:
                return tuple(self.value(x, depth + 1) for x in items)
            case {"d": [*pairs]} if len(tree) == 1:
                return dict(self.pair(pair, depth + 1) for pair in pairs)
            case {"o": [str(name), arguments]} if len(tree) == 1:
                return self.built(name, self.value(arguments, depth + 1))
        refuse("packed values")

    def notation(self, fields: Any) -> Notation | None:
        match fields:
            case None:
                return None
            case {"trig": str(trig), "order": tuple(order), **others} if trig in TRIG:
                symbols = [x.symbol for x in order if isinstance(x, Expr) and x.symbol]
                if len(symbols) == len(order) and _are_fields(others):
                    return Notation(trig, tuple(symbols), **others)
        refuse("how a matrix is printed")

    def number(self, read: Any, text: str) -> Any:
        try:
            return read()
        except (ValueError, OverflowError):
            refuse(f"a number, got {text[:40]!r}")

    def pair(self, pair: Any, depth: int) -> tuple[Any, Any]:
        match pair:
            case [key, value]:
                made = self.value(key, depth)
                if isinstance(made, str | int | Expr | tuple):
                    return made, self.value(value, depth)
        refuse("a key with its value")

    def built(self, name: str, arguments: Any) -> Any:
        cls: Any = _classes.get(name)
        if cls is None or not isinstance(arguments, dict):
            refuse(f"the name of a class that is packed, got {name[:60]!r}")
        if not all(isinstance(key, str) for key in arguments):
            refuse(f"arguments of {name} by name")
        try:
            return getattr(cls, "from_packed", cls)(**arguments)
        # arguments that are missing, unknown or of another kind: nobody packed them so
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError) as error:
            if isinstance(error, DalembertError):
                raise
            refuse(f"what makes {cls.__name__}, got values that do not: {str(error)[:80]}")


# ---- pickles: text, from which the constructors build the object again


def _reduced_expr(e: Expr) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return unpack, (pack(e),)


def _reduced_matrix(a: Matrix) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    if all(isinstance(x, Expr) for x in a.entries):
        return unpack, (pack(a),)
    # elements of a ring pickle by themselves, and share their ring
    return _matrix_again, (a.rows, a.shape[1], a.notation)


def _matrix_again(rows: Any, num_columns: int, notation: Notation | None) -> Matrix:
    return Matrix(rows, num_columns).printed_as(notation)


copyreg.pickle(Expr, _reduced_expr)
copyreg.pickle(Matrix, _reduced_matrix)
