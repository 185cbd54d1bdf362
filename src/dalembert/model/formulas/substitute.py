"""Formulas at other expressions than their symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import InvalidExpression
from dalembert.expr import Expr, Matrix, as_expr
from dalembert.expr.substitute import substitute
from dalembert.model.formulas.formula import Formula
from dalembert.types import Scalar


def apply(formula: Formula, values: Sequence[Sequence[Scalar]], name: str) -> Any:
    """Return the outputs with values in the place of the inputs; one alone without a tuple.

    Raises:
        InvalidExpression: the number or the length of the values does not fit.
    """
    if len(values) != len(formula.inputs):
        raise InvalidExpression(
            f"expected values for {', '.join(formula.inputs)} of {name}, got {len(values)}"
        )
    new: dict[Expr, Any] = {}
    for (key, symbols), given in zip(formula.inputs.items(), values, strict=True):
        if len(symbols) != len(given):
            raise InvalidExpression(
                f"expected {len(symbols)} values for {key} of {name}, got {len(given)}"
            )
        new.update(zip(symbols, given, strict=True))
    flat: list[Expr] = []
    shapes = [_flatten(output, flat) for output in formula.outputs.values()]
    done = iter(substitute(flat, new))
    results = tuple(_rebuild(shape, done) for shape in shapes)
    return results[0] if len(results) == 1 else results


def _flatten(value: Any, flat: list[Expr]) -> Any:
    """Append all entries; return the nesting that they came in."""
    if isinstance(value, Matrix):
        value = value.rows
    if isinstance(value, Sequence):
        return [_flatten(item, flat) for item in value]
    flat.append(as_expr(value))
    return None


def _rebuild(shape: Any, values: Any) -> Any:
    return next(values) if shape is None else [_rebuild(item, values) for item in shape]


def entries(value: Any, *, by_columns: bool = False) -> list[Expr]:
    """Return all entries of expressions in lists of any depth, in row order or by columns.

    The axes after the first are one, as CasADi's matrices have it.
    """
    if by_columns and isinstance(value, Sequence | Matrix):
        rows = [entries(row) for row in (value.rows if isinstance(value, Matrix) else value)]
        return [x for column in zip(*rows, strict=True) for x in column]
    flat: list[Expr] = []
    _flatten(value, flat)
    return flat
