"""Read an answer: expressions, numbers, text or SymPy objects become expressions of the system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.errors import InvalidExpression, InvalidSystem, UnknownName, nearest
from dalembert.expr import (
    Expr,
    Kind,
    Matrix,
    as_expr,
    free_symbols,
    is_kind,
    postorder,
    symbol_text,
    time,
)
from dalembert.expr.functions import rebuild
from dalembert.expr.mixing.from_sympy import from_sympy
from dalembert.expr.node import make
from dalembert.expr.undefined import Applied, UndefinedFunction, function, undefined_names
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.system.system import System
from dalembert.reader import parse, parse_equation

if TYPE_CHECKING:
    from collections.abc import Sequence

    import sympy

    from dalembert.expr import Scalar
    from dalembert.types import Array

    OfSympy: TypeAlias = sympy.Basic | sympy.MatrixBase
    Single: TypeAlias = Scalar | str | Matrix | Array | OfSympy
    Answer: TypeAlias = Single | Sequence["Answer"] | Mapping[str, "Answer"]


Names: TypeAlias = Mapping[str, Expr | UndefinedFunction]
"""What the names in an answer stand for."""


def check_equations(eq: object) -> None:
    """Raise unless it is equations of motion.

    Raises:
        InvalidSystem: it is something else, such as the system that they are of.
    """
    if not isinstance(eq, Equations):
        own = ": write system.equations()" if isinstance(eq, System) else ""
        raise InvalidSystem(f"expected equations of motion for eq, got {eq!r:.60}{own}")


def read_scalar(x: object, eq: Equations, names: Names | None = None) -> Expr:
    """Return one expression in the symbols of the system, or in other names that are known.

    Raises:
        ParseError: text that is no expression.
        UnknownName: a name that the system does not have.
    """
    names = names or known_names(eq)
    if isinstance(x, str):
        return _with_usual_arguments(eq, [parse(x, names)])[0]
    if isinstance(x, Matrix) and x.shape == (1, 1):
        x = x[0, 0]
    e = _from_sympy(x, names) if is_sympy(x) else as_expr(x)  # type: ignore[arg-type]
    _check_known(e, names)
    return e


def read_equation(x: object, eq: Equations, names: Names | None = None) -> Expr:
    """Return left minus right of an equation; an expression alone is what vanishes."""
    if isinstance(x, str) and "=" in x:
        left, right = _with_usual_arguments(eq, parse_equation(x, names or known_names(eq)))
        return left - right
    if is_sympy(x) and getattr(x, "is_Equality", False):
        return read_scalar(x.lhs, eq, names) - read_scalar(x.rhs, eq, names)  # type: ignore[attr-defined]
    if isinstance(x, tuple) and len(x) == 2:
        return read_scalar(x[0], eq, names) - read_scalar(x[1], eq, names)
    return read_scalar(x, eq, names)


def read_matrix(x: object, eq: Equations, shape: tuple[int, int], part: str) -> Matrix:
    """Return a matrix of the given shape; a flat list is a column."""
    rows = listed(x)
    if rows is None:
        rows = [x]
    nested = [listed(row) for row in rows]
    table = [[x] if row is None else row for x, row in zip(rows, nested, strict=True)]
    if len(table) == 1 and shape[1] == 1 and len(table[0]) == shape[0]:
        # a row where a column is expected
        table = [[x] for x in table[0]]
    widths = {len(row) for row in table}
    if len(table) != shape[0] or widths != {shape[1]}:
        got = f"{len(table)} × {'/'.join(map(str, sorted(widths)))}"
        raise InvalidSystem(
            f"expected {part} as {shape[0]} × {shape[1]} entries, one row for each of "
            f"{', '.join(map(symbol_text, eq.coordinates))}, got {got}: give all entries"
        )
    return Matrix([[read_scalar(entry, eq) for entry in row] for row in table])


def listed(x: object) -> list[Any] | None:
    """Return the rows of a matrix, an array or a list, None of a scalar."""
    if isinstance(x, Matrix):
        return [list(row) for row in x.rows]
    if is_sympy(x):
        return x.tolist() if hasattr(x, "tolist") else None  # type: ignore[attr-defined]
    if hasattr(x, "tolist"):
        rows = x.tolist()  # type: ignore[attr-defined]
        return rows if isinstance(rows, list) else None
    if isinstance(x, Iterable) and not isinstance(x, str | Expr | Mapping):
        return list(x)
    return None


def is_sympy(x: object) -> bool:
    """Tell whether an object is SymPy's, without importing SymPy."""
    return type(x).__module__.partition(".")[0] == "sympy"


def known_names(eq: Equations) -> dict[str, Expr | UndefinedFunction]:
    """Return what has a name: coordinates, parameters, inputs, λ, time, undefined functions."""
    described = eq.system.expressions()
    inputs = [x for x in free_symbols(described) if is_kind(x, Kind.INPUT)]
    symbols = [*eq.coordinates, *eq.parameters, *inputs, *eq.lam]
    names = {symbol_text(x): x for x in symbols}
    functions = {name: function(name) for name in undefined_names(postorder(described))}
    return {"t": time, **functions, **names}


def _with_usual_arguments(eq: Equations, read: Sequence[Expr]) -> list[Expr]:
    """Return ∂U/∂x of the only U(x, y) of a system with all its arguments."""
    usual: dict[str, set[tuple[Expr, ...]]] = {}
    for node in postorder(eq.system.expressions()):
        if node.op == "apply":
            usual.setdefault(node.value.name, set()).add(node.args)
    done: dict[Expr, Expr] = {}
    for node in postorder(list(read)) if usual else []:
        args = tuple(done[x] for x in node.args)
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        done[node] = node if same else rebuild(node, args)
        (whole, *others) = usual.get(node.value.name, [()]) if node.op == "apply" else [()]
        if not others and len(args) < len(whole) and set(args) <= set(whole):
            orders = dict(zip(args, node.value.orders, strict=True))
            raised = tuple(orders.get(x, 0) for x in whole)
            done[node] = make("apply", whole, Applied(node.value.name, raised))
    return [done.get(e, e) for e in read]


def _from_sympy(x: Any, names: Names) -> Expr:
    def of_kind(kind: Kind) -> list[str]:
        return [name for name, e in names.items() if isinstance(e, Expr) and is_kind(e, kind)]

    found = from_sympy(
        x,
        coordinates=of_kind(Kind.COORDINATE),
        inputs=of_kind(Kind.INPUT),
        multipliers=of_kind(Kind.MULTIPLIER),
    )
    if not isinstance(found, Expr):
        raise InvalidExpression(f"expected one expression, got {type(x).__name__}: give its entry")
    return found


def _check_known(e: Expr, names: Names) -> None:
    """Refuse symbols that the system does not have."""
    known = set(names.values())
    for x in free_symbols([e]):
        s = x.symbol
        assert s is not None
        same = names.get(s.name)
        symbol = same.symbol if isinstance(same, Expr) else None
        kind = None if symbol is None else symbol.kind
        if kind is not s.kind and x not in known:
            other = "" if kind is None else f", which is a {kind.value} there"
            raise UnknownName(
                f"expected the symbols of the system, got the {s.kind.value} {s.name}{other}: "
                f"{nearest(s.name, list(names))}"
            )
