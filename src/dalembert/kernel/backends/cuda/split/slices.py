"""A program in slices: each computes some rows of the outputs, and all that these need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.kernel.backends.cuda.split.links import Link, Range, link_of
from dalembert.kernel.passes.drop_dead import drop_dead
from dalembert.kernel.passes.schedule import schedule
from dalembert.kernel.program.liveness import MEMORY
from dalembert.kernel.program.program import Port, Program

OVERHEAD = 500
"""What one more slice costs, in instructions: inputs are read again."""


class Slice(NamedTuple):
    """The places ``start`` to ``stop - 1`` of an output, and how many instructions they need."""

    output: int
    start: int
    stop: int
    work: int

    def link(self, program: Program) -> Link:
        """Return the slice as a program of its own."""
        port, results = list(program.output_results())[self.output]
        shown = results[self.start : self.stop]
        outputs = (Port(port.name, (len(shown),)),)
        whole = Program(program.name, program.inputs, outputs, program.code, shown)
        place = Range(self.output, self.start)
        return link_of(schedule(drop_dead(whole)), (place,), len(program.inputs))


def slices_of(program: Program, most_work: int, most_results: int) -> list[Slice]:
    """Cut the outputs into ranges of whole rows, with the least work in all.

    Args:
        program: What to compute; what two ranges need is computed for each of them.
        most_work: Instructions of a slice, unless one row needs more.
        most_results: Different results of a slice, unless one row has more.
    """
    needs = _needs(program)
    found: list[Slice] = []
    for k, (port, results) in enumerate(program.output_results()):
        rows = row_length(port)
        masks, shown = [], []
        for start in range(0, port.size, rows):
            row = results[start : start + rows]
            mask = 0
            for i in row:
                mask |= needs[i]
            masks.append(mask)
            shown.append({i for i in row if program.code[i].op != "const"})
        for first, last, work in _cheapest(masks, shown, most_work, most_results):
            found.append(Slice(k, rows * first, min(port.size, rows * last), work))
    return found


def row_length(port: Port) -> int:
    """Return how many numbers of an output stay together: those of its last axis."""
    return max(1, port.shape[-1]) if port.shape else 1


def _needs(program: Program) -> list[int]:
    """Return for each instruction all that it needs, itself included, as bits."""
    needs: list[int] = []
    for i, (op, args, _) in enumerate(program.code):
        mask = 0 if op in MEMORY else 1 << i
        for a in args:
            mask |= needs[a]
        needs.append(mask)
    return needs


def _cheapest(
    masks: Sequence[int], shown: Sequence[set[int]], most_work: int, most_results: int
) -> list[tuple[int, int, int]]:
    """Return ranges (first, last, work) of rows with the least sum of work."""
    best: list[tuple[int, int, int]] = [(0, 0, 0)]
    costs = [0]
    for last in range(1, len(masks) + 1):
        mask, results = 0, set[int]()
        choice: tuple[int, int, int] | None = None
        cost = 0
        for first in range(last - 1, -1, -1):
            mask |= masks[first]
            results |= shown[first]
            work = mask.bit_count()
            if first < last - 1 and (work > most_work or len(results) > most_results):
                break
            if choice is None or costs[first] + work + OVERHEAD < cost:
                choice, cost = (first, last, work), costs[first] + work + OVERHEAD
        assert choice is not None
        best.append(choice)
        costs.append(cost)
    ranges = []
    last = len(masks)
    while last:
        ranges.append(best[last])
        last = best[last][0]
    return ranges[::-1]
