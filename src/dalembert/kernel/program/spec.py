"""What a program must satisfy; checked between passes, so that a wrong pass is caught at once."""

from __future__ import annotations

from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.kernel.program.program import ARITY, PI, Instruction, Port, Program

HALVES = ("sin_of", "cos_of")
# operations that have operands and nothing else to check
PLAIN = {
    op: arity
    for op, arity in ARITY.items()
    if op not in ("const", "input", "pow", "sincos", *HALVES)
}


class BrokenProgram(AssertionError):
    """A program that breaks a rule; the message names the pass that wrote it."""


def validate(program: Program, after: str = "trace") -> Program:
    """Return the program if it keeps all rules.

    Args:
        program: Any program.
        after: The pass that wrote it.

    Raises:
        BrokenProgram: It breaks a rule; the message names the pass and the instruction.
    """
    pairs = {i for i, (op, _, _) in enumerate(program.code) if op == "sincos"}
    for i, instruction in enumerate(program.code):
        op, args, value = instruction
        # nearly all instructions are sound in the simplest way
        sound = len(args) == PLAIN.get(op) and value is None and max(args) < i and min(args) >= 0
        if sound and pairs.isdisjoint(args):
            continue
        fault = _fault(program, i, instruction)
        if fault:
            raise BrokenProgram(
                f"{program.name}: after {after}, instruction {i} {instruction}: {fault}"
            )
    expected = sum(port.size for port in program.outputs)
    if len(program.results) != expected:
        raise BrokenProgram(
            f"{program.name}: after {after}: expected {expected} results, got "
            f"{len(program.results)}"
        )
    for k in program.results:
        if not 0 <= k < len(program.code):
            raise BrokenProgram(f"{program.name}: after {after}: result %{k} does not exist")
        if program.code[k].op == "sincos":
            raise BrokenProgram(f"{program.name}: after {after}: result %{k} is two numbers")
    for k, place in program.units:
        if not (0 <= k < len(program.inputs) and 0 <= place <= program.inputs[k].size - 4):
            raise BrokenProgram(f"{program.name}: after {after}: no quaternion at {place} of {k}")
    return program


def checked(program: Program) -> Program:
    """Return a program that came from outside, after a check of everything it says.

    Raises:
        InvalidExpression: it is no program.
    """
    ports = (*program.inputs, *program.outputs)
    if not all(_is_port(port) for port in ports) or not isinstance(program.name, str):
        raise InvalidExpression("expected a program with named arrays, got something else")
    if not all(
        type(k) is int
        for numbers in (program.results, *(i[1] for i in program.code), *program.units)
        for k in numbers
    ):
        raise InvalidExpression("expected a program of numbered instructions, got something else")
    try:
        return validate(program, "reading")
    except (BrokenProgram, TypeError, ValueError) as error:
        raise InvalidExpression(f"expected a program, got a broken one: {error}") from None


def _is_port(port: object) -> bool:
    return (
        isinstance(port, Port)
        and isinstance(port.name, str)
        and isinstance(port.shape, tuple)
        and all(type(n) is int and n >= 0 for n in port.shape)
    )


def _fault(program: Program, i: int, instruction: Instruction) -> str | None:
    """Return what is wrong with an instruction, or None."""
    op, args, value = instruction
    if op not in ARITY:
        return "unknown operation"
    if len(args) != ARITY[op]:
        return f"expected {ARITY[op]} operands"
    if any(not 0 <= a < i for a in args):
        return "an operand is not computed before it is used"
    pairs = [program.code[a].op == "sincos" for a in args]
    if op in HALVES and not all(pairs):
        return "expected a sincos as operand"
    if op not in HALVES and any(pairs):
        return "a sincos is two numbers: take sin_of or cos_of"
    match op:
        case "const":
            good = isinstance(value, Fraction) or value == PI
        case "input":
            port, place = value
            good = 0 <= port < len(program.inputs) and 0 <= place < program.inputs[port].size
        case "pow":
            good = isinstance(value, Fraction)
        case _:
            good = value is None
    return None if good else f"unexpected value {value!r}"
