"""Every kind of module that becomes machine code, made for any processor.

A kind is made first, which compiles and loads all that it consists of, and then run, where this
machine can run it. What it must give comes from NumPy, from a plain loop or from a formula.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import dalembert as da
from dalembert.kernel.backends.jax.xla.on_cpu import HANDLER_NAME, handler_code
from dalembert.kernel.backends.llvm.build import build, build_loop
from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.python_door import CompiledDoor
from dalembert.kernel.backends.llvm.series.kernel import TaylorKernel
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME
from dalembert.kernel.backends.llvm.zeros.kernel import BoundsKernel
from dalembert.kernel.backends.native.kernel import Entry, NativeKernel
from dalembert.kernel.backends.native.share import TEXT, compiled
from dalembert.kernel.backends.numpy.loop import run_reference
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.call.series import StepStart
from dalembert.kernel.call.zeros import Look, Reason
from dalembert.kernel.compiler import Target, compile_program
from dalembert.kernel.program.program import Program

Results = list[np.ndarray]

COUNTS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33)
"""Batches around every number of lanes."""
WIDE = 600
"""Numbers of an input that is read in a loop and whose lanes lie on the heap."""
ORDER = 12
SEED = 5
# results of a few dozen operations
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


class Kind(NamedTuple):
    """A kind of module: how it is made for a processor, what running it must give, how exactly."""

    make: Callable[[Host], Callable[[], Results]]
    expected: Callable[[], Results]
    dtype: str = "float64"


def draw(*shape: int) -> np.ndarray:
    """Return the same numbers in every process."""
    return np.random.default_rng(SEED).uniform(0.1, 0.9, shape)


def flat(results: Any) -> Results:
    """Return one result or several as a list."""
    return list(results) if isinstance(results, tuple) else [results]


# ---- kernels


@cache
def every_function() -> Program:
    """Return a program with every function, of a vector, a matrix and a scalar."""
    (x, y, z), m = da.parameters("x y z"), da.parameters("m1 m2 m3 m4")
    (u,) = da.parameters("u")
    outputs = {
        "a": [da.sin(x) * y + z, da.cos(x * y) / (1 + u), da.atan2(y, z)],
        "b": da.sqrt(x + u) + da.exp(y) * da.log(1 + z) + da.tanh(u) + da.tan(x),
        "c": [[m[0] * x, da.asin(m[1] / 2)], [da.acos(m[2] / 2), (x + m[3]) ** 3]],
    }
    inputs = {"q": [x, y, z], "m": [[m[0], m[1]], [m[2], m[3]]], "u": u}
    return compile_program(outputs, inputs, name="every_function")


@cache
def wide() -> Program:
    """Return a program of so many numbers that it is cut into pieces, with loops over rows."""
    x = da.parameters(" ".join(f"x{k}" for k in range(WIDE)))
    outputs = {"y": [a * b + 2 for a, b in zip(x, (*x[1:], x[0]), strict=True)], "s": sum(x[:9])}
    return compile_program(outputs, {"x": list(x)}, name="wide")


def load_entries(kernel: NativeKernel) -> None:
    """Load all that a kernel consists of, also the functions that take ``out=``."""

    def nothing(*_: Any) -> None:
        return None

    for entry in (kernel.single, kernel.wide):
        assert isinstance(entry, Entry)
        assert entry.into_call is not None
        entry.into_call(nothing)


def laid_out(arrays: Sequence[np.ndarray], dtype: str) -> list[list[np.ndarray]]:
    """Return arrays as they are, transposed in memory, and strided."""
    contiguous = [a.astype(dtype) for a in arrays]
    transposed = [np.asfortranarray(a) for a in contiguous]
    strided = []
    for a in contiguous:
        room = np.full([2 * length for length in a.shape], np.nan, dtype)
        view = room[tuple(slice(None, None, 2) for _ in a.shape)]
        view[...] = a
        strided.append(view)
    return [contiguous, transposed, strided]


def calls(kernel: Any, program: Program, dtype: str, *, takes_out: bool) -> Results:
    """Return the results of batches of all sizes and layouts, in new arrays and in given ones."""
    found: Results = []
    for count in COUNTS:
        arrays = [draw(count, *port.shape) for port in program.inputs]
        for given in laid_out(arrays, dtype):
            found += flat(kernel(*given))
        one = [a[-1] for a in arrays]
        found += flat(kernel(*(a.astype(dtype) for a in one)))
        out = tuple(np.empty((count, *port.shape), dtype) for port in program.outputs)
        plain = [a.astype(dtype) for a in arrays]
        if takes_out:
            kernel(*plain, out=out)
            found += out
        else:
            found += flat(kernel(*plain))
    return found


def kernel_of(program: Callable[[], Program], dtype: str) -> Kind:
    """Return the kind of a program."""

    def make(host: Host) -> Callable[[], Results]:
        kernel = build(program(), threads=1, dtype=dtype, host=host)
        load_entries(kernel)
        return lambda: calls(kernel, program(), dtype, takes_out=True)

    def expected() -> Results:
        return calls(Target("numpy").kernel(program()), program(), dtype, takes_out=False)

    return Kind(make, expected, dtype)


# ---- loops


@cache
def swing() -> Loop:
    """Return a loop with sequences, records and an end of its own."""
    x, y, h, u = da.parameters("x y h u")
    ahead = x + h * y
    outputs = {"next": [ahead, y - h * da.sin(ahead) + h * u], "r": 2 - x, "p": x * y}
    program = compile_program(outputs, {"s": [x, y], "h": h, "u": u}, name="swing")
    return Loop(program, (("next", "s"),), "r", ("u",))


def make_loop(host: Host) -> Callable[[], Results]:
    kernel = build_loop(swing(), threads=1, host=host)
    assert kernel.single.width == 1
    assert kernel.wide.width == host.width

    def run() -> Results:
        found: Results = []
        for count in COUNTS:
            result = kernel(*swing_inputs(count), steps=9, record=2)
            found += [*result.outputs, result.steps, *result.records]
        return found

    return run


def swing_inputs(count: int) -> list[np.ndarray]:
    return [draw(count, 2), np.asarray(0.1), draw(count, 9)]


def expected_loop() -> Results:
    found: Results = []
    for count in COUNTS:
        outputs, steps, records = run_reference(swing(), swing_inputs(count), 9, 2)
        found += [*outputs, steps, *records]
    return found


@cache
def turn() -> Loop:
    """Return a loop that Python can call with arrays."""
    x, y = da.parameters("x y")
    c, s = 0.6, 0.8
    program = compile_program({"next": [c * x - s * y, s * x + c * y]}, {"s": [x, y]}, name="turn")
    return Loop(program, (("next", "s"),))


def make_loop_call(host: Host) -> Callable[[], Results]:
    def nothing(*_: Any) -> None:
        raise AssertionError("a plain array went to the fallback")

    call = build_loop(turn(), host=host).with_fast_calls(5, nothing)
    return lambda: list(call(np.array([1.0, 2.0])))


def expected_loop_call() -> Results:
    z = (1 + 2j) * (0.6 + 0.8j) ** 5
    return [np.array([z.real, z.imag]), np.array(5.0)]


# ---- a function that chooses among others


def make_door(host: Host) -> Callable[[], Results]:
    def other(x: float, name: str = "", *, out: float = 0.0) -> float:
        return -1.0

    door = CompiledDoor(other, 1, "name", host)
    door.lead_to(math.sqrt)
    door.lead_to(math.exp, "exp")
    door.write_by(math.hypot)

    def run() -> Results:
        call: Any = door.function
        found = [call(2.0), call(2.0, "exp"), call(2.0, name="exp"), call(3.0, out=4.0)]
        found += [call(2.0, "sin"), call(2.0, []), call(2.0, "exp", out=4.0)]
        return [np.array(found)]

    return run


def expected_door() -> Results:
    return [np.array([math.sqrt(2), math.exp(2), math.exp(2), 5.0, -1.0, -1.0, -1.0])]


# ---- series and searches


def make_series(host: Host) -> Callable[[], Results]:
    """ẍ = -x, and u̇ = exp(-u)."""
    x, v, u = da.coordinates("x v u")
    program = compile_program({"rate": [v, -x, da.exp(-u)]}, {"x": [x, v, u]}, name="series")
    kernel = TaylorKernel(program, ORDER, host=host)

    def run() -> Results:
        begin = StepStart(0.0, np.array([1.0, 0.0, 0.0]), 0.5 ** np.arange(4), np.zeros(3))
        steps = kernel.steps(begin, 2.0, 99, longest=math.inf, safety=0.1)
        return [kernel([1.0, 0.0, 0.0]), steps.x[-1]]

    return run


def expected_series() -> Results:
    orders = np.arange(ORDER + 1)
    factorials = np.array([math.factorial(k) for k in orders], float)
    cosine = np.array([1, 0, -1, 0])[orders % 4] / factorials
    slope = np.array([0, -1, 0, 1])[orders % 4] / factorials
    logarithm = np.array([0.0, *(-((-1.0) ** k) / k for k in orders[1:])])
    end = np.array([math.cos(2), -math.sin(2), math.log(3)])
    return [np.stack([cosine, slope, logarithm], 1), end]


def make_search(host: Host) -> Callable[[], Results]:
    """Find where x² = 2 along x = t."""
    x, t, rx, rt, xd, td, rxd, rtd = da.parameters("x t rx rt xd td rxd rtd")
    bounds = [x**2 - 2, (2 * da.abs(x) + rx) * rx, 2 * x * xd]
    bounds += [2 * (da.abs(x) * rxd + da.abs(xd) * rx + rx * rxd), x**2 + 2]
    inputs = {"c": [x, t], "r": [rx, rt], "cd": [xd, td], "rd": [rxd, rtd]}
    program = compile_program({"bounds": bounds}, inputs, name="square")
    search = BoundsKernel(program, host).search([0])

    def run() -> Results:
        times = np.array([0.0, 1.0, 2.0])
        series = np.zeros((2, 3, 1))
        series[:, 0, 0], series[:, 1, 0] = times[:-1], 1.0
        found = search.along(Look(-1, 0.0, -2.0, 0.0, 0.0, None), times, series)
        assert found.reason is Reason.DONE
        (change,) = found.changes
        assert (change.side, change.step) == (1, 1)
        return [np.array(change.t), change.x]

    return run


def expected_search() -> Results:
    return [np.array(math.sqrt(2)), np.array([math.sqrt(2)])]


# ---- a kernel run by others: by threads of the system, and by XLA

MANY = 5000
"""Samples that are worth several threads."""


def many() -> list[np.ndarray]:
    return [draw(MANY, *port.shape) for port in every_function().inputs]


def make_threads(host: Host) -> Callable[[], Results]:
    program = every_function()
    share = compiled(TEXT, host)
    code: Any = build(program, host=host).wide.run
    address = code.code.address(ENTRY_NAME)

    def run() -> Results:
        results = [np.empty((MANY, *port.shape)) for port in program.outputs]
        arrays = [*many(), *results]
        numbers = [n for a in arrays for n in (a.ctypes.data, a.strides[0])]
        assert share(address, (ctypes.c_int64 * len(numbers))(*numbers), MANY, 160, 3) == 0
        return results

    return run


def make_handler(host: Host) -> Callable[[], Results]:
    program = every_function()
    handler, kernel = handler_code(program, "float64", host)
    address = handler.address(HANDLER_NAME)

    def run() -> Results:
        import jax

        kept.append((handler, kernel))
        name = f"test_of_kinds_{len(kept)}"
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="cpu")
        with jax.enable_x64(True):
            shapes = [
                jax.ShapeDtypeStruct((MANY, *port.shape), np.float64) for port in program.outputs
            ]
            return [np.asarray(y) for y in jax.ffi.ffi_call(name, shapes)(*many())]

    return run


kept: list[object] = []
"""What XLA may call for as long as the process lives."""


def expected_many() -> Results:
    return flat(Target("numpy").kernel(every_function())(*many()))


KINDS = {
    "kernel": kernel_of(every_function, "float64"),
    "kernel of floats": kernel_of(every_function, "float32"),
    "kernel in pieces": kernel_of(wide, "float64"),
    "loop": Kind(make_loop, expected_loop),
    "loop that Python calls": Kind(make_loop_call, expected_loop_call),
    "door": Kind(make_door, expected_door),
    "series": Kind(make_series, expected_series),
    "zero search": Kind(make_search, expected_search),
    "threads": Kind(make_threads, expected_many),
    "XLA handler": Kind(make_handler, expected_many),
}


def check(found: Results, kind: Kind) -> None:
    """Compare what a kind gave with what it must give."""
    expected = kind.expected()
    assert len(found) == len(expected)
    tolerance = TOLERANCE[kind.dtype]
    for x, y in zip(found, expected, strict=True):
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)
