"""The way back onto constraints, as expressions."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import Expr, inputs
from dalembert.model.formulas.formula import Formula
from dalembert.recursions.constraints.constrained import (
    DOUBLES,
    Thresholds,
    constrained_dynamics,
)
from dalembert.types import Scalar


def correction_formula(
    q: Sequence[Expr],
    M: Sequence[Sequence[Scalar]],
    A: Sequence[Sequence[Scalar]],
    groups: Sequence[str] | None = None,
    thresholds: Thresholds = DOUBLES,
) -> Formula:
    """Return the smallest change δ of velocities with A δ = error, measured by δᵀ M δ.

    ``groups`` and ``thresholds`` are those of `constrained_dynamics`.
    """
    error = inputs(" ".join(f"error{i + 1}" for i in range(len(A))))
    # M δ = Aᵀ λ without other forces
    right = [-x for x in error]
    change, _ = constrained_dynamics(M, [0] * len(M), A, right, groups, thresholds)
    return Formula({"q": q, "error": error}, {"change": change})
