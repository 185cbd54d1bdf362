"""Ellipsoids of velocities and forces at the tool."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from dalembert.analysis.manipulability import checked_jacobian
from dalembert.analysis.symbolic import Kind, SymbolicEllipsoid, symbolic_ellipsoid
from dalembert.analysis.table import table
from dalembert.display import Printed
from dalembert.errors import UnknownName
from dalembert.expr import Expr, Matrix

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True)
class Ellipsoid(Printed):
    """Half axes of an ellipsoid, longest first, for a batch of Jacobians.

    ``axes`` ``(..., m, m)`` holds unit vectors in its columns, ``lengths`` ``(..., m)`` the length
    of each.
    """

    kind: Kind
    axes: Array
    lengths: Array

    @property
    def volume(self) -> Array:
        """K Π length, with K = π^{m/2}/Γ(m/2 + 1), the volume of the unit ball."""
        m = self.lengths.shape[-1]
        return math.pi ** (m / 2) / math.gamma(m / 2 + 1) * np.prod(self.lengths, axis=-1)

    def radius(self, direction: ArrayLike) -> Array:
        """Return the distance from the centre to the surface along a direction, ``(..., m)``."""
        d = np.asarray(direction, float)
        d = d / np.linalg.norm(d, axis=-1, keepdims=True)
        along = np.einsum("...ij,...i->...j", self.axes, d)
        # Σ (r dⱼ/lengthⱼ)² = 1; an axis of no length stops every direction with a part along it
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(along == 0, 0.0, along / self.lengths)
            return 1 / np.linalg.norm(parts, axis=-1)

    def points(self, count: int = 60) -> Array:
        """Return points of the surface of a single ellipsoid: ``(count, 2)``, or for three
        dimensions a grid ``(count, count, 3)``."""
        t = np.linspace(0, 2 * math.pi, count)
        if self.lengths.shape == (2,):
            ball = np.stack([np.cos(t), np.sin(t)], axis=-1)
        elif self.lengths.shape == (3,):
            polar = t[:, None] / 2
            ball = np.stack(
                [
                    np.sin(polar) * np.cos(t),
                    np.sin(polar) * np.sin(t),
                    np.broadcast_to(np.cos(polar), (count, count)),
                ],
                axis=-1,
            )
        else:
            raise UnknownName(
                "expected one ellipsoid of two or three dimensions to draw, got lengths of shape "
                f"{self.lengths.shape}: index the batch, or choose rows of the Jacobian"
            )
        return ball @ (self.axes * self.lengths).T

    def __str__(self) -> str:
        if self.lengths.ndim > 1:
            return f"{self.kind} ellipsoids, lengths of shape {self.lengths.shape}"
        rows = [
            (f"{length:.6g}", "  ".join(f"{x: .4f}" for x in axis))
            for length, axis in zip(self.lengths, self.axes.T, strict=True)
        ]
        text = table(("length", "axis"), rows)
        return f"{self.kind} ellipsoid, volume {float(self.volume):.6g}\n{text}"


@overload
def ellipsoid(  # pyright: ignore[reportOverlappingOverload]
    J: Matrix, kind: Kind = "velocity", *, positive: Sequence[Expr] = ()
) -> SymbolicEllipsoid: ...
@overload
def ellipsoid(
    J: ArrayLike, kind: Kind = "velocity", *, positive: Sequence[Expr] = ()
) -> Ellipsoid: ...
def ellipsoid(
    J: Matrix | ArrayLike, kind: Kind = "velocity", *, positive: Sequence[Expr] = ()
) -> Ellipsoid | SymbolicEllipsoid:
    """Return the ellipsoid of the velocities ξ = J q̇ with ‖q̇‖ ≤ 1, or of the forces.

    "velocity": axes are the left singular vectors of J, lengths its singular values σ. "force":
    the forces F that torques ‖τ‖ ≤ 1 balance, τ = Jᵀ F: the same axes, lengths 1/σ, infinite
    where J is singular. Where the arm moves easily it pushes weakly.

    Args:
        J: ``(..., m, n)``; for `dynamic_jacobian` the velocity ellipsoid is one of accelerations.
            A `da.Matrix` of expressions with one or two rows or columns gives closed forms.
        kind: "velocity" or "force".
        positive: Symbols of a matrix of expressions that need no absolute value.

    >>> ellipsoid([[2.0, 0.0], [0.0, 0.5]], "force").lengths
    array([2. , 0.5])
    """
    if kind not in ("velocity", "force"):
        raise UnknownName(f"expected kind 'velocity' or 'force', got {kind!r}")
    if isinstance(J, Matrix):
        return symbolic_ellipsoid(J, kind, positive)
    J = checked_jacobian(J)
    U, sigma, _ = np.linalg.svd(J)
    # an axis has two directions: the one whose largest component is positive
    largest = np.take_along_axis(U, np.abs(U).argmax(axis=-2, keepdims=True), axis=-2)
    U = U * np.sign(largest)
    # fewer joints than rows: the remaining directions cannot move
    missing = J.shape[-2] - sigma.shape[-1]
    if missing > 0:
        sigma = np.concatenate([sigma, np.zeros((*sigma.shape[:-1], missing))], axis=-1)
    if kind == "velocity":
        return Ellipsoid(kind, U, sigma)
    with np.errstate(divide="ignore"):
        return Ellipsoid(kind, U[..., ::-1], 1 / sigma[..., ::-1])
