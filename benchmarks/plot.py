"""Draw the ratios against Pinocchio in C++."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.engines import BASELINE, NAMES
from benchmarks.measure import RobotTimes
from benchmarks.peers.base import MAIN_TASKS, TASKS
from benchmarks.tables import ratio

COLOURS = {
    "dalembert float32": "#06402e",
    "dalembert batch": "#0b6e4f",
    "dalembert single": "#3fae7f",
    "dalembert Python": "#a9dcc3",
    "CasADi C": "#c46210",
    "CasADi VM": "#eebd8f",
    "MuJoCo C": "#3b6fb6",
    "Pinocchio Python": "#8f8f8f",
}
"""Engines in the order of the bars, ours first; those called from Python and the VM are paler."""
COLUMNS = 2


def draw(robots: Sequence[RobotTimes], path: Path) -> None:
    """Write a bar chart of ratios, one panel for each robot; the ending of the path is the format.

    A bar to the right of the line at 1 is faster than Pinocchio in C++, to the left slower.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    shown = [robot for robot in robots if any(BASELINE in t.times for t in robot.tasks.values())]
    names = [name for name in COLOURS if name in NAMES and _is_timed(shown, name)]
    rows = -(-len(shown) // COLUMNS)
    bars = len(names) * len(MAIN_TASKS)
    figure = Figure(figsize=(12, 1 + rows * (0.8 + 0.13 * bars)), layout="constrained")
    grid = figure.subplots(rows, COLUMNS, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, robot in zip(grid, shown, strict=False):
        _panel(axes, robot, names)
    # room for the figures beside the longest bars
    low, high = grid[0].get_xlim()
    grid[0].set_xlim(low / 1.5, 1.5 * high)
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    figure.supxlabel(f"times as fast as {BASELINE}")
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(names), frameon=False)
    # dates and random ids would make every run differ
    is_svg = path.suffix == ".svg"
    with rc_context({"svg.hashsalt": "dalembert"}):
        figure.savefig(path, dpi=120, metadata={"Date": None} if is_svg else None)


def _is_timed(robots: Sequence[RobotTimes], name: str) -> bool:
    return any(name in task.times for robot in robots for task in robot.tasks.values())


def _panel(axes: Any, robot: RobotTimes, names: Sequence[str]) -> None:
    height = 0.85 / len(names)
    for k, name in enumerate(names):
        places, values = [], []
        for row, task in enumerate(MAIN_TASKS):
            times = robot.tasks[task].times
            if name in times and BASELINE in times:
                places.append(row + (k - (len(names) - 1) / 2) * height)
                values.append(times[BASELINE] / times[name])
        # bars start at 1: to the right faster, to the left slower
        widths = [value - 1 for value in values]
        axes.barh(places, widths, height, left=1, color=COLOURS[name], label=name)
        for place, value in zip(places, values, strict=True):
            axes.annotate(
                ratio(value),
                (value, place),
                (3 if value >= 1 else -3, 0),
                textcoords="offset points",
                va="center",
                ha="left" if value >= 1 else "right",
                fontsize=6.5,
            )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}×")
    axes.xaxis.set_tick_params(labelbottom=True)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(MAIN_TASKS)), [TASKS[task] for task in MAIN_TASKS])
    # the first task on top
    axes.set_ylim(len(MAIN_TASKS) - 0.5, -0.5)
    axes.set_title(f"{robot.name}, {robot.nv} freedoms", loc="left", fontsize=10)
    axes.grid(axis="x", which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
