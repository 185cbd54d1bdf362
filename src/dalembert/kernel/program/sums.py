"""The sums of a program: nested additions and subtractions, seen as lists of signed terms."""

from __future__ import annotations

from dalembert.kernel.program.program import Program

Term = tuple[int, bool]
"""An instruction, and whether it is subtracted."""


def count_uses(program: Program) -> list[int]:
    """Return how often each value is used, by instructions and as a result."""
    uses = [0] * len(program.code)
    for _, args, _ in program.code:
        for a in args:
            uses[a] += 1
    for k in program.results:
        uses[k] += 1
    return uses


def flatten(program: Program, uses: list[int]) -> dict[int, list[Term]]:
    """Return the terms t₁ ± t₂ ± … of every sum that is not used only by another sum.

    The first term always has a plus.
    """
    sums: dict[int, list[Term]] = {}
    for i, (op, args, _) in enumerate(program.code):
        if op != "add" and op != "sub":
            continue
        a, b = args
        flip = op == "sub"
        terms = sums.pop(a) if uses[a] == 1 and a in sums else [(a, False)]
        if uses[b] == 1 and b in sums:
            terms += [(t, minus != flip) for t, minus in sums.pop(b)]
        else:
            terms.append((b, flip))
        sums[i] = terms
    return sums
