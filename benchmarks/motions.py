"""Plan random motions beside ruckig and toppra, in one run.

    python -m benchmarks.motions [--problems 10000] [--write]

Motions of limited jerk go from a moving state to another, of one joint and of seven joints that
arrive together. Time-optimal motions of seven joints follow a cubic spline through five points
within limits of speed and acceleration, on the same grid in both libraries. Durations are compared
one by one, and limits are checked between the places of the grid too. Time is that of the
processor. ``--write`` puts the tables into docs/trajectories.md.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

import dalembert as da
from benchmarks.machine import machine
from benchmarks.peers.base import Unavailable
from benchmarks.robots import Array
from benchmarks.tables import Table
from dalembert.control import time_optimal, via_points
from tests.unit.control.references.jerk.problems import asked, problems

PAGE = Path(__file__).parent.parent / "docs" / "trajectories.md"
MARKS = "<!-- motions begin -->", "<!-- motions end -->"
JOINTS = 7
GRID = 200
POINTS = 5
BETWEEN = 7
"""Samples in each interval of the grid; a prime number meets no symmetry of it."""

CALLS = 3
"""Of microseconds each: the first one looks at the limits."""

SAME = 1e-9
"""Part of a duration that is rounding."""


class Row(NamedTuple):
    """How two planners did: durations are ours by theirs, limits in parts that are exceeded."""

    what: str
    problems: int
    failed: int
    peer_failed: int
    ratios: Array
    beyond: float
    peer_beyond: float
    seconds: float
    peer_seconds: float


def jerk_limited(joints: int, count: int) -> Row:
    """Return how motions of limited jerk compare with ruckig."""
    ruckig: Any = _optional("ruckig")
    rows = problems(np.random.default_rng(joints), int(2.5 * count * joints))[: count * joints]
    groups = rows.reshape(-1, joints, rows.shape[1])[:count]
    planner = ruckig.Ruckig(joints)
    ratios, beyond, times, lost = [], 0.0, np.zeros(2), 0
    limits, start, end = asked(groups[0])
    # the first call compiles
    limits.motion(start, end)
    for group in groups:
        limits, start, end = asked(group)
        given, found = ruckig.InputParameter(joints), ruckig.Trajectory(joints)
        given.current_position, given.current_velocity, given.current_acceleration = start
        given.target_position, given.target_velocity, given.target_acceleration = end
        given.max_velocity, given.max_acceleration = limits.velocity, limits.acceleration
        given.max_jerk = limits.jerk
        motion, ours = _timed(lambda: limits.motion(start, end), CALLS)  # noqa: B023
        code, theirs = _timed(lambda: int(planner.calculate(given, found)), CALLS)  # noqa: B023
        times += ours, theirs
        v, a = motion.peaks()
        jerk = np.abs(motion.jerk(motion.breaks[:-1] + np.diff(motion.breaks) / 2)).max(axis=0)
        peaks = v / limits.velocity, a / limits.acceleration, jerk / limits.jerk
        beyond = max(beyond, *(float(x.max()) - 1 for x in peaks))
        if code < 0:
            lost += 1
        else:
            ratios.append(motion.duration / found.duration)
    what = f"limited jerk, {joints} joint{'s' * (joints > 1)}, ruckig"
    seconds = (times / len(groups)).tolist()
    return Row(what, len(groups), 0, lost, np.array(ratios), beyond, np.nan, *seconds)


def timings(count: int) -> Row:
    """Return how time-optimal motions compare with toppra."""
    toppra, constraint = _optional("toppra"), _optional("toppra.constraint")
    algorithm: Any = import_module("toppra.algorithm")
    logging.getLogger("toppra").setLevel(logging.ERROR)
    rng = np.random.default_rng(0)
    # the first call compiles
    time_optimal(via_points(rng.uniform(-1, 1, (3, JOINTS))), acceleration=1.0, grid=GRID)
    ratios, beyond, times, lost = [], np.zeros(2), np.zeros(2), np.zeros(2, int)
    scheme = constraint.DiscretizationType.Interpolation
    for _ in range(count):
        points = np.cumsum(rng.uniform(-1, 1, (POINTS, JOINTS)), axis=0)
        speed, boost = rng.uniform(0.5, 3, JOINTS), rng.uniform(1, 10, JOINTS)
        path = via_points(points)
        places = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])

        def ours() -> Any:
            try:
                return time_optimal(path, velocity=speed, acceleration=boost, grid=GRID)  # noqa: B023
            except da.EvaluationError:
                return None

        def theirs() -> Any:
            limits = [
                constraint.JointVelocityConstraint(np.stack([-speed, speed], axis=1)),  # noqa: B023
                constraint.JointAccelerationConstraint(
                    np.stack([-boost, boost], axis=1),  # noqa: B023
                    scheme,
                ),
            ]
            spline = toppra.SplineInterpolator(places, points, bc_type="natural")  # noqa: B023
            grid = np.linspace(0, places[-1], GRID + 1)  # noqa: B023
            # piecewise constant s̈; its spline in time would exceed the limits by more
            kind = "ParametrizeConstAccel"
            found = algorithm.TOPPRA(limits, spline, gridpoints=grid, parametrizer=kind)
            return found.compute_trajectory()

        motion, first = _timed(ours)
        other, second = _timed(theirs)
        times += first, second
        lost += motion is None, other is None
        if motion is None or other is None:
            continue
        ratios.append(motion.duration / other.duration)
        t = np.linspace(0, 1, BETWEEN * GRID)
        _, v, a = motion(t * motion.duration)
        w, b = (other(t * other.duration, order) for order in (1, 2))
        for k, (x, y) in enumerate(((v, a), (w, b))):
            over = max(np.max(np.abs(x) / speed), np.max(np.abs(y) / boost))
            beyond[k] = max(beyond[k], over - 1)
    what = f"time-optimal, {JOINTS} joints, toppra"
    over, each = beyond.tolist(), (times / count).tolist()
    return Row(
        what=what,
        problems=count,
        failed=int(lost[0]),
        peer_failed=int(lost[1]),
        ratios=np.array(ratios),
        beyond=over[0],
        peer_beyond=over[1],
        seconds=each[0],
        peer_seconds=each[1],
    )


def _timed(call: Callable[[], Any], calls: int = 1) -> tuple[Any, float]:
    """Return a result and the time of the shortest of several calls."""
    best, found = np.inf, None
    for _ in range(calls):
        begin = process_time()
        found = call()
        best = min(best, process_time() - begin)
    return found, best


def table(rows: list[Row]) -> Table:
    """Return the rows as a table."""
    header = ("motions and peer", "problems", "failed", "of the peer", "quicker", "slower")
    header = (*header, "median ratio", "largest ratio", "beyond limits", "of the peer", "µs")
    header = (*header, "of the peer")
    lines = [
        (
            row.what,
            f"{row.problems:,}",
            str(row.failed),
            str(row.peer_failed),
            f"{np.count_nonzero(row.ratios < 1 - SAME):,}",
            f"{np.count_nonzero(row.ratios > 1 + SAME):,}",
            f"{np.median(row.ratios):.6f}",
            f"{row.ratios.max():.6f}",
            _part(row.beyond),
            "" if np.isnan(row.peer_beyond) else _part(row.peer_beyond),
            f"{1e6 * row.seconds:,.0f}",
            f"{1e6 * row.peer_seconds:,.0f}",
        )
        for row in rows
    ]
    return Table("Random motions beside ruckig and toppra", header, lines)


def _part(x: float) -> str:
    return f"{x:.0e}" if x > SAME else "0"


def _optional(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise Unavailable(f"no {name}: pip install {name}") from None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    options = parser.parse_args()
    rows: list[Row] = []
    count = options.problems
    for measure in (lambda: jerk_limited(1, count), lambda: jerk_limited(JOINTS, count)):
        rows.append(measure())
        print(table(rows[-1:]).rows, flush=True)
    rows.append(timings(count))
    Console(width=160).print(table(rows).rich())
    if options.write:
        versions = [f"{key} {value}" for key, value in machine().items() if key != "dalembert"]
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
        text = f"{MARKS[0]}\n{table(rows).markdown()}\n\n{', '.join(versions)}.\n{MARKS[1]}"
        PAGE.write_text(before + text + after, encoding="utf-8")


if __name__ == "__main__":
    main()
