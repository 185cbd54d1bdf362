"""Programs as kernels in machine code, through the cache."""

from __future__ import annotations

from dalembert.kernel import cache
from dalembert.kernel.backends.llvm import python_entry
from dalembert.kernel.backends.llvm.emit import ENTRY_NAME, module_text
from dalembert.kernel.backends.llvm.jit import Code, host, machine_code
from dalembert.kernel.native import NativeKernel, Single, Wide
from dalembert.kernel.program import Program
from dalembert.kernel.threads import core_count

VERSION = "1"
"""Raised with every change of the text that a program becomes."""


def build(program: Program, *, threads: int | None = None) -> NativeKernel:
    """Return the kernel of a program; its code is made, or found, at the first call."""

    def single() -> Single:
        code = load(program, 1)
        quick = python_entry.bind(code, program) if python_entry.is_supported() else None
        return Single(code.function(ENTRY_NAME, keep_gil=True), quick)

    def wide() -> Wide:
        width = host().width
        return Wide(load(program, width).function(ENTRY_NAME), width)

    return NativeKernel(program, single, wide, core_count() if threads is None else threads)


def load(program: Program, width: int) -> Code:
    """Return the machine code of a program for ``width`` samples side by side."""
    if width == 1 and python_entry.is_supported():
        python_entry.register_symbols()
    parts = ("llvm", VERSION, str(host()), str(width), str(program))
    return Code(cache.cached(parts, lambda: machine_code(text(program, width))))


def text(program: Program, width: int) -> str:
    """Return the LLVM text of a program."""
    module = module_text(program, width, group=host().width)
    if width == 1 and python_entry.is_supported():
        module += python_entry.call_text(program, ENTRY_NAME)
    return module
