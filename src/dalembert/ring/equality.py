"""Exact mathematical equality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.errors import InvalidExpression, TooLarge, Undecided
from dalembert.expr import Expr, Matrix, Scalar, as_expr
from dalembert.ring.balls import Point, refute
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.build import ring_of

if TYPE_CHECKING:
    Comparable: TypeAlias = Scalar | Matrix | Sequence["Comparable"]


def equal(a: Comparable, b: Comparable) -> bool:
    """Tell whether two expressions, matrices or lists are equal wherever both are defined.

    Polynomials and quotients in symbols, sines and cosines are always decided. With other
    functions True and False are still certain; `Undecided` is raised where neither the canonical
    form nor an evaluation in ball arithmetic settles it.

    >>> from dalembert import coordinates, cos, sin
    >>> x, y = coordinates("x y")
    >>> equal(sin(x + y), sin(x) * cos(y) + cos(x) * sin(y))
    True
    >>> equal(sin(2 * x), 2 * sin(x))
    False
    """
    pairs = _pairs(a, b)
    if pairs is None:
        return False
    undecided: Undecided | None = None
    for left, right in pairs:
        try:
            if not _equal_scalars(left, right):
                return False
        except Undecided as error:
            undecided = error
    if undecided:
        raise undecided
    return True


def counterexample(a: Comparable, b: Comparable) -> Point | None:
    """Return a rational point at which a ≠ b, or None when they are equal.

    >>> from dalembert import parameters
    >>> (x,) = parameters("x")
    >>> counterexample(x**2, x) is not None
    True
    """
    for left, right in _pairs(a, b) or []:
        if not _equal_scalars(left, right):
            return refute(left - right)
    return None


def _equal_scalars(a: Expr, b: Expr) -> bool:
    if a is b:
        return True
    difference = a - b
    try:
        ring = ring_of([difference])
        if canonical(ring, difference).is_zero:
            return True
        if ring.is_complete:
            return False
    except TooLarge as error:
        if refute(difference) is not None:
            return False
        raise Undecided(f"expected a form small enough to decide, got none: {error}") from None
    if refute(difference) is not None:
        return False
    names = sorted({g.op for g in ring.generators if g.op not in ("symbol", "sin", "cos")})
    raise Undecided(
        f"expected to decide an equality with {', '.join(names)}, got neither a proof nor a "
        "counter-example: rewrite the expressions with the same functions"
    )


def _pairs(a: Comparable, b: Comparable) -> list[tuple[Expr, Expr]] | None:
    """Return corresponding scalars, or None when the shapes differ."""
    if isinstance(a, Matrix) or isinstance(b, Matrix):
        a, b = _as_matrix(a), _as_matrix(b)
        if a.shape != b.shape:
            return None
        return list(zip(a.entries, b.entries, strict=True))
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        if len(a) != len(b):
            return None
        pairs = [_pairs(x, y) for x, y in zip(a, b, strict=True)]
        return None if None in pairs else [p for part in pairs for p in part or ()]
    return [(as_expr(a), as_expr(b))]


def _as_matrix(a: Comparable) -> Matrix:
    if isinstance(a, Matrix):
        return a
    if isinstance(a, Sequence) and not isinstance(a, str):
        rows: Sequence[Any] = a
        return Matrix(rows) if rows and isinstance(rows[0], Sequence) else Matrix.column(rows)
    raise InvalidExpression(f"expected a matrix to compare with a matrix, got {type(a).__name__}")
