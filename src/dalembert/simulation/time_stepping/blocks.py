"""Blocks of rows that a sweep solves exactly while the impulses of all others stay.

Everything is expressions, without branches. A row b of J becomes y = D^-½ L⁻ᵀ b with M = Lᵀ D L, so
that z = Σ y p carries all coupling: the velocity of a row is its free one plus yᵀ z.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from dalembert.expr import ZERO, Expr, as_expr, total
from dalembert.spatial.scalar import absolute, clamped, larger, smaller, square_root, step
from dalembert.types import Scalar

TINY = 1e-30
"""Added to squares of impulses and to slopes, so that what is zero divides by no zero."""

Column = dict[int, Any]
"""A row of J, scaled: its entries by their places in v."""


def inner(a: Column, b: Column) -> Expr:
    """Return the sum of products over the places that both have."""
    return total([a[k] * b[k] for k in a if k in b])


def add_to(z: Column, column: Column, change: Scalar) -> None:
    """Add a column times an impulse to z."""
    for k, y in column.items():
        z[k] = y * change + z[k] if k in z else y * change


class Side(NamedTuple):
    """A row: its scaled column, and its velocity before all impulses."""

    column: Column
    free: Scalar

    def velocity(self, z: Column) -> Scalar:
        """Return its velocity with the impulses in z."""
        return self.free + inner(self.column, z)


class Block(ABC):
    """Rows that are solved together.

    Attributes:
        sides: The rows.
        memory: How many numbers it remembers from sweep to sweep; zeros at first.
        mobilities: The velocity that each row gets of an impulse of its own.
    """

    memory: ClassVar[int] = 0

    def __init__(self, sides: Sequence[Side]) -> None:
        self.sides = tuple(sides)
        self.mobilities = [inner(side.column, side.column) for side in sides]

    @abstractmethod
    def solved(
        self, impulses: Sequence[Scalar], u: Sequence[Scalar], memory: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return the impulses that obey the laws of these rows, the others as they are.

        Also what is remembered.

        Args:
            impulses: Those so far.
            u: The velocities of the rows with them.
            memory: What is remembered.
        """

    @abstractmethod
    def residual(self, impulses: Sequence[Scalar], u: Sequence[Scalar]) -> Scalar:
        """Return how far impulses are from what the laws say to them, as a velocity."""

    def velocities(self, z: Column) -> list[Scalar]:
        """Return the velocities of the rows with the impulses in z."""
        return [side.velocity(z) for side in self.sides]


class BoxBlock(Block):
    """One row with dry friction, |p| ≤ bound, with stops on either side, or with both.

    The stops keep low ≤ u ≤ high: both together with the friction are one clipped line.
    """

    def __init__(self, side: Side, bound: Scalar, low: Scalar | None, high: Scalar | None) -> None:
        super().__init__([side])
        self.bound, self.low, self.high = bound, low, high
        (self.mobility,) = self.mobilities
        self.inverse = 1 / self.mobility

    def solved(
        self, impulses: Sequence[Scalar], u: Sequence[Scalar], memory: Sequence[Scalar] = ()
    ) -> tuple[list[Scalar], list[Scalar]]:
        free = u[0] - self.mobility * impulses[0]
        p = ZERO
        if self.bound is not ZERO:
            p = clamped(-free * self.inverse, -self.bound, self.bound)
            free = free + self.mobility * p
        if self.low is not None:
            p = p + larger(self.low - free, 0) * self.inverse
        if self.high is not None:
            p = p - larger(free - self.high, 0) * self.inverse
        return [p], []

    def residual(self, impulses: Sequence[Scalar], u: Sequence[Scalar]) -> Scalar:
        (new,), _ = self.solved(impulses, u)
        return absolute(new - impulses[0]) * self.mobility


class ConeBlock(Block):
    """A contact with friction on a plane: rows of two tangents and the normal.

    With the normal eliminated, A = W_tt - w wᵀ/W_nn. Sticking and sliding are one family:
    (A + s) t = -c, thus u_t = -s t, s ≥ 0; s = 0 sticks. Sliding has |t| = μ n, one equation in s,
    nearly linear: Newton's step on it, and s is remembered from sweep to sweep.

    A contact that the others would open may hold itself closed by its friction, as a leg that
    stands obliquely does. Then both are solutions, and it does what it did.
    """

    memory: ClassVar[int] = 1

    def __init__(self, sides: Sequence[Side], target: Scalar, mu: Scalar) -> None:
        super().__init__(sides)
        self.target, self.mu = target, mu
        columns = [side.column for side in sides]
        W = [[inner(a, b) for b in columns] for a in columns]
        self.W, self.w = W, (W[0][2], W[1][2])
        self.inverse = 1 / W[2][2]
        self.wi = (self.w[0] * self.inverse, self.w[1] * self.inverse)
        self.a = W[0][0] - self.wi[0] * self.w[0]
        self.b = W[0][1] - self.wi[0] * self.w[1]
        # in the plane there is one tangent: a second one of the same mobility that never moves
        self.d = W[1][1] - self.wi[1] * self.w[1] if columns[1] else self.a
        self.det, self.trace = self.a * self.d - self.b * self.b, self.a + self.d

    def solved(
        self, impulses: Sequence[Scalar], u: Sequence[Scalar], memory: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        W, w, mu, (s,) = self.W, self.w, self.mu, memory
        c = [u[i] - total([W[i][j] * impulses[j] for j in range(3)]) for i in range(3)]
        n = c[2] + self.target
        cx, cy = c[0] - self.wi[0] * n, c[1] - self.wi[1] * n
        # t = -(adj A c + s c) / (det + s trace + s²)
        px0, py0 = self.d * cx - self.b * cy, self.a * cy - self.b * cx
        wc = w[0] * cx + w[1] * cy
        px, py = px0 + s * cx, py0 + s * cy
        D = self.det + s * (self.trace + s)
        N = w[0] * px + w[1] * py - n * D
        P = px * px + py * py + TINY
        slope = (wc - n * (self.trace + 2 * s)) * P - N * (px * cx + py * cy)
        change = (mu * N - W[2][2] * square_root(P)) * P / (mu * absolute(slope) + TINY)
        s = larger(s - change, 0)
        over = 1 / (self.det + s * (self.trace + s))
        tx, ty = -(px0 + s * cx) * over, -(py0 + s * cy) * over
        # n W_nn = -(b_n + w t); where the others would open it, it may hold itself closed
        closed = larger(step(-n), step(impulses[2]))
        normal = larger(-(n + w[0] * tx + w[1] * ty) * self.inverse, 0) * closed
        return [*_in_disk(tx, ty, mu * normal), normal], [s * closed]

    def residual(self, impulses: Sequence[Scalar], u: Sequence[Scalar]) -> Scalar:
        (x, y, normal), W = impulses, self.W
        gap = absolute(smaller(u[2] + self.target, W[2][2] * normal))
        # |t - P(t - u_t/W)| W, with P on the disk of radius μ n
        size = larger(W[0][0], W[1][1])
        ux, uy = u[0] / size, u[1] / size
        px, py = _in_disk(x - ux, y - uy, self.mu * normal)
        return larger(gap, size * square_root((x - px) ** 2 + (y - py) ** 2))


def _in_disk(x: Scalar, y: Scalar, radius: Scalar) -> tuple[Scalar, Scalar]:
    """Return the point of a disk about the origin that is nearest to (x, y) along its ray."""
    share = smaller(radius / square_root(x * x + y * y + TINY), as_expr(1))
    return x * share, y * share
