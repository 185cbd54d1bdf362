"""Errors, rows and sizes of constraints as numbers: by straight-line code, or along long chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.model.rolled.rolled_closures import RolledClosures
from dalembert.simulation.constraints.mass_matrices import is_long, mass_matrices
from dalembert.simulation.constraints.metric import ChainMetric, DenseMetric, Metric
from dalembert.simulation.constraints.rounding import rounding_bounds
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.rolled.rolled_tree import RolledTree


class ConstraintValues(NamedTuple):
    """Errors of position and velocity, A = ∂(velocity error)/∂q̇ and the mass matrix as a metric."""

    position: np.ndarray
    velocity: np.ndarray
    A: np.ndarray
    M: Metric


class FlatKernels:
    """Straight-line code of all rows."""

    def __init__(self, model: Model) -> None:
        inputs = state_symbols(model)
        q, v = inputs.values()
        self._read = compiled(
            model,
            "constraints",
            lambda: {
                # a kernel has no empty outputs
                "position": model.expressions("constraint_error", q) or [0],
                "velocity": model.expressions("constraint_velocity", q, v),
                "A": model.expressions("constraint_jacobian", q),
                # that of a long chain is not compiled entry by entry
                **({} if is_long(model) else {"M": model.expressions("mass_matrix", q)}),
            },
            inputs,
        )
        self._mass_matrices = mass_matrices(model) if is_long(model) else None
        self.sizes = compiled(
            model,
            "rounding of constraints",
            lambda: {"bound": rounding_bounds(model.expressions("constraint_error", q)) or [0]},
            {"q": q},
        )

    def read(
        self, t: float | np.ndarray, q: np.ndarray, v: np.ndarray, num_positions: int
    ) -> ConstraintValues:
        """Return errors and matrices at a state, or at many."""
        position, velocity, A, *rest = self._read(t, q, v)
        M = rest[0] if self._mass_matrices is None else self._mass_matrices(t, q)
        return ConstraintValues(position[..., :num_positions], velocity, A, DenseMetric(M))


class ChainKernels:
    """Passes along the links of long chains."""

    def __init__(self, model: Model, tree: RolledTree) -> None:
        self.tree = tree
        self.closures = model.once("rolled closures", lambda: RolledClosures(model, tree))

    def read(
        self, t: float | np.ndarray, q: np.ndarray, v: np.ndarray, num_positions: int
    ) -> ConstraintValues:
        """Return errors and matrices at a state, or at many; nothing depends on time."""
        position, A = self.closures.jacobian(q, v)
        velocity = (A @ v[..., None])[..., 0]
        return ConstraintValues(position, velocity, A, ChainMetric(self.tree, q))

    def sizes(self, t: float | np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return the size of the terms of each row."""
        return self.closures.sizes(q)
