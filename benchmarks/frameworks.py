"""Kernels inside JAX and PyTorch: value and gradient, beside the kernel alone and JAX's functions.

    python -m benchmarks.frameworks jax|torch [--samples 4096] [--no-pure] [--write-docs]

Runs on the device that the framework has: a processor, or a GPU with CuPy installed. "One call" is
what a person waits for; a chain is twenty calls in one function, each on the result of the last, as
in a rollout: what a call from Python costs is shared by them. A gradient is that of Σ y² by all
inputs, and has the value in it.
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
ROUNDS = 20
CHAIN = 20

Job = Callable[[], object]
"""Something to time."""


def first_and_best(run: Job) -> tuple[float, float]:
    """Return the seconds of the first call, and of the best of many."""
    begin = perf_counter()
    run()
    first, best = perf_counter() - begin, float("inf")
    for _ in range(ROUNDS):
        begin = perf_counter()
        run()
        best = min(best, perf_counter() - begin)
    return first, best


def chained(f: Any) -> Any:
    """Return a function that calls f many times, each on the result of the last."""

    def run(q: Any, v: Any, x: Any) -> Any:
        for _ in range(CHAIN):
            x = f(q, v, x)
        return x

    return run


def kernel_alone(robot: Any, name: str, host: np.ndarray, *, on_gpu: bool) -> Job:
    """Return a chain of calls of the kernel into arrays that are there."""
    if not on_gpu:
        call, out = da.compile(robot).kernel(name), np.empty(host[0].shape)
        return lambda: [call(*host, out=out) for _ in range(CHAIN)]  # type: ignore[call-arg]
    import cupy  # pyright: ignore[reportMissingImports]

    kernel = da.compile(robot, backend="cuda", dtype=str(host.dtype)).kernel(name)
    given = [cupy.asarray(x) for x in host]
    run = kernel.prepare(*given, out=cupy.empty_like(given[0]))

    def chain() -> None:
        for _ in range(CHAIN):
            run()
        cupy.cuda.runtime.deviceSynchronize()

    return chain


def jax_jobs(robot: Any, name: str, host: np.ndarray, *, pure: bool) -> dict[str, Job]:
    """Return what is timed in JAX."""
    import jax
    import jax.numpy as jnp

    model = da.compile(robot, backend="jax", dtype=str(host.dtype))
    arrays = [jnp.asarray(x) for x in host]

    def ready(f: Any) -> Job:
        compiled = jax.jit(f)
        return lambda: jax.block_until_ready(compiled(*arrays))

    def gradient(f: Any) -> Any:
        return jax.grad(lambda *x: (f(*x) ** 2).sum(), argnums=(0, 1, 2))

    value = getattr(model, name)
    found = {
        "value, one call": ready(value),
        "value, chain": ready(chained(value)),
        "gradient, one call": ready(gradient(value)),
        "gradient, chain": ready(gradient(chained(value))),
    }
    if pure:
        plain = PureFunction(model.program(name))
        found["value, JAX's functions"] = ready(lambda *x: plain(*x)[0])
        found["gradient, JAX's functions"] = ready(gradient(lambda *x: plain(*x)[0]))
    return found


def torch_jobs(robot: Any, name: str, host: np.ndarray, *, on_gpu: bool) -> dict[str, Job]:
    """Return what is timed in PyTorch."""
    import torch  # pyright: ignore[reportMissingImports]

    model = da.compile(robot, backend="torch", dtype=str(host.dtype))
    device = "cuda" if on_gpu else "cpu"
    given = [torch.tensor(x, device=device) for x in host]
    followed = [x.clone().requires_grad_() for x in given]

    def ready(run: Job) -> Job:
        def wait() -> None:
            run()
            if on_gpu:
                torch.cuda.synchronize()

        return wait

    def gradient(f: Any) -> Job:
        return ready(lambda: torch.autograd.grad((f(*followed) ** 2).sum(), followed))

    value = getattr(model, name)
    return {
        "value, one call": ready(lambda: value(*given)),
        "value, chain": ready(lambda: chained(value)(*given)),
        "gradient, one call": gradient(value),
        "gradient, chain": gradient(chained(value)),
    }


def shown(seconds: float) -> str:
    """Return a time with three digits in a unit that suits it."""
    unit, size = next((u for u in (("µs", 1e-6), ("ns", 1e-9)) if seconds >= u[1]), ("ps", 1e-12))
    return f"{seconds / size:.3g} {unit}"


def rows(framework: str, samples: int, dtype: str, *, pure: bool, on_gpu: bool) -> list[str]:
    """Return rows of a table for the Panda, the first two are its head."""
    robot = da.textbook.robots.panda()
    host = np.random.default_rng(0).uniform(-1, 1, (3, samples, 7)).astype(dtype)
    found: list[str] = []
    for name in track(FUNCTIONS, description=f"{dtype}, {samples:,} samples"):
        jobs = {"kernel alone, chain": kernel_alone(robot, name, host, on_gpu=on_gpu)}
        if framework == "jax":
            jobs |= jax_jobs(robot, name, host, pure=pure)
        else:
            jobs |= torch_jobs(robot, name, host, on_gpu=on_gpu)
        cells = []
        for title, run in jobs.items():
            first, best = first_and_best(run)
            each = best / samples / (CHAIN if title.endswith("chain") else 1)
            cells.append(f"{shown(each)} ({first:.2g} s)")
        if not found:
            found += ["|  | " + " | ".join(jobs) + " |", "|---" * (len(jobs) + 1) + "|"]
        found.append(f"| {name.replace('_', ' ')}, {dtype} | {' | '.join(cells)} |")
    return found


def prepared(framework: str) -> tuple[str, bool]:
    """Return device and version of a framework, and whether it has a GPU."""
    if framework == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        device = jax.devices()[0]
        return f"{device.device_kind}, jax {jax.__version__}", device.platform == "gpu"
    import torch  # pyright: ignore[reportMissingImports]

    on_gpu = torch.cuda.is_available()
    device = torch.cuda.get_device_name() if on_gpu else "cpu"
    return f"{device}, torch {torch.__version__}", on_gpu


def main() -> None:
    """Print the table; write it into the page where asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("framework", choices=("jax", "torch"))
    parser.add_argument("--samples", type=int)
    parser.add_argument("--no-pure", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    title, on_gpu = prepared(options.framework)
    samples = options.samples or (2**20 if on_gpu else 4096)
    table: list[str] = []
    for dtype in ("float32", "float64") if on_gpu else ("float64",):
        pure = not options.no_pure
        found = rows(options.framework, samples, dtype, pure=pure, on_gpu=on_gpu)
        table += found if not table else found[2:]
    text = "\n".join([f"{title}, {samples:,} samples; in brackets the first call:", "", *table])
    print(text)
    if options.write_docs:
        place = f"{options.framework} on a {'gpu' if on_gpu else 'cpu'}"
        write_block(PAGE, place, text)


if __name__ == "__main__":
    main()
