"""Maps of the workspace: the points a tool reaches, and a measure of its Jacobian there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.manipulability import (
    condition_number,
    dexterity,
    isotropy,
    manipulability,
    singular_values,
)
from dalembert.analysis.samples import Bounds, chunks, grid_configurations, random_configurations
from dalembert.analysis.table import numbers, table
from dalembert.display import Printed
from dalembert.errors import EvaluationError, UnknownName, nearest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.model import Model
    from dalembert.tasks.limits import Clearance
    from dalembert.types import Array, ArrayLike

MEASURES: dict[str, Callable[[Array], Array]] = {
    "manipulability": manipulability,
    "condition_number": condition_number,
    "dexterity": dexterity,
    "isotropy": isotropy,
    "smallest_singular_value": lambda J: singular_values(J)[..., -1],
}


@dataclass(frozen=True)
class Workspace(Printed):
    """Configurations ``(N, nq)``, positions of the frame ``(N, 3)`` and a measure ``(N,)``."""

    frame: str
    measure: str
    configurations: Array
    positions: Array
    values: Array

    @property
    def reach(self) -> float:
        """The largest distance from the world's origin."""
        return float(np.linalg.norm(self.positions, axis=-1).max())

    @property
    def best(self) -> Array:
        """The configuration with the largest measure."""
        return self.configurations[np.argmax(self.values)]

    def volume(self, cells: int = 20) -> float:
        """Return the volume of the cells, of a grid of ``cells`` per side, that were reached.

        It grows towards the true one with more samples and overestimates at the border.
        """
        lower, size = self.positions.min(axis=0), np.ptp(self.positions, axis=0)
        flat = size <= 1e-9 * size.max()
        if flat.all():
            return 0.0
        size = np.where(flat, 1.0, size)
        index = np.minimum((cells * (self.positions - lower) / size).astype(int), cells - 1)
        reached = len(np.unique(index[:, ~flat], axis=0))
        return float(reached * np.prod(size[~flat] / cells))

    def grid(self, axes: Sequence[int] = (0, 1), cells: int = 60) -> tuple[Array, ...]:
        """Return edges along two axes and the best value in each cell, NaN where none was reached.

        ``values[i, j]`` belongs to cell i of the first axis and j of the second.
        """
        x, y = (self.positions[:, k] for k in axes)
        edges = [np.linspace(v.min(), v.max() + 1e-12, cells + 1) for v in (x, y)]
        i, j = (
            np.clip(np.searchsorted(e, v, side="right") - 1, 0, cells - 1)
            for e, v in zip(edges, (x, y), strict=True)
        )
        best = np.full((cells, cells), -np.inf)
        np.maximum.at(best, (i, j), self.values)
        return edges[0], edges[1], np.where(np.isfinite(best), best, np.nan)

    def plot(
        self, *, axes: Sequence[int] | None = None, cells: int = 80, ax: Axes | None = None
    ) -> Axes:
        """Draw the best value in each cell of a plane; return the axes of matplotlib.

        Args:
            axes: The two axes of the plane to look along the third; those with the largest extent
                unless given.
            cells: Along each side.
            ax: Axes to draw on; a new figure unless given.
        """
        from dalembert.analysis.plot_workspace import plot_workspace

        return plot_workspace(self, axes, cells, ax)

    def __str__(self) -> str:
        v = self.values
        rows = [
            ("smallest", f"{v.min():.4g}", numbers(self.positions[np.argmin(v)])),
            ("median", f"{np.median(v):.4g}", ""),
            ("largest", f"{v.max():.4g}", numbers(self.positions[np.argmax(v)])),
        ]
        low, high = self.positions.min(axis=0), self.positions.max(axis=0)
        return "\n".join(
            [
                f"workspace of {self.frame!r}: {len(v)} configurations, reach {self.reach:.4g}",
                f"from {numbers(low)} to {numbers(high)}",
                table((self.measure, "value", "position"), rows),
            ]
        )


def workspace(
    model: Model,
    frame: str,
    *,
    samples: int = 20_000,
    grid: ArrayLike | None = None,
    rows: Sequence[int] = (0, 1, 2),
    measure: str = "manipulability",
    bounds: Bounds | None = None,
    clearance: Clearance | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Workspace:
    """Return positions of a frame and a measure of its Jacobian over the joint limits.

    Args:
        samples: Random configurations, uniform within the limits.
        grid: Instead of them, points of a grid for every joint: a number, or one for each joint.
        rows: Rows of the Jacobian (linear, angular) that the measure sees.
        measure: "manipulability", "condition_number", "dexterity", "isotropy" or
            "smallest_singular_value".
        bounds: Lower and upper q to sample between, instead of the joint limits.
        clearance: What distances links keep: other configurations are left out.
        progress: Whether a bar on the error stream shows how far it is.

    Raises:
        EvaluationError: no configuration keeps the clearance.
    """
    if measure not in MEASURES:
        raise UnknownName(f"expected a measure, got {measure!r} ({nearest(measure, MEASURES)})")
    if grid is None:
        q = random_configurations(model, samples, seed, bounds)
    else:
        q = grid_configurations(model, grid, bounds)
    chosen = checked_rows(rows)
    kept, positions, values = [], [], []
    for part in chunks(q, f"workspace of {frame}", progress=progress):
        if clearance is not None:
            part = part[clearance.distances(model, part).least >= clearance.margin]
        kept.append(part)
        positions.append(model.forward_kinematics(part, frame)[..., :3, 3])
        values.append(MEASURES[measure](model.jacobian(part, frame)[..., chosen, :]))
    q = np.concatenate(kept)
    if not len(q):
        raise EvaluationError(
            "expected configurations that keep the clearance, got none: use a smaller margin, or "
            "exclude= pairs that always touch"
        )
    return Workspace(frame, measure, q, np.concatenate(positions), np.concatenate(values))


def checked_rows(rows: Sequence[int]) -> list[int]:
    """Return rows of a frame's Jacobian as a list."""
    chosen = [int(i) for i in rows]
    if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(range(6)):
        raise EvaluationError(f"expected different rows out of 0 … 5, got {tuple(rows)}")
    return chosen
