"""A program in stages of independent parts, for several workers that meet after each stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from dalembert.kernel.program.liveness import MEMORY
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.spec import HALVES

Part: TypeAlias = tuple[int, ...]
"""Instructions in order, without constants and inputs."""
Stage: TypeAlias = tuple[Part, ...]
"""Parts that need nothing of each other."""

FILLED = 0.9
"""Share of the work that a stage can take at which it is closed."""
REACH = 2
"""How far a stage looks ahead for work, in multiples of what it can take."""


def cut_into_stages(program: Program, num_parts: int, size: int) -> tuple[Stage, ...]:
    """Cut a scheduled program into stages of ``num_parts`` parts of about ``size`` instructions.

    A part reads what earlier stages computed, and what it computes itself; constants and inputs are
    everybody's. Instructions are taken in their order. One that joins groups of this stage makes
    one group of them, unless that became longer than half of a part: then it waits for the
    next stage, and so does all that needs it. Groups that read the same values go to one part.
    """
    units = _Units(program)
    stage_of: dict[int, int] = {}
    stages: list[Stage] = []
    waiting: Sequence[int] = units.order
    while waiting:
        groups, waiting = _stage(units, waiting, stage_of, len(stages), num_parts * size, size // 2)
        parts = _dealt(program, groups, num_parts)
        stages.append(tuple(tuple(sorted(units.with_halves(part))) for part in parts))
    return tuple(stages)


class _Units:
    """Instructions that need a place of their own; the halves of a ``sincos`` stay with it."""

    def __init__(self, program: Program) -> None:
        leader = [-1] * len(program.code)
        self.order: list[int] = []
        self.needs: dict[int, set[int]] = {}
        self.halves: dict[int, list[int]] = {}
        for i, (op, args, _) in enumerate(program.code):
            if op in HALVES:
                leader[i] = args[0]
                self.halves.setdefault(args[0], []).append(i)
            elif op not in MEMORY:
                leader[i] = i
                self.order.append(i)
                self.needs[i] = {leader[a] for a in args if leader[a] >= 0}

    def with_halves(self, units: Sequence[int]) -> list[int]:
        return [i for unit in units for i in (unit, *self.halves.get(unit, ()))]


def _stage(
    units: _Units,
    waiting: Sequence[int],
    stage_of: dict[int, int],
    number: int,
    capacity: int,
    longest: int,
) -> tuple[list[list[int]], list[int]]:
    """Return the groups of the next stage, and what waits for later ones."""
    group_of: dict[int, list[int]] = {}
    later: list[int] = []
    placed = 0
    for place, i in enumerate(waiting):
        if placed >= FILLED * capacity or place >= REACH * capacity:
            later += waiting[place:]
            break
        joined = _joined(units.needs[i], stage_of, number, group_of)
        if joined is None or (joined and sum(map(len, joined)) >= max(1, longest)):
            later.append(i)
            continue
        # the longest group takes the others in
        group = max(joined, key=len, default=[])
        for other in joined:
            if other is not group:
                group += other
                group_of |= dict.fromkeys(other, group)
        group.append(i)
        group_of[i], stage_of[i] = group, number
        placed += 1
    return list({id(group): group for group in group_of.values()}.values()), later


def _joined(
    needs: set[int], stage_of: dict[int, int], number: int, group_of: dict[int, list[int]]
) -> list[list[int]] | None:
    """Return the groups of this stage that an instruction reads; None if it has to wait."""
    found: dict[int, list[int]] = {}
    for a in sorted(needs):
        if a not in stage_of:
            return None
        if stage_of[a] == number:
            found[id(group_of[a])] = group_of[a]
    return list(found.values())


def _dealt(program: Program, groups: Sequence[list[int]], num_parts: int) -> list[list[int]]:
    """Return the groups in parts of about equal length, the longest group first.

    Of the parts with room, one goes to that which has most of what it reads at hand.
    """
    parts: list[list[int]] = [[] for _ in range(num_parts)]
    at_hand: list[set[int]] = [set() for _ in range(num_parts)]
    room = -(-sum(map(len, groups)) // num_parts) + 1
    for group in sorted(groups, key=lambda group: (-len(group), group[0])):
        reads = {a for i in group for a in program.code[i].args if program.code[a].op != "const"}
        fits = [k for k in range(num_parts) if len(parts[k]) + len(group) <= room]
        k = max(
            fits or range(num_parts),
            key=lambda k: (len(reads & at_hand[k]) if fits else 0, -len(parts[k])),
        )
        parts[k] += group
        at_hand[k] |= reads
        at_hand[k] |= set(group)
    return parts
