"""LLVM text of a long program: the loop over samples calls the functions of its pieces."""

from __future__ import annotations

from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real
from dalembert.kernel.backends.llvm.rows import (
    Reservation,
    keep,
    load_rolled,
    load_rows,
    store_rolled,
    store_rows,
)
from dalembert.kernel.backends.llvm.write.kernel_text import LARGE, KernelText, frame
from dalembert.kernel.backends.llvm.write.pieces import PieceFunctions
from dalembert.kernel.program.program import Program


def long_text(program: Program, width: int, host: Host, real: Real = DOUBLE) -> str:
    """Return the module of a program that is compiled in pieces."""
    pieces = PieceFunctions(program, width, host, real)
    functions = pieces.functions()
    body = KernelText(program, width, host, real)
    lanes = body.lanes
    body.memory = [Reservation("%memory", pieces.size)]
    body.setup = pieces.clear()
    for k, port in enumerate(program.inputs):
        first = pieces.input_places[k]
        if port.size > LARGE:
            at = lanes.emit(f"getelementptr {lanes.type}, ptr %memory, i64 {first}")
            label = f"read{k}"
            found = load_rolled(lanes, body.rows(k), at, port.size, body.block, label)
            body.block, total = found
            body.watch(total)
            continue
        for place, x in enumerate(load_rows(lanes, body.rows(k), port.size)):
            keep(lanes, "%memory", first + place, x)
            # results may hide what is not finite in an input
            body.watch(x)
    for number, place in program.units:
        rows = [
            lanes.emit(f"getelementptr {real.type}, ptr {row}, i64 {place}")
            for row in body.rows(number)
        ]
        body.watch_length(load_rows(lanes, rows, 4))
    lanes.lines += pieces.calls()
    for k, port in enumerate(program.outputs):
        start = pieces.output_places[k]
        rows = body.rows(len(program.inputs) + k)
        if port.size > LARGE:
            at = lanes.emit(f"getelementptr {lanes.type}, ptr %memory, i64 {start}")
            label = f"large{k}"
            body.block, total = store_rolled(lanes, rows, at, port.size, body.block, label)
            body.watch(total)
        else:
            values = [body.recall_one("%memory", start + place) for place in range(port.size)]
            for x in values:
                body.watch(x)
            store_rows(lanes, rows, values)
    body.mark()
    for line in pieces.declarations:
        lanes.declare(line)
    return "\n".join([*frame(body, functions), ""])
