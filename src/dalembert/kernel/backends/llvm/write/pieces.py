"""A long program as several functions that exchange values through memory.

The time that LLVM takes for one function grows faster than its length. So a long program is cut
where few values cross; they, the inputs and the results have places in one memory of lanes.

Which values stay in registers is decided here too: what LLVM decides for code of this length writes
twice as many to memory, and a kernel of a large robot spends its time there.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.reals import DOUBLE, Real
from dalembert.kernel.backends.llvm.write.kernel_text import KernelText
from dalembert.kernel.program.cut import Piece, cut_where_narrow
from dalembert.kernel.program.program import Instruction, Program
from dalembert.kernel.program.registers import allocate

PIECE = 2000
ZERO = Instruction("const", (), Fraction(0))
# registers of the machine that are left to LLVM, for constants and for what it reorders
SPARE = 4


class PieceFunctions:
    """The functions of a long program, and the places of what they exchange.

    Places are counted in lanes from the start of the memory: first all inputs, then all results,
    then the values that do not stay in registers.
    """

    def __init__(
        self, program: Program, width: int, host: Host, real: Real = DOUBLE, part: str = ""
    ) -> None:
        """Cut a program; ``part`` begins the names of its memory and functions."""
        self.program, self.width, self.host, self.real = program, width, host, real
        self.memory, self.name = f"%{part}memory", f"@{part}piece"
        self.pieces = cut_where_narrow(program, PIECE)
        self.input_places: list[int] = []
        size = 0
        for port in program.inputs:
            self.input_places.append(size)
            size += port.size
        self.output_places: list[int] = []
        for port in program.outputs:
            self.output_places.append(size)
            size += port.size
        first = self.output_places[0] if self.output_places else size
        self.shown: dict[int, list[int]] = {}
        for k, i in enumerate(program.results):
            # zeros are there from the start
            if program.code[i] != ZERO:
                self.shown.setdefault(i, []).append(first + k)
        self.results = first
        places, self.reloads, count = allocate(program, self.pieces, host.registers - SPARE)
        self.saved = {i: size + place for i, place in places.items()}
        self.size = size + count
        self.declarations: dict[str, None] = {}

    def clear(self) -> list[str]:
        """Return the instructions that fill the places of the results with zeros, once."""
        lanes = Lanes(self.width, f"clear_{self.name[1:]}", self.real)
        self.declarations["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"] = None
        at = lanes.emit(f"getelementptr {lanes.type}, ptr {self.memory}, i64 {self.results}")
        size = lanes.bytes * len(self.program.results)
        call = f"  call void @llvm.memset.p0.i64(ptr {at}, i8 0, i64 {size}, i1 false)"
        return [*lanes.lines, call]

    def functions(self) -> list[str]:
        """Return the text of all functions, and remember what they declare."""
        lines: list[str] = []
        for number, piece in enumerate(self.pieces):
            body = _PieceText(self, piece)
            body.write()
            for lanes in (body.lanes, *body.wide):
                self.declarations.update(dict.fromkeys(lanes.declarations()))
            lines += [
                f"define internal void {self.name}{number}(ptr %memory) noinline #0 {{",
                "piece:",
                *body.lanes.lines,
                "  ret void",
                "}",
            ]
        return lines

    def calls(self) -> list[str]:
        """Return the calls that run the program once."""
        return [f"  call void {self.name}{k}(ptr {self.memory})" for k in range(len(self.pieces))]


class _PieceText(KernelText):
    """The instructions of one piece, with all else in memory."""

    def __init__(self, pieces: PieceFunctions, piece: Piece) -> None:
        super().__init__(pieces.program, pieces.width, pieces.host, pieces.real)
        self.pieces, self.piece = pieces, piece
        self.kept = {}
        for i in range(piece.start, piece.stop):
            places = [*pieces.shown.get(i, ())]
            if i in pieces.saved:
                places.append(pieces.saved[i])
            if places:
                self.kept[i] = [("%memory", place) for place in places]

    def write(self) -> None:
        """Write the piece."""
        self.compute(self.piece.start, self.piece.stop)

    def forget(self, i: int) -> None:
        """Forget the operands that are no longer in a register, and the inputs, which never are."""
        for a in self.pieces.reloads.get(i, ()):
            self.names.pop(a, None)
        for a in self.program.code[i].args:
            if self.program.code[a].op == "input":
                self.names.pop(a, None)

    def input(self, number: int, place: int) -> str:
        """Return the lanes of one number of an input."""
        return self.recall_one("%memory", self.pieces.input_places[number] + place)

    def inherited(self, k: int) -> str:
        """Return a value that was computed before."""
        return self.recall_one("%memory", self.pieces.saved[k])

    def watch(self, x: str) -> None:
        """Check nothing here: the caller checks all results."""
