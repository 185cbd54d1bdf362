"""Principal moments and axes of an inertia."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import InvalidExpression
from dalembert.expr import Expr
from dalembert.ring import equal
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_symbolic, is_zero
from dalembert.spatial.vectors import ZERO, Mat, Vec

if TYPE_CHECKING:
    import numpy as np


class Principal(NamedTuple):
    """Moments about the axes of frame P, and its pose X_BP in the frame of the inertia.

    P is at the centre of mass, and the columns of R_BP are the principal axes.
    """

    moments: Vec
    X_BP: Pose


def principal(inertia: Inertia) -> Principal:
    """Return the principal moments about the centre of mass, and their axes.

    I_c = R_BP diag(moments) R_BPᵀ. Of the 24 right-handed ways to order the axes it is the one
    turned least from the frame of the inertia. A tensor that is diagonal already keeps its exact
    moments, symbols included, and R_BP = 1.

    Raises:
        InvalidExpression: a body without mass whose first moment is not zero, a symbolic tensor
            that is not diagonal, or an array.

    >>> principal(Inertia(2, (0, 0, 4), (9, 10, 3, 0, 0, 0)))[0]
    (Fraction(1, 1), Fraction(2, 1), Fraction(3, 1))
    """
    c = _com(inertia)
    I_c = inertia.tensor if c == ZERO else inertia.about_com()
    if all(_vanishes(I_c[i][j]) for i, j in ((0, 1), (0, 2), (1, 2))):
        return Principal((I_c[0][0], I_c[1][1], I_c[2][2]), Pose(p=c))
    entries = [x for row in I_c for x in row]
    if not all(isinstance(x, int | float | Fraction) for x in entries):
        kind = "symbols" if is_symbolic(*entries) else "other entries"
        raise InvalidExpression(
            f"expected numbers in a tensor that is not diagonal, got {kind}: bind the parameters "
            "first, and take one body of an array at a time"
        )
    moments, R = _eigen(I_c)
    return Principal(moments, Pose(R, c))


def _com(inertia: Inertia) -> Vec:
    if all(is_zero(x) for x in inertia.h):
        return ZERO
    if is_zero(inertia.m):
        raise InvalidExpression(
            f"expected a mass, got 0 with the first moment {inertia.h}: give the mass first"
        )
    return inertia.com()


def _vanishes(x: Any) -> bool:
    """Tell whether a scalar is exactly zero, as the ring sees it."""
    return equal(x, 0) if isinstance(x, Expr) else is_zero(x)


def _eigen(I_c: Mat) -> tuple[Vec, Mat]:
    import numpy as np

    # an exact scale keeps tiny and huge bodies from losing digits
    k = max(abs(x) for row in I_c for x in row)
    values, V = np.linalg.eigh(np.array([[float(x / k) for x in row] for row in I_c]))
    order, signs = _least_turn(V)
    R = V[:, order] * signs
    moments = tuple(float(values[i]) * float(k) for i in order)
    return moments, tuple(tuple(row) for row in R.tolist())  # type: ignore[return-value]


def _least_turn(V: np.ndarray) -> tuple[list[int], list[float]]:
    """Return the order and signs of the columns that make V the rotation nearest to 1."""
    import numpy as np

    def angle_cosine(choice: tuple[tuple[int, ...], tuple[float, ...]]) -> float:
        order, signs = choice
        return float(np.trace(V[:, list(order)] * signs))

    choices = [
        (order, signs)
        for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3))
        if np.linalg.det(V[:, list(order)] * signs) > 0
    ]
    order, signs = max(choices, key=angle_cosine)
    return list(order), list(signs)
