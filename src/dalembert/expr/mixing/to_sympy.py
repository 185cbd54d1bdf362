"""Expressions to SymPy objects.

Coordinates become functions of time, as ``sympy.physics.mechanics.dynamicsymbols`` makes them;
parameters, inputs and multipliers become plain symbols without assumptions, so that the
``Symbol("m")`` a user writes is the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast, overload

from dalembert.errors import InvalidExpression, TooLarge
from dalembert.expr.graph import Kind, Symbol, postorder
from dalembert.expr.matrix import Matrix
from dalembert.expr.node import Expr, Scalar, as_expr
from dalembert.expr.undefined import Applied
from dalembert.optional import require

if TYPE_CHECKING:
    import sympy

SYMPY_NAMES = {"abs": "Abs"}
"""Functions that SymPy spells otherwise; all others have the same name there."""


@overload
def to_sympy(e: Scalar) -> sympy.Expr: ...
@overload
def to_sympy(e: Matrix) -> sympy.Matrix: ...
@overload
def to_sympy(e: Sequence[Scalar]) -> list[sympy.Expr]: ...
def to_sympy(e: Scalar | Matrix | Sequence[Scalar]) -> sympy.Expr | sympy.Matrix | list[sympy.Expr]:
    """Convert an expression, a matrix or a list of expressions to SymPy.

    A coordinate q becomes ``Function("q")(t)`` and its rates ``Derivative(q(t), t)`` and so on;
    every other symbol becomes ``Symbol(name)``, time ``Symbol("t")``. A function without a
    definition becomes ``Function("f")`` of its arguments.

    Raises:
        InvalidExpression: two symbols that SymPy could not tell apart.
        TooLarge: an expression so deep that SymPy's own recursion fails.
        MissingDependency: SymPy is not installed.

    >>> from dalembert.expr import coordinates, parameters
    >>> (q,) = coordinates("q")
    >>> (m,) = parameters("m")
    >>> to_sympy(m * q.dot**2 / 2)
    m*Derivative(q(t), t)**2/2
    """
    sp = sympy_module()
    if isinstance(e, Matrix):
        return sp.Matrix(*e.shape, _converted(e.entries, sp))
    if isinstance(e, list | tuple):
        return _converted([as_expr(x) for x in e], sp)
    return _converted([as_expr(e)], sp)[0]


def sympy_module() -> ModuleType:
    """Import SymPy, or say how to install it."""
    return require("sympy", "this conversion")


_FAMILY = {"add": "sum", "sub": "sum", "neg": "sum", "mul": "product"}


def _converted(roots: Sequence[Expr], sp: ModuleType) -> list[Any]:
    order = postorder(roots)
    _check_names(order)
    merged = _merged(order, roots)
    done: dict[Expr, Any] = {}
    try:
        for node in order:
            if node not in merged:
                done[node] = _node_to_sympy(node, done, merged, sp)
    except RecursionError:
        raise TooLarge(
            f"expected an expression that SymPy can hold, got {len(order)} nodes nested too deeply "
            "for its recursion: convert the parts on their own"
        ) from None
    return [done[root] for root in roots]


def _check_names(nodes: Iterable[Expr]) -> None:
    kinds: dict[str, Kind] = {}
    for node in nodes:
        s = node.symbol
        if s is None or s.kind is Kind.COORDINATE:
            continue
        other = kinds.setdefault(s.name, s.kind)
        if other is not s.kind:
            raise InvalidExpression(
                f"expected distinct names for SymPy, got {s.name!r} as {other.value} and as "
                f"{s.kind.value}: rename one of them with subs"
            )


def _merged(order: Sequence[Expr], roots: Sequence[Expr]) -> set[Expr]:
    """Return the sums used once, inside a sum, and likewise the products.

    SymPy flattens sums and products: one call with all terms, where a chain of binary sums would
    copy its terms once for each link.
    """
    uses = Counter(arg for node in order for arg in node.args)
    inside = {
        arg
        for node in order
        for arg in node.args
        if uses[arg] == 1 and arg.op in _FAMILY and _FAMILY[arg.op] == _FAMILY.get(node.op)
    }
    return inside - set(roots)


def _node_to_sympy(node: Expr, done: dict[Expr, Any], merged: set[Expr], sp: ModuleType) -> Any:
    match node.op:
        case "const":
            return sp.Rational(node.value.numerator, node.value.denominator)
        case "pi":
            return sp.pi
        case "symbol":
            return _symbol_to_sympy(cast(Symbol, node.symbol), sp)
        case "add" | "sub" | "neg":
            return sp.Add(*_terms(node, done, merged))
        case "mul":
            return sp.Mul(*_terms(node, done, merged))
    args = [done[arg] for arg in node.args]
    match node.op:
        case "div":
            return args[0] / args[1]
        case "pow":
            return sp.Pow(args[0], sp.Rational(node.value.numerator, node.value.denominator))
        case "apply":
            return _applied_to_sympy(node.value, args, sp)
        case "abs":
            # unevaluated: for its complex symbols SymPy would bring in re, im and conjugate
            return sp.Abs(args[0], evaluate=False)
        case name:
            return getattr(sp, name)(*args)


def _applied_to_sympy(value: Applied, args: list[Any], sp: ModuleType) -> Any:
    """Return f(args…), or its derivative by symbols that are put where the arguments are."""
    f = sp.Function(value.name)
    if not any(value.orders):
        return f(*args)
    by = [i for i, n in enumerate(value.orders) if n]
    if all(_is_variable(args[i]) and args.count(args[i]) == 1 for i in by):
        return sp.Derivative(f(*args), *((args[i], value.orders[i]) for i in by))
    places = [args[i] for i in by]
    if len(set(places)) < len(places):
        raise InvalidExpression(
            f"expected different arguments of {value.name} where it is differentiated by several, "
            "got equal ones, which SymPy confuses: give the function a definition with subs"
        )
    xs = {i: sp.Dummy(f"xi_{i + 1}") for i in by}
    slope = sp.Derivative(
        f(*(xs.get(i, x) for i, x in enumerate(args))), *((xs[i], value.orders[i]) for i in by)
    )
    return sp.Subs(slope, tuple(xs.values()), tuple(places))


def _is_variable(x: Any) -> bool:
    """Tell whether SymPy differentiates by it: a symbol, or a function of time."""
    return x.is_Symbol or (x.is_Function and len(x.args) == 1 and x.args[0].is_Symbol)


def _terms(root: Expr, done: dict[Expr, Any], merged: set[Expr]) -> list[Any]:
    """Return the terms (or factors) of a node and of the nodes merged into it."""
    terms = []
    stack = [(root, False)]
    while stack:
        node, negated = stack.pop()
        if node is not root and node not in merged:
            terms.append(-done[node] if negated else done[node])
            continue
        flips = {"neg": (True,), "sub": (False, True)}.get(node.op, (False, False))
        stack.extend((arg, negated ^ flip) for arg, flip in zip(node.args, flips, strict=True))
    return terms


def _symbol_to_sympy(s: Symbol, sp: ModuleType) -> Any:
    if s.kind is not Kind.COORDINATE:
        return sp.Symbol(s.name)
    t = sp.Symbol("t")
    q = sp.Function(s.name)(t)
    return sp.Derivative(q, (t, s.order)) if s.order else q
