"""The mass matrix of a mechanism as Lᵀ D L, keeping the zeros of its tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalembert.recursions.constraints.factorization import Factor, factorise

if TYPE_CHECKING:
    from dalembert.model.model import Model
    from dalembert.types import Scalar


def mass_factor(model: Model, added: Mapping[int, Scalar]) -> Factor:
    """Return M(q) + diag(added) = Lᵀ D L as expressions of ``model.symbols.q``.

    Args:
        model: Of a mechanism.
        added: What is added to the diagonal, by places in v.
    """
    M = [list(row) for row in model.expressions("mass_matrix", model.symbols.q)]
    for k, x in added.items():
        M[k][k] = M[k][k] + x
    return factorise(M)
