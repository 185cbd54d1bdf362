"""Heights on a grid as a smooth surface."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, total
from dalembert.model.border import finite_array
from dalembert.spatial.scalar import absolute, clamped, larger

if TYPE_CHECKING:
    from dalembert.types import ArrayLike, Scalar

MIN_NODES, MAX_NODES = 2, 1024
"""Along an axis at least, and in all at most: every contact has all of them in its code."""


@dataclass(frozen=True)
class HeightField:
    """A surface through heights on an even grid, with continuous slopes and curvatures.

    It is a bicubic spline z = Σ cᵢⱼ B(x/a - i) B(y/b - j), whose curvatures across the edges of the
    grid are zero there. Beyond the grid it goes on level.

    Args:
        heights: In m at the nodes of the grid, ``(nx, ny)``, along x and along y.
        size: Lengths of the grid along x and y in m.
        center: The middle of the grid, (x, y) in m.

    Raises:
        EvaluationError: numbers are not finite, or there are too few nodes or too many.

    >>> ramp = HeightField([[0.0, 0.0], [1.0, 1.0]], size=(2, 2))
    >>> [float(ramp(x, 0)) for x in (-1, 0, 0.5, 3)]
    [0.0, 0.5, 0.75, 1.0]
    """

    heights: ArrayLike
    size: tuple[float, float]
    center: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        heights = finite_array(self.heights, "heights= of HeightField")
        if heights.ndim != 2 or min(heights.shape) < MIN_NODES or heights.size > MAX_NODES:
            raise EvaluationError(
                f"expected heights (nx, ny) of HeightField with {MIN_NODES} rows and columns or "
                f"more, and {MAX_NODES} numbers or fewer, got shape {heights.shape}: take a "
                "coarser grid"
            )
        size = finite_array(self.size, "size= of HeightField", (2,))
        if not (size > 0).all():
            raise EvaluationError(f"expected positive lengths of HeightField, got {self.size}")
        finite_array(self.center, "center= of HeightField", (2,))
        # a value: what is made of it is kept by its hash
        object.__setattr__(self, "heights", tuple(map(tuple, heights.tolist())))

    def __call__(self, x: Scalar, y: Scalar) -> Expr:
        """Return the height of a place as an expression."""
        across, along = (
            _weights(
                (place - as_expr(middle)) * as_expr((n - 1) / length) + as_expr((n - 1) / 2), n
            )
            for place, middle, length, n in zip(
                (x, y), self.center, self.size, np.shape(self.heights), strict=True
            )
        )
        rows = [
            total([as_expr(c) * w for c, w in zip(row, along, strict=True) if c])
            for row in self._coefficients.tolist()
        ]
        return total([w * row for w, row in zip(across, rows, strict=True)])

    @cached_property
    def _coefficients(self) -> np.ndarray:
        """The numbers cᵢⱼ, one more beyond each edge."""
        c = np.array(self.heights)
        for _ in range(2):
            n = len(c)
            A, b = np.zeros((n + 2, n + 2)), np.zeros((n + 2, c.shape[1]))
            for k in range(n):
                A[k + 1, k : k + 3] = np.array([1, 4, 1]) / 6
            # no curvature at the edges
            A[0, :3] = A[-1, -3:] = [1, -2, 1]
            b[1:-1] = c
            c = np.linalg.solve(A, b).T
        # what is left of zeros is rounding
        return np.where(np.abs(c) > 1e-15 * np.abs(c).max(initial=0.0), c, 0.0)


def _weights(u: Scalar, n: int) -> list[Scalar]:
    """Return the values of all B-splines at a place of the grid, counted in cells from its edge."""
    at = clamped(u, 0, n - 1)
    found = []
    for k in range(-1, n + 1):
        d = absolute(at - k)
        outer, inner = larger(2 - d, 0), larger(1 - d, 0)
        found.append((outer**3 - 4 * inner**3) / 6)
    return found
