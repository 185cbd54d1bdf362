"""How many values a program keeps alive."""

from __future__ import annotations

from dalembert.kernel.program.program import Program

MEMORY = {"const", "input"}
"""Values that lie in memory anyway: an instruction reads them from there at no cost."""


def live_counts(program: Program, *, with_inputs: bool = False) -> list[int]:
    """Return how many computed values are needed after each instruction.

    Results are stored when they are computed; they stay alive only for later instructions. Inputs
    that are read once and then kept count ``with_inputs``.
    """
    memory = MEMORY - {"input"} if with_inputs else MEMORY
    code = program.code
    last = _last_uses(program)
    change = [0] * (len(code) + 1)
    for i, (op, _, _) in enumerate(code):
        if op not in memory and op != "sincos" and last[i] > i:
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
