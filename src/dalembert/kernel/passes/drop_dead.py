"""What no result needs is not computed."""

from __future__ import annotations

from dalembert.kernel.program.program import Instruction, Program


def drop_dead(program: Program) -> Program:
    """Return the program without instructions that no output depends on."""
    code = program.code
    needed = bytearray(len(code))
    for k in program.results:
        needed[k] = 1
    for i in range(len(code) - 1, -1, -1):
        if needed[i]:
            for a in code[i].args:
                needed[a] = 1
    if all(needed):
        return program
    kept: list[Instruction] = []
    number = [0] * len(code)
    for i, instruction in enumerate(code):
        if needed[i]:
            number[i] = len(kept)
            kept.append(instruction.renumbered(number))
    return program.with_code(kept, [number[k] for k in program.results])
