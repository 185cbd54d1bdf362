"""Singular values and ellipsoids of a Jacobian of expressions, where they have a closed form.

One row or column: σ is its length. Two: σ² solves the quadratic s² - tr(G) s + det(G) = 0 of the
Gram matrix G, J Jᵀ or Jᵀ J, whichever is smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dalembert.errors import TooLarge
from dalembert.expr import PI, BySymbol, Expr, Matrix, atan2, cos, sin, sqrt

MAX_CLOSED = 2
"""Rows or columns up to which singular values are roots of a quadratic."""

Kind = Literal["velocity", "force"]


@dataclass(frozen=True)
class SymbolicEllipsoid:
    """Half axes of an ellipse in closed form, longest first.

    ``axes`` holds unit vectors in its columns, ``lengths`` the length of each. ``angle`` is that of
    the longest axis of two rows to the first direction, None of other Jacobians.
    """

    kind: Kind
    axes: Matrix
    lengths: Matrix
    angle: Expr | None

    @property
    def volume(self) -> Expr:
        """The length 2 σ₁ of one axis, the area π σ₁ σ₂ of two."""
        return (
            2 * self.lengths[0]
            if len(self.lengths) == 1
            else PI * self.lengths[0] * self.lengths[1]
        )

    def __str__(self) -> str:
        place = f"axes\n{self.axes}" if self.angle is None else f"longest axis at {self.angle}"
        return f"{self.kind} ellipsoid with half axes\n{self.lengths}\n{place}"

    def subs(self, values: BySymbol[Expr | float]) -> SymbolicEllipsoid:
        """Return the ellipsoid with values for some symbols."""
        angle = None if self.angle is None else self.angle.subs(values)
        return SymbolicEllipsoid(
            self.kind, self.axes.subs(values), self.lengths.subs(values), angle
        )


def symbolic_singular_values(J: Matrix, positive: Sequence[Expr] = ()) -> Matrix:
    """Return σ₁ ≥ σ₂ as a column.

    Raises:
        TooLarge: the Jacobian has three rows and three columns or more.
    """
    if min(J.shape) == 1:
        return Matrix.column([J.volume(positive)])
    half, root = _mean_and_root(_gram(J))
    largest = sqrt(half + root)
    # σ₂ = √(half - root) would lose its digits near singularities
    return Matrix.column([largest, J.volume(positive) / largest])


def symbolic_condition_number(J: Matrix, positive: Sequence[Expr] = ()) -> Expr:
    """Return κ = σ₁/σ₂ = σ₁²/μ, with μ = σ₁ σ₂."""
    return 1 / symbolic_dexterity(J, positive)


def symbolic_dexterity(J: Matrix, positive: Sequence[Expr] = ()) -> Expr:
    """Return 1/κ = μ/σ₁², which is zero where J is singular."""
    if min(J.shape) == 1:
        return J.volume(positive) / J.volume(positive)
    half, root = _mean_and_root(_gram(J))
    return J.volume(positive) / (half + root)


def symbolic_ellipsoid(
    J: Matrix, kind: Kind = "velocity", positive: Sequence[Expr] = ()
) -> SymbolicEllipsoid:
    """Return the ellipsoid of velocities or forces, its longest axis first.

    The longest axis of two rows makes the angle ½ atan2(2 g₁₂, g₁₁ - g₂₂) with the first direction.
    """
    sigma = symbolic_singular_values(J, positive)
    angle = None
    if min(J.shape) == 1:
        axes = Matrix([[1]]) if J.shape[0] == 1 else J * (1 / sigma[0])
    else:
        G = _gram(J)
        phi = atan2(2 * G[0, 1], G[0, 0] - G[1, 1]) / 2
        axes = Matrix([[cos(phi), -sin(phi)], [sin(phi), cos(phi)]])
        if J.shape[0] > MAX_CLOSED:
            # u = J v/σ of the right singular vectors v
            axes = J @ axes @ Matrix.diagonal([1 / x for x in sigma])
        else:
            angle = phi
    if kind == "velocity":
        return SymbolicEllipsoid(kind, axes, sigma, angle)
    # easy to move, hard to push: the other axis is the longest
    order = range(len(sigma))[::-1]
    turned = Matrix([[row[k] for k in order] for row in axes.rows])
    if angle is not None:
        angle = angle + PI / 2
    return SymbolicEllipsoid(kind, turned, Matrix.column([1 / sigma[k] for k in order]), angle)


def _gram(J: Matrix) -> Matrix:
    """Return the smaller of J Jᵀ and Jᵀ J in canonical form."""
    m, n = J.shape
    if min(m, n) > MAX_CLOSED:
        raise TooLarge(
            f"cannot give singular values of a {m} × {n} Jacobian in closed form: σ² solves an "
            f"equation of degree {min(m, n)}. Take two of its rows, or call the same function with "
            "numbers, J.evaluate(values)"
        )
    return J @ J.T if m <= n else J.T @ J


def _mean_and_root(G: Matrix) -> tuple[Expr, Expr]:
    """Return tr(G)/2 and √((g₁₁ - g₂₂)²/4 + g₁₂²), whose sum and difference are σ²."""
    difference = G[0, 0] - G[1, 1]
    return (G[0, 0] + G[1, 1]) / 2, sqrt(difference**2 / 4 + G[0, 1] ** 2)
