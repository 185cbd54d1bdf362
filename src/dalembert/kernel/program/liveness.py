"""How many values a program keeps alive."""

from __future__ import annotations

from dalembert.kernel.program.program import Program

MEMORY = {"const", "input"}
"""Values that lie in memory anyway: an instruction reads them from there at no cost."""


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


def _last_uses(program: Program) -> list[int]:
    last = list(range(len(program.code)))
    for i, (_, args, _) in enumerate(program.code):
        for a in args:
            last[a] = i
    return last
