"""Wrenches on frames as inputs of formulas, and what they do to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.expr import Expr, as_expr, inputs, jacobian
from dalembert.model.formulas.rows import dot
from dalembert.recursions.dynamics.external import external_forces
from dalembert.recursions.manifold import configuration_rate
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
        n = tree.nv
        if not self.inputs:
            return [[0] * n for _ in range(n)]
        by_q = jacobian([as_expr(f) for f in self.forces], q)
        # along the velocity j: dq = N(q) e_j
        rates = [configuration_rate(tree, q, [int(i == j) for i in range(n)]) for j in range(n)]
        return [[dot(by_q.rows[i], rate) for rate in rates] for i in range(n)]
