"""Random programs with every operation, and an interpreter of them over Python's floats."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from dalembert.kernel.program.program import ARITY, PI, Instruction, Port, Program

OPERATIONS: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "sqrt": math.sqrt,
    "sincos": lambda a: a,
    "sin_of": math.sin,
    "cos_of": math.cos,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan2": math.atan2,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": math.fabs,
    "sign": lambda a: math.copysign(1.0, a) if a else 0.0,
}

# where an operation is smooth, so that rounding stays small
DOMAIN: dict[str, Callable[..., bool]] = {
    "div": lambda a, b: abs(b) > 0.1,
    "sqrt": lambda a: a > 0.1,
    "pow": lambda a: a > 0.1,
    "log": lambda a: a > 0.1,
    "exp": lambda a: a < 4.0,
    "asin": lambda a: abs(a) < 0.9,
    "acos": lambda a: abs(a) < 0.9,
    "atan2": lambda a, b: b > 0.1,
    "sign": lambda a: abs(a) > 0.1,
    "abs": lambda a: abs(a) > 0.1,
}
BOUND = 50.0
CONSTANTS = [Fraction(c) for c in ("0", "1", "-1", "2", "-3/2", "1/3", "4")]
EXPONENTS = [Fraction(c) for c in ("2", "3", "5", "8", "-1", "-2", "3/2", "-1/2", "5/2", "2/3")]
ARITHMETIC = ("add", "sub", "mul")
UNFUSED = tuple(op for op in ARITY if op not in ("const", "input", "sincos", "sin_of", "cos_of"))


def step(
    instruction: Instruction, values: Sequence[float], inputs: Sequence[Sequence[float]]
) -> float:
    """Return the value of one instruction after those before it."""
    op, args, value = instruction
    if op == "const":
        return math.pi if value == PI else float(value)
    if op == "input":
        return inputs[value[0]][value[1]]
    if op == "pow":
        return values[args[0]] ** float(value)
    return OPERATIONS[op](*(values[a] for a in args))


def interpret(program: Program, *inputs: Sequence[float]) -> list[float]:
    """Return the results in floats, by nothing but this loop; one list for each input."""
    values: list[float] = []
    for instruction in program.code:
        values.append(step(instruction, values, inputs))
    return [values[k] for k in program.results]


def random_program(
    draw: random.Random, size: int, num_inputs: int = 3
) -> tuple[Program, list[list[float]]]:
    """Return a program with waste of every kind, and points where all of it is well conditioned."""
    points = [[draw.uniform(-2.0, 2.0) for _ in range(num_inputs)] for _ in range(3)]
    code = [Instruction("input", (), (0, k)) for k in range(num_inputs)]
    code += [Instruction("const", (), c) for c in CONSTANTS]
    code.append(Instruction("const", (), PI))
    columns = []
    for point in points:
        values: list[float] = []
        for instruction in code:
            values.append(step(instruction, values, [point]))
        columns.append(values)
    leaves = len(code)
    while len(code) < leaves + size:
        op = draw.choice((*UNFUSED, *ARITHMETIC * 4))
        args = tuple(draw.randrange(len(code)) for _ in range(ARITY[op]))
        value = draw.choice(EXPONENTS) if op == "pow" else None
        allowed = DOMAIN.get(op, lambda *_: True)
        if not all(allowed(*(values[a] for a in args)) for values in columns):
            continue
        new = Instruction(op, args, value)
        results = [
            step(new, values, [point]) for values, point in zip(columns, points, strict=True)
        ]
        if max(map(abs, results)) > BOUND:
            continue
        code.append(new)
        for values, result in zip(columns, results, strict=True):
            values.append(result)
    late = range(len(code) - size // 2, len(code))
    results = [0, *draw.sample(late, 3), len(code) - 1, len(code) - 1]
    program = Program(
        "random", (Port("x", (num_inputs,)),), (Port("y", (2, 3)),), tuple(code), tuple(results)
    )
    return program, points
