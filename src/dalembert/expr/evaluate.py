"""Numerical evaluation with floats or arrays that broadcast."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import DalembertError, EvaluationError, UnknownName, nearest
from dalembert.expr.fold import ARITHMETIC
from dalembert.expr.graph import GraphNode, free_symbols, outline, postorder
from dalembert.expr.symbols import BySymbol, symbol_named
from dalembert.expr.undefined import no_value

if TYPE_CHECKING:
    from dalembert.expr.node import Expr

POLES = ("div", "log")

_NUMPY = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": np.arctan2,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "abs": np.abs,
    "sign": np.sign,
}


def evaluate(roots: Sequence[Expr], values: BySymbol[Any]) -> list[Any]:
    """Evaluate the roots in one sweep; every symbol needs a value, by itself or by its name.

    Floats give floats, arrays give arrays (shapes broadcast). A result that is not finite
    although every value is finite raises `EvaluationError` naming the operation.

    >>> from dalembert import coordinates, sin
    >>> (q,) = coordinates("q")
    >>> evaluate([sin(q)], {q: 0.5})
    [0.479425538604203]
    """
    symbols = free_symbols(roots)
    known = _as_arrays(_resolved(values, symbols))
    missing = [x for x in symbols if x not in known]
    if missing:
        names = ", ".join(x.value.text for x in missing)
        given = [key if isinstance(key, str) else key.value.text for key in values]
        raise UnknownName(
            f"expected a value for every symbol, got none for {names}: "
            f"add it to the mapping ({nearest(names, given)})"
        )
    order = postorder(roots)
    result: dict[Expr, Any] = {}
    with np.errstate(all="ignore"):
        for node in order:
            result[node] = _value(node, result, known)
    # a pole inside counts even where a later step hides it, as in 1/(1/x) at 0
    for node in (*roots, *(n for n in order if n.op in POLES)):
        if not np.all(np.isfinite(result[node])):
            _explain(order, result)
    return [_plain(result[root]) for root in roots]


def evaluate_array(
    entries: Sequence[Expr], values: BySymbol[Any], shape: tuple[int, int]
) -> np.ndarray:
    """Return the entries as an array of shape ``(..., m, n)``; batch axes of the values lead."""
    results = np.broadcast_arrays(*evaluate(entries, values))
    if not results:
        return np.zeros(shape)
    return np.stack(results, axis=-1).reshape(*results[0].shape, *shape)


def _resolved(values: BySymbol[Any], symbols: Sequence[Expr]) -> dict[Expr, Any]:
    """Return the values by symbol; a name that does not occur is of no use here, as its symbol."""
    names = {x.value.text for x in symbols}
    return {
        symbol_named(key, symbols): value
        for key, value in values.items()
        if not isinstance(key, str) or key in names
    }


def _as_arrays(values: Mapping[Expr, Any]) -> dict[Expr, Any]:
    known = {}
    for key, value in values.items():
        if not isinstance(key, GraphNode) or key.op != "symbol":
            raise UnknownName(f"expected symbols as keys of the values, got {outline(key)}")
        array = _number(key, value)
        if not np.all(np.isfinite(array)):
            bad = _at(~np.isfinite(array), array)
            raise EvaluationError(
                f"expected a finite value for {key.value.text}, got {bad}: "
                "remove NaN and infinity before evaluating"
            )
        known[key] = array.astype(complex if array.dtype.kind == "c" else float)[()]
    _check_shapes(known)
    return known


def _number(key: Expr, value: Any) -> np.ndarray:
    exact = isinstance(value, Fraction | Decimal | int) and not isinstance(value, bool)
    try:
        array = np.asarray(float(value) if exact else value)
    except (ValueError, OverflowError, DalembertError):
        array = np.asarray(None)
    if array.dtype.kind not in "fiuc":
        raise EvaluationError(
            f"expected a number or an array for {key.value.text}, got {outline(value)}"
        )
    return array


def _check_shapes(known: Mapping[Expr, Any]) -> None:
    try:
        np.broadcast_shapes(*(np.shape(value) for value in known.values()))
    except ValueError:
        shapes = ", ".join(f"{x.value.text} {np.shape(v)}" for x, v in known.items())
        raise EvaluationError(
            f"expected arrays whose shapes broadcast, got {shapes}: give them equal batch axes"
        ) from None


def _value(node: Expr, result: Mapping[Expr, Any], known: Mapping[Expr, Any]) -> Any:
    args = [result[arg] for arg in node.args]
    match node.op:
        case "const":
            return _rational(node.value)
        case "pi":
            return np.float64(math.pi)
        case "symbol":
            return known[node]
        case op if op in ARITHMETIC:
            return ARITHMETIC[op](*args)
        case "pow":
            if node.value.denominator == 1:
                return args[0] ** int(node.value)
            if node.value.denominator == 2:
                return np.sqrt(args[0]) ** node.value.numerator
            return args[0] ** float(node.value)
        case "apply":
            raise EvaluationError(no_value(node))
        case name:
            try:
                return _NUMPY[name](*args)
            except TypeError:
                raise EvaluationError(
                    f"expected real values for {name}, got complex ones: "
                    "take its derivative by differences of real values"
                ) from None


def _rational(value: Fraction) -> np.float64:
    try:
        return np.float64(value.numerator / value.denominator)
    except OverflowError:
        bits = value.numerator.bit_length() - value.denominator.bit_length()
        raise EvaluationError(
            f"expected constants below 2^1024, got one near 2^{bits}: rescale the expression"
        ) from None


def _explain(order: Sequence[Expr], result: Mapping[Expr, Any]) -> None:
    """Raise for the first node that is not finite although its operands are."""
    for node in order:
        if not np.all(np.isfinite(result[node])):
            bad = ~np.isfinite(result[node])
            args = ", ".join(str(_at(bad, result[arg])) for arg in node.args)
            raise EvaluationError(
                f"expected a finite real value, got {_at(bad, result[node])} from "
                f"{outline(node)} with operands {args}: the expression is not defined there"
            )


def _at(bad: Any, value: Any) -> Any:
    """Return the entry of ``value`` at the first bad place."""
    return np.broadcast_to(value, np.shape(bad))[bad].flat[0].item()


def _plain(value: Any) -> Any:
    return value.item() if np.ndim(value) == 0 else value
