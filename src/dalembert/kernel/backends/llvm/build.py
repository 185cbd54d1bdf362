"""Programs as kernels in machine code, through the cache."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dalembert.kernel.backends.llvm import python_entry
from dalembert.kernel.backends.llvm.cached_code import cached_code
from dalembert.kernel.backends.llvm.host import Host, this_host
from dalembert.kernel.backends.llvm.jit import Code
from dalembert.kernel.backends.llvm.python_entry import FEW_NAME, Batch, Ports
from dalembert.kernel.backends.llvm.python_into import into_call, into_text
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real, real_of
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME, is_long, module_text
from dalembert.kernel.backends.llvm.write.long import long_text
from dalembert.kernel.backends.llvm.write.loop import loop_text
from dalembert.kernel.backends.native.cores import core_count
from dalembert.kernel.backends.native.kernel import Entry, NativeKernel, samples_for_one_thread
from dalembert.kernel.backends.native.loop import NEVER, NativeLoop
from dalembert.kernel.backends.native.threads import Run
from dalembert.kernel.call.kernel import Call
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Port, Program


def build(
    program: Program,
    *,
    threads: int | None = None,
    dtype: str = "float64",
    host: Host | None = None,
) -> NativeKernel:
    """Return the kernel of a program; its code is made, or found, at the first call.

    The code is for this processor, unless another ``host`` is given.
    """
    count, real = core_count() if threads is None else threads, real_of(dtype)
    host = host or this_host()

    def entry(width: int, keep_gil: bool) -> Entry:
        batch = None if width == 1 else Batch(width, samples_for_one_thread(program))
        code = load(program, width, batch, real, host)
        fast_call = None
        if python_entry.is_supported():
            fast_call = partial(_fast_call, code, _ports(program, real), batch)
        run = code.function(ENTRY_NAME, keep_gil=keep_gil)
        return Entry(
            run, width, fast_call, partial(_into, host, code, _ports(program, real), batch)
        )

    return NativeKernel(
        program,
        lambda: entry(1, True),
        lambda: entry(host.lanes(real), False),
        count,
        dtype,
        watches_units=True,
    )


def _ports(program: Program, real: Real) -> Ports:
    return Ports(program.inputs, program.outputs, real=real)


def _fast_call(code: Code, ports: Ports, batch: Batch | None, fallback: Call) -> Call:
    """Return the compiled function of plain arrays: of a batch, or of one state and of a few."""
    if batch is not None:
        return python_entry.fast_call(code, ports, True, fallback)
    few = python_entry.fast_call(code, ports, True, fallback, FEW_NAME)
    return python_entry.fast_call(code, ports, False, few)


def _into(host: Host, code: Code, ports: Ports, batch: Batch | None, fallback: Call) -> Call:
    """Return the compiled function that takes inputs, and arrays for the outputs."""
    if not python_entry.is_supported():
        return fallback
    own = cached_code(host, lambda: into_text(ports, batch))
    return into_call(own, code, code.address(ENTRY_NAME), fallback)


def load(
    program: Program,
    width: int,
    batch: Batch | None,
    real: Real = DOUBLE,
    host: Host | None = None,
) -> Code:
    """Return the machine code of a program for ``width`` samples side by side."""
    has_entry = python_entry.is_supported()
    if has_entry:
        python_entry.register_symbols()
    host = host or this_host()
    key = ("program", f"{real.dtype} {width} {batch} {has_entry}", str(program))

    def check(code: Code) -> None:
        # only code that is new is checked
        from dalembert.kernel.backends.llvm.check import check_lanes

        def single() -> Run:
            return load(program, 1, None, real, host).function(ENTRY_NAME)

        check_lanes(program, code.function(ENTRY_NAME), width, real, single)

    return cached_code(
        host,
        lambda: text(program, width, batch, real, host),
        *key,
        check=check if width > 1 and host.runs_here else None,
    )


def text(
    program: Program,
    width: int,
    batch: Batch | None = None,
    real: Real = DOUBLE,
    host: Host | None = None,
) -> str:
    """Return the LLVM text of a program."""
    host = host or this_host()
    write = long_text if is_long(program, width) else module_text
    module = write(program, width, host, real)
    if python_entry.is_supported():
        ports = _ports(program, real)
        module += python_entry.declarations() + python_entry.call_text(ports, ENTRY_NAME, batch)
        if batch is None:
            few = Batch(1, host.lanes(real) - 1)
            module += python_entry.call_text(ports, ENTRY_NAME, few, FEW_NAME)
    return module


def build_loop(
    loop: Loop,
    *,
    threads: int | None = None,
    dtype: str = "float64",
    host: Host | None = None,
) -> NativeLoop:
    """Return the kernel of a loop; ``host`` as in `build`."""
    real = real_of(dtype)
    host = host or this_host()

    def entry(width: int) -> Entry:
        def check(code: Code) -> None:
            from dalembert.kernel.backends.llvm.check import check_lanes

            run = code.function(ENTRY_NAME)
            behind, numbers = _one_step(loop, real)
            check_lanes(loop, run, width, real, lambda: entry(1).run, behind, numbers)

        code = cached_code(
            host,
            lambda: loop_text(loop, width, host, real),
            *("loop", f"{dtype} {width}", str(loop)),
            check=check if width > 1 and host.runs_here else None,
        )
        return Entry(code.function(ENTRY_NAME), width, None)

    def fast_call(steps: int, fallback: Call) -> Call:
        if not python_entry.is_supported():
            return fallback
        python_entry.register_symbols()
        ports = _loop_ports(loop, steps, real)
        key = ("loop call", f"{dtype} {steps}", str(loop))
        code = cached_code(host, lambda: _loop_call_text(loop, ports, host), *key)
        return python_entry.fast_call(code, ports, False, fallback)

    count = core_count() if threads is None else threads
    return NativeLoop(
        loop, lambda: entry(1), lambda: entry(host.lanes(real)), count, fast_call, dtype
    )


def _loop_call_text(loop: Loop, ports: Ports, host: Host) -> str:
    """Return the text of a loop for one sample, with a function that Python calls."""
    module = loop_text(loop, 1, host, ports.real)
    call = python_entry.call_text(ports, ENTRY_NAME, None)
    return module + python_entry.declarations() + call


def _one_step(loop: Loop, real: Real) -> tuple[Sequence[Port], Sequence[int]]:
    """Return what the table of one step has behind the outputs: the count, then numbers."""
    rows = [real.size * port.size for k, port in enumerate(loop.inputs) if loop.is_sequence(k)]
    return [Port("steps", ())], [*[0, 0] * len(loop.recorded), 1, NEVER, *rows]


def _loop_ports(loop: Loop, steps: int, real: Real) -> Ports:
    """Return what a loop of so many steps without records takes and returns."""
    # places of the records that are not kept, then steps and the steps between records
    numbers = [0, 0] * len(loop.recorded) + [steps, NEVER]
    return Ports(loop.inputs, (*loop.program.outputs, Port("steps", ())), numbers, real)
