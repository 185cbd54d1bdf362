"""Compile generated C with the machine's own compiler, and call it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalembert.kernel.backends.c import CSource

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion")
C99 = ("gcc", "-std=c99", *WARNINGS)
CPP17 = ("g++", "-x", "c++", "-std=c++17", *WARNINGS)
DTYPES: dict[str, Any] = {"float64": np.float64, "float32": np.float32}

needs_compilers = pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("g++") is None,
    reason="gcc and g++ are not installed: generated C is not compiled",
)


def run(*command: str | Path) -> str:
    """Run a program; a failure shows what it said."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def compile_quietly(text: CSource, folder: Path, *options: str) -> None:
    """Compile as C99 and as C++17 with all warnings as errors."""
    _, path = text.save(folder)
    for command in (C99, CPP17):
        run(*command, *options, "-c", path, "-o", folder / "object.o")


class Library:
    """Generated functions in a shared library."""

    def __init__(
        self, sources: Iterable[CSource], folder: Path, *options: str, dtype: str = "float64"
    ) -> None:
        self.dtype = DTYPES[dtype]
        paths = [text.save(folder)[1] for text in sources]
        path = folder / f"library{len(list(folder.glob('*.so')))}.so"
        run(*C99, *options, "-shared", "-fPIC", *paths, "-o", path, "-lm")
        self.library = ctypes.CDLL(str(path))

    def __call__(self, name: str, inputs: Sequence[Any], *shapes: Any) -> Any:
        """Return the outputs of a function; whole numbers among the inputs pass by value."""
        arguments: list[Any] = []
        # keeps the arrays alive while the function runs
        arrays = []
        for x in inputs:
            if isinstance(x, int):
                arguments.append(ctypes.c_int(x))
                continue
            arrays.append(np.ascontiguousarray(x, dtype=self.dtype))
            arguments.append(arrays[-1].ctypes.data_as(ctypes.c_void_p))
        outputs = [np.full(shape, np.nan, dtype=self.dtype) for shape in shapes]
        arguments += [y.ctypes.data_as(ctypes.c_void_p) for y in outputs]
        getattr(self.library, name)(*arguments)
        return outputs[0] if len(outputs) == 1 else outputs


def solution_size(M: np.ndarray, a: Any, *forces: Any) -> float:
    """Return ‖M⁻¹‖ (‖M‖ ‖a‖ + Σ ‖force‖): what rounding errors of M a = Σ force grow with."""
    norm = np.linalg.norm
    total = norm(M, 2) * norm(a) + sum(float(norm(force)) for force in forces)
    return float(norm(np.linalg.inv(M), 2) * total)
