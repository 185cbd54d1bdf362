"""The solver in C, compiled here, behind the interface of all solvers."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from dalembert.kernel.backends.c.build import find_compiler
from dalembert.quadratic import Program, Solver
from dalembert.quadratic.embedded import QuadraticSizes, solver_text, workspace_fields

FLAGS = [
    "-std=c99",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Werror",
    "-pedantic",
    "-fPIC",
    "-shared",
]
CYCLES = 3


@cache
def library(sizes: QuadraticSizes, real: str) -> ctypes.CDLL:
    """Return the solver for a size, with a function of plain arrays."""
    fields = "\n".join(f"    {name};" for name, _ in workspace_fields(sizes, real))
    text = f"""#include <math.h>
#include <string.h>
typedef struct {{
{fields}
}} work;
{solver_text(sizes, real, "work")}
int solve(const {real} *H, const {real} *f, const {real} *A, const {real} *lower,
          const {real} *upper, {real} *x);
int solve(const {real} *H, const {real} *f, const {real} *A, const {real} *lower,
          const {real} *upper, {real} *x)
{{
    static work w;
    int status;
    memcpy(w.H, H, sizeof w.H);
    memcpy(w.f, f, sizeof w.f);
    memcpy(w.A, A, sizeof w.A);
    memcpy(w.lower, lower, sizeof w.lower);
    memcpy(w.upper, upper, sizeof w.upper);
    status = qp_solve(&w);
    memcpy(x, w.x, sizeof w.x);
    return status;
}}
"""
    folder = Path(mkdtemp())
    (folder / "qp.c").write_text(text)
    command = [find_compiler(), *FLAGS, str(folder / "qp.c"), "-o", str(folder / "qp.so"), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(folder / "qp.so"))


class Embedded(Solver):
    """The C text, compiled for the size of each program."""

    def __init__(self, real: str = "double") -> None:
        self._real = real
        self._dtype = {"double": np.float64, "float": np.float32}[real]

    def solve(self, program: Program) -> np.ndarray | None:
        sizes = QuadraticSizes(program.n, len(program.A))
        rows = program.A if len(program.A) else np.zeros((1, program.n))
        arrays = (program.H, program.f, rows, program.lower, program.upper)
        with np.errstate(over="ignore"):
            given = [np.ascontiguousarray(np.clip(x, -1e30, 1e30), self._dtype) for x in arrays]
        x = np.empty(program.n, self._dtype)
        code = library(sizes, self._real)
        status = code.solve(*(a.ctypes.data_as(ctypes.c_void_p) for a in (*given, x)))
        assert status != CYCLES
        return x.astype(float) if status == 0 else None
