"""Functions that other processes can import, for the tests of studies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.studies import Row, Rows

POINTS = da.sweep.Random({"x": (0.0, 1.0), "q0": ([-1.0] * 3, [1.0] * 3)}, 1000)
"""Points of a small study."""


def noisy(rows: Rows) -> dict[str, np.ndarray]:
    """Return something of the inputs and of the random numbers of each row."""
    # a product of matrices has other last bits in other company
    A = np.linspace(0, 1, 9).reshape(3, 3)
    q = np.sin(rows["q0"] @ A) + rows.random(3)
    return {"q": q, "y": rows["x"] * rows.normal(2)[:, 1]}


def slow(row: Row) -> dict[str, float]:
    """Return a result after a moment that a signal can fall into."""
    import time

    time.sleep(0.005)
    return {"y": float(row["x"]) + row.rng().random()}


def deadly_once(rows: Rows) -> dict[str, np.ndarray]:
    """Kill the process that computes row 500 the first time, as a lack of memory would."""
    flag = Path(os.environ["DALEMBERT_TEST_FLAG"])
    if 500 in rows.numbers and not flag.exists():
        flag.write_text("killed", encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return noisy(rows)


def deadly(rows: Rows) -> dict[str, np.ndarray]:
    """Kill every process that computes row 500."""
    if 500 in rows.numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return noisy(rows)


def wrong(rows: Rows) -> dict[str, np.ndarray]:
    """Ask for a column that there is not."""
    return {"y": rows["z"]}


def pause(rows: Rows) -> dict[str, np.ndarray]:
    """Compute slowly enough that a signal falls into it."""
    import time

    time.sleep(0.01)
    return noisy(rows)


def contents(study: da.Study) -> dict[str, list[object]]:
    """Return all columns of a study, in the order of its rows."""
    return study.to_arrow().to_pydict()


if __name__ == "__main__":
    import sys

    # a driver that a test kills, on this machine or on a cluster
    where = da.sweep.Ray(sys.argv[2]) if len(sys.argv) > 2 else da.sweep.Local()
    da.sweep(pause, POINTS, sys.argv[1], seed=7, block=10, chunk=10, engine=where)
