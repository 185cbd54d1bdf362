"""One program of a loop as the text of CUDA: statements in their place, or functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.kernel.backends.c.reals import Real
from dalembert.kernel.backends.cuda.pieces import Pieces, Variable
from dalembert.kernel.backends.cuda.statements import Place, indent, statements
from dalembert.kernel.program.program import Program


class Part:
    """One program of a loop: statements, or functions if it is long.

    Attributes:
        names: Its results after `run`.
    """

    def __init__(
        self,
        program: Program,
        real: Real,
        place: Place,
        name: str,
        variables: Sequence[Variable],
        max_instructions: int,
    ) -> None:
        """Prepare a program.

        Args:
            program: What to compute.
            real: Type of its numbers.
            place: Where the numbers of inputs are.
            name: What begins the names of its functions.
            variables: What places name.
            max_instructions: A longer one is cut into functions.
        """
        self.program, self.real, self.place, self.name = program, real, place, name
        self.pieces: Pieces | None = None
        self.names = [f"{name}_next[{k}]" for k in range(len(program.results))]
        if len(program.code) > max_instructions:
            targets: dict[int, list[str]] = {}
            for result, target in zip(program.results, self.names, strict=True):
                targets.setdefault(result, []).append(target)
            own = Variable("real*", f"{name}_next")
            self.pieces = Pieces(
                program, real, place, targets, [own, *variables], max_instructions, f"{name}_piece"
            )

    def functions(self) -> Iterator[str]:
        """Yield its functions."""
        if self.pieces is not None:
            yield from self.pieces.functions()

    def run(self) -> Iterator[str]:
        """Yield what computes it."""
        if self.pieces is not None:
            yield f"real {self.name}_next[{max(1, len(self.names))}];"
            yield "{"
            yield from indent(self.pieces.calls())
            yield "}"
            return
        values = []
        for _, lines, name in statements(self.program, self.real, self.place):
            yield from lines
            values.append(name)
        self.names = [values[k] for k in self.program.results]
