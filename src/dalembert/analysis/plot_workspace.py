"""Draw a map of the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.analysis.workspace import Workspace

NAMES = "xyz"


def plot_workspace(
    space: Workspace, axes: Sequence[int] | None, cells: int, ax: Axes | None
) -> Axes:
    """Draw the map of `Workspace.plot`."""
    import matplotlib.pyplot as plt

    if axes is None:
        extent = np.ptp(space.positions, axis=0)
        axes = sorted(int(k) for k in np.argsort(-extent, kind="stable")[:2])
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
    x, y, values = space.grid(axes, cells)
    mesh = ax.pcolormesh(x, y, np.ma.masked_invalid(values.T), cmap="viridis", rasterized=True)
    ax.figure.colorbar(mesh, ax=ax, label=f"best {space.measure.replace('_', ' ')}")
    ax.set_aspect("equal")
    ax.set_xlabel(f"{NAMES[axes[0]]} in m")
    ax.set_ylabel(f"{NAMES[axes[1]]} in m")
    ax.set_title(f"workspace of {space.frame}")
    return ax
