"""A long program as device functions that exchange values through the memory of a thread.

The time that NVIDIA's compiler takes for one function, and the registers it wants, grow faster than
its length. Each function loads what it inherits, and stores what later ones read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dalembert.kernel.backends.c.reals import Real
from dalembert.kernel.backends.cuda.statements import (
    Place,
    Statement,
    constant,
    indent,
    statements,
    value_name,
)
from dalembert.kernel.program.cut import Piece, allocate, cut_where_narrow, leaves_of
from dalembert.kernel.program.program import Program

MAX_INSTRUCTIONS = 16_000
"""Longest program that stays one function."""
PIECE = 1500
"""Instructions of a piece."""


class Variable(NamedTuple):
    """A parameter of all pieces: type and name."""

    type: str
    name: str


class Pieces:
    """The functions ``piece0``, ``piece1`` … of a program, or those of another name."""

    def __init__(
        self,
        program: Program,
        real: Real,
        place: Place,
        targets: dict[int, list[str]],
        variables: Sequence[Variable],
        max_instructions: int,
        name: str = "piece",
    ) -> None:
        """Cut a program.

        Args:
            program: What to compute.
            real: Type of its numbers.
            place: Where the numbers of inputs are.
            targets: Where the results go, by their instructions.
            variables: What places and targets name.
            max_instructions: Of a function.
            name: What begins the names of the functions.
        """
        self.program, self.real, self.place, self.targets = program, real, place, targets
        self.name = name
        self.variables = [*variables, Variable("real*", "w")]
        self.pieces = cut_where_narrow(program, min(PIECE, max_instructions))
        self.slots, self.num_slots = allocate(self.pieces)

    def functions(self) -> Iterator[str]:
        """Yield the functions; each returns 0, or not a number if a result is not finite."""
        parameters = ", ".join(f"{type} const {name}" for type, name in self.variables)
        for n, piece in enumerate(self.pieces):
            yield f"static __device__ __noinline__ real {self.name}{n}({parameters})"
            yield "{"
            yield from indent(self._body(piece))
            yield "}"

    def calls(self) -> Iterator[str]:
        """Yield what runs all of them and leaves ``watch``."""
        names = ", ".join(name for _, name in self.variables)
        yield f"real w[{max(1, self.num_slots)}];"
        yield "real watch = 0;"
        for n in range(len(self.pieces)):
            yield f"watch += {self.name}{n}({names});"

    def _body(self, piece: Piece) -> Iterator[str]:
        for a in piece.live_in:
            yield f"const real {value_name(self.program, a)} = w[{self.slots[a]}];"
        numbers = [*leaves_of(self.program, piece), *range(piece.start, piece.stop)]
        known = {a: value_name(self.program, a) for a in piece.live_in}
        yield from watched(
            statements(self.program, self.real, self.place, numbers, known),
            self.targets,
            self.real,
            {a: f"w[{self.slots[a]}]" for a in piece.live_out},
        )
        yield "return watch;"


def watched(
    lines: Iterator[Statement], targets: dict[int, list[str]], real: Real, kept: dict[int, str]
) -> Iterator[str]:
    """Yield statements, with results stored as soon as they are known and summed in ``watch``."""
    # 0·y is 0 unless y is infinite or not a number
    yield "real watch = 0;"
    for number, text, name in lines:
        yield from text
        if number in targets:
            yield f"watch += {constant(0, real)} * {name};"
        for target in targets.get(number, ()):
            yield f"{target} = {name};"
        if number in kept:
            yield f"{kept[number]} = {name};"
