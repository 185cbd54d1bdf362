"""One interpreter: what an algebra leaves out follows from what it has."""

import math
import random
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import PI, Instruction, Port, Program
from dalembert.model.certificates.in_field import FieldPoint, run_in_field
from tests.unit.kernel.random_programs import OPERATIONS, random_program
from tests.unit.kernel.random_programs import interpret as by_hand

FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh", "abs", "sign")
TABLE: Algebra[float] = {
    "const": lambda value: math.pi if value == PI else float(value),
    "pow": lambda x, exponent: x ** float(exponent),
    **{name: OPERATIONS[name] for name in FUNCTIONS},
}
FLOATS = complete(TABLE)


def program_of(*code: Instruction) -> Program:
    return Program("f", (Port("x", (3,)),), (Port("y", ()),), code, (len(code) - 1,))


INPUTS = tuple(Instruction("input", (), (0, k)) for k in range(3))


@pytest.mark.parametrize(("op", "expected"), [("fma", 11), ("fms", 1), ("fnma", -1)])
def test_fused_operations_follow_from_sums_and_products(op: str, expected: int) -> None:
    program = program_of(*INPUTS, Instruction(op, (0, 1, 2)))
    assert interpret(program, [[2, 3, 5]], FLOATS) == [expected]
    table = complete({**TABLE, "mul": lambda a, b: 7})
    assert interpret(program, [[2, 3, 5]], table) == [{"fma": 12, "fms": 2, "fnma": -2}[op]]


def test_halves_of_a_pair_are_taken_of_its_angle() -> None:
    pair = (*INPUTS, Instruction("sincos", (0,)))
    for half in ("sin", "cos"):
        program = program_of(*pair, Instruction(f"{half}_of", (3,)))
        assert interpret(program, [[0.5, 0, 0]], FLOATS) == [OPERATIONS[half](0.5)]


def test_floats_agree_with_a_loop_written_by_hand(draw: random.Random) -> None:
    for _ in range(20):
        program, points = random_program(draw, 60)
        for point in points:
            assert interpret(program, [point], FLOATS) == pytest.approx(by_hand(program, point))


def test_an_algebra_may_say_what_an_input_is() -> None:
    program = program_of(*INPUTS, Instruction("add", (0, 1)))
    assert program.interpret([["3", "1/2", "0"]], {**TABLE, "input": Fraction}) == [Fraction(7, 2)]


def test_the_sine_of_a_fused_sum_is_that_of_the_sum() -> None:
    """In a prime field an angle a·b + c is two angles, whether the sum is fused or not."""
    x = da.parameters("x1 x2 x3")
    fused = program_of(*INPUTS, Instruction("fma", (0, 1, 2)), Instruction("sin", (3,)))
    apart = program_of(
        *INPUTS, Instruction("mul", (0, 1)), Instruction("add", (3, 2)), Instruction("sin", (4,))
    )
    point = FieldPoint(5)
    assert run_in_field(fused, {"x": x}, point) == run_in_field(apart, {"x": x}, point)
