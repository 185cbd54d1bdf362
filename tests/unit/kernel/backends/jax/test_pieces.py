"""Pieces hold all work once, and know what passes between them."""

import random

import numpy as np
import pytest

from dalembert.kernel.backends.jax.pieces import LEAVES, cut, operation
from tests.unit.kernel.random_programs import random_program


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_cut(size: int, rng: np.random.Generator) -> None:
    draw = random.Random(int(rng.integers(2**63)))
    program, _ = random_program(draw, 80)
    pieces = cut(program, size)
    work = [k for k, i in enumerate(program.code) if i.op not in LEAVES]
    assert [k for piece in pieces for k in piece.numbers] == work
    assert max(len(piece.numbers) for piece in pieces) <= size
    known = {k for k, i in enumerate(program.code) if i.op in ("const", "input")}
    for piece in pieces:
        assert known >= set(piece.reads)
        inside = set(piece.numbers) | set(piece.reads)
        constants = {k for k in known if program.code[k].op == "const"}
        for k in piece.numbers:
            assert inside | constants >= set(operation(program, k)[1])
        known |= set(piece.writes)
    assert known >= set(program.results)
