"""Compiled functions that Python calls with arrays for the results, as `python_entry` without.

The text knows only shapes: it is given the kernel's address, so that it is compiled once for all
kernels of the same ports, in milliseconds. Its arguments are the inputs and then the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from dalembert.kernel.backends.llvm.jit import Code
from dalembert.kernel.backends.llvm.python_entry import (
    BUFFER_BYTES,
    CALL_NAME,
    DECLARATIONS,
    READ,
    Batch,
    Ports,
    array_type,
    drop_length,
    input_label,
    measure,
    python_function,
    release_chain,
    release_label,
    take_input,
)
from dalembert.kernel.backends.llvm.reals import Real
from dalembert.kernel.program.program import Port

WRITABLE = 0x01
# the kernel's address, the fallback and what keeps the kernel alive, in the function's own object
ADDRESS, FALLBACK, KERNEL = 0, 1, 2


def into_text(ports: Ports, batch: Batch | None) -> str:
    """Return the module of the function; ``batch`` as in `python_entry.call_text`."""
    n, m = len(ports.inputs), len(ports.outputs)
    every = [*ports.inputs, *ports.outputs]
    lines = [
        *(f"declare {text}" for text in DECLARATIONS.values()),
        f"define ptr @{CALL_NAME}(ptr %self, ptr %args, i64 %nargs, ptr %names) nounwind {{",
        "start:",
        f"  %table = alloca [{2 * (n + m)} x i64], align 8",
        *(f"  %buffer{k} = alloca [{BUFFER_BYTES} x i8], align 8" for k in range(n + m)),
        "  %none = alloca i64, align 8",
        "  store i64 -1, ptr %none, align 8",
        "  %length = alloca ptr, align 8",
        *array_type(KERNEL + 1),
        f"  %enough = icmp eq i64 %nargs, {n + m}",
        "  %unnamed = icmp eq ptr %names, null",
        "  %plain = and i1 %enough, %unnamed",
        f"  br i1 %plain, label %{input_label(0, n + m)}, label %fallback",
    ]
    for k, port in enumerate(every):
        access = READ if k < n else READ | WRITABLE
        lines += take_input(k, port, ports.real, n + m, batch is not None, access)
    drop = release_label(n + m - 1, "drop")
    lines += [
        "outputs:",
        *measure(n, batch, drop),
        "output0:",
        *_ends(every, ports.real),
        *_apart(n, n + m, batch is not None),
        f"  br i1 %apart, label %run, label %{drop if batch is None else 'touching'}",
        *(["touching:", *drop_length(True, "touch"), f"  br label %{drop}"] if batch else []),
        "run:",
        f"  %address = call ptr @PyTuple_GetItem(ptr %self, i64 {ADDRESS})",
        "  %kernel = call ptr @PyLong_AsVoidPtr(ptr %address)",
        "  %flag = call i64 %kernel(ptr %table, i64 0, i64 %samples)",
        *(f"  call void @PyBuffer_Release(ptr %buffer{k})" for k in range(n + m)),
        *drop_length(batch is not None, "done"),
        "  %fine = icmp eq i64 %flag, 0",
        "  br i1 %fine, label %finish, label %fallback",
        "finish:",
        *_answer(n, m),
        "  ret ptr %result",
        *release_chain(n + m, "drop"),
        "drop:",
        "  call void @PyErr_Clear()",
        "  br label %fallback",
        "fallback:",
        f"  %other = call ptr @PyTuple_GetItem(ptr %self, i64 {FALLBACK})",
        "  %answer = call ptr @PyObject_Vectorcall(ptr %other, ptr %args, i64 %nargs, ptr %names)",
        "  ret ptr %answer",
        "}",
        "",
    ]
    return "\n".join(lines)


def _answer(n: int, m: int) -> list[str]:
    """Return the instructions that make the result: the array, if it is a single one."""
    if m > 1:
        return ["  %result = call ptr @PyLong_FromSsize_t(i64 0)"]
    return [
        f"  %result = getelementptr i8, ptr %arg{n}, i64 0",
        f"  call void @Py_IncRef(ptr %arg{n})",
    ]


def into_call(
    code: Code, kernel: Code, address: int, fallback: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the compiled function; ``fallback`` takes the calls that are not plain."""
    return python_function(code, (address, fallback, kernel), fallback)


def _ends(ports: Sequence[Port], real: Real) -> list[str]:
    """Return instructions that find where each array begins and ends."""
    lines = []
    for k, port in enumerate(ports):
        lines += [
            f"  %many{k} = select i1 %is_many{k}, i64 %rows{k}, i64 1",
            f"  %bytes{k} = mul i64 %many{k}, {real.size * port.size}",
            f"  %begin{k} = ptrtoint ptr %data{k} to i64",
            f"  %end{k} = add i64 %begin{k}, %bytes{k}",
        ]
    return lines


def _apart(n: int, total: int, is_batch: bool) -> list[str]:
    """Return instructions that tell whether outputs have all rows and share no memory."""
    lines = ["  %apart_0 = icmp eq i1 true, true"]
    step = 0

    def require(condition: str) -> None:
        nonlocal step
        lines.append(f"  %apart_{step + 1} = and i1 %apart_{step}, {condition}")
        step += 1

    for k in range(n, total):
        if is_batch:
            require(f"%is_many{k}")
            require(f"%same{k}")
    for a, b in combinations(range(total), 2):
        if b >= n:
            lines += [
                f"  %before{a}_{b} = icmp ule i64 %end{a}, %begin{b}",
                f"  %behind{a}_{b} = icmp ule i64 %end{b}, %begin{a}",
                f"  %clear{a}_{b} = or i1 %before{a}_{b}, %behind{a}_{b}",
            ]
            require(f"%clear{a}_{b}")
    return [*lines, f"  %apart = and i1 %apart_{step}, true"]
