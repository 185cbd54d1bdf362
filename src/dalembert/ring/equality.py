"""Exact mathematical equality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.errors import InvalidExpression, TooLarge, Undecided
from dalembert.expr import FUNCTIONS, Expr, Matrix, Scalar, as_expr, postorder
from dalembert.ring.balls import Point, refute, search
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.build import ring_of
from dalembert.ring.prove.zero import is_proved_zero

if TYPE_CHECKING:
    Comparable: TypeAlias = Scalar | Matrix | Sequence["Comparable"]

# what costs little: two points with balls of 64 bits, one with balls of three hundred digits
FIRST_LOOKS = ((2, (64,)), (1, (1024,)))


def equal(a: Comparable, b: Comparable) -> bool:
    """Tell whether two expressions, matrices or lists are equal wherever both are defined.

    Always decided, unless they are too large: polynomials and quotients of symbols, π, roots of
    whole numbers, sines, cosines and exponentials of terms that are such polynomials themselves,
    and functions without a definition at arguments that are certainly equal or certainly not. Of
    all these the ring knows every relation (Ax 1971; Besicovitch for the roots). With other roots,
    logarithms, inverse functions, moduli and signs True and False are still certain; `Undecided`
    is raised where neither a proof nor an evaluation in ball arithmetic settles it.

    An expression is defined where all its parts are: √x needs x ≥ 0, log x needs x > 0. What
    cancels when an expression is made, as in x - x, 0·x and x/x, is no part of it.

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
    # a point where one pair differs is cheap; only what has none needs a proof
    pairs = [(left, right) for left, right in pairs if left is not right]
    if any(_first_point(left, right) is not None for left, right in pairs):
        return False
    undecided: Undecided | None = None
    for left, right in pairs:
        try:
            if not _decide(left, right):
                return False
        except Undecided as error:
            undecided = error
    if undecided:
        raise undecided
    return True


def counterexample(a: Comparable, b: Comparable) -> Point | None:
    """Return a rational point at which a ≠ b, or None when they are equal.

    Raises:
        InvalidExpression: the shapes differ, so that no point shows it.
        Undecided: neither a proof nor a point was found.

    >>> from dalembert import parameters
    >>> (x,) = parameters("x")
    >>> counterexample(x**2, x) is not None
    True
    """
    pairs = _pairs(a, b)
    if pairs is None:
        raise InvalidExpression(
            f"expected things of one shape to compare, got {_shape(a)} and {_shape(b)}: "
            "they differ everywhere"
        )
    pairs = [(left, right) for left, right in pairs if left is not right]
    for left, right in pairs:
        point = _first_point(left, right)
        if point is not None:
            return point
    undecided: Undecided | None = None
    for left, right in pairs:
        try:
            if not _decide(left, right):
                return _point_of_difference(left, right)
        except Undecided as error:
            undecided = error
    if undecided:
        raise undecided
    return None


def _first_point(a: Expr, b: Expr) -> Point | None:
    """Return a point where two expressions differ, if it is easily found."""
    difference = a - b
    for tries, precisions in FIRST_LOOKS:
        point = refute(difference, tries, precisions)
        if point is not None:
            return point
    return None


def _point_of_difference(a: Expr, b: Expr) -> Point:
    """Return a point where two expressions differ that are known to be different."""
    point = search(a - b)
    if point is None:
        raise Undecided(
            "expected a point where two unequal expressions differ, got none among those tried: "
            "they differ by less than the finest balls resolve"
        )
    return point


def _decide(a: Expr, b: Expr) -> bool:
    """Decide by the canonical form, then by a proof with other functions, then by more points."""
    difference = a - b
    cause = "neither a proof nor a counter-example"
    try:
        ring = ring_of([difference])
        element = canonical(ring, difference)
        if element.is_surely_zero:
            return True
        if ring.is_complete and element.is_surely_nonzero:
            return False
        if is_proved_zero(difference):
            return True
    except (TooLarge, Undecided) as error:
        cause = str(error)
    if search(difference) is not None:
        return False
    names = sorted({n.op for n in postorder([difference]) if n.op in FUNCTIONS or n.op == "pow"})
    raise Undecided(
        f"expected to decide an equality with {', '.join(names)}, got {cause}: "
        "rewrite the expressions with the same functions"
    )


def _shape(a: Comparable) -> str:
    if isinstance(a, Matrix):
        return f"a matrix of shape {a.shape}"
    if isinstance(a, Sequence):
        return f"a list of {len(a)}"
    return "a scalar"


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
