"""How many values a program keeps alive, and what that costs in spilled registers."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

from dalembert.kernel.program.program import Program

MEMORY = {"const", "input"}
"""Values that lie in memory anyway: an instruction reads them from there at no cost."""


class Spills(NamedTuple):
    """Values written to memory for want of registers, and read back from there."""

    stores: int
    loads: int


def live_counts(program: Program) -> list[int]:
    """Return how many computed values are needed after each instruction.

    Results are stored when they are computed; they stay alive only for later instructions.
    """
    code = program.code
    last = _last_uses(program)
    change = [0] * (len(code) + 1)
    for i, (op, _, _) in enumerate(code):
        if op not in MEMORY and op != "sincos" and last[i] > i:
            change[i] += 1
            change[last[i]] -= 1
    alive = 0
    counts = []
    for i in range(len(code)):
        alive += change[i]
        counts.append(alive)
    return counts


def spills(program: Program, registers: int) -> Spills:
    """Return the spills of a machine that drops the value whose next use is furthest (Belady)."""
    code = program.code
    uses: list[list[int]] = [[] for _ in code]
    for i in range(len(code) - 1, -1, -1):
        for a in code[i].args:
            uses[a].append(i)
    held: dict[int, int] = {}
    furthest: list[tuple[int, int]] = []
    saved: set[int] = set()
    stores = loads = 0

    def hold(v: int, busy: tuple[int, ...]) -> int:
        """Put a value into a register; return 1 if another had to be saved for it."""
        cost = 0
        while len(held) >= registers:
            skipped = []
            while True:
                key, out = heappop(furthest)
                if held.get(out) != key:
                    continue
                if out not in busy:
                    break
                skipped.append((key, out))
            for entry in skipped:
                heappush(furthest, entry)
            del held[out]
            if out not in saved:
                saved.add(out)
                cost += 1
        held[v] = -uses[v][-1]
        heappush(furthest, (held[v], v))
        return cost

    for i, (op, args, _) in enumerate(code):
        if op in MEMORY or op == "sincos":
            continue
        wanted = tuple(a for a in dict.fromkeys(args) if code[a].op not in MEMORY | {"sincos"})
        for a in wanted:
            if a not in held:
                loads += 1
                stores += hold(a, wanted)
        for a in wanted:
            while uses[a] and uses[a][-1] <= i:
                uses[a].pop()
            if uses[a]:
                held[a] = -uses[a][-1]
                heappush(furthest, (held[a], a))
            else:
                del held[a]
        if uses[i]:
            stores += hold(i, ())
    return Spills(stores, loads)


def _last_uses(program: Program) -> list[int]:
    last = list(range(len(program.code)))
    for i, (_, args, _) in enumerate(program.code):
        for a in args:
            last[a] = i
    return last
