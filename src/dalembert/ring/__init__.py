"""The canonical form: exact rings, equality, elimination."""

from dalembert.ring.algebra.minors import Minors, cramer, determinant, solve
from dalembert.ring.algebra.null_space import dependent_row, null_space, rank, row_reduce
from dalembert.ring.balls import (
    Point,
    ball,
    ball_all,
    defined_balls,
    is_nonzero_at,
    random_point,
    refute,
)
from dalembert.ring.canonical import canonical, canonical_all, canonical_matrix, has_place
from dalembert.ring.choose.build import ring_of
from dalembert.ring.data import element_again, ring_again
from dalembert.ring.decide import is_zero
from dalembert.ring.derivative import Derivative, partial, partials, time_derivative
from dalembert.ring.equality import counterexample, equal
from dalembert.ring.rebuild import monomial_expr, rebuild, rebuild_matrix
from dalembert.ring.ring import Element, Ring

__all__ = [
    "Derivative",
    "Element",
    "Minors",
    "Point",
    "Ring",
    "ball",
    "ball_all",
    "canonical",
    "canonical_all",
    "canonical_matrix",
    "counterexample",
    "cramer",
    "defined_balls",
    "dependent_row",
    "determinant",
    "element_again",
    "equal",
    "has_place",
    "is_nonzero_at",
    "is_zero",
    "monomial_expr",
    "null_space",
    "partial",
    "partials",
    "random_point",
    "rank",
    "rebuild",
    "rebuild_matrix",
    "refute",
    "ring_again",
    "ring_of",
    "row_reduce",
    "solve",
    "time_derivative",
]
