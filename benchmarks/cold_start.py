"""From a file to the first numbers in a fresh process, with an empty and with a filled cache.

    python -m benchmarks.cold_start FILE [TASK…]    # one process: prints seconds as JSON

`cold_start` starts that process twice with a cache folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def cold_start(mechanism: Any, tasks: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return seconds of each step, "empty" and "filled" cache.

    Raises:
        Unavailable: the process failed; the message is the last line of its error.
    """
    from benchmarks.peers.base import Unavailable

    results = {}
    with tempfile.TemporaryDirectory() as folder:
        path = _saved(mechanism, Path(folder))
        environment = {**os.environ, "DALEMBERT_CACHE": str(Path(folder) / "cache")}
        command = [sys.executable, "-m", "benchmarks.cold_start", str(path), *tasks]
        for state in ("empty", "filled"):
            run = subprocess.run(
                command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
            )
            if run.returncode:
                lines = run.stderr.strip().splitlines() or [f"exit status {run.returncode}"]
                raise Unavailable(f"cold start failed: {lines[-1]}")
            results[state] = json.loads(run.stdout)
    return results


def _saved(mechanism: Any, folder: Path) -> Path:
    """Return the file of a mechanism: URDF, or JSON where URDF cannot say it."""
    import dalembert as da
    from dalembert.errors import DalembertError

    path = folder / "robot.urdf"
    try:
        da.save(mechanism, path)
    except DalembertError:
        path = folder / "robot.json"
        da.save(mechanism, path)
    return path


def main() -> None:
    """Load, compile and call; print how long each step took."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("tasks", nargs="*", default=["inverse_dynamics"])
    options = parser.parse_args()
    import numpy as np

    numpy_loaded = perf_counter()
    import dalembert as da

    seconds = {"import": perf_counter() - numpy_loaded}
    start = perf_counter()
    mechanism = da.load(options.file)
    loaded = perf_counter()
    # what the benchmark itself needs is not timed
    from benchmarks.ours import ARGUMENTS, BATCH, compile_model
    from benchmarks.robots import random_states

    states = random_states(mechanism, BATCH)
    ready = perf_counter()
    model = compile_model(mechanism, threads=1)
    seconds["load"] = loaded - start
    seconds["model"] = perf_counter() - ready
    for task in options.tasks:
        arguments = [getattr(states, x) for x in ARGUMENTS[task]]
        start = perf_counter()
        first = getattr(model, task)(*(x[0] for x in arguments))
        seconds[f"{task}, first call"] = perf_counter() - start
        start = perf_counter()
        getattr(model, task)(*arguments)
        seconds[f"{task}, first batch"] = perf_counter() - start
        parts = first if isinstance(first, tuple) else (first,)
        assert all(np.isfinite(x).all() for x in parts), f"{task} gave no numbers"
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
