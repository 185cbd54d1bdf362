"""Time dalembert and every installed peer on the same robots, in one process and one run.

    python -m benchmarks [robots…] [--quick] [--peers-only] [--json FILE] [--write-docs]

Every engine must first agree with the recursions. Then all engines take turns, round by round, and
the best round of each counts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.cold_start import cold_start
from benchmarks.machine import machine
from benchmarks.measure import measure_robot, open_case
from benchmarks.ours import compiled_tasks, thread_times
from benchmarks.page import write_page
from benchmarks.peak import fma_peak
from benchmarks.peers.base import Case, Unavailable
from benchmarks.robots import robots
from benchmarks.tables import all_tables
from benchmarks.timing import QUICK, THOROUGH

THREADED_ROBOT = "panda"
# of tables that go to a file
WIDTH = 120


def measure(options: argparse.Namespace, announce: Callable[[str], None]) -> dict[str, Any]:
    """Return everything that is asked for."""
    plan = QUICK if options.quick else THOROUGH
    announce("multiply-add peak")
    results: dict[str, Any] = {"machine": machine(), "peak": fma_peak(), "missing": {}}
    cases = [open_case(name) for name in options.robots]
    results["robots"] = [
        measure_robot(case, plan, peers_only=options.peers_only, announce=announce)
        for case in cases
    ]
    for robot in results["robots"]:
        results["missing"] |= robot.missing
    if not options.peers_only:
        try:
            _own_measures(results, cases, plan.rounds, announce)
        except Unavailable as error:
            results["missing"]["cold start and threads"] = str(error)
    return results


def _own_measures(
    results: dict[str, Any], cases: list[Case], rounds: int, announce: Callable[[str], None]
) -> None:
    """Add what only dalembert has: cold starts and threads."""
    results["cold"] = {}
    for case in cases:
        announce(f"{case.name}: cold start")
        results["cold"][case.name] = cold_start(case.mechanism, compiled_tasks(case.mechanism))
    for case in cases:
        if case.name == THREADED_ROBOT:
            announce(f"{case.name}: two threads")
            results["threads"] = {case.name: thread_times(case, (1, 2), rounds)}


def main() -> None:
    """Run the benchmark."""
    known = list(robots())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__.split("\n")[0] if __doc__ else None
    )
    parser.add_argument("robots", nargs="*", metavar="robot", help=f"of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--peers-only", action="store_true", help="leave dalembert out")
    parser.add_argument("--json", type=Path, help="write all results to this file")
    parser.add_argument(
        "--write-docs", action="store_true", help="write docs/benchmarks.md and its plot"
    )
    options = parser.parse_args()
    for name in options.robots:
        if name not in known:
            parser.error(f"expected robots of {', '.join(known)}, got {name!r}")
    options.robots = options.robots or known
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        results = measure(options, lambda text: progress.update(task, description=text))
    for table in all_tables(results):
        console.print(table.rich())
    for name, reason in results["missing"].items():
        console.print(f"[yellow]not measured:[/] {name}: {reason}")
    if options.json:
        plain = {**results, "robots": [asdict(robot) for robot in results["robots"]]}
        options.json.write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")
    if options.write_docs:
        flags = " --quick" if options.quick else ""
        write_page(results, f"python -m benchmarks {' '.join(options.robots)}{flags}")


if __name__ == "__main__":
    main()
