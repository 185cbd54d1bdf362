"""A compiled function that Python calls directly.

Beside the code of a program, this writes the few calls of CPython's stable interface that take
arrays apart: the buffers of the arguments are checked and read in place, a new array is asked for
each output, and the kernel runs. Whatever is not just contiguous doubles of the right shape gives
``False``: the caller then takes the careful way, which converts, or says what is wrong.
"""

from __future__ import annotations

import ctypes
import platform
from typing import Any

import numpy as np
from llvmlite import binding as llvm

from dalembert.kernel.program import Port, Program

CALL_NAME = "python_call"

# how to ask for a buffer: with its format and shape, contiguous; to be written
READ, WRITE = 0x0C, 0x01 | 0x08
# places in a Py_buffer, whose layout is part of the stable interface
BUFFER_BYTES, NDIM, FORMAT, SHAPE = 80, 36, 40, 48
METH_FASTCALL = 0x80

DECLARATIONS = {
    "PyObject_GetBuffer": "i32 @PyObject_GetBuffer(ptr, ptr, i32)",
    "PyBuffer_Release": "void @PyBuffer_Release(ptr)",
    "PyErr_Clear": "void @PyErr_Clear()",
    "PyBool_FromLong": "ptr @PyBool_FromLong(i64)",
    "PyObject_CallNoArgs": "ptr @PyObject_CallNoArgs(ptr)",
    "PyTuple_GetItem": "ptr @PyTuple_GetItem(ptr, i64)",
    "PyTuple_New": "ptr @PyTuple_New(i64)",
    "PyTuple_SetItem": "i32 @PyTuple_SetItem(ptr, i64, ptr)",
    "Py_DecRef": "void @Py_DecRef(ptr)",
}


def is_supported() -> bool:
    """Tell whether this Python has the interface, with 64-bit addresses."""
    return platform.python_implementation() == "CPython" and ctypes.sizeof(ctypes.c_void_p) == 8


def call_text(program: Program, entry: str) -> str:
    """Return the function that Python calls, for a module that has the kernel ``entry``."""
    n, m = len(program.inputs), len(program.outputs)
    lines = [f"declare {text}" for text in DECLARATIONS.values()]
    lines += [
        f"define ptr @{CALL_NAME}(ptr %self, ptr %args, i64 %nargs) nounwind {{",
        "start:",
        f"  %table = alloca [{2 * (n + m)} x i64], align 8",
        *(f"  %buffer{k} = alloca [{BUFFER_BYTES} x i8], align 8" for k in range(n + m)),
        f"  %enough = icmp eq i64 %nargs, {n}",
        f"  br i1 %enough, label %{_input_label(0, n)}, label %no",
    ]
    for k, port in enumerate(program.inputs):
        lines += _take_input(k, port, n)
    # one output is returned as it is, several in a tuple
    lines += ["outputs:"]
    if m == 1:
        lines += ["  br label %output0"]
    else:
        lines += [
            f"  %result = call ptr @PyTuple_New(i64 {m})",
            "  %room = icmp ne ptr %result, null",
            f"  br i1 %room, label %output0, label %{_release_label(n - 1, 'error')}",
        ]
    for k in range(m):
        lines += _make_output(k, n, m)
    lines += [
        "run:",
        f"  %flag = call i64 @{entry}(ptr %table, i64 0, i64 1)",
        *(f"  call void @PyBuffer_Release(ptr %buffer{k})" for k in range(n, n + m)),
        "  %fine = icmp eq i64 %flag, 0",
        f"  br i1 %fine, label %finish, label %{_release_label(n - 1, 'bad')}",
        "finish:",
        *(f"  call void @PyBuffer_Release(ptr %buffer{k})" for k in range(n)),
        "  ret ptr %result",
    ]
    # a number that is not finite: drop the result, let the careful way explain it
    lines += _release_chain(n, "bad")
    lines += ["bad:", "  call void @Py_DecRef(ptr %result)", "  br label %no"]
    lines += _release_chain(n, "drop")
    lines += ["drop:", "  call void @PyErr_Clear()", "  br label %no"]
    lines += [
        "no:",
        "  %false = call ptr @PyBool_FromLong(i64 0)",
        "  ret ptr %false",
        # no memory: Python has its error set
        *_release_chain(n, "error"),
        "error:",
        "  ret ptr null",
        "}",
        "",
    ]
    return "\n".join(lines)


def bind(code: Any, program: Program) -> Any:
    """Return the compiled function for Python: it gives an array, a tuple of them, or ``False``."""
    address = code.address(CALL_NAME)
    definition = _MethodDefinition(b"kernel", address, METH_FASTCALL, None)
    makers = tuple(np.empty(port.shape).copy for port in program.outputs)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # the function's own object keeps alive what it runs on
    return make(ctypes.addressof(definition), (*makers, code, definition), None)


def register_symbols() -> None:
    """Tell LLVM where the functions of the interface are."""
    for name in DECLARATIONS:
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        llvm.add_symbol(name, address)


class _MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def _input_label(k: int, n: int) -> str:
    return f"input{k}" if k < n else "outputs"


def _release_label(k: int, chain: str) -> str:
    return f"{chain}_release{k}" if k >= 0 else chain


def _release_chain(n: int, chain: str) -> list[str]:
    """Return blocks that give back the buffers of inputs k, k - 1, … 0."""
    lines = []
    for k in reversed(range(n)):
        lines += [
            f"{chain}_release{k}:",
            f"  call void @PyBuffer_Release(ptr %buffer{k})",
            f"  br label %{_release_label(k - 1, chain)}",
        ]
    return lines


def _take_input(k: int, port: Port, n: int) -> list[str]:
    """Return blocks that read the buffer of argument k, if it is doubles of the right shape."""
    rank = len(port.shape)
    lines = [
        f"input{k}:",
        f"  %place{k} = getelementptr ptr, ptr %args, i64 {k}",
        f"  %arg{k} = load ptr, ptr %place{k}, align 8",
        f"  %rc{k} = call i32 @PyObject_GetBuffer(ptr %arg{k}, ptr %buffer{k}, i32 {READ})",
        f"  %got{k} = icmp eq i32 %rc{k}, 0",
        f"  br i1 %got{k}, label %check{k}, label %{_release_label(k - 1, 'drop')}",
        f"check{k}:",
        f"  %ndim_at{k} = getelementptr i8, ptr %buffer{k}, i64 {NDIM}",
        f"  %ndim{k} = load i32, ptr %ndim_at{k}, align 4",
        f"  %is_rank{k} = icmp eq i32 %ndim{k}, {rank}",
        f"  br i1 %is_rank{k}, label %form{k}, label %{_release_label(k, 'drop')}",
        f"form{k}:",
        f"  %format_at{k} = getelementptr i8, ptr %buffer{k}, i64 {FORMAT}",
        f"  %format{k} = load ptr, ptr %format_at{k}, align 8",
        # "d" and the end of the text, as one number of two bytes
        f"  %letters{k} = load i16, ptr %format{k}, align 1",
        f"  %good{k}_0 = icmp eq i16 %letters{k}, {ord('d')}",
        f"  %shape_at{k} = getelementptr i8, ptr %buffer{k}, i64 {SHAPE}",
        f"  %shape{k} = load ptr, ptr %shape_at{k}, align 8",
    ]
    for axis, length in enumerate(port.shape):
        lines += [
            f"  %axis{k}_{axis} = getelementptr i64, ptr %shape{k}, i64 {axis}",
            f"  %length{k}_{axis} = load i64, ptr %axis{k}_{axis}, align 8",
            f"  %fits{k}_{axis} = icmp eq i64 %length{k}_{axis}, {length}",
            f"  %good{k}_{axis + 1} = and i1 %good{k}_{axis}, %fits{k}_{axis}",
        ]
    lines.append(f"  br i1 %good{k}_{rank}, label %take{k}, label %{_release_label(k, 'drop')}")
    return [*lines, f"take{k}:", *_enter(k), f"  br label %{_input_label(k + 1, n)}"]


def _make_output(k: int, n: int, m: int) -> list[str]:
    """Return blocks that ask for a new array and put it into the result."""
    b = n + k
    following = f"output{k + 1}" if k + 1 < m else "run"
    made = "%result" if m == 1 else f"%made{k}"
    stop = _release_label(n - 1, "error")
    lines = [
        f"output{k}:",
        f"  %maker{k} = call ptr @PyTuple_GetItem(ptr %self, i64 {k})",
        f"  {made} = call ptr @PyObject_CallNoArgs(ptr %maker{k})",
        f"  %exists{k} = icmp ne ptr {made}, null",
        f"  br i1 %exists{k}, label %put{k}, label %{stop}",
        f"put{k}:",
    ]
    if m > 1:
        lines += [f"  %set{k} = call i32 @PyTuple_SetItem(ptr %result, i64 {k}, ptr {made})"]
    lines += [
        f"  %rc_out{k} = call i32 @PyObject_GetBuffer(ptr {made}, ptr %buffer{b}, i32 {WRITE})",
        f"  %open{k} = icmp eq i32 %rc_out{k}, 0",
        f"  br i1 %open{k}, label %enter{k}, label %{stop}",
        f"enter{k}:",
    ]
    return [*lines, *_enter(b), f"  br label %{following}"]


def _enter(k: int) -> list[str]:
    """Return instructions that put the address of buffer k into the table; one row, no stride."""
    return [
        f"  %data{k} = load ptr, ptr %buffer{k}, align 8",
        f"  %slot{k} = getelementptr i64, ptr %table, i64 {2 * k}",
        f"  store ptr %data{k}, ptr %slot{k}, align 8",
        f"  %stride_at{k} = getelementptr i64, ptr %table, i64 {2 * k + 1}",
        f"  store i64 0, ptr %stride_at{k}, align 8",
    ]
