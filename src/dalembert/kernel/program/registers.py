"""Which values of a program stay in registers, and which go through memory.

A machine with few registers drops the value whose next use is furthest away (L. A. Belady, A study
of replacement algorithms for a virtual-storage computer, 1966). A value that is dropped before its
last use is written to memory where it is computed, and read from there where it is used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from dalembert.kernel.program.cut import LEAVES, Piece, reads
from dalembert.kernel.program.liveness import MEMORY
from dalembert.kernel.program.program import Program


class Allocation(NamedTuple):
    """What goes through memory.

    ``places`` has the place in memory of every value that is read back; values that do not live at
    the same time share places, of which there are ``size``. ``reloads`` lists for an instruction
    the operands that are no longer in a register.
    """

    places: dict[int, int]
    reloads: dict[int, tuple[int, ...]]
    size: int


class Spills(NamedTuple):
    """Values written to memory for want of registers, and read back from there."""

    stores: int
    loads: int


def spills(program: Program, registers: int) -> Spills:
    """Return the traffic of a machine with so many registers."""
    whole = Piece(0, len(program.code), (), ())
    places, reloads, _ = allocate(program, [whole], registers)
    return Spills(len(places), sum(map(len, reloads.values())))


def allocate(program: Program, pieces: Sequence[Piece], registers: int) -> Allocation:
    """Return what goes through memory if every piece begins and ends with empty registers.

    Constants and inputs are not counted: an instruction reads them from where they are.
    """
    uses = _uses(program)
    reloads: dict[int, tuple[int, ...]] = {}
    for piece in pieces:
        _allocate_piece(program, piece, uses, registers, reloads)
    saved = {a for operands in reloads.values() for a in operands}
    places, size = _places(program, saved)
    return Allocation(places, reloads, size)


def _uses(program: Program) -> list[list[int]]:
    """Return for each value the instructions that use it, the next one last."""
    code = program.code
    uses: list[list[int]] = [[] for _ in code]
    for i in range(len(code) - 1, -1, -1):
        if code[i].op not in LEAVES:
            for a in dict.fromkeys(reads(program, i)):
                uses[a].append(i)
    return uses


def _allocate_piece(
    program: Program,
    piece: Piece,
    uses: list[list[int]],
    registers: int,
    reloads: dict[int, tuple[int, ...]],
) -> None:
    """Add the operands that a piece reads back, and use up what it uses."""
    code = program.code
    # the values in registers, with minus the place of their next use
    held: dict[int, int] = {}
    furthest: list[tuple[int, int]] = []

    def hold(v: int, busy: Sequence[int]) -> None:
        """Put a value into a register, instead of another if there is none left."""
        while len(held) >= registers:
            skipped = []
            while True:
                key, out = heappop(furthest)
                if held.get(out) == key:
                    if out not in busy:
                        break
                    skipped.append((key, out))
            for entry in skipped:
                heappush(furthest, entry)
            del held[out]
        note(v)

    def note(v: int) -> None:
        held[v] = -uses[v][-1]
        heappush(furthest, (held[v], v))

    for i in piece.work(program):
        wanted = [a for a in dict.fromkeys(reads(program, i)) if code[a].op not in MEMORY]
        lost = tuple(a for a in wanted if a not in held)
        if lost:
            reloads[i] = lost
        for a in lost:
            hold(a, wanted)
        for a in wanted:
            uses[a].pop()
            if uses[a]:
                note(a)
            else:
                del held[a]
        if uses[i]:
            hold(i, ())


def _places(program: Program, saved: set[int]) -> tuple[dict[int, int], int]:
    """Return places for values, free again after the last use of each; and their number."""
    ends: dict[int, list[int]] = {}
    last = {}
    for i, instruction in enumerate(program.code):
        if instruction.op not in LEAVES:
            for a in reads(program, i):
                if a in saved:
                    last[a] = i
    for a, i in last.items():
        ends.setdefault(i, []).append(a)
    places: dict[int, int] = {}
    free: list[int] = []
    size = 0
    for i in range(len(program.code)):
        for a in ends.get(i, ()):
            heappush(free, places[a])
        if i in saved:
            if free:
                places[i] = heappop(free)
            else:
                places[i], size = size, size + 1
    return places, size
