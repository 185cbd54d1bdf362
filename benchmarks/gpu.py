"""Time the functions of models on a GPU of NVIDIA: the kernel alone, and the call of a person.

    python -m benchmarks.gpu [--samples N] [--robots panda humanoid] [--json FILE]
    python -m benchmarks.gpu --write FILE    # into docs/gpu.md, on any machine

The floor is the time the device needs only to read the inputs and to write the outputs, at the
bandwidth of a large copy measured in the same run. The kernel is timed by events of the device,
`model.function(..., out=...)` by the clock over many calls in a row, as a loop of learning makes
them. Rollouts are of the last state, by RK4.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dalembert as da
from benchmarks.robots import robots
from dalembert.kernel.backends.cuda.arrays import require_cupy
from tools.blocks import write_block
from tools.environment import ROOT

ROUNDS, CALLS = 7, 20
STEPS = 100
FUNCTIONS = {
    "inverse_dynamics": "inverse dynamics",
    "forward_dynamics": "forward dynamics",
    "mass_matrix": "mass matrix",
    "inverse_dynamics_derivatives": "derivatives of inverse dynamics",
    "forward_dynamics_derivatives": "derivatives of forward dynamics",
}
ROLLOUTS = "rollouts, a step of RK4"
BEFORE = {
    ("humanoid", "float32"): {
        "inverse dynamics": 0.7,
        "forward dynamics": 0.84,
        "mass matrix": 13.6,
        ROLLOUTS: 1e3 / 3,
    }
}
"""Nanoseconds on an H200 before large outputs, large programs and calls got their own ways."""


class Row(NamedTuple):
    """A measurement: seconds to the first result, nanoseconds of one sample."""

    robot: str
    dtype: str
    function: str
    first: float
    floor: float
    kernel: float
    call: float


def seconds_of_device(launch: Callable[[], object]) -> float:
    """Return the median time of a launch, by events of the device."""
    cuda = require_cupy().cuda
    launch()
    times = []
    for _ in range(ROUNDS):
        start, end = cuda.Event(), cuda.Event()
        start.record()
        for _ in range(CALLS):
            launch()
        end.record()
        end.synchronize()
        times.append(cuda.get_elapsed_time(start, end) / CALLS / 1e3)
    return statistics.median(times)


def seconds_of_calls(call: Callable[[], object], calls: int = CALLS) -> float:
    """Return the median time of a call in a row of calls, by the clock."""
    wait = require_cupy().cuda.runtime.deviceSynchronize
    call()
    times = []
    for _ in range(ROUNDS):
        wait()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        times.append((time.perf_counter() - begin) / calls)
    return statistics.median(times)


def copy_bandwidth() -> float:
    """Return bytes read and written in a second by a large copy."""
    cupy = require_cupy()
    source = cupy.random.random(1 << 27, dtype=cupy.float32)
    target = cupy.empty_like(source)
    return 2 * source.nbytes / seconds_of_device(lambda: cupy.copyto(target, source))


def states(model: da.Model, samples: int) -> list[Any]:
    """Return random q, q̇ and a third array of the size of q̇ on the device, as rows."""
    cupy, rng = require_cupy(), np.random.default_rng(0)
    few = 4096
    q = np.stack([model.random_configuration(rng) for _ in range(few)])
    times = -(-samples // few)
    arrays = [np.tile(q, (times, 1))[:samples]]
    arrays += [rng.uniform(-1, 1, (samples, model.nv)) for _ in range(2)]
    return [cupy.asarray(x, dtype=model.dtype) for x in arrays]


def measure(robot: str, dtype: str, samples: int, bandwidth: float) -> Iterator[Row]:
    """Yield the functions of a robot, then its rollouts."""
    model = da.compile(robots()[robot](), backend="cuda", dtype=dtype)
    given = states(model, samples)
    scale = 1e9 / samples
    for name, title in FUNCTIONS.items():
        begin = time.perf_counter()
        kernel: Any = model.kernel(name)
        arrays = given[: len(kernel.inputs)]
        out = kernel(*arrays)
        first = time.perf_counter() - begin
        results = out if isinstance(out, tuple) else (out,)
        function = getattr(model, name)
        floor = sum(x.nbytes for x in (*arrays, *results)) / bandwidth
        alone = seconds_of_device(kernel.prepare(*arrays, out=out))

        def call(function: Any = function, arrays: Any = arrays, out: Any = out) -> None:
            function(*arrays, out=out)

        called = seconds_of_calls(call)
        yield Row(robot, dtype, title, first, floor * scale, alone * scale, called * scale)
    yield rollouts(model, robot, given, bandwidth)


def rollouts(model: da.Model, robot: str, given: Sequence[Any], bandwidth: float) -> Row:
    """Return the time of one step of one sample; the kernel alone is not told apart."""
    q, v = given[0], given[1]
    begin = time.perf_counter()
    da.rollout(model, q, v, STEPS, record=None)
    first = time.perf_counter() - begin
    called = seconds_of_calls(lambda: da.rollout(model, q, v, STEPS, record=None), 1)
    floor = 2 * (q.nbytes + v.nbytes) / bandwidth / STEPS
    scale = 1e9 / len(q)
    return Row(
        robot, model.dtype, ROLLOUTS, first, floor * scale, float("nan"), called * scale / STEPS
    )


def table(kept: Mapping[str, Any]) -> str:
    """Return measurements as Markdown, one table for each robot and dtype."""
    rows = [Row(**row) for row in kept["rows"]]
    about = (
        f"{kept['device']}, {kept['samples']:,} samples in rows; a copy moves "
        f"{kept['bandwidth'] / 1e12:.2f} TB/s. Nanoseconds of one sample; the last column is the "
        "time from the model to the first result, with compiling."
    )
    lines = [about]
    for robot, dtype in dict.fromkeys((row.robot, row.dtype) for row in rows):
        before = BEFORE.get((robot, dtype), {})
        lines += ["", f"| {robot}, {dtype} | floor | kernel | call | before | first call |"]
        lines.append("|---|---|---|---|---|---|")
        for row in rows:
            if (row.robot, row.dtype) == (robot, dtype):
                numbers = [row.floor, row.kernel, row.call, before.get(row.function)]
                cells = ["" if x is None or x != x else f"{x:.3g}" for x in numbers]
                lines.append(f"| {row.function} | {' | '.join(cells)} | {row.first:.1f} s |")
    return "\n".join(lines)


def main() -> None:
    """Read the options; measure, or write what was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--samples", type=int, default=1 << 20)
    parser.add_argument("--robots", nargs="+", default=["panda", "humanoid"])
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64"])
    parser.add_argument("--json", type=Path, help="keep the measurements in this file")
    parser.add_argument("--write", type=Path, help="write kept measurements into docs/gpu.md")
    options = parser.parse_args()
    if options.write:
        kept = json.loads(options.write.read_text(encoding="utf-8"))
        write_block(ROOT / "docs" / "gpu.md", "functions", table(kept))
        return
    device = require_cupy().cuda.runtime.getDeviceProperties(0)["name"].decode()
    kept = {"device": device, "samples": options.samples, "bandwidth": copy_bandwidth()}
    kept["rows"] = []
    for robot in options.robots:
        for dtype in options.dtypes:
            for row in measure(robot, dtype, options.samples, kept["bandwidth"]):
                print(*row, file=sys.stderr, flush=True)
                kept["rows"].append(row._asdict())
                if options.json:
                    options.json.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    print(table(kept))


if __name__ == "__main__":
    main()
