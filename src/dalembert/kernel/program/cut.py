"""A long program in consecutive pieces, each small enough for a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from dalembert.kernel.program.liveness import MEMORY, live_counts
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.spec import HALVES

LEAVES = MEMORY | {"sincos"}
"""Operations without work of their own: a ``sincos`` is done where its halves are taken."""


class Piece(NamedTuple):
    """The instructions ``start`` to ``stop - 1``, and what they exchange with other pieces.

    ``live_in`` are the values of earlier pieces that this one reads, ``live_out`` the values of
    this one that later pieces read. Constants and inputs are in neither: each piece that needs one
    writes or loads it itself, wherever it stands. Results are stored by the piece that computes
    them.
    """

    start: int
    stop: int
    live_in: tuple[int, ...]
    live_out: tuple[int, ...]

    def work(self, program: Program) -> list[int]:
        """Return the instructions of the piece that are no leaves."""
        return [i for i in range(self.start, self.stop) if program.code[i].op not in LEAVES]


def reads(program: Program, i: int) -> tuple[int, ...]:
    """Return what an instruction reads; a half of a sincos reads the angle."""
    op, args, _ = program.code[i]
    return program.code[args[0]].args if op in HALVES else args


def leaves_of(program: Program, piece: Piece) -> list[int]:
    """Return the constants and inputs outside of a piece that it reads."""
    code = program.code
    found = (a for i in range(piece.start, piece.stop) for a in code[i].args if a < piece.start)
    return [a for a in dict.fromkeys(found) if code[a].op in MEMORY]


def allocate(pieces: Sequence[Piece]) -> tuple[dict[int, int], int]:
    """Return a place for each value that a later piece reads, and how many places there are.

    A place is used again when the last piece that reads it has begun.
    """
    last = {i: n for n, piece in enumerate(pieces) for i in piece.live_in}
    places: dict[int, int] = {}
    free: list[int] = []
    ends: dict[int, list[int]] = {}
    size = 0
    for n, piece in enumerate(pieces):
        # a piece reads all it inherits before it writes, so what it reads last is free
        free += ends.pop(n, [])
        for i in piece.live_out:
            if not free:
                free.append(size)
                size += 1
            places[i] = free.pop()
            ends.setdefault(last[i], []).append(places[i])
    return places, size


def cut_where_narrow(program: Program, size: int) -> tuple[Piece, ...]:
    """Cut a scheduled program into pieces of at most ``size`` instructions.

    Each cut is where the fewest values cross it, between half and all of the size behind the last
    one; never between a ``sincos`` and its halves, which `schedule` keeps together.

    Raises:
        ValueError: The size is less than four, too small for a sincos and its halves.
    """
    if size < 4:
        raise ValueError(f"expected pieces of at least 4 instructions, got {size}")
    code = program.code
    alive = live_counts(program)
    cuts = [0]
    while len(code) - cuts[-1] > size:
        places = range(cuts[-1] + size, cuts[-1] + size // 2, -1)
        cuts.append(
            min(
                (cut for cut in places if code[cut].op not in HALVES),
                key=lambda cut: alive[cut - 1],
            )
        )
    return _pieces(program, [*cuts, len(code)])


def cut_evenly(program: Program, size: int) -> tuple[Piece, ...]:
    """Cut a program into pieces of ``size`` instructions, leaves not counted."""
    work = [i for i, instruction in enumerate(program.code) if instruction.op not in LEAVES]
    return _pieces(program, [0, *work[size::size], len(program.code)])


def _pieces(program: Program, cuts: Sequence[int]) -> tuple[Piece, ...]:
    code = program.code
    home = [0] * len(code)
    spans = list(pairwise(cuts))
    for number, (start, stop) in enumerate(spans):
        home[start:stop] = [number] * (stop - start)
    # dicts as ordered sets: the text that backends write must not depend on hashes
    taken: list[dict[int, None]] = [{} for _ in spans]
    given: list[dict[int, None]] = [{} for _ in spans]
    for i, instruction in enumerate(code):
        if instruction.op in LEAVES:
            continue
        for a in reads(program, i):
            if home[a] != home[i] and code[a].op not in MEMORY:
                taken[home[i]][a] = None
                given[home[a]][a] = None
    return tuple(
        Piece(start, stop, tuple(sorted(taken[n])), tuple(sorted(given[n])))
        for n, (start, stop) in enumerate(spans)
    )
