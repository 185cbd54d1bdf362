"""Follow moving targets by one quadratic program a tick, beside mink and pink, in one run.

    DALEMBERT_ZOO=… python -m benchmarks.ticks [--rounds 3] [--targets 100] [--write]

Each library gets the same tasks, weights, gain, damping and limits of position and speed. An arm
follows a figure for ten seconds, which jumps out of reach for two; a humanoid squats, leans and
reaches. The arm then runs to random poses from one start. All motions are judged by the forward
kinematics of dalembert. Time is that of the processor for a whole tick, the shortest of several
rounds; peers that are not installed are listed with the command that installs them. ``--write``
puts the table into docs/inverse_kinematics.md.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from rich.console import Console

import dalembert as da
from benchmarks.machine import machine
from benchmarks.peers.base import Unavailable
from benchmarks.robots import Array
from benchmarks.tables import Table
from benchmarks.tick_solvers import FOLLOWERS, Case, Follower, humanoid_case, panda_case

PAGE = Path(__file__).parent.parent / "docs" / "inverse_kinematics.md"
MARKS = "<!-- ticks begin -->", "<!-- ticks end -->"
DT, SECONDS = 0.002, 10.0
REACH_DT, REACH_SECONDS = 0.01, 4.0
"""Of the runs to random poses."""

REACHED = 1e-3
"""Metres and radians together within which a pose counts as reached."""

REACH_POSTURE = 1e-3
"""Weight of the posture in these runs: it leaves the pose where it is."""

KEPT = 1e-6
"""Part of a limit that a solver's tolerance may exceed."""


class Motion(NamedTuple):
    """Joint positions and velocities behind every tick, and the time of a tick in seconds."""

    q: Array
    v: Array
    seconds: float


class Row(NamedTuple):
    """How one library did."""

    robot: str
    solver: str
    microseconds: float
    mean_error: float
    final_error: float
    beyond_position: float
    beyond_speed: float
    acceleration: float
    reached: str


def follow(solver: Follower, q: Array, targets: Sequence[Sequence[Array]]) -> Motion:
    """Return the motion along targets, from a configuration."""
    solver.start(q)
    found = []
    begin = process_time()
    for aims in targets:
        q, v = solver.tick(aims)
        found.append((q, v))
    seconds = (process_time() - begin) / len(targets)
    states = [solver.state(*state) for state in found]
    return Motion(np.array([q for q, _ in states]), np.array([v for _, v in states]), seconds)


def errors(case: Case, q: Array, targets: Sequence[Sequence[Array]]) -> Array:
    """Return how far the worst goal is at each tick, metres and radians together."""
    worst = np.zeros(len(q))
    for k, goal in enumerate(case.goals):
        aims = np.array([row[k] for row in targets])
        if goal.frame is None:
            away = np.linalg.norm(case.model.center_of_mass(q) - aims, axis=-1)
        else:
            away = pose_error(case.model.forward_kinematics(q, goal.frame), aims)
        worst = np.maximum(worst, away)
    return worst


def pose_error(X: Array, Y: Array) -> Array:
    """Return distance and chord of the turn, √(d² + 4 sin²(θ/2))."""
    distance = np.linalg.norm(X[..., :3, 3] - Y[..., :3, 3], axis=-1)
    # |R - S|² = 8 sin²(θ/2)
    chord = np.linalg.norm(X[..., :3, :3] - Y[..., :3, :3], axis=(-2, -1)) / np.sqrt(2)
    return np.hypot(distance, chord)


def beyond(case: Case, motion: Motion) -> tuple[float, float]:
    """Return by how much positions and speeds exceed their limits at most, in rad and rad/s."""
    space = case.model.configuration
    over = np.maximum(motion.q - space.upper, space.lower - motion.q)
    fast = np.abs(motion.v) - case.velocity
    kept = KEPT * case.speed
    return tuple(float(x) if x > kept else 0.0 for x in (over.max(), fast.max()))  # type: ignore[return-value]


def measure(case: Case, rounds: int, poses: Array | None) -> list[Row]:
    """Return a row for each library that is installed."""
    times = DT * np.arange(1, round(SECONDS / DT) + 1)
    targets = [[goal.at(t) for goal in case.goals] for t in times]
    solvers: list[Follower] = []
    for make in FOLLOWERS:
        try:
            solvers.append(make(case))
        except Unavailable as error:
            print(f"skipped: {error}", flush=True)
    for solver in solvers:
        # the first call compiles
        follow(solver, case.home, targets[:50])
    best: dict[str, Motion] = {}
    for _ in range(rounds):
        for solver in solvers:
            motion = follow(solver, case.home, targets)
            known = best.get(solver.name)
            if known is None or motion.seconds < known.seconds:
                best[solver.name] = motion
    rows = []
    for name, motion in best.items():
        away = errors(case, motion.q, targets)
        joints = motion.v[:, -len(case.joints) :]
        rms = float(np.sqrt(np.mean((np.diff(joints, axis=0) / DT) ** 2)))
        reached = "" if poses is None else reach(case, name, poses)
        rows.append(
            Row(
                case.name,
                name,
                1e6 * motion.seconds,
                float(away.mean()),
                float(away[-1]),
                *beyond(case, motion),
                rms,
                reached,
            )
        )
        print(rows[-1], flush=True)
    return rows


def reach(case: Case, name: str, poses: Array) -> str:
    """Return how many of random poses a library reaches, each from the same start."""
    slow = replace(case, dt=REACH_DT, posture=REACH_POSTURE)
    solver = next(make for make in FOLLOWERS if make.name == name)(slow)
    count, steps = 0, round(REACH_SECONDS / REACH_DT)
    for X in poses:
        motion = follow(solver, case.home, [[X]] * steps)
        there = case.model.forward_kinematics(motion.q[-1], case.goals[0].frame)
        count += bool(pose_error(there, X) < REACHED)
    return f"{count} of {len(poses)}"


def random_poses(case: Case, count: int) -> Array:
    """Return poses that random configurations within the limits reach."""
    space, rng = case.model.configuration, np.random.default_rng(0)
    q = rng.uniform(space.lower, space.upper, (count, case.model.nq))
    return case.model.forward_kinematics(q, case.goals[0].frame)


def table(rows: Sequence[Row]) -> Table:
    """Return the rows as a table."""
    header = ("robot", "library", "µs per tick", "times", "mean error", "final error")
    header = (*header, "beyond position", "beyond speed", "RMS q̈ rad/s²", "poses reached")
    ours = {row.robot: row.microseconds for row in rows if row.solver == "dalembert"}
    lines = [
        (
            row.robot,
            row.solver,
            f"{row.microseconds:.0f}",
            f"{row.microseconds / ours[row.robot]:.1f}",
            f"{row.mean_error:.1e}",
            f"{row.final_error:.1e}",
            f"{row.beyond_position:.0e}" if row.beyond_position else "0",
            f"{row.beyond_speed:.0e}" if row.beyond_speed else "0",
            f"{row.acceleration:.2f}",
            row.reached,
        )
        for row in rows
    ]
    return Table(f"Differential inverse kinematics, ticks of {DT:g} s", header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--targets", type=int, default=100, help="random poses for the arm")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        case = panda_case(Path(place), DT)
        rows += measure(case, options.rounds, random_poses(case, options.targets))
    try:
        rows += measure(humanoid_case(DT), options.rounds, None)
    except Unavailable as error:
        print(f"skipped: {error}")
    Console(width=140).print(table(rows).rich())
    if options.write:
        versions = [f"{key} {value}" for key, value in machine().items() if key != "dalembert"]
        about = ", ".join([f"dalembert {da.__version__}", *versions])
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
        text = f"{MARKS[0]}\n{table(rows).markdown()}\n\n{about}.\n{MARKS[1]}"
        PAGE.write_text(before + text + after, encoding="utf-8")


if __name__ == "__main__":
    main()
