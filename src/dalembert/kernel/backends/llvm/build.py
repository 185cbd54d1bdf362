"""Programs as kernels in machine code, through the cache."""

from __future__ import annotations

from functools import partial

from dalembert.kernel import cache
from dalembert.kernel.backends.llvm import python_entry
from dalembert.kernel.backends.llvm.jit import Code, host, machine_code
from dalembert.kernel.backends.llvm.python_entry import FEW_NAME, Batch, Ports
from dalembert.kernel.backends.llvm.python_into import into_call, into_text
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real, real_of
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME, is_long, module_text
from dalembert.kernel.backends.llvm.write.long import long_text
from dalembert.kernel.backends.llvm.write.loop import loop_text
from dalembert.kernel.backends.native.kernel import Entry, NativeKernel, samples_for_one_thread
from dalembert.kernel.backends.native.loop import NEVER, NativeLoop
from dalembert.kernel.backends.native.threads import core_count
from dalembert.kernel.call.kernel import Call
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Port, Program

VERSION = "13"
"""Raised with every change of the text that a program becomes."""


def build(program: Program, *, threads: int | None = None, dtype: str = "float64") -> NativeKernel:
    """Return the kernel of a program; its code is made, or found, at the first call."""
    count, real = core_count() if threads is None else threads, real_of(dtype)

    def entry(width: int, keep_gil: bool) -> Entry:
        batch = None if width == 1 else Batch(width, samples_for_one_thread(program))
        code = load(program, width, batch, real)
        fast_call = None
        if python_entry.is_supported():
            fast_call = partial(_fast_call, code, _ports(program, real), batch)
        run = code.function(ENTRY_NAME, keep_gil=keep_gil)
        return Entry(run, width, fast_call, partial(_into, code, _ports(program, real), batch))

    return NativeKernel(
        program, lambda: entry(1, True), lambda: entry(lanes_of(real), False), count, dtype
    )


def lanes_of(real: Real) -> int:
    """Return how many numbers of a type the widest vector holds."""
    return host().width * DOUBLE.size // real.size


def _ports(program: Program, real: Real) -> Ports:
    return Ports(program.inputs, program.outputs, real=real)


def _fast_call(code: Code, ports: Ports, batch: Batch | None, fallback: Call) -> Call:
    """Return the compiled function of plain arrays: of a batch, or of one state and of a few."""
    if batch is not None:
        return python_entry.fast_call(code, ports, True, fallback)
    few = python_entry.fast_call(code, ports, True, fallback, FEW_NAME)
    return python_entry.fast_call(code, ports, False, few)


def _into(code: Code, ports: Ports, batch: Batch | None, fallback: Call) -> Call:
    """Return the compiled function that takes inputs, and arrays for the outputs."""
    if not python_entry.is_supported():
        return fallback
    shapes = str([port.shape for port in (*ports.inputs, *ports.outputs)])
    what = (ports.real.dtype, str(batch), str(len(ports.inputs)), shapes)
    parts = ("llvm into", VERSION, str(host()), *what)
    own = Code(cache.cached(parts, lambda: machine_code(into_text(ports, batch))))
    return into_call(own, code, code.address(ENTRY_NAME), fallback)


def load(program: Program, width: int, batch: Batch | None, real: Real = DOUBLE) -> Code:
    """Return the machine code of a program for ``width`` samples side by side."""
    if python_entry.is_supported():
        python_entry.register_symbols()
    parts = ("llvm", VERSION, str(host()), real.dtype, str(width), str(batch), str(program))
    return Code(cache.cached(parts, lambda: machine_code(text(program, width, batch, real))))


def text(program: Program, width: int, batch: Batch | None = None, real: Real = DOUBLE) -> str:
    """Return the LLVM text of a program."""
    write = long_text if is_long(program, width) else module_text
    module = write(program, width, lanes_of(real), real)
    if python_entry.is_supported():
        ports = _ports(program, real)
        module += python_entry.declarations() + python_entry.call_text(ports, ENTRY_NAME, batch)
        if batch is None:
            few = Batch(1, lanes_of(real) - 1)
            module += python_entry.call_text(ports, ENTRY_NAME, few, FEW_NAME)
    return module


def build_loop(loop: Loop, *, threads: int | None = None, dtype: str = "float64") -> NativeLoop:
    """Return the kernel of a loop."""
    real = real_of(dtype)
    group = lanes_of(real)

    def entry(width: int) -> Entry:
        parts = ("llvm loop", VERSION, str(host()), dtype, str(width), str(loop))
        code = Code(cache.cached(parts, lambda: machine_code(loop_text(loop, width, group, real))))
        return Entry(code.function(ENTRY_NAME), width, None)

    def fast_call(steps: int, fallback: Call) -> Call:
        if not python_entry.is_supported():
            return fallback
        python_entry.register_symbols()
        ports = _loop_ports(loop, steps, real)
        parts = ("llvm loop call", VERSION, str(host()), dtype, str(steps), str(loop))
        code = Code(cache.cached(parts, lambda: machine_code(_loop_call_text(loop, ports))))
        return python_entry.fast_call(code, ports, False, fallback)

    count = core_count() if threads is None else threads
    return NativeLoop(loop, lambda: entry(1), lambda: entry(group), count, fast_call, dtype)


def _loop_call_text(loop: Loop, ports: Ports) -> str:
    """Return the text of a loop for one sample, with a function that Python calls."""
    module = loop_text(loop, 1, lanes_of(ports.real), ports.real)
    call = python_entry.call_text(ports, ENTRY_NAME, None)
    return module + python_entry.declarations() + call


def _loop_ports(loop: Loop, steps: int, real: Real) -> Ports:
    """Return what a loop of so many steps without records takes and returns."""
    program = loop.program
    # places of the records that are not kept, then steps and the steps between records
    numbers = [0, 0] * len(loop.recorded) + [steps, NEVER]
    return Ports(program.inputs, (*program.outputs, Port("steps", ())), numbers, real)
