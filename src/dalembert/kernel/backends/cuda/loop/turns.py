"""The turns inside a step of a CUDA loop, and the arrays of a thread between them."""

from __future__ import annotations

from collections.abc import Iterator

from dalembert.kernel.backends.cuda.loop.part import Part
from dalembert.kernel.backends.cuda.statements import Place, indent
from dalembert.kernel.call.inner import Inner
from dalembert.kernel.program.program import Program


class Turns:
    """The turns inside a step, and the arrays of a thread between them."""

    def __init__(self, program: Program, inner: Inner, outer: Place) -> None:
        self.inner, self.outer = inner, outer
        self.sources = inner.sources(program)
        # what the program behind the turns reads of the start
        self.kept = {number for kind, number in self.sources if kind == "start"}
        ports = {f"turn{k}": port for k, port in enumerate(inner.turn.inputs)}
        ports |= {f"kept{k}": inner.start.outputs[k] for k in sorted(self.kept)}
        shown = [k for k, number in enumerate(inner.memory) if number is None]
        ports |= {f"turned{k}": inner.turn.outputs[k] for k in shown}
        self.sizes = {name: port.size for name, port in ports.items()}

    def operand(self, number: int, place: int) -> str:
        """Return a number of an input of a turn."""
        return f"turn{number}[{place}]"

    def target(self, k: int, place: int) -> str:
        """Return where a number of an output of a turn lives."""
        number = self.inner.memory[k]
        return f"turned{k}[{place}]" if number is None else self.operand(number, place)

    def operand_behind(self, number: int, place: int) -> str:
        """Return a number of an input of the program behind the turns."""
        kind, source = self.sources[number]
        if kind == "loop":
            return self.outer(source, place)
        return f"kept{source}[{place}]" if kind == "start" else self.target(source, place)

    def lines(self, first: Part, turn: Part) -> Iterator[str]:
        """Yield the start and all turns of a step."""
        for name, size in self.sizes.items():
            yield f"real {name}[{max(1, size)}];"
        yield "{"
        yield from indent(self._start(first))
        yield "}"
        yield "bool turns = true;"
        yield f"for (int turn = 0; turns && turn < {self.inner.most}; ++turn) {{"
        yield from indent(self._turn(turn))
        yield "}"

    def _start(self, first: Part) -> Iterator[str]:
        yield from first.run()
        names = iter(first.names)
        for k, port in enumerate(self.inner.start.outputs):
            readers = [i for i, number in enumerate(self.inner.begin) if number == k]
            for place in range(port.size):
                name = next(names)
                for i in readers:
                    yield f"{self.operand(i, place)} = {name};"
                if k in self.kept:
                    yield f"kept{k}[{place}] = {name};"

    def _turn(self, turn: Part) -> Iterator[str]:
        yield from turn.run()
        names = iter(turn.names)
        for k, port in enumerate(self.inner.turn.outputs):
            for place in range(port.size):
                name = next(names)
                yield f"{self.target(k, place)} = {name};"
                if k == self.inner.stop_number:
                    yield f"turns = {name} > 0;"
