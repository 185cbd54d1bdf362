"""Pictures of a study; each goes through its files once and needs the memory of a piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.studies.study import Study
    from dalembert.types import Array


def plot_histogram(study: Study, name: str, bins: int, ax: Axes | None) -> Axes:
    """Draw the picture of `Study.plot_histogram`."""
    low, high = extent(study, name)
    edges = np.linspace(low, high, bins + 1)
    counts = sum(np.histogram(x, edges)[0] for (x,) in _numbers(study, name))
    ax = _axes(ax)
    ax.stairs(np.asarray(counts), edges, fill=True, color="tab:blue")
    ax.set(xlabel=name, ylabel="rows", xlim=(low, high))
    return ax


def plot_heat_map(
    study: Study, x: str, y: str, value: str | None, cells: int, ax: Axes | None
) -> Axes:
    """Draw the picture of `Study.plot_heat_map`."""
    edges = [np.linspace(*extent(study, name), cells + 1) for name in (x, y)]
    counts, sums = np.zeros((2, cells, cells))
    for columns in _numbers(study, x, y, *(() if value is None else (value,))):
        counts += np.histogram2d(*columns[:2], edges)[0]  # type: ignore[arg-type]
        if value is not None:
            sums += np.histogram2d(*columns[:2], edges, weights=columns[2])[0]  # type: ignore[arg-type]
    shown = counts if value is None else sums
    with np.errstate(invalid="ignore"):
        means = np.where(counts > 0, shown / (1 if value is None else counts), np.nan)
    ax = _axes(ax)
    mesh = ax.pcolormesh(*edges, np.ma.masked_invalid(means.T), cmap="viridis", rasterized=True)
    ax.figure.colorbar(mesh, ax=ax, label="rows" if value is None else f"mean {value}")
    ax.set(xlabel=x, ylabel=y)
    return ax


def plot_parallel(study: Study, names: Sequence[str], lines: int, ax: Axes | None) -> Axes:
    """Draw the picture of `Study.plot_parallel`."""
    from matplotlib.collections import LineCollection

    if len(names) < 2:
        raise EvaluationError(f"expected two columns or more, got {list(names)}")
    rows = np.concatenate([np.stack(x, -1) for x in _numbers(study, *names, about=lines)])
    low, high = rows.min(axis=0), rows.max(axis=0)
    heights = (rows - low) / np.where(high > low, high - low, 1)
    ax = _axes(ax)
    places = np.arange(len(names))
    paths = [np.column_stack((places, one)) for one in heights]
    drawn = LineCollection(paths, cmap="viridis", linewidths=0.6, alpha=0.6)
    drawn.set_array(rows[:, -1])
    ax.add_collection(drawn)
    for place, a, b in zip(places, low, high, strict=True):
        ax.plot([place, place], [0, 1], color="black", linewidth=0.8)
        for height, side, end in ((1.02, "bottom", b), (-0.02, "top", a)):
            ax.annotate(f"{end:.3g}", (place, height), ha="center", va=side, fontsize=8)
    ax.set_xticks(places, list(names))
    ax.set(yticks=[], xlim=(-0.3, len(names) - 0.7), ylim=(-0.1, 1.1))
    ax.tick_params(axis="x", length=0, pad=8)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(drawn, ax=ax, label=names[-1])
    return ax


def extent(study: Study, name: str) -> tuple[float, float]:
    """Return the lowest and highest number of a column; two apart if all are the same."""
    bounds = [(x.min(), x.max()) for (x,) in _numbers(study, name)]
    if not bounds:
        raise EvaluationError(f"expected numbers in column {name!r}, got rows that all failed")
    low, high = float(min(a for a, _ in bounds)), float(max(b for _, b in bounds))
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _numbers(study: Study, *names: str, about: int | None = None) -> Iterator[tuple[Array, ...]]:
    """Yield columns piece by piece, without rows that lack one of them; all, or about so many."""
    stride = 1 if about is None else max(1, study.num_done // about)
    for name in names:
        if study.names_of(name) != [name]:
            raise EvaluationError(
                f"expected one number for each row, got {name!r}: name one of its parts, such as "
                f"{study.names_of(name)[0]!r}"
            )
    for batch in study.batches(*names):
        columns = [np.asarray(batch[name], float)[::stride] for name in names]
        whole = np.logical_and.reduce([np.isfinite(x) for x in columns])
        if whole.any():
            yield tuple(x[whole] for x in columns)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6.4, 4.4), layout="constrained")[1]
