"""Time rollouts of a seven-joint arm on a GPU: the kernel alone, and `da.rollout` around it.

    python -m benchmarks.gpu_rollouts [--samples N] [--steps N] [--json FILE]
    python -m benchmarks.gpu_rollouts --write FILE    # into docs/gpu.md, on any machine

Rates are steps of all samples in a second. The kernel alone is timed by events of the device on
arrays that lie there; the public call by the clock, from the caller's arrays to the results.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.simulation.methods.runge_kutta import RK4
from dalembert.simulation.rollouts.arguments import law_of
from dalembert.simulation.rollouts.loop import rollout_loop
from tools.blocks import write_block
from tools.environment import ROOT

ROUNDS = 5
ALONE = "kernel alone"


def rate(call: Callable[[], object], steps: int) -> float:
    """Return the median rate of a call, the first one left out."""
    call()
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return steps / statistics.median(times)


def measure(dtype: str, samples: int, steps: int) -> dict[str, float]:
    """Return rates by how the rollouts were called."""
    cupy = require_cupy()
    model = da.compile(da.textbook.robots.panda(), backend="cuda", dtype=dtype)
    q = np.random.default_rng(0).uniform(-1, 1, (samples, model.nq)).astype(dtype)
    v = np.zeros_like(q)
    there = [cupy.asarray(x) for x in (q, v)]
    run = rollout_loop(
        model, law_of(None, model, has_controls=False), RK4(), {}, has_controls=False
    )

    def kernel() -> None:
        run.run(*there, 1e-3, steps=steps)
        cupy.cuda.get_current_stream().synchronize()

    def public(*states: object, record: int | None = None) -> Callable[[], object]:
        return lambda: da.rollout(model, *states, steps, record=record)  # type: ignore[arg-type]

    total = samples * steps
    found = {
        ALONE: rate(kernel, total),
        "device arrays, the end": rate(public(*there), total),
        "host arrays, the end": rate(public(q, v), total),
        "host arrays of doubles, the end": rate(public(q.astype(float), v.astype(float)), total),
    }
    tenth = steps // 10
    found["device arrays, 10 times"] = rate(public(*there, record=tenth), total)
    found["host arrays, 10 times"] = rate(public(q, v, record=tenth), total)
    return found


def table(kept: Mapping[str, Any]) -> str:
    """Return the rates as a Markdown table, in billions of steps a second."""
    rates: dict[str, dict[str, float]] = kept["rates"]
    size = f"{kept['samples']:,} rollouts of {kept['steps']} steps of RK4"
    lines = [
        f"{kept['device']}, {size}: billions of steps a second, and the share of the kernel alone.",
        "",
        f"| | {' | '.join(rates)} |",
        "|---|" + "---|" * len(rates),
    ]
    for name in next(iter(rates.values())):
        cells = [f"{x[name] / 1e9:.2f} ({x[name] / x[ALONE]:.0%})" for x in rates.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Read the options; measure, or write what was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_rollouts", description=__doc__)
    parser.add_argument("--samples", type=int, default=1 << 20)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--json", type=Path, help="keep the rates in this file")
    parser.add_argument("--write", type=Path, help="write kept rates into docs/gpu.md")
    options = parser.parse_args()
    if options.write:
        kept = json.loads(options.write.read_text(encoding="utf-8"))
        write_block(ROOT / "docs" / "gpu.md", "rollouts", table(kept))
        return
    name = require_cupy().cuda.runtime.getDeviceProperties(0)["name"].decode()
    rates = {x: measure(x, options.samples, options.steps) for x in ("float32", "float64")}
    kept = {"device": name, "samples": options.samples, "steps": options.steps, "rates": rates}
    print(table(kept))
    if options.json:
        options.json.write_text(json.dumps(kept, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
