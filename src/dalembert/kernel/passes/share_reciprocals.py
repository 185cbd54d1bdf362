"""A divisor that is used twice is inverted once."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from dalembert.kernel.program.program import Instruction, Program


def share_reciprocals(program: Program) -> Program:
    """Return the program with a/x, b/x as r = 1/x, a·r, b·r.

    A division keeps the machine busy as long as ten products; a·r differs from a/x by one
    rounding.
    """
    times = Counter(args[1] for op, args, _ in program.code if op == "div")
    shared = {x for x, n in times.items() if n > 1}
    if not shared:
        return program

    code: list[Instruction] = [Instruction("const", (), Fraction(1))]
    number: list[int] = []
    inverse: dict[int, int] = {}
    for instruction in program.code:
        op, args, _ = instruction
        if op == "div" and args[1] in shared:
            a, x = args
            if x not in inverse:
                inverse[x] = len(code)
                code.append(Instruction("div", (0, number[x])))
            if program.code[a] == code[0]:
                number.append(inverse[x])
                continue
            code.append(Instruction("mul", (number[a], inverse[x])))
        else:
            code.append(instruction.renumbered(number))
        number.append(len(code) - 1)
    return program.with_code(code, [number[k] for k in program.results])
