"""The handler of a kernel on a GPU of NVIDIA: a launch on XLA's stream, for the current device."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache

import numpy as np

from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.kernel.backends.cuda.compiling import CompiledKernel, compile_kernel
from dalembert.kernel.backends.cuda.layout import Layout
from dalembert.kernel.backends.cuda.plan import access
from dalembert.kernel.backends.cuda.split.steps import MAX_BLOCKS
from dalembert.kernel.backends.jax.xla.layout import DTYPES, GRAPH_COMPATIBLE, INTERNAL, OFFSETS
from dalembert.kernel.backends.jax.xla.text import Text, begin, common, fail_at
from dalembert.kernel.program.program import Program


def compiled_handler(
    program: Program, dtype: str, shared: Sequence[bool]
) -> tuple[str, tuple[object, ...]]:
    """Return the text of a handler, and what it needs for as long as it may be called.

    Args:
        program: What to compute.
        dtype: "float32" or "float64".
        shared: For each input whether all samples share it.
    """
    ports = (*program.inputs, *program.outputs)
    is_shared = [*shared, *(False for _ in program.outputs)]
    places = [
        Layout(0 if once else port.size, 1) for port, once in zip(ports, is_shared, strict=True)
    ]
    compiled = compile_kernel(program, dtype, access(program, places))
    flag = require_cupy().cuda.alloc_pinned_memory(8)
    word = np.frombuffer(flag, np.uint64, 1)
    word[0] = 0
    text = cuda_handler(program, dtype, places, compiled, _launch_address(), word.ctypes.data)
    return text, (compiled, flag, word)


@cache
def _launch_address() -> int:
    """Return where cuLaunchKernel of the driver begins."""
    driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    address = ctypes.cast(driver.cuLaunchKernel, ctypes.c_void_p).value
    assert address is not None
    return address


def cuda_handler(
    program: Program,
    dtype: str,
    places: Sequence[Layout],
    compiled: CompiledKernel,
    launch: int,
    flag: int,
) -> str:
    """Return a module with the function ``handler``.

    The kernel takes an address and two distances for each array, the number of samples, and the
    address of a word for results that are not finite.
    """
    inputs, outputs = program.inputs, program.outputs
    ports = (*inputs, *outputs)
    count = 3 * len(ports) + 2
    text = Text()
    shapes = ", ".join(f"{port.name} {port.shape}" for port in ports)
    wrong = text.message(f"{program.name}: expected {dtype} arrays {shapes} behind batch axes")
    refused = text.message(f"{program.name}: the CUDA driver refused the launch of the kernel")
    text.add("declare i64 @llvm.smin.i64(i64, i64)")
    common(text, DTYPES[dtype])
    text.add("define ptr @handler(ptr %frame) nounwind {", "entry:")
    values = text.emit(f"alloca [{count} x i64], align 8")
    pointers = text.emit(f"alloca [{count} x ptr], align 8")
    asked = text.emit("alloca [32 x i8], align 8")
    # a launch depends on addresses alone, so XLA may record it
    buffers = begin(text, inputs, outputs, GRAPH_COMPATIBLE)
    fits = text.emit(f"icmp sge i64 {buffers.samples}, 0")
    for k, (place, data, found) in enumerate(
        zip(places, buffers.data, buffers.counts, strict=True)
    ):
        expected = buffers.samples if place.batch else "1"
        good = text.emit(f"icmp eq i64 {found}, {expected}")
        fits = text.emit(f"and i1 {fits}, {good}")
        text.store("ptr", data, values, 24 * k)
        text.store("i64", str(place.batch), values, 24 * k + 8)
        text.store("i64", str(place.step), values, 24 * k + 16)
    text.store("i64", buffers.samples, values, 8 * (count - 2))
    text.store("i64", str(flag), values, 8 * (count - 1))
    for k in range(count):
        text.store("ptr", text.at(values, 8 * k), pointers, 8 * k)
    text.add(f"  br i1 {fits}, label %sized, label %invalid", "sized:")
    some = text.emit(f"icmp sgt i64 {buffers.samples}, 0")
    text.add(f"  br i1 {some}, label %ask, label %done", "ask:")
    api = text.load("ptr", "%frame", OFFSETS["CallFrame.api"])
    context = text.load("ptr", "%frame", OFFSETS["CallFrame.ctx"])
    text.arguments("Stream_Get_Args", asked)
    text.store("ptr", context, asked, OFFSETS["Stream_Get_Args.ctx"])
    get = text.load("ptr", api, OFFSETS["Api.XLA_FFI_Stream_Get"])
    problem = text.emit(f"call ptr {get}(ptr {asked})")
    has_stream = text.emit(f"icmp eq ptr {problem}, null")
    text.add(
        f"  br i1 {has_stream}, label %launch, label %no_stream",
        "no_stream:",
        f"  ret ptr {problem}",
        "launch:",
    )
    stream = text.load("ptr", asked, OFFSETS["Stream_Get_Args.stream"])
    more = text.emit(f"add i64 {buffers.samples}, {compiled.threads - 1}")
    blocks = text.emit(f"udiv i64 {more}, {compiled.threads}")
    allowed = text.emit(f"call i64 @llvm.smin.i64(i64 {blocks}, i64 {MAX_BLOCKS})")
    grid = text.emit(f"trunc i64 {allowed} to i32")
    function = f"ptr inttoptr (i64 {compiled.kernel.kernel.ptr} to ptr)"
    status = text.emit(
        f"call i32 inttoptr (i64 {launch} to ptr)({function}, i32 {grid}, i32 1, i32 1, "
        f"i32 {compiled.threads}, i32 1, i32 1, i32 {compiled.shared}, ptr {stream}, "
        f"ptr {pointers}, ptr null)"
    )
    launched = text.emit(f"icmp eq i32 {status}, 0")
    text.add(f"  br i1 {launched}, label %done, label %refused", "done:", "  ret ptr null")
    fail_at(text, "invalid", wrong)
    fail_at(text, "refused", refused, INTERNAL)
    text.add("}")
    return str(text)
