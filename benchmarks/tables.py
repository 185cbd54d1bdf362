"""Results as tables, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rich.table import Table as RichTable

from benchmarks.engines import BASELINE, NAMES
from benchmarks.measure import RobotTimes
from benchmarks.ours import DalembertBatch, DalembertSingle
from benchmarks.peers.base import TASKS

NONE = "-"
# the step of a cold start that the other steps are named after
FIRST_TORQUE = ("load", "model", "inverse_dynamics, first call")


class Table(NamedTuple):
    """A title, a header, and rows whose first cell is a name."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def rich(self) -> RichTable:
        """Return it for the terminal."""
        table = RichTable(title=self.title, title_justify="left")
        for k, text in enumerate(self.header):
            table.add_column(text, justify="right" if k else "left")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """Return it as Markdown."""
        rule = ["---", *("---:" for _ in self.header[1:])]
        lines = [self.header, rule, *self.rows]
        return f"### {self.title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def all_tables(results: dict[str, Any]) -> list[Table]:
    """Return every table that there are results for."""
    robots: list[RobotTimes] = results["robots"]
    tables = [time_table(robot) for robot in robots]
    tables += [ratio_table(robot) for robot in robots if BASELINE in _engines(robot)]
    if any(task.cost for robot in robots for task in robot.tasks.values()):
        tables.append(cost_table(robots, results["peak"]))
    if results.get("cold"):
        tables += [cold_table(results["cold"]), compile_table(results["cold"])]
    if results.get("threads"):
        tables.append(thread_table(results["threads"]))
    return tables


def _engines(robot: RobotTimes) -> list[str]:
    """Return the engines that have any time, in the order of the table."""
    there = {name for task in robot.tasks.values() for name in task.times}
    return [name for name in NAMES if name in there]


def _grid(robot: RobotTimes, title: str, names: Sequence[str], cell: Callable) -> Table:
    timed = {TASKS[task]: times for task, times in robot.tasks.items() if times.times}
    rows = [(name, *(cell(times, name) for times in timed.values())) for name in names]
    return Table(f"{robot.name}, {robot.nv} freedoms: {title}", ("", *timed), rows)


def time_table(robot: RobotTimes) -> Table:
    """Return times per call or sample."""

    def cell(task: Any, name: str) -> str:
        return nanoseconds(task.times[name]) if name in task.times else NONE

    return _grid(robot, "time per call", _engines(robot), cell)


def ratio_table(robot: RobotTimes) -> Table:
    """Return how many times faster than Pinocchio in C++."""

    def cell(task: Any, name: str) -> str:
        if name not in task.times or BASELINE not in task.times:
            return NONE
        return ratio(task.times[BASELINE] / task.times[name])

    names = [name for name in _engines(robot) if name != BASELINE]
    return _grid(robot, f"times as fast as {BASELINE}", names, cell)


def cost_table(robots: Sequence[RobotTimes], peak: float) -> Table:
    """Return operations of dalembert's kernels, and how near they are to the peak of a core."""
    rows = []
    for robot in robots:
        for task, times in robot.tasks.items():
            if (cost := times.cost) is None:
                continue
            shares = [
                f"{cost['flops'] / times.times[name] / peak:.0%}" if name in times.times else NONE
                for name in (DalembertBatch.name, DalembertSingle.name)
            ]
            counts = (f"{cost[key]:,}" for key in ("flops", "divisions", "functions", "bytes"))
            rows.append((f"{robot.name}: {TASKS[task]}", *counts, *shares))
    title = f"dalembert's kernels; peak of one core: {peak:.1f} flops/ns"
    header = ("", "flops", "divisions", "functions", "bytes", "of peak, batch", "of peak, single")
    return Table(title, header, rows)


def cold_table(cold: dict[str, dict[str, dict[str, float]]]) -> Table:
    """Return the time from a file to the first torque, after the import."""
    rows = []
    for robot, states in cold.items():
        steps = [sum(seconds[key] for key in FIRST_TORQUE) for seconds in states.values()]
        imports = [seconds["import"] for seconds in states.values()]
        rows.append((robot, *(f"{x:.2f} s" for x in (min(imports), *steps))))
    header = ("", "import", "first torque, empty cache", "first torque, filled cache")
    return Table(
        "Cold start in a fresh process: file → first torque, import not counted", header, rows
    )


def compile_table(cold: dict[str, dict[str, dict[str, float]]]) -> Table:
    """Return the time of the first call and the first batch of each function."""
    rows = []
    for robot, states in cold.items():
        empty, filled = states["empty"], states["filled"]
        for task, title in TASKS.items():
            call, batch = f"{task}, first call", f"{task}, first batch"
            if call in empty:
                values = (empty[call], empty[batch], filled[call], filled[batch])
                rows.append((f"{robot}: {title}", *(f"{x:.2f} s" for x in values)))
    header = ("", "one state", "batch", "one state, cached", "batch, cached")
    return Table("Compilation: first use of each function in a fresh process", header, rows)


def thread_table(threads: dict[str, dict[int, float]]) -> Table:
    """Return how a large batch of inverse dynamics scales."""
    counts = next(iter(threads.values()))
    rows = []
    for robot, times in threads.items():
        one = times[min(times)]
        cells = (f"{nanoseconds(x)} ({one / x:.2f}×)" for x in times.values())
        rows.append((robot, *cells))
    header = ("", *(f"{k} thread{'s' if k > 1 else ''}" for k in counts))
    return Table("Inverse dynamics, batch of 2²⁰: time per sample", header, rows)


def nanoseconds(x: float) -> str:
    """Return a time with three digits: 81.2 ns, 1.09 µs."""
    if x < 1000:
        return f"{x:.3g} ns" if x < 100 else f"{x:.0f} ns"
    return f"{x / 1000:.3g} µs" if x < 1e5 else f"{x / 1000:.0f} µs"


def ratio(x: float) -> str:
    """Return a ratio with two or three digits: 0.52×, 4.1×, 17×."""
    return f"{x:.2f}×" if x < 1 else f"{x:.1f}×" if x < 10 else f"{x:.0f}×"
