"""Chains of many links, open and pinned at both ends: what compiling and moving them costs.

    python -m benchmarks.chains [--most LINKS] [--kind open|closed]

For each number of links: processor time until the first acceleration is there, nothing kept from
earlier runs; one acceleration after that; a motion of 10 ms the first time, and again. A cost that
is linear in the number of links has the same microseconds for each of them in every row.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

import dalembert as da
from dalembert.simulation import simulate

LINKS = (10, 30, 100, 300, 1000)
DURATION = 0.01
REPEATS = 200


class Row(NamedTuple):
    """Seconds for a chain: first acceleration, one more, first motion, one more."""

    links: int
    first: float
    next: float
    first_motion: float
    next_motion: float


def chain(links: int, *, is_closed: bool) -> Any:
    """Return a chain of equal rods of 1 m, hanging, or pinned half its length away."""
    builder = da.Builder("chain")
    for i in range(links):
        builder.link(f"l{i}", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
        builder.revolute(f"j{i}", f"l{i}", axis="y", origin=(0, 0, -1 if i else 0))
    if is_closed:
        builder.loop("pin", (f"l{links - 1}", (0, 0, -1)), ("world", (links / 2, 0, 0)))
    return builder.build()


def start(links: int, *, is_closed: bool) -> np.ndarray:
    """Return angles: nearly straight down, or an arc that hangs through both pins."""
    if not is_closed:
        return np.linspace(0.1, 0.2, links) / links
    # the chord of n sides that turn by the same angle is n/2
    low, high, turn = 0.0, 2 * np.pi / links, 0.0
    for _ in range(60):
        turn = (low + high) / 2
        is_long = np.sin(links * turn / 2) > links / 2 * np.sin(turn / 2)
        low, high = (turn, high) if is_long else (low, turn)
    q = np.full(links, -turn)
    # the middle of the arc is level; a link that hangs has the angle zero
    q[0] = -np.pi / 2 + (links - 1) / 2 * turn
    return q


def measured(links: int, *, is_closed: bool) -> Row:
    """Return the row of a chain."""
    model = da.compile(chain(links, is_closed=is_closed))
    q0, still = start(links, is_closed=is_closed), np.zeros(links)

    def accelerate() -> object:
        return model.forward_dynamics(q0, still, still)

    def move() -> object:
        motion = simulate(model, q0, None, [0.0, DURATION], initial="project")
        if not motion.ok:
            raise SystemExit(f"{links} links: {motion.status}")
        return motion

    first = _seconds(accelerate)
    before = perf_counter()
    for _ in range(REPEATS):
        accelerate()
    next_ = (perf_counter() - before) / REPEATS
    return Row(links, first, next_, _seconds(move), _seconds(move))


def _seconds(work: Callable[[], object]) -> float:
    before = process_time()
    work()
    return process_time() - before


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=LINKS[-1], help="links of the longest chain")
    parser.add_argument("--kind", choices=("open", "closed"), help="one kind only")
    options = parser.parse_args()
    # nothing from disk
    os.environ["DALEMBERT_CACHE"] = ""
    for kind in (options.kind,) if options.kind else ("open", "closed"):
        print(f"{kind:8}first acceleration  per link  next      first motion  per link  next")
        for links in LINKS:
            if links <= options.most:
                row = measured(links, is_closed=kind == "closed")
                each, moved = 1e3 * row.first / links, 1e3 * row.first_motion / links
                print(
                    f"{links:5d}   {row.first:15.2f} s  {each:5.1f} ms  {1e6 * row.next:5.1f} µs"
                    f"  {row.first_motion:10.2f} s  {moved:5.1f} ms  {row.next_motion:5.2f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
