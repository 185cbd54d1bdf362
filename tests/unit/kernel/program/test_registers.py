"""Registers hold what an allocation says they hold, and memory has the rest."""

import random

import pytest

from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.cut import LEAVES, Piece, cut_where_narrow, reads
from dalembert.kernel.program.liveness import live_counts
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.kernel.program.registers import Allocation, allocate
from tests.unit.kernel.random_programs import random_program


def operands(program: Program, i: int) -> list[int]:
    """Return the computed values that an instruction reads."""
    found = dict.fromkeys(reads(program, i))
    return [a for a in found if program.code[a].op not in ("const", "input")]


def most_in_registers(program: Program, pieces: tuple[Piece, ...], found: Allocation) -> int:
    """Run an allocation; return how many values were in registers at once.

    Every operand must be where it is looked for: in a register, or in memory at its place.
    """
    memory: dict[int, int] = {}
    most = 0
    for piece in pieces:
        arrived: dict[int, int] = {}
        lives: list[tuple[int, int]] = []
        until: dict[int, int] = {}
        work = piece.work(program)
        for i in work:
            for a in operands(program, i):
                if a in found.reloads.get(i, ()):
                    assert memory[found.places[a]] == a
                    if a in arrived:
                        lives.append((arrived[a], until[a]))
                    arrived[a] = i
                assert a in arrived
                until[a] = i
            arrived[i] = until[i] = i
            if i in found.places:
                memory[found.places[i]] = i
        lives += [(arrived[a], until[a]) for a in arrived]
        # a register is free for the result of the instruction that reads it last
        most = max([most, *(sum(a <= i < b for a, b in lives) for i in work)])
    return most


@pytest.mark.parametrize("registers", [4, 7, 28])
def test_operands_are_where_they_are_looked_for(registers: int, draw: random.Random) -> None:
    for _ in range(10):
        program = optimise(random_program(draw, 150)[0])
        for pieces in (cut_where_narrow(program, 20), cut_where_narrow(program, 10**6)):
            found = allocate(program, pieces, registers)
            assert most_in_registers(program, pieces, found) <= registers
            assert set(found.places) == {a for lost in found.reloads.values() for a in lost}
            assert all(0 <= place < found.size for place in found.places.values())
            assert found.size <= max(live_counts(program))


def test_values_that_cross_go_through_memory_and_share_places() -> None:
    # a chain of squares, one piece each: every value crosses, two are alive at once
    code = [Instruction("input", (), (0, 0)), Instruction("mul", (0, 0))]
    code += [Instruction("mul", (i, i)) for i in range(1, 6)]
    program = Program("f", (Port("x", (1,)),), (Port("y", (1,)),), tuple(code), (6,))
    pieces = tuple(Piece(i, i + 1, (), ()) for i in range(7))
    found = allocate(program, pieces, 8)
    assert found.reloads == {i: (i - 1,) for i in range(2, 7)}
    assert set(found.places) == {1, 2, 3, 4, 5}
    assert found.size == 1
    assert all(program.code[i].op not in LEAVES for i in found.places)
