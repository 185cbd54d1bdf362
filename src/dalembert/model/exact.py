"""Exact algebra for the packages above, which see no expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from dalembert.expr import Expr, Matrix


def is_exact(matrix: Any) -> TypeGuard[Matrix]:
    """Tell whether this is a matrix of expressions."""
    from dalembert.expr import Matrix

    return isinstance(matrix, Matrix)


def exact_manipulability(J: Matrix, positive: Sequence[Expr] = ()) -> Expr:
    """Return μ = √det(J Jᵀ) of a matrix of expressions; see `mechanics.singularities`."""
    from dalembert.mechanics.robots.singularities import exact_manipulability

    return exact_manipulability(J, positive)
