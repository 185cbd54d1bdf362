"""Inverse kinematics of plain functions, f(q) = target, by the same methods, without a robot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeGuard

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import (
    Expr,
    Kind,
    Matrix,
    by_symbol,
    free_symbols,
    is_kind,
    jacobian,
    symbol_text,
)
from dalembert.ik.methods.base import Iteration, Stop
from dalembert.ik.methods.damped_least_squares import DampedLeastSquares
from dalembert.ik.solution import REACHED, History, Solution
from dalembert.model.border import finite_array, of_kind

if TYPE_CHECKING:
    from dalembert.expr import BySymbol
    from dalembert.ik.methods.base import Method, SearchResult
    from dalembert.types import Array, ArrayLike


Functions: TypeAlias = Matrix | Expr | Sequence[Expr]


class FunctionGoal(NamedTuple):
    """Places with |target - f(q)| ≤ tolerance, one for each row of the targets ``(N, m)``."""

    functions: Matrix
    slopes: Matrix
    unknowns: tuple[Expr, ...]
    targets: Array
    tolerance: float

    def of(self, samples: Array) -> FunctionGoal:
        """Return the goal of some samples, by their numbers or by a mask."""
        return self._replace(targets=self.targets[samples])

    def error(self, q: Array) -> Array:
        """Return e = target - f(q), ``(N, m)``."""
        return self.targets - self._values(self.functions, q)[..., 0]

    def error_and_jacobian(self, q: Array) -> tuple[Array, Array]:
        """Return e ``(N, m)`` and J = ∂f/∂q ``(N, m, n)``."""
        return self.error(q), self._values(self.slopes, q)

    def is_reached(self, q: Array) -> Array:
        """Tell where |e| ≤ tolerance."""
        return np.linalg.norm(self.error(q), axis=-1) <= self.tolerance

    def clipped(self, q: Array) -> Array:
        """Return q itself: functions have no limits."""
        return q.copy()

    def moved(self, q: Array, step: Array) -> Array:
        """Return q + step."""
        return q + step

    def _values(self, a: Matrix, q: Array) -> Array:
        values = dict(zip(self.unknowns, np.moveaxis(q, -1, 0), strict=True))
        found = a.evaluate({x: values[x] for x in free_symbols(a.entries)})
        return np.array(np.broadcast_to(found, (len(q), *a.shape)))


def is_functions(x: object) -> TypeGuard[Functions]:
    """Tell whether something is a matrix or a list of expressions, not a model."""
    if isinstance(x, Matrix | Expr):
        return True
    return isinstance(x, Sequence) and bool(x) and all(isinstance(e, Expr) for e in x)


def solve_functions(
    functions: Functions,
    target: object,
    q0: ArrayLike | BySymbol[float] | None,
    method: Method | None,
    tolerance: float,
) -> Solution:
    """Return q with f(q) = target, from one start or a batch of targets and starts.

    The unknowns are the keys of ``q0``, or all coordinates that occur, in the order of their names.

    Raises:
        EvaluationError: shapes do not fit, or a symbol has no value.
        UnknownName: ``q0`` names a symbol that does not occur.
    """
    f = Matrix.column([functions] if isinstance(functions, Expr) else list(functions))
    unknowns, start = _start(f, q0)
    method = DampedLeastSquares() if method is None else method
    of_kind(
        method, Iteration, "method=", "a method that goes step by step, such as PseudoInverse()"
    )
    assert isinstance(method, Iteration)
    aims = finite_array(
        target, "target", (..., len(f)), labels=[f"f{k + 1}" for k in range(len(f))]
    )
    q, aims, batch = _together(start, aims)
    goal = FunctionGoal(f, jacobian(f, unknowns), unknowns, aims, tolerance)
    found = method.search(goal, q)
    error = goal.error(found.q)
    residual = np.linalg.norm(error, axis=-1)
    ok = residual <= tolerance
    status = np.full(len(q), REACHED, dtype=object)
    for k in np.flatnonzero(~ok):
        status[k] = _reason(found.stops[k], residual[k], int(found.iterations[k]))
    parts = (found.q, ok, status, residual, error, found.iterations, found.restarts)
    shaped = (x.reshape((*batch, *x.shape[1:]))[()] for x in parts)
    return Solution(*shaped, recall=None if batch else lambda: _history(goal, found))


def _start(f: Matrix, q0: ArrayLike | BySymbol[float] | None) -> tuple[tuple[Expr, ...], Array]:
    """Return the unknowns and where they begin ``(..., n)``."""
    symbols = free_symbols(f.entries)
    if isinstance(q0, Mapping):
        given = by_symbol(tuple(symbols), q0)
        unknowns = tuple(given)
        starts = [finite_array(x, f"q0[{symbol_text(q)}]") for q, x in given.items()]
        try:
            start = np.stack(np.broadcast_arrays(*starts), axis=-1)
        except ValueError:
            raise EvaluationError(
                f"expected starts in q0 that broadcast, got {[x.shape for x in starts]}: "
                "give numbers, or arrays of one shape"
            ) from None
    else:
        coordinates = [x for x in symbols if is_kind(x, Kind.COORDINATE, 0)]
        unknowns = tuple(sorted(coordinates, key=lambda x: _natural(symbol_text(x))))
        names = [symbol_text(x) for x in unknowns]
        zeros = np.zeros(len(unknowns))
        start = zeros if q0 is None else finite_array(q0, "q0", (..., len(names)), labels=names)
    if not unknowns:
        raise EvaluationError(
            "expected functions of coordinates for da.solve_ik, got none: "
            "name the unknowns and their starts, q0={x: 0.1}"
        )
    rest = [symbol_text(x) for x in symbols if x not in unknowns]
    if rest:
        raise EvaluationError(
            f"expected numbers for all but the unknowns, got {', '.join(rest[:6])} in the "
            "functions: put values in with subs, or name them in q0"
        )
    return unknowns, start


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Return what sorts q2 before q10."""
    pieces = re.findall(r"\d+|\D+", name)
    return [(x.isdigit(), int(x) if x.isdigit() else 0, x) for x in pieces]


def _together(start: Array, aims: Array) -> tuple[Array, Array, tuple[int, ...]]:
    """Return starts and targets with one row for each sample, and the batch axes."""
    try:
        batch = np.broadcast_shapes(start.shape[:-1], aims.shape[:-1])
    except ValueError:
        raise EvaluationError(
            f"expected q0 and targets with batch axes that broadcast, got {start.shape[:-1]} and "
            f"{aims.shape[:-1]}"
        ) from None
    rows = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (start, aims))
    q, flat = (x.reshape(-1, x.shape[-1]).copy() for x in rows)
    return q, flat, batch


def _reason(stop: int, residual: float, iterations: int) -> str:
    match stop:
        case Stop.SINGULAR:
            return (
                "singular: the Jacobian has no inverse where the search ended, "
                f"|e| = {residual:.3g}; start elsewhere, or use a damped method"
            )
        case Stop.STALLED:
            return f"stalled: a local minimum with |e| = {residual:.3g}; start elsewhere"
    return (
        f"iteration limit: |e| = {residual:.3g} after {iterations} iterations; allow more, "
        "start elsewhere, or choose another step"
    )


def _history(goal: FunctionGoal, found: SearchResult) -> History:
    path = found.path() if found.path is not None else found.q
    # one target, many places
    rows = goal._replace(targets=np.broadcast_to(goal.targets, (len(path), goal.targets.shape[1])))
    names = tuple(symbol_text(x) for x in goal.unknowns)
    return History(names, path, np.linalg.norm(rows.error(path), axis=-1))
