"""All passes, in order."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.kernel.passes import contract, factor, fold, schedule
from dalembert.kernel.passes import drop_dead as dead
from dalembert.kernel.passes import expand_powers as powers
from dalembert.kernel.passes import number_values as numbering
from dalembert.kernel.passes import pair_sines as sincos
from dalembert.kernel.passes import share_reciprocals as reciprocals
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.spec import validate

PASSES: tuple[tuple[str, Callable[[Program], Program]], ...] = (
    ("powers", powers.run),
    ("fold", fold.run),
    ("numbering", numbering.run),
    ("sincos", sincos.run),
    ("reciprocals", reciprocals.run),
    ("factor", factor.run),
    ("dead", dead.run),
    # common factors leave equal sums behind
    ("numbering again", numbering.run),
    ("contract", contract.run),
    ("schedule", schedule.run),
)
"""Name and function of every pass, in the order in which they run."""


def optimise(program: Program, *, fuse: bool = True) -> Program:
    """Return an equal program that is cheaper to run.

    Args:
        program: As `trace` made it.
        fuse: Whether products may fuse with sums (``fma``, ``fms``, ``fnma``): rounded once on
            machines that have the instruction.
    """
    for name, run in PASSES:
        if fuse or name != "contract":
            before, program = program, run(program)
            # a pass that finds nothing returns the program it got
            if program is not before:
                validate(program, after=name)
    return program
