"""`dalembert doctor`: this machine, what is installed, and whether it works."""

import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from dalembert.cli.command import Parts, command
from dalembert.cli.output import Part, Table, working
from dalembert.kernel import cache
from dalembert.optional import install_command
from dalembert.version import VERSION

PACKAGES = {
    "python-flint": "exact arithmetic",
    "numpy": "arrays",
    "scipy": "stiff integrators, searches",
    "llvmlite": "machine code",
    "matplotlib": "plots",
}
OPTIONAL = {
    "mujoco": ("MJCF files", "mujoco"),
    "jax": ("backend jax", "jax"),
    "cupy-cuda12x": ("backend cuda", "cupy"),
    "sympy": ("conversion to SymPy", "sympy"),
    "viser": ("dalembert view", "viser"),
    "typst": ("PDF", "typst"),
}
BACKENDS = ("llvm", "c", "numpy", "jax", "cuda")


@command
def doctor() -> Parts:
    """Show versions, backends that work here, and the cache; exit 1 if something needed fails."""
    here = {
        "dalembert": VERSION,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": str(os.cpu_count()),
        "vectors": _vectors(),
    }
    yield Part("machine", here, "\n".join(f"{key}: {value}" for key, value in here.items()))
    needed = [(name, _version(name), what) for name, what in PACKAGES.items()]
    optional = [(name, _version(name), what) for name, (what, _) in OPTIONAL.items()]
    rows = [(name, found or "missing", what) for name, found, what in needed]
    rows += [
        (name, found or install_command(OPTIONAL[name][1]), what) for name, found, what in optional
    ]
    data = {name: found for name, found, _ in (*needed, *optional)}
    table = Table(("package", "version", "for"), rows)
    yield Part("packages", data, table, ok=all(found for _, found, _ in needed))
    answers = {}
    for backend in BACKENDS:
        with working(f"trying the backend {backend}"):
            answers[backend] = _answer(lambda backend=backend: _try(backend))
    table = Table(("backend", "a kernel was compiled and gave"), list(answers.items()))
    yield Part("backends", answers, table, ok=answers["llvm"] == "the right number")
    yield _cache()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _vectors() -> str:
    """Say how many numbers this processor computes side by side, and what it lacks."""
    try:
        from dalembert.kernel.backends.llvm.host import this_host
    except ImportError:
        return "unknown without llvmlite"
    here = this_host()
    if here.has_fma:
        return f"{here.width} doubles"
    return (
        f"{here.width} doubles, no fused multiply-add (FMA): kernels take "
        "about 3 times as long for one state, 40 times in batches"
    )


def _answer(work: Callable[[], bool]) -> str:
    """Return in words how a trial ended."""
    try:
        return "the right number" if work() else "a WRONG number"
    except Exception as error:
        # any failure of a compiler or a driver is an answer here
        return f"none: {str(error).splitlines()[0][:120] if str(error) else type(error).__name__}"


def _try(backend: str) -> bool:
    """Compile sin(x) + 1 and tell whether it is right at 1/2."""
    import numpy as np

    from dalembert.expr import parameters, sin
    from dalembert.kernel import compile_function

    (x,) = parameters("x")
    function = compile_function({"y": [sin(x) + 1]}, {"x": [x]}, backend=backend)
    at: Any = np.array([0.5])
    if backend == "cuda":
        import cupy  # type: ignore[import-not-found]

        at = cupy.asarray(at, dtype="float32")
    value = float(function(at)[0])
    return abs(value - 1.479425538604203) < 1e-6


def _cache() -> Part:
    """Tell where compiled code is kept, and how much."""
    folder = cache.folder()
    if folder is None:
        return Part("cache", None, "cache of machine code: none (DALEMBERT_CACHE is empty)")
    sizes = [x.stat().st_size for x in folder.glob("*") if x.is_file()] if folder.is_dir() else []
    can_write = os.access(folder if folder.is_dir() else folder.parent, os.W_OK)
    data = {"folder": str(folder), "files": len(sizes), "bytes": sum(sizes), "writable": can_write}
    text = f"cache of machine code: {folder}, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"
    if not can_write:
        text += " (cannot be written: every process compiles anew)"
    return Part("cache", data, f"{text}\nstdout is {'a' if sys.stdout.isatty() else 'no'} terminal")
