"""LLVM text of a program: a loop over samples, W of them side by side.

The entry takes a table of arrays and a range of samples, and tells whether some result is not
finite. The table has 16 bytes for each input, then for each output: the address of the first row,
and the bytes from one row to the next (0 for an array that all samples share).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.llvm.elementary.table import FUNCTIONS, power, sincos
from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real
from dalembert.kernel.backends.llvm.rows import (
    Reservation,
    keep,
    load_rows,
    reserve,
    store_rolled,
    store_rows,
)
from dalembert.kernel.call.units import UNIT_SQUARE
from dalembert.kernel.program.program import PI, Program

ENTRY_NAME = "kernel"
# vectors of 512 bits stay whole also where LLVM would rather halve them
ATTRIBUTES = 'attributes #0 = { nounwind "min-legal-vector-width"="512" }'
# compile time grows faster than the length of a function
LONG = 6000
"""Programs of more instructions and results are compiled in pieces."""
LONG_BATCH = 1000
"""The same for samples side by side."""
WIDE = 256
"""Programs with inputs of more numbers are compiled in pieces too, which read them in a loop."""
STORES = 64
"""Stores to memory in one block of instructions."""
LARGE = 64
"""Outputs of more numbers than this are written in a loop."""

# operations whose value is not finite wherever an operand is not
KEEPING = {
    *("add", "sub", "mul", "neg", "fma", "fms", "fnma", "sqrt", "abs"),
    *("sincos", "sin_of", "cos_of", "sin", "cos", "tan", "asin", "acos", "log"),
}


def is_long(program: Program, width: int) -> bool:
    """Tell whether a program is compiled in pieces.

    Vectors take many times the room of numbers, so that it pays sooner to choose which of them
    stay in registers.
    """
    size = len(program.code) + len(program.results)
    if any(port.size > WIDE for port in program.inputs):
        return True
    return size > (LONG if width == 1 else LONG_BATCH)


def module_text(program: Program, width: int, host: Host, real: Real = DOUBLE) -> str:
    """Return the module of a program for ``width`` samples side by side.

    The range of samples must hold ``width`` of them or more: the last step goes back to end
    where the range ends, and computes some samples twice. With width 1, as many sines of inputs as
    the processor has lanes are taken side by side instead.
    """
    body = KernelText(program, width, host, real)
    results = body.instructions()
    body.store(results)
    return "\n".join([*frame(body), ""])


class KernelText:
    """The text of the loop over samples: rows to lanes, the instructions, lanes to rows."""

    def __init__(self, program: Program, width: int, host: Host, real: Real = DOUBLE) -> None:
        self.program = program
        self.lanes = Lanes(width, real=real)
        self.group = host.lanes(real)
        # lanes for the sines of one sample, side by side
        self.wide: list[Lanes] = []
        self.inputs: dict[int, list[str]] = {}
        self.pairs: dict[int, tuple[str, str]] = {}
        self.names: dict[int, str] = {}
        self.stores = 0
        self.arrays = len(program.inputs) + len(program.outputs)
        self.sums = [self.lanes.const(0.0), self.lanes.const(0.0)]
        # the largest error of a quaternion's length so far
        self.far = "%far"
        # where the loop's text stands; what comes before it; memory, and who writes to it
        self.block = "loop"
        self.setup: list[str] = []
        self.memory: list[Reservation] = []
        self.kept: dict[int, list[tuple[str, int]]] = {}
        if width > 1:
            for k, (port, numbers) in enumerate(program.output_results()):
                if port.size > LARGE:
                    self.memory.append(Reservation(f"%memory{k}", port.size))
                    for place, i in enumerate(numbers):
                        self.kept.setdefault(i, []).append((f"%memory{k}", place))

    def head(self) -> list[str]:
        """Return the instructions before the loop: those that read the table are the last."""
        return [*self.setup, *read_arrays(self.arrays)]

    def instructions(self) -> list[str]:
        """Write all instructions; return the operand of each result."""
        self.compute(0, len(self.program.code))
        return [self.operand(k) for k in self.program.results]

    def compute(self, start: int, stop: int) -> None:
        """Write some instructions; constants and inputs are written where they are wanted."""
        lanes, names, shown = self.lanes, self.names, set(self.program.results)
        binary: dict[str, Callable[[str, str], str]] = {
            "add": lanes.add,
            "sub": lanes.sub,
            "mul": lanes.mul,
            "div": lanes.div,
        }
        for i in range(start, stop):
            op, args, value = self.program.code[i]
            self.forget(i)
            if op in ("const", "input"):
                x = self.operand(i) if i in shown else ""
            elif op == "sincos":
                if i not in self.pairs:
                    self.sines(i, stop)
                continue
            elif op == "sin_of" or op == "cos_of":
                x = names[i] = self.pairs[args[0]][op == "cos_of"]
            else:
                a = [self.operand(k) for k in args]
                match op:
                    case _ if op in binary:
                        x = binary[op](a[0], a[1])
                    case "fma":
                        x = lanes.fma(*a)
                    case "fms":
                        x = lanes.fma(a[0], a[1], lanes.neg(a[2]))
                    case "fnma":
                        x = lanes.fma(lanes.neg(a[0]), a[1], a[2])
                    case "neg":
                        x = lanes.neg(a[0])
                    case "pow":
                        x = power(lanes, a[0], value)
                    case _:
                        x = FUNCTIONS[op](lanes, *a)
                names[i] = x
            kept = self.kept.get(i, ())
            for memory, place in kept:
                self.keep(memory, place, x)
            # what is kept is watched when it is written
            if i in shown and not kept:
                self.watch(x)

    def forget(self, i: int) -> None:
        """Forget operands of an instruction that must be read from memory; here LLVM decides."""

    def keep(self, memory: str, place: int, x: str) -> None:
        """Write a value to memory; blocks are kept short, since LLVM compares all stores of one."""
        keep(self.lanes, memory, place, x)
        self.stores += 1
        if self.stores % STORES == 0:
            self.block = f"part{self.stores}"
            self.lanes.lines += [f"  br label %{self.block}", f"{self.block}:"]

    def operand(self, k: int) -> str:
        """Return the operand that names a value."""
        name = self.names.get(k)
        if name is None:
            op, _, value = self.program.code[k]
            if op == "const":
                name = self.lanes.const(_rounded(value, self.lanes.real, self.program.name))
            elif op == "input":
                name = self.input(*value)
            else:
                name = self.inherited(k)
            self.names[k] = name
        return name

    def input(self, number: int, place: int) -> str:
        """Return the lanes of one number of an input."""
        return self.port(number)[place]

    def inherited(self, k: int) -> str:
        """Return a value that was computed elsewhere; a whole program has none."""
        raise AssertionError(f"{self.program.name}: %{k} is used before it is computed")

    def port(self, number: int) -> list[str]:
        """Return the lanes of an input, read where it is first wanted."""
        if number not in self.inputs:
            size = self.program.inputs[number].size
            self.inputs[number] = load_rows(self.lanes, self.rows(number), size)
        return self.inputs[number]

    def rows(self, array: int) -> list[str]:
        """Return the addresses of the rows of an array, one for each lane."""
        emit = self.lanes.emit
        offset = emit(f"mul i64 %i, %stride{array}")
        rows = [emit(f"getelementptr i8, ptr %base{array}, i64 {offset}")]
        while len(rows) < self.lanes.width:
            rows.append(emit(f"getelementptr i8, ptr {rows[-1]}, i64 %stride{array}"))
        return rows

    def sines(self, i: int, stop: int) -> None:
        """Write the sincos of instruction i; with one lane, of as many others as fit beside it."""
        code = self.program.code
        ready = [i]
        if self.lanes.width == 1 and self.group > 1 and code[code[i].args[0]].op == "input":
            for k in range(i + 1, stop):
                if len(ready) == self.group:
                    break
                if code[k].op == "sincos" and code[code[k].args[0]].op == "input":
                    ready.append(k)
        if len(ready) == 1:
            self.pairs[i] = sincos(self.lanes, self.operand(code[i].args[0]))
            return
        angles = [self.operand(code[k].args[0]) for k in ready]
        width = 1 << (len(angles) - 1).bit_length()
        wide = Lanes(width, f"w{len(self.wide)}_", self.lanes.real)
        wide.lines = self.lanes.lines
        self.wide.append(wide)
        vector = "poison"
        for lane, angle in enumerate(angles + [angles[0]] * (width - len(angles))):
            one = f"{wide.real.type} {angle}"
            vector = wide.emit(f"insertelement {wide.type} {vector}, {one}, i32 {lane}")
        s, c = sincos(wide, vector)
        for lane, k in enumerate(ready):
            self.pairs[k] = (
                wide.emit(f"extractelement {wide.type} {s}, i32 {lane}"),
                wide.emit(f"extractelement {wide.type} {c}, i32 {lane}"),
            )

    def store(self, results: Sequence[str]) -> None:
        """Write the outputs, and mark the loop's flag where one is not finite.

        Times zero, a sum that is not finite becomes NaN, everything else zero. The inputs whose
        infinities could end in a finite result, such as 1/∞, are watched too.
        """
        lanes, first = self.lanes, len(self.program.inputs)
        start = 0
        for k, port in enumerate(self.program.outputs):
            rows = self.rows(first + k)
            if lanes.width > 1 and port.size > LARGE:
                memory, label = f"%memory{k}", f"large{k}"
                self.block, total = store_rolled(lanes, rows, memory, port.size, self.block, label)
                self.watch(total)
            else:
                store_rows(lanes, rows, results[start : start + port.size])
            start += port.size
        for port, place in unchecked_inputs(self.program):
            self.watch(self.port(port)[place])
        for number, place in self.program.units:
            self.watch_length(self.port(number)[place : place + 4])
        self.mark()

    def mark(self) -> None:
        """Mark the loop's flag where a sum is not finite."""
        lanes = self.lanes
        zero = lanes.const(0.0)
        flag = lanes.fma(self.sums[0], zero, "%flag")
        flag = lanes.fma(self.sums[1], zero, flag)
        lanes.lines.append(f"  %flag_next = fadd {lanes.type} {flag}, {zero}")
        if self.program.units:
            # a name for what is carried to the next samples
            lanes.lines.append(f"  %far_next = bitcast {lanes.type} {self.far} to {lanes.type}")

    def recall_one(self, memory: str, place: int) -> str:
        """Return the lanes of one place of a memory."""
        lanes = self.lanes
        at = lanes.emit(f"getelementptr {lanes.type}, ptr {memory}, i64 {place}")
        return lanes.emit(f"load {lanes.type}, ptr {at}, align {lanes.bytes}")

    def watch(self, x: str) -> None:
        """Add a value to one of two sums in turn: two chains of additions run in parallel.

        Infinities and NaN stay in a sum.
        """
        if x.startswith("%"):
            self.sums.append(self.lanes.add(self.sums.pop(0), x))

    def watch_length(self, quaternion: Sequence[str]) -> None:
        """Keep the error of a quaternion's length if it is the largest: e = |q₀² + … + q₃² - 1|.

        One comparison per quaternion, and none with the tolerance before the loop has ended.
        """
        lanes = self.lanes
        error = lanes.const(-1.0)
        for x in quaternion:
            error = lanes.fma(x, x, error)
        error = lanes.abs(error)
        self.far = lanes.select(lanes.less(self.far, error), error, self.far)


def unchecked_inputs(program: Program) -> list[tuple[int, int]]:
    """Return port and place of the inputs that may be infinite or NaN while no result is.

    All others reach a result through operations alone that keep what is not finite.
    """
    reached = set(program.results)
    checked = set()
    for i in reversed(range(len(program.code))):
        if i not in reached:
            continue
        op, args, value = program.code[i]
        if op == "input":
            checked.add(value)
        elif op in KEEPING:
            reached.update(args)
        elif op == "div":
            # x/∞ is zero, ∞/x is not finite
            reached.add(args[0])
    return [
        (k, place)
        for k, port in enumerate(program.inputs)
        for place in range(port.size)
        if (k, place) not in checked
    ]


def frame(body: KernelText, functions: Sequence[str] = ()) -> list[str]:
    """Return the whole module: declarations, the entry's head, the loop over samples, its end."""
    lanes = body.lanes
    t, zero, width = lanes.type, lanes.const(0.0), lanes.width
    reserved, given_back = reserve(lanes, body.memory)
    start = "allocated" if given_back else "entry"
    carried = [f"  %flag = phi {t} [{zero}, %{start}], [%flag_next, %{body.block}]"]
    found, each = [f"  %wrong = fcmp uno {t} %flag_next, {zero}"], "%wrong"
    if body.program.units:
        carried.append(f"  %far = phi {t} [{zero}, %{start}], [%far_next, %{body.block}]")
        found += [
            f"  %too_far = fcmp ogt {t} %far_next, {lanes.const(UNIT_SQUARE)}",
            f"  %either = or {lanes.bool_type} %wrong, %too_far",
        ]
        each = "%either"
    found += any_lane(lanes, "%found", each)
    declarations = {line: None for each in (lanes, *body.wide) for line in each.declarations()}
    return [
        *declarations,
        "declare i64 @llvm.smin.i64(i64, i64)",
        *functions,
        f"define i64 @{ENTRY_NAME}(ptr %table, i64 %begin, i64 %end) #0 {{",
        "entry:",
        *reserved,
        *body.head(),
        f"  %last = sub i64 %end, {width}",
        "  br label %loop",
        "loop:",
        f"  %i = phi i64 [%begin, %{start}], [%i_next, %{body.block}]",
        *carried,
        *lanes.lines,
        f"  %ahead = add i64 %i, {width}",
        "  %i_next = call i64 @llvm.smin.i64(i64 %ahead, i64 %last)",
        "  %more = icmp slt i64 %ahead, %end",
        "  br i1 %more, label %loop, label %done",
        "done:",
        *found,
        *given_back,
        "  %result = zext i1 %found to i64",
        "  ret i64 %result",
        "}",
        ATTRIBUTES,
    ]


def read_arrays(count: int) -> list[str]:
    """Return the instructions that read address and stride of every array from the table."""
    lines = []
    for k in range(count):
        lines += [
            f"  %slot{k} = getelementptr i8, ptr %table, i64 {16 * k}",
            f"  %base{k} = load ptr, ptr %slot{k}, align 8",
            f"  %after{k} = getelementptr i8, ptr %table, i64 {16 * k + 8}",
            f"  %stride{k} = load i64, ptr %after{k}, align 8",
        ]
    return lines


def any_lane(lanes: Lanes, name: str, mask: str) -> list[str]:
    """Return the instruction that tells whether a mask holds in some lane."""
    if lanes.width == 1:
        return [f"  {name} = or i1 {mask}, false"]
    function = f"@llvm.vector.reduce.or.v{lanes.width}i1"
    lanes.declare(f"declare i1 {function}({lanes.bool_type})")
    return [f"  {name} = call i1 {function}({lanes.bool_type} {mask})"]


def _rounded(value: Any, real: Real, name: str) -> float:
    """Return the number of a type nearest to a constant.

    Raises:
        EvaluationError: it is beyond the range of the type.
    """
    if value == PI:
        return math.pi
    try:
        x = real.rounded(value.numerator / value.denominator)
    except OverflowError:
        x = math.inf
    if math.isfinite(x):
        return x
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    largest = "2^1024" if real is DOUBLE else "2^128, those of float32,"
    raise EvaluationError(
        f"expected constants below {largest} in {name}, got one near 2^{bits}: rescale"
    )
