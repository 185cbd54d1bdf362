"""LLVM text of a loop: W samples side by side run all their steps before the next W begin.

The state stays in the first cache: it is read from rows once, kept as lanes while the steps run,
and written to rows at the end. The table has 16 bytes for each array (address, bytes from row to
row): inputs, outputs, the count of steps, records; then the number of steps, the steps between
records, and for each sequence the bytes from one step's row to the next.

Turns inside a step are a loop in the loop: the lanes of a register go on until the last of them is
done, and those that are done keep what they have.
"""

from __future__ import annotations

from collections.abc import Callable

from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real
from dalembert.kernel.backends.llvm.rows import (
    Reservation,
    keep,
    load_rows,
    store_rolled,
    store_rows,
)
from dalembert.kernel.backends.llvm.write.kernel_text import LARGE, KernelText, any_lane, frame
from dalembert.kernel.backends.llvm.write.loop_part import LoopPart, recall
from dalembert.kernel.call.inner import Inner
from dalembert.kernel.call.loop import Loop


def loop_text(loop: Loop, width: int, host: Host, real: Real = DOUBLE) -> str:
    """Return the module of a loop for ``width`` samples side by side; there is a step or more."""
    body = _LoopText(loop, width, host, real)
    lanes = body.lanes
    t, bools, zero = lanes.type, lanes.bool_type, lanes.const(0.0)
    ones = "true" if width == 1 else "splat (i1 true)"
    functions = [line for part in body.parts for line in part.functions()]
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

    def __init__(self, loop: Loop, width: int, host: Host, real: Real) -> None:
        super().__init__(loop.program, width, host, real)
        self.loop = loop
        # the plain kernel's way to write large outputs is not used here
        self.kept = {}
        rows = [self.sequence(k) if loop.is_sequence(k) else None for k in range(len(loop.inputs))]
        self.first = LoopPart(self, loop.head, host, "state", rows)
        self.parts = [self.first]
        self.turns: _Turns | None = None
        if loop.inner is not None:
            self.turns = _Turns(self, loop.inner, host)
            self.parts += [self.turns.turn, self.turns.after]
        self.memory = [
            Reservation(f"%shown{k}", port.size)
            for k, port in enumerate(self.program.outputs)
            if loop.memory[k] is None
        ]
        self.memory += [] if self.turns is None else self.turns.requests
        self.memory += [request for part in self.parts for request in part.requests]
        self.setup = [line for part in self.parts for line in part.prepare()]
        # behind inputs and outputs: the count of steps, records
        self.counts = len(loop.inputs) + len(self.program.outputs)
        self.arrays = self.counts + 1 + len(loop.recorded)

    def sequence(self, number: int) -> Callable[[], list[str]]:
        """Return what reads the row of this step of an input."""

        def read() -> list[str]:
            lanes = self.lanes
            offset = lanes.emit(f"mul i64 %k, %jump{number}")
            rows = [
                lanes.emit(f"getelementptr i8, ptr {row}, i64 {offset}")
                for row in self.rows(number)
            ]
            return load_rows(lanes, rows, self.loop.inputs[number].size)

        return read

    def head(self) -> list[str]:
        """Return the instructions that read the table."""
        lines = super().head()
        numbers = ["%steps", "%between"]
        numbers += [f"%jump{k}" for k in range(len(self.loop.inputs)) if self.loop.is_sequence(k)]
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
        for k, port in enumerate(self.loop.inputs):
            if not self.loop.is_sequence(k):
                for place, x in enumerate(load_rows(lanes, self.rows(k), port.size)):
                    keep(lanes, f"%state_in{k}", place, x)
        for k, port in enumerate(self.program.outputs):
            if self.loop.memory[k] is None:
                for place in range(port.size):
                    keep(lanes, f"%shown{k}", place, lanes.const(0.0))

    def step(self) -> None:
        """Compute one step; samples that have stopped keep what they have."""
        lanes, loop = self.lanes, self.loop
        # all that is carried, read before anything is written
        for number in loop.memory:
            if number is not None:
                self.first.port(number)
        found = self.first.run()
        results = iter(found if self.turns is None else self.turns.run(found))
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
                        self.first.port(number)[place]
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

    def output_memory(self, k: int) -> str:
        """Return where an output lives between steps."""
        number = self.loop.memory[k]
        return f"%shown{k}" if number is None else f"%state_in{number}"

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
        lanes, first = self.lanes, len(self.loop.inputs)
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
            values = recall(self, memory, size)
            for x in values:
                self.add_up(x)
            store_rows(self.lanes, rows, values)

    def add_up(self, x: str) -> None:
        """Add a value to the sums that the flag is made of."""
        super().watch(x)


class _Turns:
    """The turns inside a step, and the program behind them."""

    def __init__(self, body: _LoopText, inner: Inner, host: Host) -> None:
        self.body, self.inner = body, inner
        loop, program = body.loop, body.program
        self.turn = LoopPart(body, inner.turn, host, "turn", [None] * len(inner.turn.inputs))
        # what turns compute and do not carry
        self.requests = [
            Reservation(f"%turned{k}", port.size)
            for k, port in enumerate(inner.turn.outputs)
            if inner.memory[k] is None
        ]
        self.sources = inner.sources(program)
        elsewhere: list[str | Callable[[], list[str]] | None] = []
        for kind, number in self.sources:
            if kind == "start":
                elsewhere.append(None)
            elif kind == "turn":
                elsewhere.append(self.memory(number))
            elif loop.is_sequence(number):
                elsewhere.append(body.sequence(number))
            else:
                elsewhere.append(f"%state_in{number}")
        self.after = LoopPart(body, program, host, "after", elsewhere)

    def memory(self, k: int) -> str:
        """Return where an output of the turn lives."""
        number = self.inner.memory[k]
        return f"%turned{k}" if number is None else self.turn.homes[number]

    def run(self, started: list[str]) -> list[str]:
        """Take the turns from the results of the start; return the results of the step."""
        lanes, inner = self.body.lanes, self.inner
        self._give(started)
        mask = lanes.bool_type
        lanes.lines += [
            "  br label %turns",
            "turns:",
            "  br label %turn",
            "turn:",
            "  %turn_k = phi i64 [0, %turns], [%turn_next, %turn_done]",
            f"  %going = phi {mask} [%active, %turns], [%going_next, %turn_done]",
        ]
        for number in inner.memory:
            if number is not None:
                self.turn.port(number)
        results = iter(self.turn.run())
        stop = ""
        for k, port in enumerate(inner.turn.outputs):
            memory, number = self.memory(k), inner.memory[k]
            for place in range(port.size):
                x = next(results)
                if k == inner.stop_number:
                    stop = x
                if number is not None:
                    old = self.turn.port(number)[place]
                else:
                    old = self.body.recall_one(memory, place)
                keep(lanes, memory, place, lanes.select("%going", x, old))
        more = lanes.less(lanes.const(0.0), stop)
        lanes.lines += [
            "  br label %turn_done",
            "turn_done:",
            f"  %going_next = and {mask} %going, {more}",
            *any_lane(lanes, "%any_turn", "%going_next"),
            "  %turn_next = add i64 %turn_k, 1",
            f"  %turns_left = icmp slt i64 %turn_next, {inner.most}",
            "  %turn_again = and i1 %any_turn, %turns_left",
            "  br i1 %turn_again, label %turn, label %turned",
            "turned:",
        ]
        return self.after.run()

    def _give(self, started: list[str]) -> None:
        """Write the results of the start to where the turns and the program behind read them."""
        homes: dict[int, list[str]] = {}
        for home, number in zip(self.turn.homes, self.inner.begin, strict=True):
            homes.setdefault(number, []).append(home)
        for home, (kind, number) in zip(self.after.homes, self.sources, strict=True):
            if kind == "start":
                homes.setdefault(number, []).append(home)
        results = iter(started)
        for k, port in enumerate(self.inner.start.outputs):
            for place in range(port.size):
                x = next(results)
                for home in homes.get(k, ()):
                    keep(self.body.lanes, home, place, x)
