"""Arrays as CasADi has them: column by column, without entries that are always zero."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from dalembert.kernel.program.program import Port, Program


class Pattern(NamedTuple):
    """Where a matrix may differ from zero: the rows of those entries, column by column."""

    rows: int
    columns: tuple[tuple[int, ...], ...]

    @property
    def compressed(self) -> list[int]:
        """CasADi's list: rows, columns, where each column starts, the rows of all entries."""
        starts = [0]
        for column in self.columns:
            starts.append(starts[-1] + len(column))
        entries = [row for column in self.columns for row in column]
        return [self.rows, len(self.columns), *starts, *entries]


def matrix_shape(port: Port) -> tuple[int, int]:
    """Return rows and columns of an array as a matrix: the axes after the first are one."""
    rows = port.shape[0] if port.shape else 1
    return rows, port.size // rows if rows else 0


def dense(port: Port) -> Pattern:
    """Return the pattern of a matrix that is nowhere zero for sure."""
    rows, columns = matrix_shape(port)
    return Pattern(rows, (tuple(range(rows)),) * columns)


def compressed_by_columns(program: Program) -> tuple[Program, tuple[Pattern, ...]]:
    """Return the program whose outputs are vectors of their nonzero entries, and the patterns."""
    ports, patterns = [], []
    results: list[int] = []
    rest = list(program.results)
    for port in program.outputs:
        rows, columns = matrix_shape(port)
        entries, rest = rest[: port.size], rest[port.size :]
        kept = [
            [(i, k) for i, k in enumerate(entries[j::columns]) if not _is_zero(program, k)]
            for j in range(columns)
        ]
        results += (k for column in kept for _, k in column)
        patterns.append(Pattern(rows, tuple(tuple(i for i, _ in column) for column in kept)))
        ports.append(Port(port.name, (sum(map(len, kept)),)))
    return replace(program, outputs=tuple(ports), results=tuple(results)), tuple(patterns)


def _is_zero(program: Program, number: int) -> bool:
    op, _, value = program.code[number]
    return op == "const" and value == 0
