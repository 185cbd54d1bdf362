"""Time inverse kinematics beside the solvers that people use, on the same poses in one run.

    python -m benchmarks.inverse_kinematics [arms…] [--poses 10000] [--peer-poses 200] [--json FILE]

Every solver gets poses of the flange that random configurations within the limits reach, starts in
the middle of the limits, and may start again: "cold". Then it gets poses along a smooth way, a few
millimetres apart, and starts where it ended before: "tracking". A pose counts as solved if the
forward kinematics of dalembert finds position and orientation within 1e-9 and the joints within
their limits, whatever the solver says. Time is that of one core, failures included. Peers that are
not installed are listed with the command that installs them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.ik_solvers import ARMS, SOLVERS, Case, Mink, OneByOne, Ours, Solver
from benchmarks.machine import machine
from benchmarks.peers.base import Unavailable
from benchmarks.robots import Array

ROUNDS = 3


class Row(NamedTuple):
    """What one solver did on one arm."""

    arm: str
    solver: str
    what: str
    poses: int
    solved: float
    seconds_per_pose: float


def measure(case: Case, count: int, announce: Callable[[str], None]) -> list[Row]:
    """Return rows for each solver that is installed; the others are announced."""
    ours, total = Ours(case), len(case.targets)
    rows = [_row(case, ours.name, "batch", ours.cold, total, case.targets)]
    for make in SOLVERS:
        try:
            solver: Solver = make(case)
        except Unavailable as error:
            announce(f"skipped: {make.name}: {error}")
            continue
        poses = min(count, total)
        if make is Mink:
            poses = max(1, poses // 10)
        rows.append(_row(case, make.name, "cold", solver.cold, poses, case.targets))
        rows.append(_row(case, make.name, "tracking", solver.track, poses, case.way))
    for row in rows:
        announce(f"{row.arm}, {row.solver}, {row.what}: {1e6 * row.seconds_per_pose:.1f} µs")
    return rows


def _row(
    case: Case, name: str, what: str, solve: Callable[[int], Array], poses: int, targets: Array
) -> Row:
    # the first call compiles
    solve(min(poses, 32))
    best = np.inf
    q = np.zeros((0, case.model.nq))
    for _ in range(ROUNDS):
        begin = process_time()
        q = solve(poses)
        best = min(best, process_time() - begin)
    return Row(case.name, name, what, poses, case.solved(q, targets), best / poses)


def table(rows: list[Row]) -> Table:
    """Return success and time of all solvers."""
    result = Table(
        "arm", "solver", "poses are", "number", "solved", "time per pose", "dalembert is faster by"
    )
    ours = {
        (row.arm, row.what): row.seconds_per_pose for row in rows if row.solver == OneByOne.name
    }
    for row in rows:
        other = ours.get((row.arm, row.what))
        is_peer = other is not None and row.solver != OneByOne.name
        result.add_row(
            row.arm,
            row.solver,
            row.what,
            str(row.poses),
            f"{100 * row.solved:.2f} %",
            f"{1e6 * row.seconds_per_pose:.2f} µs",
            f"{row.seconds_per_pose / other:.1f} ×" if is_peer and other else "",
        )
    return result


def main() -> None:
    """Measure, print a table, write a file if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("arms", nargs="*", help=f"of {', '.join(ARMS)}; all unless given")
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--peer-poses", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if unknown := [name for name in options.arms if name not in ARMS]:
        parser.error(f"expected arms of {', '.join(ARMS)}, got {unknown[0]}")
    console = Console()
    rows: list[Row] = []
    for name in options.arms or ARMS:
        rows += measure(Case(name, options.poses), options.peer_poses, console.print)
    console.print(table(rows))
    if options.json:
        data = {"machine": machine(), "rows": [row._asdict() for row in rows]}
        options.json.write_text(json.dumps(data, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
