"""A loop as the text of one CUDA kernel: a thread runs all steps of a sample, in registers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dalembert.kernel.backends.c.names import comment_text
from dalembert.kernel.backends.c.reals import Real, real_type
from dalembert.kernel.backends.cuda.pieces import MAX_INSTRUCTIONS, Pieces, Variable
from dalembert.kernel.backends.cuda.statements import constant, global_function, indent, statements
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.program.program import Port

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
    program = loop.program
    found = [
        DeviceArray(f"in{k}", port, loop.is_sequence(k), "const real")
        for k, port in enumerate(program.inputs)
    ]
    found += [DeviceArray(f"out{k}", port, False) for k, port in enumerate(program.outputs)]
    # a float does not count further than 2²⁴
    found.append(DeviceArray("count", Port("steps", ()), False, "double"))
    found += [DeviceArray(f"record{k}", program.outputs[k], True) for k in loop.recorded]
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
    title = program.name if name is None else name
    is_long = len(program.code) > max_instructions
    text = _LongText(loop, real, arrays, max_instructions) if is_long else _Text(loop, real, arrays)
    body, before = _samples(text), list(text.before())
    return global_function(about, real, bounds, title, parameters, body, before)


class _Text:
    """The parts of a kernel; numbers that live between steps are local variables."""

    new = "real "
    """What declares a variable where it first gets a value."""

    def __init__(self, loop: Loop, real: Real, arrays: list[DeviceArray]) -> None:
        self.loop, self.real = loop, real
        n = len(loop.program.inputs)
        m = n + len(loop.program.outputs)
        self.inputs, self.outputs, self.count = arrays[:n], arrays[n:m], arrays[m]
        self.records = dict(zip(loop.recorded, arrays[m + 1 :], strict=True))
        self.carried = {number for number in loop.memory if number is not None}

    def state(self, number: int, place: int) -> str:
        """Return where a number of a carried input lives."""
        return f"state{number}_{place}"

    def shown(self, k: int, place: int) -> str:
        """Return where a number of an output that is not carried lives."""
        return f"shown{k}_{place}"

    def variable(self, k: int, place: int) -> str:
        """Return where a number of an output lives between steps."""
        number = self.loop.memory[k]
        return self.shown(k, place) if number is None else self.state(number, place)

    def operand(self, number: int, place: int) -> str:
        """Return a number of an input during a step."""
        if number in self.carried:
            return self.state(number, place)
        return self.inputs[number].at(place, "k")

    def before(self) -> Iterator[str]:
        """Yield what stands before the kernel."""
        yield from ()

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield every output with each of its places."""
        for k, array in enumerate(self.outputs):
            for place in range(array.port.size):
                yield k, place

    def start(self) -> Iterator[str]:
        """Yield the state before the first step."""
        for number in sorted(self.carried):
            array = self.inputs[number]
            for place in range(array.port.size):
                yield f"{self.new}{self.state(number, place)} = {array.at(place)};"
        for k, place in self.places():
            if self.loop.memory[k] is None:
                yield f"{self.new}{self.shown(k, place)} = 0;"

    def step(self) -> Iterator[str]:
        """Yield one step: all results are known before the state changes."""
        names = []
        for _, lines, name in statements(self.loop.program, self.real, self.operand):
            yield from lines
            names.append(name)
        stop = None
        for (k, place), result in zip(self.places(), self.loop.program.results, strict=True):
            yield f"{self.variable(k, place)} = {names[result]};"
            if self.outputs[k].port.name == self.loop.stop:
                stop = names[result]
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


class _LongText(_Text):
    """The parts of a kernel whose step is cut; numbers that live between steps are in memory."""

    new = ""

    def __init__(
        self, loop: Loop, real: Real, arrays: list[DeviceArray], max_instructions: int
    ) -> None:
        super().__init__(loop, real, arrays)
        sizes = {f"state{k}": self.inputs[k].port.size for k in sorted(self.carried)}
        shown = [k for k, number in enumerate(loop.memory) if number is None]
        sizes |= {f"shown{k}": self.outputs[k].port.size for k in shown}
        self.arrays = {**sizes, "next": len(loop.program.results)}
        targets: dict[int, list[str]] = {}
        for place, result in enumerate(loop.program.results):
            targets.setdefault(result, []).append(f"next[{place}]")
        given = [array for k, array in enumerate(self.inputs) if k not in self.carried]
        named = [x for array in given for x in array.variables()]
        variables = [Variable("real*", name) for name in self.arrays]
        variables += dict.fromkeys([*named, Variable("long long", "i"), Variable("long long", "k")])
        self.pieces = Pieces(loop.program, real, self.operand, targets, variables, max_instructions)

    def state(self, number: int, place: int) -> str:
        return f"state{number}[{place}]"

    def shown(self, k: int, place: int) -> str:
        return f"shown{k}[{place}]"

    def before(self) -> Iterator[str]:
        yield from self.pieces.functions()

    def start(self) -> Iterator[str]:
        for name, size in self.arrays.items():
            yield f"real {name}[{max(1, size)}];"
        yield from super().start()

    def step(self) -> Iterator[str]:
        yield "{"
        yield from indent(self.pieces.calls())
        yield "}"
        for at, (k, place) in enumerate(self.places()):
            yield f"{self.variable(k, place)} = next[{at}];"
            if self.outputs[k].port.name == self.loop.stop:
                yield f"goes_on = next[{at}] > 0;"


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
