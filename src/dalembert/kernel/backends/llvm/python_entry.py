"""Compiled functions that Python calls directly: one for a state, one for a batch.

Beside the code of a program, this writes the few calls of CPython's interface that take arrays
apart: the buffers of the arguments are checked and read in place, a new array is asked for each
output, and the kernel runs. Other arguments than arrays of NumPy, contiguous and of the right type
and shape, are passed unchanged to a fallback: the function for a batch, then one in Python, which
converts or raises. Classes derived from arrays are others: a masked array would show the numbers
that it hides.
"""

from __future__ import annotations

import ctypes
import inspect
import platform
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding as llvm

from dalembert.kernel.backends.llvm.jit import Code
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real
from dalembert.kernel.program.program import Port

CALL_NAME, FEW_NAME = "python_call", "python_call_few"
"""The functions of a module: for its own kind of arguments, and for a few states."""

# how to ask for a buffer: with its format and shape, contiguous; to be written
READ, WRITE = 0x0C, 0x01 | 0x08
# places in a Py_buffer, whose layout is part of the stable interface
BUFFER_BYTES, NDIM, FORMAT, SHAPE = 80, 36, 40, 48
METH_FASTCALL_KEYWORDS = 0x80 | 0x02
TYPE_PLACE = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)
"""Where an object has its class: behind all that counts references, in every build of CPython."""

DECLARATIONS = {
    "PyObject_GetBuffer": "i32 @PyObject_GetBuffer(ptr, ptr, i32)",
    "PyBuffer_Release": "void @PyBuffer_Release(ptr)",
    "PyErr_Clear": "void @PyErr_Clear()",
    "PyObject_Vectorcall": "ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)",
    "PyLong_AsVoidPtr": "ptr @PyLong_AsVoidPtr(ptr)",
    "PyLong_FromSsize_t": "ptr @PyLong_FromSsize_t(i64)",
    "PyDict_GetItem": "ptr @PyDict_GetItem(ptr, ptr)",
    "PyTuple_GetItem": "ptr @PyTuple_GetItem(ptr, i64)",
    "PyTuple_Size": "i64 @PyTuple_Size(ptr)",
    "PyTuple_New": "ptr @PyTuple_New(i64)",
    "PyTuple_SetItem": "i32 @PyTuple_SetItem(ptr, i64, ptr)",
    "Py_DecRef": "void @Py_DecRef(ptr)",
    "Py_IncRef": "void @Py_IncRef(ptr)",
}


class Batch(NamedTuple):
    """How many samples the batch function takes: not fewer than lanes, not work for threads."""

    least: int
    most: int


def is_supported() -> bool:
    """Tell whether this Python has the interface, with 64-bit addresses."""
    if platform.python_implementation() != "CPython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    return ctypes.c_void_p.from_address(id(TYPE_PLACE) + TYPE_PLACE).value == id(int)


class Ports(NamedTuple):
    """What a function of arrays takes and returns, and numbers that its table has behind them."""

    inputs: Sequence[Port]
    outputs: Sequence[Port]
    numbers: Sequence[int] = ()
    real: Real = DOUBLE


def declarations() -> str:
    """Return the declarations of CPython's interface."""
    return "".join(f"declare {text}\n" for text in DECLARATIONS.values())


def call_text(ports: Ports, entry: str, batch: Batch | None, name: str = CALL_NAME) -> str:
    """Return the function that Python calls, for a module that has the kernel ``entry``.

    The module has the `declarations` too. Without ``batch`` it takes one state; with it, arrays
    that have one more axis in front, all of one length, or none of them for a state that all
    samples share.
    """
    n, m = len(ports.inputs), len(ports.outputs)
    lines = [
        f"define ptr @{name}(ptr %self, ptr %args, i64 %nargs, ptr %names) nounwind {{",
        "start:",
        f"  %table = alloca [{2 * (n + m) + len(ports.numbers)} x i64], align 8",
        *(f"  %buffer{k} = alloca [{BUFFER_BYTES} x i8], align 8" for k in range(n + m)),
        "  %none = alloca i64, align 8",
        "  store i64 -1, ptr %none, align 8",
        "  %length = alloca ptr, align 8",
        *array_type(m + 1),
        f"  %enough = icmp eq i64 %nargs, {n}",
        "  %unnamed = icmp eq ptr %names, null",
        "  %plain = and i1 %enough, %unnamed",
        f"  br i1 %plain, label %{input_label(0, n)}, label %fallback",
    ]
    for k, port in enumerate(ports.inputs):
        lines += take_input(k, port, ports.real, n, batch is not None)
    lines += ["outputs:", *measure(n, batch, release_label(n - 1, "drop"))]
    for k, port in enumerate(ports.outputs):
        lines += _make_output(k, port, ports.real, n, m, batch is not None)
    lines += [
        "run:",
        *_enter_numbers(2 * (n + m), ports.numbers),
        f"  %flag = call i64 @{entry}(ptr %table, i64 0, i64 %samples)",
        *(f"  call void @PyBuffer_Release(ptr %buffer{k})" for k in range(n + m)),
        *drop_length(batch is not None, "done"),
        "  %fine = icmp eq i64 %flag, 0",
        "  br i1 %fine, label %finish, label %bad",
        "finish:",
        "  ret ptr %result",
        # a number that is not finite: drop the result, the fallback explains it
        "bad:",
        "  call void @Py_DecRef(ptr %result)",
        "  br label %fallback",
        *release_chain(n, "drop"),
        "drop:",
        "  call void @PyErr_Clear()",
        "  br label %fallback",
        "fallback:",
        f"  %other = call ptr @PyTuple_GetItem(ptr %self, i64 {m})",
        "  %answer = call ptr @PyObject_Vectorcall(ptr %other, ptr %args, i64 %nargs, ptr %names)",
        "  ret ptr %answer",
        # no memory: Python has its error set
        *release_chain(n, "error"),
        "error:",
        "  ret ptr null",
        "}",
        "",
    ]
    return "\n".join(lines)


def fast_call(
    code: Code,
    ports: Ports,
    is_batch: bool,
    fallback: Callable[..., Any],
    name: str = CALL_NAME,
) -> Callable[..., Any]:
    """Return the compiled function for Python; ``fallback`` takes the calls that are not plain.

    It has the name, the docstring and the signature of the fallback.
    """
    dtype = ports.real.dtype
    makers = tuple(
        partial(_new_rows, port.shape, dtype) if is_batch else np.empty(port.shape, dtype).copy
        for port in ports.outputs
    )
    return python_function(code, (*makers, fallback), fallback, name)


def python_function(
    code: Code, own: tuple[Any, ...], fallback: Callable[..., Any], name: str = CALL_NAME
) -> Callable[..., Any]:
    """Return a function of a module's text for Python, with an object of its own.

    Behind ``own`` that has the class of plain arrays, where `array_type` finds it.
    """
    shown = getattr(fallback, "__name__", "kernel")
    definition = MethodDefinition(
        shown.encode(), code.address(name), METH_FASTCALL_KEYWORDS, documentation(fallback)
    )
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    # the function's own object keeps alive what it runs on; its code finds the class there
    held = Own((*own, np.ndarray, code, definition))
    held.fallback = fallback
    return make(ctypes.addressof(definition), held, getattr(fallback, "__module__", None))


class Own(tuple[Any, ...]):
    """The own object of a compiled function: it is pickled as the owner of what it stands for.

    A function of CPython is pickled as a name and the object that has it. So the method that took
    the place of a method of a model goes to other processes as that model's method.
    """

    fallback: Callable[..., Any]

    @property
    def owner(self) -> object:
        """The object with the method that the function stands for; None of a plain function."""
        owner = getattr(self.fallback, "__self__", None)
        return owner.owner if isinstance(owner, Own) else owner

    def __reduce__(self) -> tuple[Callable[[object], object], tuple[object]]:
        if self.owner is None:
            name = getattr(self.fallback, "__name__", "a kernel")
            raise TypeError(
                f"expected the method of a model or a kernel to pickle, got the compiled {name}: "
                "send the model"
            )
        return _same, (self.owner,)


def _same(owner: object) -> object:
    return owner


def documentation(function: Callable[..., Any]) -> bytes:
    """Return a docstring as CPython's functions have it, with the signature in front if known."""
    doc = inspect.getdoc(function) or ""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return doc.encode()
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    plain = signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    return f"{getattr(function, '__name__', 'kernel')}{plain}\n--\n\n{doc}".encode()


def register_symbols() -> None:
    """Tell LLVM where the functions of the interface are."""
    for name in DECLARATIONS:
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        llvm.add_symbol(name, address)


def _new_rows(shape: tuple[int, ...], dtype: str, count: int) -> np.ndarray:
    return np.empty((count, *shape), dtype)


class MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def array_type(place: int) -> list[str]:
    """Return the instruction that finds the class of plain arrays in the function's own object."""
    return [f"  %array_type = call ptr @PyTuple_GetItem(ptr %self, i64 {place})"]


def input_label(k: int, n: int) -> str:
    """Return the block that takes argument k; after the last one that of the outputs."""
    return f"input{k}" if k < n else "outputs"


def release_label(k: int, chain: str) -> str:
    """Return the block of a chain that gives back the buffers of arguments k, k - 1, … 0."""
    return f"{chain}_release{k}" if k >= 0 else chain


def release_chain(n: int, chain: str) -> list[str]:
    """Return blocks that give back the buffers of inputs k, k - 1, … 0."""
    lines = []
    for k in reversed(range(n)):
        lines += [
            f"{chain}_release{k}:",
            f"  call void @PyBuffer_Release(ptr %buffer{k})",
            f"  br label %{release_label(k - 1, chain)}",
        ]
    return lines


def take_input(
    k: int, port: Port, real: Real, n: int, is_batch: bool, access: int = READ
) -> list[str]:
    """Return blocks that take the buffer of argument k, if it has the right type and shape."""
    rank = len(port.shape)
    no = release_label(k, "drop")
    letters = int.from_bytes(f"{real.letter}\0".encode(), sys.byteorder)
    lines = [
        f"input{k}:",
        f"  %place{k} = getelementptr ptr, ptr %args, i64 {k}",
        f"  %arg{k} = load ptr, ptr %place{k}, align 8",
        f"  %type_at{k} = getelementptr i8, ptr %arg{k}, i64 {TYPE_PLACE}",
        f"  %type{k} = load ptr, ptr %type_at{k}, align 8",
        f"  %is_array{k} = icmp eq ptr %type{k}, %array_type",
        f"  br i1 %is_array{k}, label %ask{k}, label %{release_label(k - 1, 'drop')}",
        f"ask{k}:",
        f"  %rc{k} = call i32 @PyObject_GetBuffer(ptr %arg{k}, ptr %buffer{k}, i32 {access})",
        f"  %got{k} = icmp eq i32 %rc{k}, 0",
        f"  br i1 %got{k}, label %check{k}, label %{release_label(k - 1, 'drop')}",
        f"check{k}:",
        f"  %ndim_at{k} = getelementptr i8, ptr %buffer{k}, i64 {NDIM}",
        f"  %ndim{k} = load i32, ptr %ndim_at{k}, align 4",
        f"  %is_one{k} = icmp eq i32 %ndim{k}, {rank}",
        f"  %more_axes{k} = icmp eq i32 %ndim{k}, {rank + 1}",
        f"  %is_many{k} = and i1 %more_axes{k}, {'true' if is_batch else 'false'}",
        f"  %is_rank{k} = or i1 %is_one{k}, %is_many{k}",
        f"  br i1 %is_rank{k}, label %form{k}, label %{no}",
        f"form{k}:",
        f"  %format_at{k} = getelementptr i8, ptr %buffer{k}, i64 {FORMAT}",
        f"  %format{k} = load ptr, ptr %format_at{k}, align 8",
        # the letter and the end of the text, as one number of two bytes
        f"  %letters{k} = load i16, ptr %format{k}, align 1",
        f"  %good{k}_0 = icmp eq i16 %letters{k}, {letters}",
        f"  %shape_at{k} = getelementptr i8, ptr %buffer{k}, i64 {SHAPE}",
        f"  %shape{k} = load ptr, ptr %shape_at{k}, align 8",
        f"  %skip{k} = zext i1 %is_many{k} to i64",
        f"  %inner{k} = getelementptr i64, ptr %shape{k}, i64 %skip{k}",
    ]
    for axis, length in enumerate(port.shape):
        lines += [
            f"  %axis{k}_{axis} = getelementptr i64, ptr %inner{k}, i64 {axis}",
            f"  %length{k}_{axis} = load i64, ptr %axis{k}_{axis}, align 8",
            f"  %fits{k}_{axis} = icmp eq i64 %length{k}_{axis}, {length}",
            f"  %good{k}_{axis + 1} = and i1 %good{k}_{axis}, %fits{k}_{axis}",
        ]
    # samples so far: -1 while only shared arrays came; all batches must agree
    before = f"%count{k - 1}" if k else "-1"
    lines += [
        f"  %from{k} = select i1 %is_many{k}, ptr %shape{k}, ptr %none",
        f"  %rows{k} = load i64, ptr %from{k}, align 8",
        f"  %count{k} = select i1 %is_many{k}, i64 %rows{k}, i64 {before}",
        f"  %same{k} = icmp eq i64 %count{k}, {before}",
        f"  %first{k} = icmp eq i64 {before}, -1",
        f"  %agrees{k} = or i1 %same{k}, %first{k}",
        f"  %good{k} = and i1 %good{k}_{rank}, %agrees{k}",
        f"  %stride{k} = select i1 %is_many{k}, i64 {real.size * port.size}, i64 0",
        f"  br i1 %good{k}, label %take{k}, label %{no}",
        f"take{k}:",
    ]
    return [*lines, *_enter(k, f"%stride{k}"), f"  br label %{input_label(k + 1, n)}"]


def measure(n: int, batch: Batch | None, drop: str) -> list[str]:
    """Return the instructions that say how many samples there are, and reject other numbers."""
    if batch is None:
        return ["  %samples = add i64 0, 1", "  br label %output0"]
    count = f"%count{n - 1}" if n else "-1"
    return [
        f"  %samples = add i64 {count}, 0",
        f"  %not_few = icmp sge i64 %samples, {batch.least}",
        f"  %not_many = icmp sle i64 %samples, {batch.most}",
        "  %right = and i1 %not_few, %not_many",
        f"  br i1 %right, label %counted, label %{drop}",
        "counted:",
        "  %number = call ptr @PyLong_FromSsize_t(i64 %samples)",
        "  store ptr %number, ptr %length, align 8",
        "  br label %output0",
    ]


def drop_length(is_batch: bool, where: str) -> list[str]:
    """Return the instructions that give back the number of samples."""
    if not is_batch:
        return []
    return [
        f"  %number_{where} = load ptr, ptr %length, align 8",
        f"  call void @Py_DecRef(ptr %number_{where})",
    ]


def _make_output(k: int, port: Port, real: Real, n: int, m: int, is_batch: bool) -> list[str]:
    """Return blocks that ask for a new array; one is the result, several go into a tuple."""
    b = n + k
    following = f"output{k + 1}" if k + 1 < m else "run"
    made = "%result" if m == 1 else f"%made{k}"
    stop = release_label(n - 1, "error")
    # a batch's array is made for its length
    arguments = f"ptr %length, i64 {int(is_batch)}, ptr null"
    lines = [f"output{k}:"]
    if m > 1 and k == 0:
        lines += [
            f"  %result = call ptr @PyTuple_New(i64 {m})",
            "  %room = icmp ne ptr %result, null",
            f"  br i1 %room, label %make0, label %{stop}",
        ]
    else:
        lines += [f"  br label %make{k}"]
    lines += [
        f"make{k}:",
        f"  %maker{k} = call ptr @PyTuple_GetItem(ptr %self, i64 {k})",
        f"  {made} = call ptr @PyObject_Vectorcall(ptr %maker{k}, {arguments})",
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
    return [*lines, *_enter(b, str(real.size * port.size)), f"  br label %{following}"]


def _enter(k: int, stride: str) -> list[str]:
    """Return instructions that put the address of buffer k, and its stride, into the table."""
    return [
        f"  %data{k} = load ptr, ptr %buffer{k}, align 8",
        f"  %slot{k} = getelementptr i64, ptr %table, i64 {2 * k}",
        f"  store ptr %data{k}, ptr %slot{k}, align 8",
        f"  %stride_at{k} = getelementptr i64, ptr %table, i64 {2 * k + 1}",
        f"  store i64 {stride}, ptr %stride_at{k}, align 8",
    ]


def _enter_numbers(first: int, numbers: Sequence[int]) -> list[str]:
    """Return instructions that put numbers into the table, from a place on."""
    lines = []
    for k, number in enumerate(numbers):
        lines += [
            f"  %number_at{k} = getelementptr i64, ptr %table, i64 {first + k}",
            f"  store i64 {number}, ptr %number_at{k}, align 8",
        ]
    return lines
