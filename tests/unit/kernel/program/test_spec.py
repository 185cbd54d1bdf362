"""The spec accepts what trace makes and names every fault put into it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.kernel.program.spec import validate

GOOD = [
    Instruction("input", (), (0, 0)),
    Instruction("input", (), (0, 1)),
    Instruction("const", (), Fraction(3, 2)),
    Instruction("mul", (0, 2)),
    Instruction("sincos", (1,)),
    Instruction("sin_of", (4,)),
    Instruction("fma", (3, 5, 2)),
    Instruction("pow", (6,), Fraction(2, 3)),
]


def program(code: list[Instruction], results: tuple[int, ...] = (6, 7)) -> Program:
    return Program("f", (Port("x", (2,)),), (Port("y", (2,)),), tuple(code), results)


def test_accepts_a_good_program_and_returns_it() -> None:
    good = program(GOOD)
    assert validate(good) is good


@pytest.mark.parametrize(
    ("place", "fault", "message"),
    [
        (3, Instruction("mult", (0, 2)), "unknown operation"),
        (3, Instruction("mul", (0,)), "expected 2 operands"),
        (6, Instruction("fma", (3, 5)), "expected 3 operands"),
        (2, Instruction("const", (0,), Fraction(1)), "expected 0 operands"),
        # operands out of order: used before it is computed, of itself, of nothing
        (3, Instruction("mul", (0, 5)), "not computed before"),
        (3, Instruction("mul", (0, 3)), "not computed before"),
        (3, Instruction("mul", (-1, 0)), "not computed before"),
        (3, Instruction("mul", (0, 99)), "not computed before"),
        (5, Instruction("sin_of", (3,)), "expected a sincos"),
        (6, Instruction("fma", (3, 4, 2)), "two numbers"),
        (2, Instruction("const", (), 1.5), "unexpected value"),
        (2, Instruction("const"), "unexpected value"),
        (2, Instruction("const", (), "tau"), "unexpected value"),
        (0, Instruction("input", (), (1, 0)), "unexpected value"),
        (0, Instruction("input", (), (0, 2)), "unexpected value"),
        (3, Instruction("mul", (0, 2), Fraction(1)), "unexpected value"),
        (7, Instruction("pow", (6,)), "unexpected value"),
        (7, Instruction("pow", (6,), 2), "unexpected value"),
    ],
)
def test_names_the_fault(place: int, fault: Instruction, message: str) -> None:
    code = list(GOOD)
    code[place] = fault
    with pytest.raises(AssertionError, match=rf"f: after fold, instruction {place} .*{message}"):
        validate(program(code), after="fold")


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ((6,), "expected 2 results, got 1"),
        ((6, 8), "result %8 does not exist"),
        ((-1, 6), "result %-1 does not exist"),
        ((4, 6), "result %4 is two numbers"),
    ],
)
def test_names_a_wrong_result(results: tuple[int, ...], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        validate(program(GOOD, results), after="schedule")


def test_trace_validates() -> None:
    from dalembert.kernel.program.trace import trace

    (x,) = da.parameters("x")
    assert validate(trace("f", {"x": x}, {"y": x * x})).outputs == (Port("y", ()),)
