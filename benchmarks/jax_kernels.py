"""Kernels inside JAX: value and gradient in jit, beside the kernel alone and JAX's own functions.

    python -m benchmarks.jax_kernels [--samples 4096] [--no-pure] [--write-docs]

Runs on the device that JAX has: a processor, or a GPU with CuPy installed. The gradient is that of
Σ y² by all inputs, so it has the value in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.progress import track

import dalembert as da
from dalembert.kernel.backends.jax.pure import PureFunction
from tools.blocks import write_block

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gpu.md"
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
ROUNDS = 30
LOOP = 50
"""Calls in one jitted function: what a call from Python costs is shared by them."""


def first_and_best(run: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of the first call, and of the best of many."""
    begin = perf_counter()
    run()
    first, best = perf_counter() - begin, float("inf")
    for _ in range(ROUNDS):
        begin = perf_counter()
        run()
        best = min(best, perf_counter() - begin)
    return first, best


def repeated(f: Any) -> Any:
    """Return a function that calls f many times, each on the result of the last."""
    import jax

    return lambda q, v, x: jax.lax.fori_loop(0, LOOP, lambda _, y: f(q, v, y), x)


def measure(samples: int, dtype: str, *, pure: bool, on_gpu: bool) -> list[str]:
    """Return rows of a table for the Panda."""
    import jax
    import jax.numpy as jnp

    robot = da.textbook.robots.panda()
    model = da.compile(robot, backend="jax", dtype=dtype)
    alone = da.compile(robot, backend="cuda", dtype=dtype) if on_gpu else da.compile(robot)
    host = np.random.default_rng(0).uniform(-1, 1, (3, samples, 7)).astype(dtype)
    arrays = [jnp.asarray(x) for x in host]
    given: Any = host
    if on_gpu:
        import cupy  # pyright: ignore[reportMissingImports]

        given = [cupy.asarray(x) for x in host]
    rows = []
    for name in track(FUNCTIONS, description=f"{dtype}, {samples:,} samples"):
        value = getattr(model, name)

        def gradient_of(f: Any) -> Any:
            return jax.jit(jax.grad(lambda *x: (f(*x) ** 2).sum(), argnums=(0, 1, 2)))

        if on_gpu:
            kernel, out = alone.kernel(name), cupy.empty_like(given[0])  # type: ignore[possibly-undefined]

            def bare(kernel: Any = kernel, out: Any = out) -> None:
                kernel(*given, out=out, check=False)
                cupy.cuda.runtime.deviceSynchronize()  # type: ignore[possibly-undefined]

        else:
            call, out = alone.kernel(name), np.empty((samples, 7))

            def bare(call: Any = call, out: Any = out) -> None:
                call(*given, out=out)

        def ready(f: Any) -> Callable[[], object]:
            return lambda: jax.block_until_ready(f(*arrays))

        jobs = {
            "kernel alone": bare,
            "value": ready(jax.jit(value)),
            "value in a loop": ready(jax.jit(repeated(value))),
            "gradient": ready(gradient_of(value)),
        }
        if pure:
            plain = PureFunction(model.program(name))
            own = lambda *x, plain=plain: plain(*x)[0]  # noqa: E731
            jobs["value, JAX alone"] = ready(jax.jit(own))
            jobs["gradient, JAX alone"] = ready(gradient_of(own))
        cells = []
        for title, run in jobs.items():
            first, best = first_and_best(run)
            each = best / samples / (LOOP if title == "value in a loop" else 1)
            shown = f"{each * 1e9:.3g} ns" if each > 1e-9 else f"{each * 1e12:.3g} ps"
            cells.append(f"{shown} ({first:.2g} s)")
        rows.append(f"| {name.replace('_', ' ')}, {dtype} | {' | '.join(cells)} |")
    head = ["|  | " + " | ".join(jobs) + " |", "|---" * (len(jobs) + 1) + "|"]
    return [*head, *rows]


def main() -> None:
    """Print the table; write it into the page where asked."""
    import jax

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--no-pure", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    on_gpu = jax.default_backend() == "gpu"
    samples = options.samples or (2**20 if on_gpu else 4096)
    device = jax.devices()[0].device_kind
    rows: list[str] = []
    for dtype in ("float32", "float64") if on_gpu else ("float64",):
        found = measure(samples, dtype, pure=not options.no_pure, on_gpu=on_gpu)
        rows += found if not rows else found[2:]
    title = f"{device}, jax {jax.__version__}, {samples:,} samples; in brackets the first call:"
    table = "\n".join([title, "", *rows])
    print(table)
    if options.write_docs:
        write_block(PAGE, "jax on a gpu" if on_gpu else "jax on a cpu", table)


if __name__ == "__main__":
    main()
