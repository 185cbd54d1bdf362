"""Draw the ratios against Pinocchio in C++."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.engines import BASELINE, NAMES
from benchmarks.measure import RobotTimes
from benchmarks.peers.base import TASKS
from benchmarks.tables import ratio

COLOURS = {
    "dalembert batch": "#0b6e4f",
    "dalembert single": "#3fae7f",
    "dalembert Python": "#a9dcc3",
    "CasADi C": "#c46210",
    "CasADi VM": "#eebd8f",
    "MuJoCo C": "#3b6fb6",
    "Pinocchio Python": "#8f8f8f",
}
"""Engines in the order of the bars, ours first; those called from Python and the VM are paler."""
MAIN_TASKS = tuple(TASKS)[:5]


def draw(robots: Sequence[RobotTimes], path: Path) -> None:
    """Write a bar chart of ratios, one panel for each robot; the ending of the path is the format.

    A bar to the right of the line at 1 is faster than Pinocchio in C++, to the left slower.
    """
    from matplotlib.figure import Figure

    shown = [robot for robot in robots if any(BASELINE in t.times for t in robot.tasks.values())]
    names = [name for name in COLOURS if name in NAMES and _is_timed(shown, name)]
    bars = 0.2 * len(names) * len(MAIN_TASKS) + 1.0
    figure = Figure(figsize=(9, 0.9 + bars * len(shown)), layout="constrained")
    panels = figure.subplots(len(shown), 1, squeeze=False, sharex=True)[:, 0]
    for axes, robot in zip(panels, shown, strict=True):
        _panel(axes, robot, names)
    panels[-1].set_xlabel(f"times as fast as {BASELINE}, logarithmic")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    # dates and random ids would make every run differ
    metadata = {"Date": None} if path.suffix == ".svg" else None
    figure.savefig(path, dpi=120, metadata=metadata)


def _is_timed(robots: Sequence[RobotTimes], name: str) -> bool:
    return any(name in task.times for robot in robots for task in robot.tasks.values())


def _panel(axes, robot: RobotTimes, names: Sequence[str]) -> None:
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
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(MAIN_TASKS)), [TASKS[task] for task in MAIN_TASKS])
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.set_title(f"{robot.name}, {robot.num_v} freedoms", loc="left", fontsize=10)
    axes.grid(axis="x", which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
