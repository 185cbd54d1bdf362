"""Time the CUDA kernels of a seven-joint arm where CuPy and a GPU of NVIDIA exist.

    python -m benchmarks.gpu [--samples N] [--json FILE]

The floor is the time the device needs only to read the inputs and to write the outputs, at the
bandwidth of a large copy measured in the same run.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.kernel.backends.cuda.compiling import compile_kernel
from dalembert.kernel.backends.cuda.layout import Layout
from dalembert.kernel.backends.cuda.plan import access
from dalembert.kernel.backends.cuda.source import THREADS
from dalembert.kernel.program.program import Port, Program

ROUNDS, LAUNCHES = 9, 20
# more memory than the cache holds, so that no launch finds its own inputs there
BUFFERS = 4
BLOCKS = (64, 128, 256)


class Row(NamedTuple):
    """A measurement; picoseconds are those of one sample."""

    program: str
    dtype: str
    layout: str
    threads: int
    registers: int
    picoseconds: float
    floor: float

    def __str__(self) -> str:
        return (
            f"{self.program:18} {self.dtype} {self.layout:4} {self.threads:4} threads "
            f"{self.registers:4} registers {self.picoseconds:8.1f} ps "
            f"{self.picoseconds / self.floor:6.2f} × floor"
        )


def arm_programs() -> list[Program]:
    """Return inverse dynamics, mass matrix and the cheapest forward dynamics of the arm."""
    from benchmarks.robots import robots
    from dalembert.expr import coordinates
    from dalembert.kernel.passes.pipeline import optimise
    from dalembert.kernel.program.trace import trace
    from dalembert.recursions.dynamics.articulated import forward_dynamics_candidates
    from dalembert.recursions.dynamics.composite import mass_matrix
    from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
    from dalembert.recursions.tree import Tree

    tree = Tree.of(robots()["panda"]())
    q, v, x = (list(coordinates(" ".join(f"{name}{i}" for i in range(tree.nv)))) for name in "qvx")
    a = {"q": q, "v": v, "a": x}
    tau = {"q": q, "v": v, "tau": x}
    forward = [
        optimise(trace("forward_dynamics", tau, {"a": method(tree, q, v, x)}))
        for method in forward_dynamics_candidates(tree)
    ]
    return [
        optimise(trace("inverse_dynamics", a, {"tau": inverse_dynamics(tree, q, v, x)})),
        optimise(trace("mass_matrix", {"q": q}, {"M": mass_matrix(tree, q)})),
        min(forward, key=lambda program: program.cost.flops),
    ]


def seconds(launch: Callable[[int], Any]) -> float:
    """Return the median time of a launch, by events of the device."""
    cuda = require_cupy().cuda
    launch(0)
    times = []
    for _ in range(ROUNDS):
        start, end = cuda.Event(), cuda.Event()
        start.record()
        for k in range(LAUNCHES):
            launch(k)
        end.record()
        end.synchronize()
        times.append(cuda.get_elapsed_time(start, end) / LAUNCHES / 1e3)
    return statistics.median(times)


def copy_bandwidth() -> float:
    """Return bytes read and written in a second by a large copy."""
    cupy = require_cupy()
    source = cupy.random.random(1 << 27, dtype=cupy.float32)
    target = cupy.empty_like(source)
    return 2 * source.nbytes / seconds(lambda _: cupy.copyto(target, source))


def measure(program: Program, dtype: str, samples: int, bandwidth: float) -> Iterable[Row]:
    """Yield both layouts, and for each the sizes of a block."""
    cupy = require_cupy()
    ports = (*program.inputs, *program.outputs)
    numbers = sum(port.size for port in ports)
    random = cupy.random.RandomState(0)
    memory = [
        random.uniform(-2, 2, (numbers, samples)).astype(dtype, copy=False) for _ in range(BUFFERS)
    ]
    flag = cupy.zeros(1, cupy.uint64)
    floor = numbers * memory[0].itemsize / bandwidth * 1e12
    for name, place in (("SoA", lambda port: Layout(1, samples)), ("AoS", rows)):
        layouts = [place(port) for port in ports]
        for threads in BLOCKS:
            ways = access(program, layouts)
            kernel, size, shared = compile_kernel(program, dtype, ways, threads=threads)
            calls = [
                (*arguments(block, ports, layouts, samples), samples, flag.data.ptr)
                for block in memory
            ]
            grid = (-(-samples // size),)

            def launch(
                k: int, kernel=kernel, grid=grid, size=size, calls=calls, shared=shared
            ) -> None:
                kernel(grid, (size,), calls[k % BUFFERS], shared_mem=shared)

            time = seconds(launch) / samples * 1e12
            yield Row(program.name, dtype, name, size, kernel.num_regs, time, floor)


def rows(port: Port) -> Layout:
    """Return the layout of packed samples."""
    return Layout(port.size, 1)


def arguments(
    block: Any, ports: Iterable[Port], layouts: Iterable[Layout], samples: int
) -> Iterable[int]:
    """Yield address and distances of every port, one after the other in a block of memory."""
    address = block.data.ptr
    for port, place in zip(ports, layouts, strict=True):
        yield from (address, *place)
        address += port.size * samples * block.itemsize


def report(programs: Iterable[Program], samples: int, file: Path | None) -> list[Row]:
    """Print all measurements as they come, and write them if asked."""
    cupy = require_cupy()
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    bandwidth = copy_bandwidth()
    print(f"{device}: a copy moves {bandwidth / 1e12:.2f} TB/s; {samples} samples")
    print(f"the kernels of the library have blocks of {THREADS} threads")
    found = []
    for program in programs:
        for dtype in ("float32", "float64"):
            for row in measure(program, dtype, samples, bandwidth):
                print(row, flush=True)
                found.append(row)
    if file:
        result = {"device": device, "bandwidth": bandwidth, "samples": samples}
        result["rows"] = [row._asdict() for row in found]
        file.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return found


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--samples", type=int, default=1 << 20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    report(arm_programs(), options.samples, options.json)


if __name__ == "__main__":
    main()
