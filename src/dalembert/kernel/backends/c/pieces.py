"""Long programs in pieces, each a static function, which a C compiler takes little time for.

Compile time and memory of a straight-line function grow faster than its length. The program is cut
in the order of its statements; values that a later piece reads pass through an array on the stack.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.kernel.backends.c.header import Prototype
from dalembert.kernel.backends.c.statements import StatementWriter
from dalembert.kernel.program.cut import allocate, cut_evenly

MAX_STATEMENTS = 4_000
"""Longest function that is left whole."""

PIECE = 1_000
"""Statements of a piece."""


class PiecedFunction:
    """A program cut into functions ``name_Z0``, ``name_Z1`` …, which no mangled name ends in."""

    def __init__(
        self, writer: StatementWriter, prototype: Prototype, places: Sequence[str], macro: str
    ) -> None:
        self.writer, self.prototype, self.macro = writer, prototype, macro
        self.type = writer.real.type
        self.pieces = cut_evenly(writer.program, PIECE)
        home = {i: n for n, piece in enumerate(self.pieces) for i in piece.work(writer.program)}
        # inputs and constants as results are written by the first piece
        self.results: list[list[tuple[str, int]]] = [[] for _ in self.pieces]
        for place, k in zip(places, writer.program.results, strict=True):
            self.results[home.get(k, 0)].append((place, k))
        self.slots, self.num_slots = allocate(self.pieces)

    def text(self, head: str) -> str:
        """Return the pieces, and the function that calls them in turn."""
        names = [a.name for a in (*self.prototype.inputs, *self.prototype.outputs)]
        calls = [f"{self._name(n)}({', '.join([*names, 'w'])});" for n in range(len(self.pieces))]
        body = [f"{self.type} w[{max(1, self.num_slots)}];", *calls]
        whole = "\n".join([head, "{", *(f"    {line}" for line in body), "}", ""])
        return "\n".join([*map(self._piece, range(len(self.pieces))), whole])

    def _name(self, n: int) -> str:
        return f"{self.prototype.name}_Z{n}"

    def _piece(self, n: int) -> str:
        writer, piece = self.writer, self.pieces[n]
        parameters = [
            *(f"const {self.type} *{self.macro} {a.name}" for a in self.prototype.inputs),
            *(f"{self.type} *{self.macro} {a.name}" for a in self.prototype.outputs),
            f"{self.type} *{self.macro} w",
        ]
        body: list[str] = []
        # values of earlier pieces under their own names
        body += [f"const {self.type} t{a} = w[{self.slots[a]}];" for a in piece.live_in]
        for i in piece.work(writer.program):
            body.append(writer.statement(i))
            if i in self.slots:
                body.append(f"w[{self.slots[i]}] = t{i};")
        body += [f"{place} = {writer.operand(k)};" for place, k in self.results[n]]
        unused = [f"(void){name};" for name in self._unused(n)]
        head = f"static void {self._name(n)}(\n    " + ",\n    ".join(parameters) + ")"
        return "\n".join([head, "{", *(f"    {line}" for line in [*unused, *body]), "}", ""])

    def _unused(self, n: int) -> list[str]:
        """Return the parameters that a piece does not touch."""
        piece, shown = self.pieces[n], [k for _, k in self.results[n]]
        names = self.writer.unused([*piece.work(self.writer.program), *shown])
        written = {place.partition("[")[0] for place, _ in self.results[n]}
        names += [a.name for a in self.prototype.outputs if a.name not in written]
        return names if piece.live_in or piece.live_out else [*names, "w"]
