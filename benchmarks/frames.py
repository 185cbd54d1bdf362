"""Poses of all frames of a robot: in one call, frame by frame, and by Pinocchio in C++.

    python -m benchmarks.frames [--robot panda] [--quick] [--write-docs]

Every link but the root carries one frame, some way off its origin. Pinocchio runs
forwardKinematics and updateFramePlacements, state after state in C++; dalembert is given all states
at once, on one core.
"""

from __future__ import annotations

import argparse
import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import dalembert as da
from benchmarks.bodies import bodies, link_places
from benchmarks.peers.base import Array, Unavailable
from benchmarks.peers.pinocchio_cpp import joint_number, load_frames, pointer_to
from benchmarks.peers.pinocchio_python import Layout, pinocchio_model
from benchmarks.robots import random_states, robots
from benchmarks.tables import nanoseconds, ratio
from benchmarks.timing import QUICK, THOROUGH, Job, best_of
from dalembert.mechanism import Mechanism
from dalembert.spatial.pose import Pose
from tools.blocks import write_block

PAGE = Path(__file__).resolve().parents[1] / "docs" / "kinematics.md"
PEER, TOGETHER, FLOATS, APART = (
    "Pinocchio C++",
    "one call",
    "one call, float32",
    "frame by frame",
)
STATES = 256
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
"""Of positions in metres and entries of rotations."""
OFFSET = (0.05, -0.02, 0.1)


class Case:
    """A robot with a frame on every link but the root, and its states."""

    def __init__(self, name: str) -> None:
        plain = robots()[name]()
        self.links = [link.name for link in plain.links if link.name != plain.root]
        self.names = tuple(f"frame of {link}" for link in self.links)
        self.mechanism: Mechanism = plain
        for frame, link in zip(self.names, self.links, strict=True):
            self.mechanism = self.mechanism.add_frame(frame, link, origin=OFFSET)
        self.states = random_states(plain, STATES)


class Pinocchio:
    """All frames by Pinocchio, in C++."""

    def __init__(self, case: Case) -> None:
        self.library = load_frames(print)
        mechanism, self.count = case.mechanism, len(case.names)
        tree, places = bodies(mechanism), link_places(mechanism)
        carriers = [places[link][0] for link in case.links]
        offsets = [places[link][1] @ Pose(p=OFFSET) for link in case.links]
        address = self.library.frames_create(
            len(tree),
            _integers([body.parent for body in tree]),
            _integers([joint_number(body) for body in tree]),
            pointer_to(_rows([(body.rotation, body.translation) for body in tree])),
            self.count,
            _integers(carriers),
            pointer_to(_rows(offsets)),
        )
        self.bench = ctypes.c_void_p(address)
        states = Layout(mechanism, pinocchio_model(mechanism)).states(case.states)
        self.library.frames_states(self.bench, STATES, pointer_to(np.ascontiguousarray(states.q)))

    def __del__(self) -> None:
        if hasattr(self, "bench"):
            self.library.frames_free(self.bench)

    def run(self, passes: int) -> int:
        self.library.frames_run(self.bench, passes)
        return passes * STATES

    def result(self, state: int) -> Array:
        """Return X of every frame, (frames, 4, 4)."""
        out = np.empty((self.count, 4, 4))
        self.library.frames_result(self.bench, state, pointer_to(out))
        return out


class Ours:
    """Frames by dalembert, ``groups`` of them in a call."""

    def __init__(self, case: Case, dtype: str, groups: Sequence[Any]) -> None:
        model = da.compile(case.mechanism, threads=1, dtype=dtype)
        self.q = case.states.q.astype(dtype)
        self.kernels: list[Any] = [
            model.kernel("forward_kinematics", frame=group) for group in groups
        ]
        self.out = [kernel(self.q) for kernel in self.kernels]

    def run(self, passes: int) -> int:
        for _ in range(passes):
            for kernel, out in zip(self.kernels, self.out, strict=True):
                kernel(self.q, out=out)
        return passes * STATES

    def result(self, state: int) -> Array:
        """Return X of every frame, (frames, 4, 4)."""
        return np.concatenate([out[state].reshape(-1, 4, 4) for out in self.out])


def _rows(poses: Sequence[Any]) -> Array:
    return np.array([[*np.ravel(R), *p] for R, p in poses], dtype=float)


def _integers(values: Sequence[int]) -> Any:
    return (ctypes.c_int * len(values))(*values)


def measure(name: str, *, quick: bool) -> str:
    """Return a row of the table, after all agreed.

    Raises:
        SystemExit: they do not agree.
    """
    case = Case(name)
    engines: dict[str, Any] = {
        TOGETHER: Ours(case, "float64", [case.names]),
        FLOATS: Ours(case, "float32", [case.names]),
        APART: Ours(case, "float64", case.names),
    }
    try:
        engines = {PEER: Pinocchio(case), **engines}
    except Unavailable as missing:
        print(f"not measured: {PEER}: {missing}")
    expected = next(iter(engines.values())).result(STATES - 1)
    for engine, run in engines.items():
        tolerance = TOLERANCE["float32" if engine == FLOATS else "float64"]
        error = float(np.abs(run.result(STATES - 1) - expected).max())
        # written so that NaN is refused too
        if not error <= tolerance * max(1.0, float(np.abs(expected).max())):
            raise SystemExit(f"expected {engine} to agree on {name}, got {error:.1e} off")
    jobs: dict[str, Job] = {engine: run.run for engine, run in engines.items()}
    times = best_of(jobs, QUICK if quick else THOROUGH)
    base = times.get(PEER, times[APART])
    cells = [
        f"{nanoseconds(times[x])} ({ratio(base / times[x])})" if x in times else "-"
        for x in (PEER, TOGETHER, FLOATS, APART)
    ]
    return f"| {name}, {len(case.names)} frames | {' | '.join(cells)} |"


def main() -> None:
    """Print the table; write it into the page where asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--robot", action="append", choices=sorted(robots()))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    head = [
        f"| poses of all frames | {PEER} | {TOGETHER} | {FLOATS} | {APART} |",
        "|---|" + "---:|" * 4,
    ]
    chosen = options.robot or ["panda", "dual-arm", "humanoid"]
    rows = [measure(name, quick=options.quick) for name in track(chosen, description="frames")]
    table = "\n".join([*head, *rows])
    print(table)
    if options.write_docs:
        write_block(PAGE, "benchmark", table)


if __name__ == "__main__":
    main()
