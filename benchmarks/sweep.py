"""What a study costs beside the rollouts in it: `python -m benchmarks.sweep [rows] [steps]`.

Both compute rollouts of a seven-joint arm in turns, and medians are compared: the plain ones are
calls of `da.rollout` with arrays in memory, those of the study are drawn, computed, encoded and
written.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.studies import Rows

TRIES = 7
BLOCK = 1024

Seconds = np.ndarray
"""On the clock, and of processors, which other programs do not disturb."""

model = da.compile(da.textbook.robots.panda())
method = da.simulation.RK4(1e-3)


def now() -> Seconds:
    """Return the time on both clocks."""
    return np.array([time.perf_counter(), time.process_time()])


def plain(rows: int, steps: int) -> Seconds:
    """Return the seconds of rollouts in batches of the size that the study takes."""
    starts = np.random.default_rng(0).uniform(-1, 1, (BLOCK, 7))
    begin = now()
    for first in range(0, rows, BLOCK):
        batch = starts[: min(BLOCK, rows - first)]
        da.rollout(model, batch, None, steps, method=method, record=None)
    return now() - begin


def swept(rows: int, steps: int) -> Seconds:
    """Return the seconds of a study of the same rollouts."""

    def end(rows: Rows) -> dict[str, np.ndarray]:
        runs = da.rollout(model, rows["q0"], None, steps, method=method, record=None)
        return {"q": runs.q[:, -1], "qd": runs.qd[:, -1]}

    points = da.sweep.Random({"q0": ([-1] * 7, [1] * 7)}, rows)
    with tempfile.TemporaryDirectory() as folder:
        begin = now()
        study = da.sweep(end, points, Path(folder, "study"))
        seconds = now() - begin
        assert study.is_complete
    return seconds


def main() -> None:
    """Print steps per second of both, and their ratio."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 65_536
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    swept(BLOCK, 1), plain(BLOCK, 1)
    times = np.array([(plain(rows, steps), swept(rows, steps)) for _ in range(TRIES)])
    (alone, alone_cpu), (study, study_cpu) = np.median(times, axis=0)
    print(f"{rows:,} rollouts of {steps} steps, {rows * steps / 1e6:,.1f} million steps")
    print(f"da.rollout  {alone:7.3f} s, of processors {alone_cpu:7.3f} s")
    print(f"da.sweep    {study:7.3f} s, of processors {study_cpu:7.3f} s")
    print(f"throughput of da.sweep: {alone / study:.1%}, by processors {alone_cpu / study_cpu:.1%}")


if __name__ == "__main__":
    main()
