"""Wrenches on frames as inputs of formulas, and what they do to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.expr import Expr, inputs
from dalembert.model.formulas.rows import along_velocities
from dalembert.recursions.dynamics.external import external_forces
from dalembert.recursions.tree import Tree

COMPONENTS = 6


@dataclass(frozen=True)
class External:
    """Wrenches (force, moment) on frames, in the axes of ``reference`` as those of a Jacobian.

    ``inputs`` has one array for each frame, ``forces`` the generalized forces Σ Jᵀ F.
    """

    inputs: dict[str, tuple[Expr, ...]]
    forces: list[Any]

    @classmethod
    def of(cls, tree: Tree, q: Sequence[Expr], frames: Sequence[str], reference: str) -> External:
        """Return the wrenches on some frames as symbols; without frames there are none."""
        if not frames:
            return cls({}, [0] * tree.nv)
        wrenches = {
            frame: inputs(" ".join(f"W{i}_{k}" for k in range(1, COMPONENTS + 1)))
            for i, frame in enumerate(frames, 1)
        }
        arrays = {f"wrench_{frame}": wrench for frame, wrench in wrenches.items()}
        return cls(arrays, external_forces(tree, q, wrenches, reference))

    def slopes(self, tree: Tree, q: Sequence[Expr]) -> list[list[Any]]:
        """Return ∂(Σ Jᵀ F)/∂q along velocities, the wrenches kept constant."""
        if not self.inputs:
            return [[0] * tree.nv for _ in range(tree.nv)]
        return along_velocities(tree, q, self.forces)
