"""A long program as several short ones, which hand their values on through an array.

Each is a program of its own: its last input, where it has one, is the array of values that earlier
ones computed; its outputs are values for later ones, and whole rows of the outputs of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dalembert.kernel.backends.cuda.split.links import VALUES, Link, Range, link_of
from dalembert.kernel.backends.cuda.split.slices import row_length
from dalembert.kernel.passes.drop_dead import drop_dead
from dalembert.kernel.passes.schedule import schedule
from dalembert.kernel.program.cut import Piece, cut_where_narrow, leaves_of
from dalembert.kernel.program.program import Instruction, Port, Program


class Rows(NamedTuple):
    """Rows of an output: the places ``start`` to ``stop - 1``."""

    output: int
    start: int
    stop: int


def segments_of(program: Program, size: int, most_results: int) -> tuple[list[Link], int]:
    """Cut a scheduled program into links; return them, and how many values they hand on.

    Args:
        program: What to compute.
        size: Instructions of a link at most.
        most_results: Different results that a link writes at most; a row more where it has more.
    """
    pieces = cut_where_narrow(program, size)
    plan = _Plan(program, pieces, most_results)
    links = [plan.link(n) for n in range(len(pieces))]
    return [link for link in links if link.outputs] + list(plan.copies()), len(plan.places)


class _Plan:
    """Which values are handed on, and where rows are written."""

    def __init__(self, program: Program, pieces: Sequence[Piece], most_results: int) -> None:
        self.program, self.pieces, self.most_results = program, pieces, most_results
        self.home = {i: n for n, p in enumerate(pieces) for i in range(p.start, p.stop)}
        self.written: list[list[Rows]] = [[] for _ in pieces]
        self.late: list[Rows] = []
        self._place_rows()
        kept = {a for piece in pieces for a in piece.live_out}
        for n, rows in [*enumerate(self.written), (-1, self.late)]:
            kept |= {i for i in self._shown(rows) if self.home[i] != n}
        # values of one piece lie side by side
        self.places = {i: k for k, i in enumerate(sorted(i for i in kept if self._is_computed(i)))}

    def _is_computed(self, i: int) -> bool:
        return self.program.code[i].op not in ("const", "input", "sincos")

    def _rows(self) -> Iterator[Rows]:
        for k, port in enumerate(self.program.outputs):
            length = row_length(port)
            for start in range(0, port.size, length):
                yield Rows(k, start, start + length)

    def _shown(self, rows: Sequence[Rows]) -> dict[int, None]:
        """Return the computed results of some rows, in order."""
        results = [numbers for _, numbers in self.program.output_results()]
        shown = (i for row in rows for i in results[row.output][row.start : row.stop])
        return dict.fromkeys(i for i in shown if self._is_computed(i))

    def _place_rows(self) -> None:
        """Let the piece that completes a row write it, as long as it has room."""
        for row in self._rows():
            shown = self._shown([row])
            last = max((self.home[i] for i in shown), default=0)
            here = self.written[last]
            if len(self._shown([*here, row])) <= self.most_results:
                here.append(row)
            else:
                self.late.append(row)

    def link(self, n: int) -> Link:
        """Return a piece as a link."""
        piece = self.pieces[n]
        work = range(piece.start, piece.stop)
        rows = self.written[n]
        shown = self._shown(rows)
        given = dict.fromkeys([*piece.live_in, *(i for i in shown if self.home[i] != n)])
        kept = [i for i in work if i in self.places]
        leaves = leaves_of(self.program, piece)
        return self._program([*leaves, *work], given, kept, rows)

    def copies(self) -> Iterator[Link]:
        """Yield links that write the rows for which no piece had room."""
        rows: list[Rows] = []
        for row in self.late:
            if rows and len(self._shown([*rows, row])) > self.most_results:
                yield self._program([], dict.fromkeys(self._shown(rows)), [], rows)
                rows = []
            rows.append(row)
        if rows:
            yield self._program([], dict.fromkeys(self._shown(rows)), [], rows)

    def _program(
        self, work: Sequence[int], given: dict[int, None], kept: Sequence[int], rows: Sequence[Rows]
    ) -> Link:
        old, values = self.program, len(self.program.inputs)
        code: list[Instruction] = []
        number: dict[int, int] = {}

        def add(i: int, instruction: Instruction) -> None:
            number[i] = len(code)
            code.append(instruction)

        for i in given:
            add(i, Instruction("input", (), (values, self.places[i])))
        ranges = list(_merged(rows))
        results = [numbers for _, numbers in old.output_results()]
        shown = [i for r in ranges for i in results[r.output][r.start : r.stop]]
        # constants and inputs that rows show beside computed results
        leaves = [i for i in shown if not self._is_computed(i)]
        for i in (*work, *leaves):
            if i not in number:
                op, args, value = old.code[i]
                add(i, Instruction(op, tuple(number[a] for a in args), value))
        ports = [Port(VALUES, (len(kept),))] if kept else []
        places = [Range(None, self.places[kept[0]])] if kept else []
        for r in ranges:
            ports.append(Port(old.outputs[r.output].name, (r.stop - r.start,)))
            places.append(Range(r.output, r.start))
        numbers = [number[i] for i in (*kept, *shown)]
        whole = Program(
            old.name,
            (*old.inputs, Port(VALUES, (len(self.places),))),
            tuple(ports),
            tuple(code),
            tuple(numbers),
        )
        # values are read where they are first needed
        return link_of(schedule(drop_dead(whole)), tuple(places), values)


def _merged(rows: Sequence[Rows]) -> Iterator[Rows]:
    """Yield rows that follow one another as one."""
    found: list[Rows] = []
    for row in rows:
        if found and found[-1].output == row.output and found[-1].stop == row.start:
            found[-1] = found[-1]._replace(stop=row.stop)
        else:
            found.append(row)
    yield from found
