"""Short programs that together do what a long one does, one after the other."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.kernel.program.program import Instruction, Program

VALUES = "values"
"""Name of the port through which values are handed on."""


class Range(NamedTuple):
    """Where an output of a short program lies: from a place on in an output of the long one.

    ``output`` is None for the values that are handed on.
    """

    output: int | None
    start: int


class Link(NamedTuple):
    """A short program; ``inputs`` are those of the long one by number, None for the values."""

    program: Program
    inputs: tuple[int | None, ...]
    outputs: tuple[Range, ...]


def link_of(program: Program, outputs: tuple[Range, ...], num_inputs: int) -> Link:
    """Return a program as a link, without inputs that it does not read.

    Input number ``num_inputs``, if there is one, are the values.
    """
    used = sorted({value[0] for op, _, value in program.code if op == "input"})
    number = {k: new for new, k in enumerate(used)}
    code = [
        Instruction("input", (), (number[x.value[0]], x.value[1])) if x.op == "input" else x
        for x in program.code
    ]
    inputs = tuple(program.inputs[k] for k in used)
    short = Program(program.name, inputs, program.outputs, tuple(code), program.results)
    return Link(short, tuple(None if k == num_inputs else k for k in used), outputs)
