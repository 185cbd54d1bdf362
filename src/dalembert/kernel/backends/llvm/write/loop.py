"""LLVM text of a loop: W samples side by side run all their steps before the next W begin.

The state stays in the first cache: it is read from rows once, kept as lanes while the steps run,
and written to rows at the end. The table has 16 bytes for each array (address, bytes from row to
row): inputs, outputs, the count of steps, records; then the number of steps, the steps between
records, and for each sequence the bytes from one step's row to the next.
"""

from __future__ import annotations

from dalembert.kernel.backends.llvm.reals import DOUBLE, Real
from dalembert.kernel.backends.llvm.rows import (
    Reservation,
    keep,
    load_rows,
    store_rolled,
    store_rows,
)
from dalembert.kernel.backends.llvm.write.kernel_text import (
    LARGE,
    KernelText,
    any_lane,
    frame,
    is_long,
)
from dalembert.kernel.backends.llvm.write.pieces import PieceFunctions
from dalembert.kernel.call.loop import Loop


def loop_text(loop: Loop, width: int, group: int = 1, real: Real = DOUBLE) -> str:
    """Return the module of a loop for ``width`` samples side by side; there is a step or more."""
    body = _LoopText(loop, width, group, real)
    lanes = body.lanes
    t, bools, zero = lanes.type, lanes.bool_type, lanes.const(0.0)
    ones = "true" if width == 1 else "splat (i1 true)"
    functions = body.pieces.functions() if body.pieces else []
    for line in body.pieces.declarations if body.pieces else ():
        lanes.declare(line)
    body.load_state()
    lanes.lines += [
        "  br label %step",
        "step:",
        "  %k = phi i64 [0, %loop], [%k_next, %step_done]",
        f"  %active = phi {bools} [{ones}, %loop], [%active_next, %step_done]",
        f"  %count = phi {t} [{zero}, %loop], [%count_next, %step_done]",
    ]
    body.step()
    lanes.lines += [
        "  %k_next = add i64 %k, 1",
        "  %rest = urem i64 %k_next, %between",
        "  %due = icmp eq i64 %rest, 0",
        "  br i1 %due, label %record, label %step_done",
        "record:",
    ]
    body.record()
    lanes.lines += [
        "  br label %step_done",
        "step_done:",
        *any_lane(lanes, "%any", "%active_next"),
        "  %recording = icmp sle i64 %between, %steps",
        "  %alive = or i1 %any, %recording",
        "  %early = icmp slt i64 %k_next, %steps",
        "  %again = and i1 %alive, %early",
        "  br i1 %again, label %step, label %finish",
        "finish:",
    ]
    body.finish()
    return "\n".join([*frame(body, functions), ""])


class _LoopText(KernelText):
    """Steps inside the loop over samples; lanes of inputs and outputs live in reserved memory."""

    def __init__(self, loop: Loop, width: int, group: int, real: Real) -> None:
        super().__init__(loop.program, width, group, real)
        self.loop = loop
        # the plain kernel's way to write large outputs is not used here
        self.kept = {}
        program, lanes = self.program, self.lanes
        in_pieces = is_long(program, width)
        self.pieces = PieceFunctions(program, width, group, real) if in_pieces else None
        shown = [
            Reservation(f"%shown{k}", port.size)
            for k, port in enumerate(program.outputs)
            if loop.memory[k] is None
        ]
        if self.pieces is None:
            self.memory = shown + [
                Reservation(f"%state{k}", port.size)
                for k, port in enumerate(program.inputs)
                if not loop.is_sequence(k)
            ]
        else:
            # inputs live where the pieces look for them
            self.memory = [*shown, Reservation("%memory", self.pieces.size)]
            self.setup = self.pieces.clear() + [
                f"  %state{k} = getelementptr {lanes.type}, ptr %memory, i64 {place}"
                for k, place in enumerate(self.pieces.input_places)
            ]
        # behind inputs and outputs: the count of steps, records
        self.counts = self.arrays
        self.arrays += 1 + len(loop.recorded)

    def head(self) -> list[str]:
        """Return the instructions that read the table."""
        lines = super().head()
        numbers = ["%steps", "%between"]
        numbers += [
            f"%jump{k}" for k in range(len(self.program.inputs)) if self.loop.is_sequence(k)
        ]
        for place, name in enumerate(numbers):
            at = 16 * self.arrays + 8 * place
            lines += [
                f"  {name}_at = getelementptr i8, ptr %table, i64 {at}",
                f"  {name} = load i64, ptr {name}_at, align 8",
            ]
        return lines

    def load_state(self) -> None:
        """Read the rows of every input that stays, and clear the outputs that are only shown."""
        lanes = self.lanes
        for k, port in enumerate(self.program.inputs):
            if not self.loop.is_sequence(k):
                for place, x in enumerate(load_rows(lanes, self.rows(k), port.size)):
                    keep(lanes, f"%state{k}", place, x)
        for k, port in enumerate(self.program.outputs):
            if self.loop.memory[k] is None:
                for place in range(port.size):
                    keep(lanes, f"%shown{k}", place, lanes.const(0.0))

    def port(self, number: int) -> list[str]:
        """Return the lanes of an input in this step."""
        if number not in self.inputs:
            lanes, port = self.lanes, self.program.inputs[number]
            if self.loop.is_sequence(number):
                offset = lanes.emit(f"mul i64 %k, %jump{number}")
                rows = [
                    lanes.emit(f"getelementptr i8, ptr {row}, i64 {offset}")
                    for row in self.rows(number)
                ]
                self.inputs[number] = load_rows(lanes, rows, port.size)
            else:
                self.inputs[number] = self.recall(f"%state{number}", port.size)
        return self.inputs[number]

    def recall(self, memory: str, size: int) -> list[str]:
        """Return the lanes of every place of a memory."""
        lanes, values = self.lanes, []
        for place in range(size):
            at = lanes.emit(f"getelementptr {lanes.type}, ptr {memory}, i64 {place}")
            values.append(lanes.emit(f"load {lanes.type}, ptr {at}, align {lanes.bytes}"))
        return values

    def step(self) -> None:
        """Compute one step; samples that have stopped keep what they have."""
        lanes, loop = self.lanes, self.loop
        # all that is carried, read before anything is written
        for number in loop.memory:
            if number is not None:
                self.port(number)
        results = iter(self.instructions() if self.pieces is None else self.run_pieces())
        stop = None
        for k, port in enumerate(self.program.outputs):
            memory = self.output_memory(k)
            number = loop.memory[k]
            for place in range(port.size):
                x = next(results)
                if port.name == loop.stop:
                    stop = x
                if loop.stop is not None:
                    old = (
                        self.port(number)[place]
                        if number is not None
                        else self.recall_one(memory, place)
                    )
                    x = lanes.select("%active", x, old)
                keep(lanes, memory, place, x)
        one, zero = lanes.const(1.0), lanes.const(0.0)
        taken = lanes.select("%active", one, zero)
        lanes.lines.append(f"  %count_next = fadd {lanes.type} %count, {taken}")
        mask = lanes.bool_type
        if stop is None:
            goes_on = "%active"
        else:
            goes_on = lanes.emit(f"and {mask} %active, {lanes.less(zero, stop)}")
        lanes.lines.append(f"  %active_next = and {mask} {goes_on}, {goes_on}")

    def run_pieces(self) -> list[str]:
        """Run a long step; return its results."""
        assert self.pieces is not None
        for k, port in enumerate(self.program.inputs):
            if self.loop.is_sequence(k):
                for place in range(port.size):
                    keep(self.lanes, f"%state{k}", place, self.port(k)[place])
        self.lanes.lines += self.pieces.calls()
        first = self.pieces.output_places[0]
        return [self.recall_one("%memory", first + k) for k in range(len(self.program.results))]

    def output_memory(self, k: int) -> str:
        """Return where an output lives between steps."""
        number = self.loop.memory[k]
        return f"%shown{k}" if number is None else f"%state{number}"

    def watch(self, x: str) -> None:
        """Check nothing while steps run: what is not finite stays until the end."""

    def record(self) -> None:
        """Write the carried outputs to their row of this moment."""
        lanes, sums = self.lanes, list(self.sums)
        turn = lanes.emit("udiv i64 %k_next, %between")
        row = lanes.emit(f"sub i64 {turn}, 1")
        self.block = "record"
        for place, k in enumerate(self.loop.recorded):
            size = self.program.outputs[k].size
            offset = lanes.emit(f"mul i64 {row}, {lanes.real.size * size}")
            rows = [
                lanes.emit(f"getelementptr i8, ptr {p}, i64 {offset}")
                for p in self.rows(self.counts + 1 + place)
            ]
            self.write(rows, self.output_memory(k), size, f"record{k}")
        # what is not finite is still there at the end
        self.sums = sums

    def finish(self) -> None:
        """Write outputs and counts, and mark the flag where a number is not finite."""
        lanes, first = self.lanes, len(self.program.inputs)
        self.block = "finish"
        store_rows(lanes, self.rows(self.counts), ["%count_next"])
        for k, port in enumerate(self.program.outputs):
            self.write(self.rows(first + k), self.output_memory(k), port.size, f"output{k}")
        self.mark()

    def write(self, rows: list[str], memory: str, size: int, label: str) -> None:
        """Write the lanes of a memory to rows, in a loop if they are many, and add them up."""
        if size > LARGE and self.lanes.width > 1:
            self.block, total = store_rolled(self.lanes, rows, memory, size, self.block, label)
            self.add_up(total)
        else:
            values = self.recall(memory, size)
            for x in values:
                self.add_up(x)
            store_rows(self.lanes, rows, values)

    def add_up(self, x: str) -> None:
        """Add a value to the sums that the flag is made of."""
        super().watch(x)
