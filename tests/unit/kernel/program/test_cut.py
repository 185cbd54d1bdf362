"""Pieces hold all work once, and know what passes between them."""

import random

import pytest

from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.cut import LEAVES, cut_evenly, cut_where_narrow, reads
from dalembert.kernel.program.program import Instruction, Port, Program
from tests.unit.kernel.random_programs import random_program


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_even_pieces_know_what_they_exchange(size: int, draw: random.Random) -> None:
    for _ in range(5):
        program = optimise(random_program(draw, 80)[0])
        pieces = cut_evenly(program, size)
        work = [i for i, x in enumerate(program.code) if x.op not in LEAVES]
        assert [i for piece in pieces for i in piece.work(program)] == work
        assert max(len(piece.work(program)) for piece in pieces) <= size
        known = {i for i, x in enumerate(program.code) if x.op in ("const", "input")}
        for piece in pieces:
            assert known >= set(piece.live_in)
            inside = {*piece.work(program), *piece.live_in}
            leaves = {i for i in known if program.code[i].op in LEAVES}
            for i in piece.work(program):
                assert inside | leaves >= set(reads(program, i))
            assert inside >= set(piece.live_out)
            known |= set(piece.live_out)


def test_pieces_cover_the_program_and_name_what_crosses(draw: random.Random) -> None:
    for _ in range(10):
        program = optimise(random_program(draw, 150)[0])
        pieces = cut_where_narrow(program, 20)
        assert [p.start for p in pieces] == [0, *(p.stop for p in pieces[:-1])]
        assert pieces[-1].stop == len(program.code)
        given_out: set[int] = set()
        for piece in pieces:
            assert piece.stop - piece.start <= 20
            read = {
                a
                for i in range(piece.start, piece.stop)
                for a in program.code[i].args
                if a < piece.start and program.code[a].op not in ("const", "input")
            }
            assert set(piece.live_in) == read <= given_out
            assert not any(program.code[a].op == "sincos" for a in piece.live_in)
            given_out |= set(piece.live_out)
        assert given_out == {a for piece in pieces for a in piece.live_in}


def test_cut_is_where_few_values_cross() -> None:
    # two sums of six squares, joined at the end: one value crosses between them
    code = [Instruction("input", (), (0, k)) for k in range(12)]
    code += [Instruction("mul", (i, i)) for i in range(6)]
    for i in range(5):
        code.append(Instruction("add", (17 + i if i else 12, 13 + i)))
    half = len(code)
    code += [Instruction("mul", (i, i)) for i in range(6, 12)]
    for i in range(5):
        code.append(Instruction("add", (half + 5 + i if i else half, half + 1 + i)))
    code.append(Instruction("add", (half - 1, len(code) - 1)))
    ports = (Port("x", (12,)),), (Port("y", (1,)),)
    program = Program("f", *ports, tuple(code), (len(code) - 1,))
    first, *_ = cut_where_narrow(program, 30)
    assert first.stop == half
    assert first.live_out == (half - 1,)


def test_pieces_too_small_for_a_pair_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 4"):
        cut_where_narrow(Program("f", (), (), (), ()), 3)
