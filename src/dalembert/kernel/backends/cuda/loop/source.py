"""A loop as the text of one CUDA kernel: a thread runs all steps of a sample, in registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dalembert.kernel.backends.c.names import comment_text
from dalembert.kernel.backends.c.reals import Real, real_type
from dalembert.kernel.backends.cuda.loop.part import Part
from dalembert.kernel.backends.cuda.loop.turns import Turns
from dalembert.kernel.backends.cuda.pieces import MAX_INSTRUCTIONS, Variable
from dalembert.kernel.backends.cuda.statements import Place, constant, global_function, indent
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Port, Program

THREADS = 64
"""Threads of a block: few, so that a small batch still reaches many multiprocessors."""


class DeviceArray(NamedTuple):
    """Memory of the device behind one port; ``has_rows``: one row for each step or record."""

    label: str
    port: Port
    has_rows: bool
    type: str = "real"

    def parameters(self) -> Iterator[str]:
        """Yield pointer, distance of samples, of rows where there are some, of numbers."""
        about = comment_text(f"{self.port.name} {self.port.shape}")
        yield f"/* {about} */ {self.type}* __restrict__ {self.label}"
        parts = ("batch", "row", "step") if self.has_rows else ("batch", "step")
        yield ", ".join(f"long long {self.label}_{part}" for part in parts)

    def variables(self) -> Iterator[Variable]:
        """Yield pointer and distances as variables."""
        yield Variable(f"{self.type}*", self.label)
        parts = ("batch", "row", "step") if self.has_rows else ("batch", "step")
        yield from (Variable("long long", f"{self.label}_{part}") for part in parts)

    def at(self, place: int, row: str = "") -> str:
        """Return a number of sample i."""
        rows = f" + {row} * {self.label}_row" if self.has_rows else ""
        return f"{self.label}[i * {self.label}_batch{rows} + {place} * {self.label}_step]"


def loop_arrays(loop: Loop) -> list[DeviceArray]:
    """Return the arrays of a loop in the order of the kernel's parameters.

    Inputs, outputs, the count of steps, and records of the carried outputs.
    """
    found = [
        DeviceArray(f"in{k}", port, loop.is_sequence(k), "const real")
        for k, port in enumerate(loop.inputs)
    ]
    found += [DeviceArray(f"out{k}", port, False) for k, port in enumerate(loop.outputs)]
    # a float does not count further than 2²⁴
    found.append(DeviceArray("count", Port("steps", ()), False, "double"))
    found += [DeviceArray(f"record{k}", loop.outputs[k], True) for k in loop.recorded]
    return found


def loop_source(
    loop: Loop,
    dtype: str = "float32",
    name: str | None = None,
    *,
    threads: int = THREADS,
    min_blocks: int | None = None,
    max_instructions: int = MAX_INSTRUCTIONS,
) -> str:
    """Return CUDA C++ that NVRTC and nvcc compile: ``extern "C" __global__ void name(…)``.

    Parameters, for every array of `loop_arrays`: a pointer and its distances in numbers (64
    bits): of samples, of rows where it has some, of the numbers of one sample. At last the number
    of samples, of steps, of steps between records (more than there are: none), and a place that
    receives 1 + the number of some sample with an output that is not finite.

    Args:
        loop: What a thread runs.
        dtype: ``float32`` or ``float64``.
        name: The kernel's, unless it is that of the program.
        threads: Size of a block.
        min_blocks: How many blocks must fit on a multiprocessor, which bounds the registers.
        max_instructions: A longer program is cut into functions.

    Raises:
        UnknownName: another dtype.
        InvalidExpression: a constant that the type cannot hold.
    """
    real = real_type(dtype)
    program, arrays = loop.program, loop_arrays(loop)
    bounds = f"{threads}" if min_blocks is None else f"{threads}, {min_blocks}"
    parameters = [p for array in arrays for p in array.parameters()]
    parameters += ["long long samples", "long long steps", "long long between"]
    parameters += ["unsigned long long* __restrict__ not_finite"]
    about = f"{comment_text(program.name)}, in a loop: {program.cost}"
    if loop.inner is not None:
        about += f", after {loop.inner.start.cost} and turns of {loop.inner.turn.cost}"
    title = program.name if name is None else name
    text = _Text(loop, real, arrays, max_instructions)
    body, before = _samples(text), list(text.before())
    return global_function(about, real, bounds, title, parameters, body, before)


class _Text:
    """The parts of a kernel.

    Numbers that live between steps are local variables; arrays where a part is cut into functions,
    which read them.
    """

    def __init__(
        self, loop: Loop, real: Real, arrays: list[DeviceArray], max_instructions: int
    ) -> None:
        self.loop, self.real = loop, real
        n = len(loop.inputs)
        m = n + len(loop.outputs)
        self.inputs, self.outputs, self.count = arrays[:n], arrays[n:m], arrays[m]
        self.records = dict(zip(loop.recorded, arrays[m + 1 :], strict=True))
        self.carried = {number for number in loop.memory if number is not None}
        shown = [k for k, number in enumerate(loop.memory) if number is None]
        self.sizes = {f"state{k}": self.inputs[k].port.size for k in sorted(self.carried)}
        self.sizes |= {f"shown{k}": self.outputs[k].port.size for k in shown}
        inner = loop.inner
        programs = (loop.program,) if inner is None else (inner.start, inner.turn, loop.program)
        self.is_long = any(len(program.code) > max_instructions for program in programs)
        given = [array for k, array in enumerate(self.inputs) if k not in self.carried]
        around = [Variable("real*", name) for name in self.sizes]
        named = [x for array in given for x in array.variables()]
        around += dict.fromkeys([*named, Variable("long long", "i"), Variable("long long", "k")])

        def part(program: Program, place: Place, name: str, also: Sequence[str] = ()) -> Part:
            variables = [*around, *(Variable("real*", x) for x in also)]
            return Part(program, real, place, name, variables, max_instructions)

        self.first = part(loop.head, self.operand, "first" if inner else "step")
        self.turns: Turns | None = None
        self.last = self.first
        if inner is not None:
            self.turns = Turns(loop.program, inner, self.operand)
            sizes = list(self.turns.sizes)
            self.turn = part(inner.turn, self.turns.operand, "turn", sizes)
            self.last = part(loop.program, self.turns.operand_behind, "step", sizes)

    def state(self, number: int, place: int) -> str:
        """Return where a number of a carried input lives."""
        return f"state{number}[{place}]" if self.is_long else f"state{number}_{place}"

    def variable(self, k: int, place: int) -> str:
        """Return where a number of an output lives between steps."""
        number = self.loop.memory[k]
        if number is not None:
            return self.state(number, place)
        return f"shown{k}[{place}]" if self.is_long else f"shown{k}_{place}"

    def operand(self, number: int, place: int) -> str:
        """Return a number of an input during a step."""
        if number in self.carried:
            return self.state(number, place)
        return self.inputs[number].at(place, "k")

    def before(self) -> Iterator[str]:
        """Yield what stands before the kernel."""
        yield from self.first.functions()
        if self.turns is not None:
            yield from self.turn.functions()
            yield from self.last.functions()

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield every output with each of its places."""
        for k, array in enumerate(self.outputs):
            for place in range(array.port.size):
                yield k, place

    def start(self) -> Iterator[str]:
        """Yield the state before the first step."""
        new = "" if self.is_long else "real "
        for name, size in self.sizes.items() if self.is_long else ():
            yield f"real {name}[{max(1, size)}];"
        for number in sorted(self.carried):
            array = self.inputs[number]
            for place in range(array.port.size):
                yield f"{new}{self.state(number, place)} = {array.at(place)};"
        for k, place in self.places():
            if self.loop.memory[k] is None:
                yield f"{new}{self.variable(k, place)} = 0;"

    def step(self) -> Iterator[str]:
        """Yield one step: all results are known before the state changes."""
        if self.turns is not None:
            yield from self.turns.lines(self.first, self.turn)
        yield from self.last.run()
        stop = None
        for (k, place), name in zip(self.places(), self.last.names, strict=True):
            yield f"{self.variable(k, place)} = {name};"
            if self.outputs[k].port.name == self.loop.stop:
                stop = name
        if stop is not None:
            yield f"goes_on = {stop} > 0;"

    def record(self) -> Iterator[str]:
        """Yield what writes one row of the records."""
        for k, array in self.records.items():
            for place in range(array.port.size):
                yield f"{array.at(place, 'row')} = {self.variable(k, place)};"

    def finish(self) -> Iterator[str]:
        """Yield what writes the outputs of the last step."""
        # 0·y is 0 unless y is infinite or not a number
        yield "real watch = 0;"
        for k, place in self.places():
            x = self.variable(k, place)
            yield f"{self.outputs[k].at(place)} = {x};"
            yield f"watch += {constant(0, self.real)} * {x};"
        yield f"{self.count.at(0)} = (double)k;"
        yield "if (!(watch == 0)) *not_finite = i + 1;"


def _samples(text: _Text) -> Iterator[str]:
    """Yield the loop over the samples of a thread."""
    yield "const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;"
    yield "const long long stride = (long long)gridDim.x * blockDim.x;"
    yield "for (long long i = first; i < samples; i += stride) {"
    yield from indent(_steps(text))
    yield "}"


def _steps(text: _Text) -> Iterator[str]:
    """Yield all steps of sample i."""
    yield from text.start()
    yield "bool goes_on = true;"
    yield "long long k = 0, row = 0, due = between;"
    yield "while (goes_on && k < steps) {"
    yield from indent(text.step())
    yield "    ++k;"
    yield "    if (--due == 0) {"
    yield "        due = between;"
    yield from indent(indent(text.record()))
    yield "        ++row;"
    yield "    }"
    yield "}"
    yield "// a sample that has stopped keeps what it has"
    yield "for (; row < steps / between; ++row) {"
    yield from indent(text.record())
    yield "}"
    yield from text.finish()
