"""Sine and cosine of one angle are computed together."""

from __future__ import annotations

from collections import defaultdict

from dalembert.kernel.program.program import Instruction, Program


def pair_sines(program: Program) -> Program:
    """Return the program with ``sin x`` beside ``cos x`` as the halves of one ``sincos x``.

    A tangent of the same angle is the quotient of the halves; a tangent beside only one of them
    counts as both. Angle sums are left as they are.
    """
    met: dict[int, set[str]] = defaultdict(set)
    for op, args, _ in program.code:
        if op in ("sin", "cos", "tan"):
            met[args[0]].add(op)
    pairs = {x for x, ops in met.items() if len(ops) > 1}
    if not pairs:
        return program

    code: list[Instruction] = []
    number: list[int] = []
    halves: dict[int, dict[str, int]] = {}
    for instruction in program.code:
        op, args, _ = instruction
        if op in ("sin", "cos", "tan") and args[0] in pairs:
            x = args[0]
            if x not in halves:
                i = len(code)
                code.append(Instruction("sincos", (number[x],)))
                code.append(Instruction("sin_of", (i,)))
                code.append(Instruction("cos_of", (i,)))
                halves[x] = {"sin": i + 1, "cos": i + 2}
            if op == "tan" and op not in halves[x]:
                halves[x][op] = len(code)
                code.append(Instruction("div", (halves[x]["sin"], halves[x]["cos"])))
            number.append(halves[x][op])
            continue
        code.append(instruction.renumbered(number))
        number.append(len(code) - 1)
    return program.with_code(code, [number[k] for k in program.results])
