"""The directions that constraints admit, and the multipliers of a given motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import InvalidSystem
from dalembert.expr import ONE, ZERO, Expr, Matrix
from dalembert.ring import canonical_matrix, rebuild, ring_of, row_reduce


class Directions(NamedTuple):
    """δq = Z δξ for all δq with A δq = 0; ξ are the ``free`` coordinates, by their places."""

    free: tuple[int, ...]
    bound: tuple[int, ...]
    Z: Matrix


def admissible(A: Matrix, n: int) -> Directions:
    """Return the directions that A admits; later coordinates follow earlier ones.

    Raises:
        InvalidSystem: the rows of A depend on each other here.
    """
    if not A.shape[0]:
        return Directions(tuple(range(n)), (), Matrix.identity(n))
    ring = ring_of(A.entries)
    # from the right, so that the first coordinates stay free
    turned = Matrix([row[::-1] for row in canonical_matrix(ring, A).rows], n)
    rows, pivots = row_reduce(ring, turned)
    if len(pivots) < A.shape[0]:
        raise InvalidSystem(
            f"expected independent constraints where the motion is linearised, got "
            f"{A.shape[0]} of rank {len(pivots)}: the mechanism is singular there"
        )
    places = [n - 1 - j for j in pivots]
    free = tuple(j for j in range(n) if j not in places)
    Z = [[ZERO] * len(free) for _ in range(n)]
    for k, j in enumerate(free):
        Z[j][k] = ONE
        for place, row in zip(places, rows, strict=True):
            Z[place][k] = -rebuild(row[n - 1 - j])
    return Directions(free, tuple(sorted(places)), Matrix(Z, len(free)))


def multipliers(A: Matrix, load: Matrix, bound: Sequence[int]) -> list[Expr]:
    """Return λ with (Aᵀ λ)ₖ = loadₖ for the coordinates that follow others."""
    if not bound:
        return []
    square = Matrix([[A[i, k] for i in range(A.shape[0])] for k in bound])
    return list(square.solve(Matrix.column([load[k] for k in bound])))
