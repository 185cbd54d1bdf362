"""One program of a loop, whose inputs are lanes in reserved memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.rows import Reservation, keep
from dalembert.kernel.backends.llvm.write.kernel_text import KernelText, is_long
from dalembert.kernel.backends.llvm.write.pieces import PieceFunctions
from dalembert.kernel.program.program import Program


class LoopPart(KernelText):
    """One program of a loop, whose inputs are lanes in reserved memory.

    Attributes:
        homes: The address of each input's lanes.
        pieces: Its functions, if it is long.
        requests: Memory that it needs.
    """

    def __init__(
        self,
        body: KernelText,
        program: Program,
        host: Host,
        name: str,
        elsewhere: Sequence[str | Callable[[], list[str]] | None],
    ) -> None:
        """Prepare a program.

        Args:
            body: The loop that it is a part of.
            program: What to compute.
            host: The processor.
            name: What begins the names of its memory.
            elsewhere: For each input where its lanes are: an address, or what reads them; None for
                memory of its own.
        """
        width, real = body.lanes.width, body.lanes.real
        super().__init__(program, width, host, real)
        self.kept = {}
        # one function has one list of lines, and names of its own for each
        self.lanes, self.wide = body.lanes, body.wide
        self.elsewhere = list(elsewhere)
        self.pieces: PieceFunctions | None = None
        self.requests: list[Reservation] = []
        if is_long(program, width):
            # inputs live where the pieces look for them
            self.pieces = PieceFunctions(program, width, host, real, f"{name}_")
            self.homes = [f"%{name}_in{k}" for k in range(len(program.inputs))]
            self.requests.append(Reservation(self.pieces.memory, self.pieces.size))
            return
        self.homes = [
            place if isinstance(place, str) else f"%{name}_in{k}"
            for k, place in enumerate(self.elsewhere)
        ]
        self.requests += [
            Reservation(home, port.size)
            for home, port, place in zip(self.homes, program.inputs, self.elsewhere, strict=True)
            if place is None
        ]

    def prepare(self) -> list[str]:
        """Return what is done once, before all samples."""
        if self.pieces is None:
            return []
        t, memory = self.lanes.type, self.pieces.memory
        return self.pieces.clear() + [
            f"  {home} = getelementptr {t}, ptr {memory}, i64 {place}"
            for home, place in zip(self.homes, self.pieces.input_places, strict=True)
        ]

    def functions(self) -> list[str]:
        """Return the text of its pieces, and declare what they call."""
        if self.pieces is None:
            return []
        lines = self.pieces.functions()
        for line in self.pieces.declarations:
            self.lanes.declare(line)
        return lines

    def port(self, number: int) -> list[str]:
        """Return the lanes of an input."""
        if number not in self.inputs:
            place, size = self.elsewhere[number], self.program.inputs[number].size
            if callable(place):
                self.inputs[number] = place()
            else:
                self.inputs[number] = recall(self, place or self.homes[number], size)
        return self.inputs[number]

    def run(self) -> list[str]:
        """Compute it once; return its results."""
        if self.pieces is None:
            return self.instructions()
        for k, place in enumerate(self.elsewhere):
            if place is not None:
                for at, x in enumerate(self.port(k)):
                    keep(self.lanes, self.homes[k], at, x)
        self.lanes.lines += self.pieces.calls()
        first = self.pieces.results
        return [
            self.recall_one(self.pieces.memory, first + k) for k in range(len(self.program.results))
        ]

    def watch(self, x: str) -> None:
        """Check nothing while steps run: what is not finite stays until the end."""


def recall(body: KernelText, memory: str, size: int) -> list[str]:
    """Return the lanes of every place of a memory."""
    return [body.recall_one(memory, place) for place in range(size)]
