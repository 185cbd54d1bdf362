"""All passes, in order."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.kernel.passes.contract import contract
from dalembert.kernel.passes.drop_dead import drop_dead
from dalembert.kernel.passes.expand_powers import expand_powers
from dalembert.kernel.passes.factor import factor
from dalembert.kernel.passes.fold import fold
from dalembert.kernel.passes.number_values import number_values
from dalembert.kernel.passes.pair_sines import pair_sines
from dalembert.kernel.passes.schedule import schedule
from dalembert.kernel.passes.share_reciprocals import share_reciprocals
from dalembert.kernel.passes.sort_operands import sort_operands
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.spec import validate

PASSES: tuple[Callable[[Program], Program], ...] = (
    # expressions order their operands by age: the program must not
    sort_operands,
    expand_powers,
    fold,
    number_values,
    pair_sines,
    share_reciprocals,
    factor,
    drop_dead,
    # common factors leave equal sums behind
    number_values,
    contract,
    # equal sums may leave what fed one of them unused
    drop_dead,
    schedule,
)
"""Every pass, in the order in which they run."""


def optimise(program: Program, *, fuse: bool = True) -> Program:
    """Return an equal program that is cheaper to run.

    Args:
        program: As `trace` made it.
        fuse: Whether products may fuse with sums (``fma``, ``fms``, ``fnma``): rounded once on
            machines that have the instruction.
    """
    for run in PASSES:
        if fuse or run is not contract:
            before, program = program, run(program)
            # a pass that finds nothing returns the program it got
            if program is not before:
                validate(program, after=run.__name__)
    return program
