"""Programs as kernels through the C compiler of the system.

The only place that starts another program: the compiler, by its full path, without a shell, on
text that `flat` wrote. Code comes from the cache where the same text, compiler and processor were
there before.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache as remember
from pathlib import Path
from typing import Any

from dalembert.errors import DalembertError, MissingDependency
from dalembert.kernel import cache
from dalembert.kernel.backends.c.flat import source
from dalembert.kernel.backends.c.names import identifier
from dalembert.kernel.backends.c.pieces import MAX_STATEMENTS
from dalembert.kernel.backends.c.reals import real_type
from dalembert.kernel.backends.native.cores import core_count
from dalembert.kernel.backends.native.kernel import Entry, NativeKernel
from dalembert.kernel.program.program import Program

FLAGS = ("-std=c99", "-march=native", "-ffp-contract=fast", "-fPIC", "-shared")
EFFORT = ("-O3",)
# of programs in pieces: half the time of the compiler for code of the same speed
LONG_EFFORT = ("-O2", "-fno-tree-slp-vectorize")
TIME_LIMIT = 600


def build(program: Program, *, threads: int | None = None, dtype: str = "float64") -> NativeKernel:
    """Return the kernel of a program; the compiler runs at the first call.

    Raises:
        MissingDependency: there is no C compiler.
        UnknownName: another dtype than float64 and float32.
    """
    real_type(dtype)
    compiler = find_compiler()
    library = remember(lambda: _load(program, compiler, dtype))

    def entry(keep_gil: bool) -> Entry:
        kind = ctypes.PYFUNCTYPE if keep_gil else ctypes.CFUNCTYPE
        arguments = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        return Entry(kind(*arguments)(("run_samples", library())), 1, None)

    count = core_count() if threads is None else threads
    return NativeKernel(
        program, lambda: entry(True), lambda: entry(False), count, dtype, watches_units=False
    )


def find_compiler() -> str:
    """Return the path of a C compiler: that of the variable CC, else cc, gcc or clang.

    Raises:
        MissingDependency: none is there.
    """
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise MissingDependency(
        "expected a C compiler for backend='c', got none: install gcc or clang, set CC, or use "
        "backend='llvm', which needs no compiler"
    )


def kernel_source(program: Program, dtype: str = "float64") -> str:
    """Return one C file: the program, and the entry that runs it over rows.

    The table is that of every native kernel: address and bytes from row to row, for each array.
    """
    header, text, stem = source([program], prefix="kernel", dtype=dtype)
    real = real_type(dtype).type
    n = len(program.inputs)
    ports = (*program.inputs, *program.outputs)
    rows = [
        f"        {'const ' if k < n else ''}{real} *x{k} = ({'const ' if k < n else ''}{real} *)"
        f"(base[{2 * k}] + i*base[{2 * k + 1}]);"
        for k in range(len(ports))
    ]
    arguments = ", ".join(f"x{k}" for k in range(len(ports)))
    checks = [
        f"        for (j = 0; j < {port.size}; ++j) sum += 0.0*x{n + k}[j];"
        for k, port in enumerate(program.outputs)
    ]
    checks += [
        f"        for (j = 0; j < {port.size}; ++j) sum += 0.0*x{k}[j];"
        for k, port in enumerate(program.inputs)
    ]
    return "\n".join(
        [
            text.replace(f'#include "{stem}.h"', header),
            "#include <stdint.h>",
            "",
            "int64_t run_samples(const void *table, int64_t begin, int64_t end)",
            "{",
            "    const intptr_t *base = (const intptr_t *)table;",
            "    double sum = 0.0;",
            "    int64_t i, j;",
            "    for (i = begin; i < end; ++i) {",
            *rows,
            f"        kernel_{identifier(program.name)}({arguments});",
            # what is not finite becomes NaN and stays
            *checks,
            "    }",
            "    return sum != sum;",
            "}",
            "",
        ]
    )


def _load(program: Program, compiler: str, dtype: str) -> Any:
    """Return the shared library of a program."""
    text = kernel_source(program, dtype)
    from dalembert.kernel.backends.llvm.host import this_host

    flags = (*FLAGS, *(LONG_EFFORT if len(program.code) > MAX_STATEMENTS else EFFORT))
    parts = ("c", compiler, _version(compiler), str(this_host()), " ".join(flags), text)
    code = cache.cached(parts, lambda: _compile(text, compiler, flags))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.so"
        path.write_bytes(code)
        return ctypes.CDLL(str(path))


def _compile(text: str, compiler: str, flags: Sequence[str]) -> bytes:
    """Return the shared library as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "kernel.c", Path(folder) / "kernel.so"
        given.write_text(text, encoding="ascii")
        command = [compiler, *flags, "-o", str(made), str(given), "-lm"]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT
        )
        if done.returncode:
            raise DalembertError(
                f"expected {compiler} to compile the kernel, got: {done.stderr.strip()[:500]}"
            )
        return made.read_bytes()


@remember
def _version(compiler: str) -> str:
    done = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, errors="replace", timeout=60
    )
    return done.stdout
