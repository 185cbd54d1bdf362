"""Stages hold all work once; a part needs nothing of the other parts of its stage."""

import random

import pytest

from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.kernel.program.stages import cut_into_stages
from tests.unit.kernel.random_programs import random_program


@pytest.mark.parametrize(("num_parts", "size"), [(1, 1), (2, 3), (4, 10), (16, 64)])
def test_parts_need_earlier_stages_and_themselves(
    num_parts: int, size: int, draw: random.Random
) -> None:
    for _ in range(5):
        program = optimise(random_program(draw, 150)[0])
        code = program.code
        leaves = {i for i, x in enumerate(code) if x.op in ("const", "input")}
        stages = cut_into_stages(program, num_parts, size)
        known = set(leaves)
        for stage in stages:
            assert len(stage) == num_parts
            assert any(stage)
            for part in stage:
                assert list(part) == sorted(part)
                own: set[int] = set()
                for i in part:
                    assert known | own >= set(code[i].args)
                    own.add(i)
            for part in stage:
                assert known.isdisjoint(part)
                known |= set(part)
        assert known == set(range(len(code)))
        assert stages == cut_into_stages(program, num_parts, size)


def test_independent_chains_are_shared_evenly() -> None:
    """64 chains of 8 negations in 16 parts of 32: one stage of equal parts."""
    code = [Instruction("input", (), (0, 0))]
    for _ in range(64):
        code.append(Instruction("neg", (0,)))
        code += [Instruction("neg", (len(code) + k - 1,)) for k in range(7)]
    ends = tuple(range(8, 513, 8))
    program = Program("f", (Port("x", (1,)),), (Port("y", (64,)),), tuple(code), ends)
    stages = cut_into_stages(program, 16, 36)
    assert [[len(part) for part in stage] for stage in stages] == [[32] * 16]


def test_no_work() -> None:
    code = (Instruction("input", (), (0, 0)),)
    program = Program("f", (Port("x", ()),), (Port("y", ()),), code, (0,))
    assert cut_into_stages(program, 4, 10) == ()
