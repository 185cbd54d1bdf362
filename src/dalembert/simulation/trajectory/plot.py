"""A figure of a trajectory."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dalembert.simulation.trajectory.trajectory import Trajectory

# more lines than this share a legend that nobody reads
MAX_LEGEND = 12


def plot(motion: Trajectory, path: str | Path | None = None) -> Figure:
    """Return positions, velocities, energies and the error of their account, over time."""
    from matplotlib.figure import Figure

    # a figure of its own, outside pyplot: no window, and nothing to close
    figure = Figure(figsize=(10, 7), layout="constrained")
    (top_left, top_right), (low_left, low_right) = figure.subplots(2, 2, sharex=True)
    _lines(top_left, motion.t, motion.q, motion.q_names, "q")
    _lines(top_right, motion.t, motion.qd, motion.v_names, "dq/dt")
    energy = motion.energy
    parts = {
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "total": energy.total,
        "work": energy.work if np.any(energy.work) else None,
        "dissipated": energy.dissipated if np.any(energy.dissipated) else None,
    }
    for name, values in parts.items():
        if values is not None:
            low_left.plot(motion.t, values, label=name)
    low_left.set(ylabel="energy in J", xlabel="t in s")
    low_left.legend(loc="best", fontsize="small")
    low_right.plot(motion.t, energy.error, label="energy account, in J", color="C3")
    if motion.constraint_names:
        low_right.plot(motion.t, motion.position_error, label="constraints", color="C4")
        low_right.plot(motion.t, motion.velocity_error, label="their velocities", color="C5")
    low_right.set(ylabel="errors", xlabel="t in s")
    low_right.legend(loc="best", fontsize="small")
    for axes in (top_left, top_right, low_left, low_right):
        axes.grid(alpha=0.3)
        for t, _ in motion.events:
            axes.axvline(t, color="0.6", linewidth=0.8, linestyle=":")
    figure.suptitle(f"{motion.name}: {motion.status[:100]}", fontsize="medium")
    if path is not None:
        _write(figure, Path(path))
    return figure


def _write(figure: Figure, path: Path) -> None:
    known = figure.canvas.get_supported_filetypes()
    ending = path.suffix[1:].lower()
    if ending not in known:
        raise EvaluationError(
            f"expected a file ending .png, .svg or .pdf for a figure, got {str(path)!r}"
        )
    drawn = io.BytesIO()
    figure.savefig(drawn, format=ending)
    write_whole(path, drawn.getvalue())


def _lines(
    axes: Axes, t: np.ndarray, values: np.ndarray, names: tuple[str, ...], what: str
) -> None:
    for k, name in enumerate(names):
        axes.plot(t, values[:, k], label=name)
    axes.set(ylabel=what)
    if len(names) <= MAX_LEGEND:
        axes.legend(loc="best", fontsize="small")
