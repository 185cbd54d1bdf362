"""Chains of many links, open and pinned at both ends: what compiling and moving them costs.

    python -m benchmarks.chains [--most LINKS] [--kind open|spatial|closed] [--write FILE]

For each number of links, processor time with nothing kept from earlier runs: a motion of 10 ms the
first time, from the description to the trajectory, and again; the steps that it took; and one
acceleration as the motion asks for it. Beside it one call of Pinocchio's articulated bodies, and of
MuJoCo's forward dynamics, from Python; both have loops as soft or separate things, so that they are
there for open chains alone. A cost that is linear in the links has the same microseconds for each
of them in every row.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress

import dalembert as da
from benchmarks.machine import machine
from benchmarks.peers.base import Unavailable
from benchmarks.peers.mujoco_peer import import_mujoco, mujoco_model
from benchmarks.peers.pinocchio_python import import_pinocchio, pinocchio_model
from dalembert.mechanism import Mechanism
from dalembert.simulation import simulate
from dalembert.simulation.constraints.stabilisation import Projection
from dalembert.simulation.problem.forcing import forcing
from dalembert.simulation.problem.problem import Problem

LINKS = (10, 30, 100, 300, 1000)
KINDS = {"open": "y", "spatial": "xy", "closed": "y"}
"""The axes of the hinges in turn."""
DURATION = 0.01
REPEATS = 100
MOST_OF_PINOCCHIO = 100
"""Its data hold tensors of n³ numbers, 8 GB for a thousand links."""
MOST_OF_MUJOCO = 300
"""The file that it reads has an element in an element for each link."""


class Row(NamedTuple):
    """Seconds for a chain: first motion, one more and its steps, one acceleration, and peers'."""

    kind: str
    links: int
    first: float
    next: float
    steps: int
    acceleration: float
    pinocchio: float | None
    mujoco: float | None


def chain(links: int, *, is_closed: bool, axes: str = "y") -> Mechanism:
    """Return a chain of equal rods of 1 m, hanging, or pinned half its length away."""
    builder = da.Builder("chain")
    for i in range(links):
        builder.link(f"l{i}", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
        axis = axes[i % len(axes)]
        builder.revolute(f"j{i}", f"l{i}", axis=axis, origin=(0, 0, -1 if i else 0))
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


def measured(kind: str, links: int) -> Row:
    """Return the row of a chain."""
    is_closed = kind == "closed"
    mechanism = chain(links, is_closed=is_closed, axes=KINDS[kind])
    q0, still = start(links, is_closed=is_closed), np.zeros(links)
    models: list[Any] = []
    steps: list[int] = []

    def begin() -> None:
        models.append(da.compile(mechanism))
        move()

    def move() -> None:
        motion = simulate(models[0], q0, None, DURATION, initial="project")
        steps.append(len(motion.t) - 1)
        if not motion.ok:
            raise SystemExit(f"{links} links: {motion.status}")

    first, again = _seconds(begin), _seconds(move)
    problem = Problem(models[0], forcing(None, models[0]), Projection(), is_audited=True)
    x = np.concatenate([q0, still])
    own = _best(lambda: problem.rate(0.0, x))
    peers = (None, None) if is_closed else (_pinocchio(mechanism, q0), _mujoco(mechanism, q0))
    return Row(kind, links, first, again, steps[-1], own, *peers)


def _pinocchio(mechanism: Mechanism, q: np.ndarray) -> float | None:
    try:
        pin = import_pinocchio()
    except Unavailable:
        return None
    if len(q) > MOST_OF_PINOCCHIO:
        return None
    model = pinocchio_model(mechanism)
    data, still = model.createData(), np.zeros(len(q))
    return _best(lambda: pin.aba(model, data, q, still, still))


def _mujoco(mechanism: Mechanism, q: np.ndarray) -> float | None:
    try:
        mujoco = import_mujoco()
    except Unavailable:
        return None
    if len(q) > MOST_OF_MUJOCO:
        return None
    model = mujoco_model(mechanism)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    return _best(lambda: mujoco.mj_forward(model, data))


def _seconds(work: Callable[[], object]) -> float:
    before = process_time()
    work()
    return process_time() - before


def _best(call: Callable[[], object]) -> float:
    """Return the processor time of one call: the best of three rounds."""

    def many() -> None:
        for _ in range(REPEATS):
            call()

    call()
    return min(_seconds(many) for _ in range(3)) / REPEATS


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    columns = ("chain", "links", "first motion", "per link", "again", "steps")
    columns = (*columns, "acceleration", "per link", "Pinocchio", "MuJoCo")
    lines = [f"| {' | '.join(columns)} |", "|---" + 9 * "|--:" + "|"]
    for row in rows:
        peers = ("" if x is None else f"{1e6 * x:.0f} µs" for x in (row.pinocchio, row.mujoco))
        lines.append(
            f"| {row.kind} | {row.links} | {row.first:.2f} s | {1e3 * row.first / row.links:.1f} ms"
            f" | {row.next:.2f} s | {row.steps} | {1e6 * row.acceleration:.0f} µs"
            f" | {1e6 * row.acceleration / row.links:.2f} µs | {' | '.join(peers)} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--most", type=int, default=LINKS[-1], help="links of the longest chain")
    parser.add_argument("--kind", choices=KINDS, help="one kind only")
    parser.add_argument(
        "--write", type=Path, help="put the table into this page, between its marks"
    )
    options = parser.parse_args()
    # nothing from disk
    os.environ["DALEMBERT_CACHE"] = ""
    kinds = (options.kind,) if options.kind else tuple(KINDS)
    cases = [(kind, links) for kind in kinds for links in LINKS if links <= options.most]
    rows: list[Row] = []
    console = Console()
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=len(cases))
        for kind, links in cases:
            progress.update(task, description=f"{kind}, {links} links")
            rows.append(measured(kind, links))
            progress.advance(task)
    described = ", ".join(f"{key} {value}" for key, value in machine().items())
    text = f"{table(rows)}\n\n`python -m benchmarks.chains`; {described}."
    print(text)
    if options.write:
        _replace(options.write, text)


def _replace(page: Path, text: str) -> None:
    """Put a text between the marks of a page."""
    before, rest = page.read_text(encoding="utf-8").split("<!-- chains:begin -->")
    _, after = rest.split("<!-- chains:end -->")
    found = f"{before}<!-- chains:begin -->\n{text}\n<!-- chains:end -->{after}"
    page.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
