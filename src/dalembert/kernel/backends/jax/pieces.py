"""A program cut into pieces of a few instructions each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.kernel.program.program import Program

HALVES = {"sin_of": "sin", "cos_of": "cos"}
LEAVES = {"const", "input", "sincos"}
"""Operations that need no work of their own."""


class Piece(NamedTuple):
    """Neighbouring instructions: what they read from before and what others need of them."""

    numbers: tuple[int, ...]
    reads: tuple[int, ...]
    writes: tuple[int, ...]


def operation(program: Program, number: int) -> tuple[str, tuple[int, ...]]:
    """Return operation and operands; a half of a sincos is taken of the angle itself."""
    op, args, _ = program.code[number]
    return (HALVES[op], program.code[args[0]].args) if op in HALVES else (op, args)


def cut(program: Program, size: int) -> list[Piece]:
    """Return all instructions that work, in order, at most ``size`` in a piece."""
    work = [k for k, instruction in enumerate(program.code) if instruction.op not in LEAVES]
    last: dict[int, int] = {}
    for k in work:
        for a in operation(program, k)[1]:
            last[a] = k
    kept = set(program.results)
    groups = [work[start : start + size] for start in range(0, len(work), size)]
    return [_piece(program, group, last, kept) for group in groups]


def _piece(program: Program, group: Sequence[int], last: dict[int, int], kept: set[int]) -> Piece:
    inside = set(group)
    operands = {a for k in group for a in operation(program, k)[1]}
    reads = [a for a in operands - inside if program.code[a].op != "const"]
    writes = [k for k in group if k in kept or last.get(k, -1) > group[-1]]
    return Piece(tuple(group), tuple(sorted(reads)), tuple(writes))
