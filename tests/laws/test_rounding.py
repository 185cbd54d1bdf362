"""Kernels against ball arithmetic: every float lies within the bound that was stated before.

Random programs with every operation are compiled, with and without fused multiply-add, and run at
random points of a random box. The exact value comes from ball arithmetic of 300 bits.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import flint
import numpy as np
import pytest

from dalembert.errors import DivisionByZero, InvalidExpression
from dalembert.kernel.compiler import Target
from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.interpret import interpret
from dalembert.kernel.program.program import ARITY, Instruction, Port, Program
from dalembert.model.certificates.in_balls import BALLS, precision
from dalembert.model.certificates.rounding.functions import relative_error
from dalembert.model.certificates.rounding.intervals import Interval
from dalembert.model.certificates.rounding.propagate import Failure, propagate
from dalembert.model.certificates.rounding.values import Value
from tests.effort import effort
from tests.unit.kernel.random_programs import random_program

BITS = 300
WIDTHS = (0.0, 1e-9, 1e-3, 0.1, 0.5)
"""Half widths of boxes around a point where a program is well conditioned."""


class Sample(NamedTuple):
    """A result at a point: float, exact value, and the bounds that were stated before."""

    value: float
    truth: flint.arb
    bounds: Value

    @property
    def share(self) -> float:
        """The error as a part of its bound; more than 1 is a fault."""
        error = float(abs(self.truth - self.value))
        return error / self.bounds.err if self.bounds.err else (2.0 if error else 0.0)

    @property
    def is_enclosed(self) -> bool:
        # cos π is a ball around -1 that reaches beyond
        lower, upper = self.bounds.x
        return not (self.truth < lower or self.truth > upper)


def samples(
    program: Program, bounds: list[Value], points: np.ndarray, backend: str
) -> Iterator[Sample]:
    """Yield every result of a kernel at points of a box."""
    found = Target(backend).kernel(program)(points).reshape(len(points), -1)
    for point, row in zip(points, found, strict=True):
        with precision(BITS):
            truths = interpret(program, [[flint.arb(float(x)) for x in point]], BALLS)
            for value, truth, bound in zip(row, truths, bounds, strict=True):
                yield Sample(float(value), truth, bound)


def turning_program(draw: random.Random) -> Program:
    """Return sums and products of coordinates with sines and cosines: bounded in any box."""
    code = [Instruction("input", (), (0, k)) for k in range(3)]
    code += [Instruction("const", (), Fraction(draw.randint(-9, 9), 7)), Instruction("add", (0, 1))]
    for angle in (0, 2, 4):
        code.append(Instruction("sincos", (angle,)))
        pair = len(code) - 1
        code += [Instruction("sin_of", (pair,)), Instruction("cos_of", (pair,))]
    numbers = [k for k, x in enumerate(code) if x.op != "sincos"]
    for _ in range(draw.choice((5, 20, 40))):
        op = draw.choice(("add", "sub", "mul", "mul", "fma", "fms", "fnma", "neg"))
        args = tuple(draw.choice(numbers[-12:]) for _ in range(ARITY[op]))
        numbers.append(len(code))
        code.append(Instruction(op, args))
    results = tuple(numbers[-6:])
    return Program("f", (Port("x", (3,)),), (Port("y", (2, 3)),), tuple(code), results)


def random_case(draw: random.Random) -> tuple[Program, list[Interval]]:
    """Return a program and a box: wide for turning ones, else where all of it is defined."""
    if draw.random() < 0.3:
        sizes = [draw.choice((0.0, 0.3, 2.0, 9.0)) for _ in range(3)]
        return turning_program(draw), [(-size, size) for size in sizes]
    while True:
        raw, centres = random_program(draw, draw.choice((10, 30, 80)))
        try:
            program = optimise(raw, fuse=draw.random() < 0.5)
        except (DivisionByZero, InvalidExpression):
            continue
        width = draw.choice(WIDTHS)
        return program, [(x - width, x + width) for x in draw.choice(centres)]


def fuzz(seed: int, programs: int, points: int) -> dict[str, float]:
    """Compare kernels with ball arithmetic; return how much was tried and what was seen.

    Returns:
        Programs tried, those with a bound, results compared, results outside of their bound or
        enclosure, and the largest error as a part of its bound.
    """
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    seen: dict[str, float] = {
        "programs": 0,
        "bounded": 0,
        "results": 0,
        "outside": 0,
        "largest": 0.0,
    }
    for _ in range(programs):
        program, box = random_case(draw)
        seen["programs"] += 1
        backend = draw.choice(("llvm", "numpy"))
        bounds = propagate(program, [box], relative_error(backend))
        if isinstance(bounds, Failure):
            continue
        seen["bounded"] += 1
        low, high = np.transpose(box)
        at = rng.uniform(low, high, (points, len(box)))
        for sample in samples(program, bounds, at, backend):
            seen["results"] += 1
            seen["outside"] += not (sample.is_enclosed and sample.share <= 1.0)
            seen["largest"] = max(seen["largest"], sample.share)
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_every_float_is_within_the_bound_that_was_stated_before(seed: int, figures) -> None:
    seen = fuzz(seed, effort(40), 12)
    assert seen["outside"] == 0, seen
    # most programs have a bound, and it is not a thousand times too wide for all of them
    assert seen["bounded"] > seen["programs"] / 3
    assert seen["results"] >= 500
    assert seen["largest"] > 1e-2
    figures.count("programs against ball arithmetic", int(seen["programs"]))
    figures.count("results within their bound", int(seen["results"]))
    figures.worst("error as a part of its bound", seen["largest"])


def test_the_fuzz_sees_a_bound_that_is_too_small() -> None:
    """A tenth of the bound does not hold: the comparison above can fail."""
    draw = random.Random(5)
    shares = []
    for _ in range(20):
        raw, centres = random_program(draw, 10)
        box = [(x - 0.1, x + 0.1) for x in centres[0]]
        program = optimise(raw)
        bounds = propagate(program, [box], relative_error("llvm"))
        if isinstance(bounds, list):
            low, high = np.transpose(box)
            points = np.random.default_rng(1).uniform(low, high, (50, 3))
            shares += [s.share for s in samples(program, bounds, points, "llvm")]
    assert 0.1 < max(shares) <= 1.0
