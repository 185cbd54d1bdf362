"""Bounds over a box that has none as a whole: over its parts."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.kernel.program.program import Program
from dalembert.model.certificates.rounding.intervals import Interval
from dalembert.model.certificates.rounding.propagate import Failure, propagate

Box = list[list[Interval]]


class Found(NamedTuple):
    """Bounds of all results over a box and the number of its parts, or the reason for none."""

    errors: list[float]
    parts: int
    why: str = ""


def over_box(program: Program, box: Box, relative: float, work: int) -> Found:
    """Return bounds that hold in the whole box.

    Where an operation has no bound, as a quotient by what may be zero, the box is halved along the
    widest of the inputs that the operation depends on, and both halves are looked at.

    Args:
        program: What runs.
        box: Where its inputs are.
        relative: The relative error of functions.
        work: How many instructions to look at before giving up.
    """
    worst = [0.0] * len(program.results)
    open_parts, parts = [box], 0
    while open_parts:
        part = open_parts.pop()
        found = propagate(program, part, relative)
        parts += 1
        if not isinstance(found, Failure):
            work -= len(program.code)
            worst = [max(a, b.err) for a, b in zip(worst, found, strict=True)]
            continue
        work -= found.instruction + 1
        halves = _halves(program, found.instruction, part, box)
        if work < 0 or not halves:
            i, n = found.instruction + 1, len(program.code)
            why = f"instruction {i} of {n} {found.why}; a smaller box may have one"
            return Found([], parts, why)
        open_parts += halves
    return Found(worst, parts)


def _halves(program: Program, instruction: int, part: Box, whole: Box) -> list[Box]:
    """Return two halves of a part; none where all inputs that matter are points."""
    widest, place = 0.0, None
    for port, k in _inputs_of(program, instruction):
        lower, upper = part[port][k]
        if not lower < (lower + upper) / 2 < upper:
            continue
        # beside the width of the whole: units differ
        width = (upper - lower) / (whole[port][k][1] - whole[port][k][0])
        if width > widest:
            widest, place = width, (port, k)
    if place is None:
        return []
    port, k = place
    lower, upper = part[port][k]
    middle = (lower + upper) / 2
    return [_with(part, port, k, ends) for ends in ((lower, middle), (middle, upper))]


def _with(box: Box, port: int, k: int, ends: Interval) -> Box:
    row = [*box[port][:k], ends, *box[port][k + 1 :]]
    return [*box[:port], row, *box[port + 1 :]]


def _inputs_of(program: Program, instruction: int) -> list[tuple[int, int]]:
    """Return the inputs that an instruction depends on, as port and place."""
    needed, found = {instruction}, []
    for i in range(instruction, -1, -1):
        if i in needed:
            op, args, value = program.code[i]
            needed.update(args)
            if op == "input":
                found.append(value)
    return sorted(found)
