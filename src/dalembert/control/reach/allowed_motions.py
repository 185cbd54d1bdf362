"""The accelerations that constraints allow and inputs reach, in the metric of the kinetic energy.

With M = L Lᵀ, orthonormal columns N of the null space of A L⁻ᵀ and Z = L⁻ᵀ N:

    A Z = 0,   Zᵀ M Z = 1,   q̈ = d + Z (f - Zᵀ h),   f = Zᵀ B u.

d is the acceleration that the constraints ask for, A d + b = 0, orthogonal to Z. f are the inputs
as the allowed motions feel them: |f| does not depend on units, so ranks and least squares have a
meaning where metres stand beside radians.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.reach.drives import Drives
from dalembert.errors import EvaluationError
from dalembert.model.dry_friction import has_dry_friction

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array

DEPENDENT = 1e-9
"""A row or column of Z below this part of what it is without constraints counts as none."""

OUT_OF_REACH = 1e-8
"""A wanted acceleration may be missed by this part of the terms that it is the sum of."""


@dataclass(frozen=True, eq=False)
class AllowedMotions:
    """What can happen at one state.

    Attributes:
        free: L⁻ᵀ, ``(nv, nv)``: all motions, without constraints.
        basis: Z, ``(nv, d)``.
        dual: Zᵀ M, ``(d, nv)``.
        driven: Places of the velocities that inputs drive.
        load: Zᵀ h, ``(d,)``: what f must be for the motion to coast.
        drift: d, ``(nv,)``.
    """

    free: Array
    basis: Array
    dual: Array
    driven: tuple[int, ...]
    load: Array
    drift: Array

    @cached_property
    def effect(self) -> Array:
        """Zᵀ B with columns as long as constraints leave them, at most one: ``(d, inputs)``."""
        return (self.basis[list(self.driven)] / self._sizes[:, None]).T

    @cached_property
    def _sizes(self) -> Array:
        return np.linalg.norm(self.free[list(self.driven)], axis=1)

    @cached_property
    def _parts(self) -> tuple[Array, Array, Array]:
        return significant_parts(self.effect)

    @property
    def reach(self) -> Array:
        """Orthonormal columns that span the f which inputs give, ``(d, rank)``."""
        return self._parts[0]

    def within_reach(self, f: Array) -> Array:
        """Return the nearest f that inputs give: the rest accelerates least (Gauss)."""
        return self.reach @ (self.reach.T @ f)

    def efforts(self, f: Array) -> Array:
        """Return the smallest u with Zᵀ B u = f, each entry measured by what it moves."""
        U, s, Vt = self._parts
        return (Vt.T @ ((U.T @ f) / s)) / self._sizes

    def leading_to(
        self, J: Array, wanted: Array, bias: Array, f: Array | None = None
    ) -> tuple[Array, Array]:
        """Return the f nearest to a given one with J q̈ + bias = wanted, and what is missed.

        Args:
            J: Rows of a Jacobian, ``(k, nv)``.
            wanted: Their accelerations, ``(k,)``.
            bias: J̇ q̇, ``(k,)``.
            f: What the motion does besides; nothing unless given.
        """
        near = np.zeros(len(self.load)) if f is None else self.within_reach(f)
        coasting = self.drift - self.basis @ self.load
        # J Z δ = wanted - bias - J (q̈ with f), δ within reach
        parts = np.stack([wanted, -bias, -J @ coasting, -J @ (self.basis @ near)])
        step, missed = self._step(J, parts)
        return near + step, missed

    def acting_as(self, J: Array, F: Array) -> tuple[Array, Array]:
        """Return the smallest f that moves some rows as a force F along them, and what is missed.

        With loops alone it is Zᵀ Jᵀ F itself.
        """
        f = self.basis.T @ (J.T @ F)
        if self.reach.shape[0] == self.reach.shape[1]:
            return f, np.zeros(len(J))
        return self._step(J, (J @ (self.basis @ f))[None])

    def _step(self, J: Array, parts: Array) -> tuple[Array, Array]:
        """Return the smallest δ within reach with J Z δ = Σ parts, and by how much rows miss it."""
        # rows as long as constraints leave them, at most one
        size = np.linalg.norm(J @ self.free, axis=1)
        size[size == 0] = 1.0
        U, s, Vt = significant_parts((J @ self.basis / size[:, None]) @ self.reach)
        parts = parts / size
        left = parts.sum(axis=0)
        missed = np.abs(U @ (U.T @ left) - left)
        missed[missed <= OUT_OF_REACH * np.abs(parts).max(initial=0.0)] = 0.0
        return self.reach @ (Vt.T @ ((U.T @ left) / s)), missed * size


def allowed_motions(model: Model, drives: Drives, q: Array, v: Array) -> AllowedMotions:
    """Return what can happen at a state ``(nq,)``, ``(nv,)``.

    Raises:
        EvaluationError: M is not positive definite there.
    """
    M, h = model.mass_matrix(q), smooth_bias(model, q, v)
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        raise EvaluationError(
            f"expected a positive definite mass matrix, got another at q = {q}: give every joint "
            "something to move"
        ) from None
    free = np.linalg.solve(L, np.eye(len(M))).T
    N, drift = np.eye(len(M)), np.zeros(len(M))
    if model.description.has_constraints:
        A, b = model.constraint_jacobian(q) @ free, model.constraint_bias(q, v)
        size = np.linalg.norm(A, axis=1)
        size[size == 0] = 1.0
        U, s, Vt = np.linalg.svd(A / size[:, None])
        rank = int((s > DEPENDENT).sum())
        N = Vt[rank:].T
        drift = -free @ (Vt[:rank].T @ ((U[:, :rank].T @ (b / size)) / s[:rank]))
    Z = free @ N
    return AllowedMotions(free, Z, N.T @ L.T, drives.velocities, Z.T @ h, drift)


def significant_parts(R: Array) -> tuple[Array, Array, Array]:
    """Return U, s, Vᵀ of R = U s Vᵀ without zeros, for rows or columns of length at most one."""
    U, s, Vt = np.linalg.svd(R, full_matrices=False)
    rank = int((s > DEPENDENT).sum())
    return U[:, :rank], s[:rank], Vt[:rank]


def smooth_bias(model: Model, q: Array, v: Array) -> Array:
    """Return h = C q̇ + N without dry friction, whose jumps no feedback can follow."""
    h = model.bias(q, v)
    return h + model.call("dry_friction", q, v)[0] if has_dry_friction(model) else h
