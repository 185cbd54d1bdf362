"""Order instructions by what they compute, not by when their expressions were built."""

from __future__ import annotations

from hashlib import blake2b

from dalembert.kernel.program.program import COMMUTATIVE, Instruction, Program, value_text


def sort_operands(program: Program) -> Program:
    """Return the same program with its operands and instructions in an order of their own.

    Every instruction gets a hash of its operation, value and operands' hashes. Operands of + and ×
    are sorted by it, then the instructions are written depth first from the results: the text of
    the program depends on nothing but what it computes.
    """
    keys: list[bytes] = []
    operands: list[tuple[int, ...]] = []
    for op, args, value in program.code:
        if op in COMMUTATIVE and keys[args[0]] > keys[args[1]]:
            args = (args[1], args[0])
        operands.append(args)
        text = op if value is None else f"{op} {value_text(value)}"
        keys.append(
            blake2b(text.encode() + b"".join([keys[a] for a in args]), digest_size=16).digest()
        )

    code: list[Instruction] = []
    number = [-1] * len(program.code)
    # an entry is an instruction to enter, or the complement of one to write
    stack = list(reversed(program.results))
    while stack:
        i = stack.pop()
        if i < 0:
            i = ~i
            if number[i] < 0:
                op, _, value = program.code[i]
                number[i] = len(code)
                code.append(Instruction(op, tuple([number[a] for a in operands[i]]), value))
        elif number[i] < 0:
            stack.append(~i)
            stack += [a for a in reversed(operands[i]) if number[a] < 0]
    return program.with_code(code, [number[k] for k in program.results])
