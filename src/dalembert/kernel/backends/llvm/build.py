"""Programs as kernels in machine code, through the cache."""

from __future__ import annotations

from functools import partial

from dalembert.kernel import cache
from dalembert.kernel.backends.llvm import python_entry
from dalembert.kernel.backends.llvm.jit import Code, host, machine_code
from dalembert.kernel.backends.llvm.python_entry import Batch
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME, LONG, module_text
from dalembert.kernel.backends.llvm.write.long import long_text
from dalembert.kernel.backends.llvm.write.loop import loop_text
from dalembert.kernel.backends.native.kernel import Entry, NativeKernel, samples_for_one_thread
from dalembert.kernel.backends.native.loop import NativeLoop
from dalembert.kernel.backends.native.threads import core_count
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Program

VERSION = "8"
"""Raised with every change of the text that a program becomes."""


def build(program: Program, *, threads: int | None = None) -> NativeKernel:
    """Return the kernel of a program; its code is made, or found, at the first call."""
    count = core_count() if threads is None else threads

    def entry(width: int, keep_gil: bool) -> Entry:
        batch = None if width == 1 else Batch(width, samples_for_one_thread(program))
        code = load(program, width, batch)
        fast_call = None
        if python_entry.is_supported():
            fast_call = partial(python_entry.fast_call, code, program, batch is not None)
        return Entry(code.function(ENTRY_NAME, keep_gil=keep_gil), width, fast_call)

    return NativeKernel(program, lambda: entry(1, True), lambda: entry(host().width, False), count)


def load(program: Program, width: int, batch: Batch | None) -> Code:
    """Return the machine code of a program for ``width`` samples side by side."""
    if python_entry.is_supported():
        python_entry.register_symbols()
    parts = ("llvm", VERSION, str(host()), str(width), str(batch), str(program))
    return Code(cache.cached(parts, lambda: machine_code(text(program, width, batch))))


def text(program: Program, width: int, batch: Batch | None = None) -> str:
    """Return the LLVM text of a program."""
    write = long_text if len(program.code) > LONG else module_text
    module = write(program, width, host().width)
    if python_entry.is_supported():
        module += python_entry.call_text(program, ENTRY_NAME, batch)
    return module


def build_loop(loop: Loop, *, threads: int | None = None) -> NativeLoop:
    """Return the kernel of a loop."""

    def entry(width: int) -> Entry:
        parts = ("llvm loop", VERSION, str(host()), str(width), str(loop))
        code = Code(cache.cached(parts, lambda: machine_code(loop_text(loop, width, host().width))))
        return Entry(code.function(ENTRY_NAME), width, None)

    count = core_count() if threads is None else threads
    return NativeLoop(loop, lambda: entry(1), lambda: entry(host().width), count)
