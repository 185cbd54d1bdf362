"""A long program in consecutive pieces, each small enough for a compiler."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from dalembert.kernel.program.liveness import MEMORY, live_counts
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.spec import HALVES


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


def split(program: Program, size: int) -> tuple[Piece, ...]:
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
    cuts.append(len(code))
    return _pieces(program, cuts)


def _pieces(program: Program, cuts: list[int]) -> tuple[Piece, ...]:
    code = program.code
    home = [0] * len(code)
    spans = list(pairwise(cuts))
    for number, (start, stop) in enumerate(spans):
        home[start:stop] = [number] * (stop - start)
    # dicts as ordered sets: the text that backends write must not depend on hashes
    reads: list[dict[int, None]] = [{} for _ in spans]
    gives: list[dict[int, None]] = [{} for _ in spans]
    for i, (_, args, _) in enumerate(code):
        for a in args:
            if home[a] != home[i] and code[a].op not in MEMORY:
                reads[home[i]][a] = None
                gives[home[a]][a] = None
    return tuple(
        Piece(start, stop, tuple(sorted(reads[n])), tuple(sorted(gives[n])))
        for n, (start, stop) in enumerate(spans)
    )
