"""Plots of a report: curves over time, clouds of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.picture.plots import plot_svg, styled
from dalembert.report.content import Figure

if TYPE_CHECKING:
    from dalembert.types import Array

WIDTH, HEIGHT = 6.8, 2.7
"""Of one plot in inches."""
FLAT = 1e-9
"""Change beside the size of a value up to which a curve is drawn as level."""


def curves(t: Array, panels: Mapping[str, Mapping[str, Array]], caption: str) -> Figure:
    """Return curves over the time in seconds, one panel above the other.

    Args:
        t: Times in s.
        panels: By the name of the vertical axis with its unit: curves by name.
        caption: In words.
    """
    from matplotlib.figure import Figure as Canvas

    with styled():
        canvas = Canvas(figsize=(WIDTH, HEIGHT * len(panels)))
        axes = canvas.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (unit, series) in zip(axes, panels.items(), strict=True):
            for name, y in series.items():
                ax.plot(t, y, label=name)
            ax.set_ylabel(unit)
            _leave_room(ax, np.concatenate([np.ravel(y) for y in series.values()]))
            ax.margins(x=0)
            ax.legend(
                ncols=min(len(series), 8),
                loc="lower left",
                bbox_to_anchor=(0, 1.0),
                borderaxespad=0.1,
                handlelength=1.4,
                columnspacing=1.2,
            )
        axes[-1].set_xlabel("t in s")
        return Figure(plot_svg(canvas, caption), caption)


def cloud(points: Array, values: Array, names: Sequence[str], measure: str, caption: str) -> Figure:
    """Return points ``(N, 2)`` in m coloured by a value each, with the scale of colours."""
    from matplotlib.figure import Figure as Canvas

    spans = np.maximum(np.ptp(points, axis=0), 1e-9)
    with styled():
        ratio = float(np.clip(spans[1] / spans[0], 0.35, 1.4))
        canvas = Canvas(figsize=(5.6, 0.9 + 4.2 * ratio))
        ax = canvas.subplots()
        # the largest values are drawn last, over the others
        order = np.argsort(values)
        dots = ax.scatter(*points[order].T, c=values[order], s=7, lw=0, rasterized=True)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel(f"{names[0]} in m")
        ax.set_ylabel(f"{names[1]} in m")
        canvas.colorbar(dots, ax=ax, label=measure, shrink=0.9, pad=0.02)
        return Figure(plot_svg(canvas, caption), caption)


def _leave_room(ax: Any, values: Array) -> None:
    """Give level curves an axis on which rounding is not seen as motion."""
    low, high = float(np.min(values)), float(np.max(values))
    size = max(abs(low), abs(high))
    if high - low <= FLAT * max(size, 1e-12):
        middle, reach = (low + high) / 2, 0.5 * size or 0.5
        ax.set_ylim(middle - reach, middle + reach)
