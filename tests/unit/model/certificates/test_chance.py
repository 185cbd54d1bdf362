"""Degrees, heights and the chance of error: by hand, by expansion, and by counting."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
import sympy

import dalembert as da
from dalembert.kernel.program.interpret import complete, interpret
from dalembert.kernel.program.program import PI, Instruction, Port, Program
from dalembert.kernel.program.trace import trace
from dalembert.model.certificates.chance import TRIES, ErrorBound
from dalembert.model.certificates.degrees import (
    count_opaque,
    count_roots,
    degree_bound,
    height_bound,
)
from dalembert.model.certificates.in_field import FieldPoint, run_in_field
from tests.cases import num_cases

x, y, z = da.coordinates("x y z")
SYMBOLS = (x, y, z)


def program_of(*values: da.Expr) -> Program:
    return trace("f", {"x": SYMBOLS}, {"y": list(values)})


DEGREES = {
    "a polynomial": (x * x * y + 3, 3),
    "numerator and denominator": ((x * y + 1) / (x * x * x - y), 5),
    "a quotient of quotients": ((x / y) / (y / z), 4),
    # (x² + 1)(x - y) under the root, x - y below
    "a root": (da.sqrt((x * x + 1) / (x - y)), 3),
    # √(x (x³ - y)) weighs as x³ - y, over it
    "a root with a heavy denominator": (da.sqrt(x / (x * x * x - y)), 6),
    "a power of a root": ((x * y) ** Fraction(3, 2), 6),
    "a third root": (x ** Fraction(2, 3), 2),
    # x and 1/x^(2/3) over x^(2/3): 3 above, 2 below
    "an inverse third root": (x ** Fraction(-2, 3), 5),
    "an inverse square": (1 / (x * x), 2),
    "a sign": (da.sign(x), 1),
    "an absolute value": (da.abs(x * y), 3),
    "a function counts with its argument": (da.exp(x * y * z), 3),
    "an angle": (da.sin(2 * x + y), 6),
    "an angle of a multiple of a sum": (da.cos(3 * (x - 2 * y)), 18),
    "an angle with π": (da.cos(x + da.pi / 5), 4),
    "an angle that is a product": (da.sin(x * y), 2),
    "a tangent": (da.tan(x), 2),
}


@pytest.mark.parametrize("name", DEGREES)
def test_degrees_by_hand(name: str) -> None:
    value, expected = DEGREES[name]
    assert degree_bound(program_of(value)) == expected


HEIGHTS = {
    # 5 has 3 bits, the sum one more; one bit for the denominator 1 of one constant in each product
    "a sum of multiples": (3 * x + 5 * y, 5),
    "two sums": (x + y + z, 2),
    # 13 bits of the denominator, one of the numerator
    "a small constant": (x * Fraction(1, 7919), 14),
    "two small constants": (x * Fraction(1, 7919) * (y * Fraction(2, 7919) + z), 2 * 13 + 3),
    # 2 bits of 2t / (1 + t²), and one since the argument is compared, too
    "a sine": (da.sin(x), 3),
    "a sine of a multiple": (da.sin(3 * x), 6 + 1 + 1),
    "π has no height": (x * da.pi, 1),
}


@pytest.mark.parametrize("name", HEIGHTS)
def test_heights_by_hand(name: str) -> None:
    value, expected = HEIGHTS[name]
    assert height_bound(program_of(value)) == expected


def test_finer_angles_have_higher_degrees() -> None:
    assert degree_bound(program_of(da.sin(x)), unit=6) == 12
    assert height_bound(program_of(da.sin(x)), unit=6) > height_bound(program_of(da.sin(x)))


def test_an_angle_divided_by_a_small_constant_is_a_multiple() -> None:
    code = (
        Instruction("input", (), (0, 0)),
        Instruction("const", (), Fraction(1, 5)),
        Instruction("div", (0, 1)),
        Instruction("sin", (2,)),
    )
    program = Program("f", (Port("x", (3,)),), (Port("y", ()),), code, (3,))
    assert degree_bound(program) == 10


def test_squares_of_squares_are_bounded_at_once() -> None:
    code = [Instruction("input", (), (0, 0)), Instruction("const", (), Fraction(3))]
    code.append(Instruction("mul", (0, 1)))
    for _ in range(200):
        code.append(Instruction("mul", (len(code) - 1, len(code) - 1)))
    code.append(Instruction("sin", (len(code) - 1,)))
    program = Program("f", (Port("x", (1,)),), (Port("y", ()),), tuple(code), (len(code) - 1,))
    # the argument has degree 2²⁰⁰, its sine is one of a term of its own
    assert degree_bound(program) == 2**200


def test_what_is_counted() -> None:
    value = da.sqrt(x + 1) + da.exp(y) * da.sin(z) + (x + 2) ** Fraction(-1, 2) + x / y
    program = program_of(value)
    assert count_roots(program) == 2
    assert count_opaque(program) == 4
    powers = program_of((x + 1) ** Fraction(3, 2) + (x + 1) ** Fraction(2, 3) + x**3)
    assert (count_roots(powers), count_opaque(powers)) == (1, 2)


# ---- by expansion


def random_rational(draw: random.Random) -> Program:
    """Return sums, products, quotients and powers of three symbols and constants."""
    code = [Instruction("input", (), (0, k)) for k in range(3)]
    code += [
        Instruction("const", (), Fraction(draw.randint(1, 30), draw.randint(1, 9))) for _ in "ab"
    ]
    for _ in range(draw.randint(3, 7)):
        op = draw.choice(("add", "sub", "mul", "mul", "div", "fma", "fms", "fnma", "neg", "pow"))
        arity = {"neg": 1, "pow": 1, "fma": 3, "fms": 3, "fnma": 3}.get(op, 2)
        args = tuple(draw.randrange(len(code)) for _ in range(arity))
        value = Fraction(draw.choice((2, 3, -1, -2))) if op == "pow" else None
        code.append(Instruction(op, args, value))
    results = tuple(range(len(code) - 2, len(code)))
    return Program("f", (Port("x", (3,)),), (Port("y", (2,)),), tuple(code), results)


def expanded(program: Program) -> tuple[int, int] | None:
    """Return degree and bits of numerators and common denominator, by SymPy."""
    symbols = sympy.symbols("x y z")
    algebra = complete(
        {
            "const": lambda v: sympy.Rational(v.numerator, v.denominator),
            "pow": lambda a, n: sympy.cancel(a ** sympy.Integer(int(n))),
            "sin": sympy.sin,
            "cos": sympy.cos,
        }
    )
    values = [sympy.together(sympy.cancel(v)) for v in interpret(program, [symbols], algebra)]
    if any(v.has(sympy.zoo, sympy.nan) for v in values):
        return None
    pairs = [tuple(sympy.Poly(p, *symbols, domain="QQ") for p in sympy.fraction(v)) for v in values]
    common = pairs[0][1].lcm(pairs[1][1])
    tops = [top * common.exquo(below) for top, below in pairs]
    scale = math.lcm(*(int(c.q) for p in (*tops, common) for c in p.coeffs()))
    size = max(sum(abs(int(c * scale)) for c in p.coeffs()) for p in (*tops, common))
    return max(p.total_degree() for p in (*tops, common)), size.bit_length()


def test_degrees_and_heights_bound_those_of_the_expanded_functions(scale) -> None:
    draw, tried = random.Random(2), 0
    for _ in range(num_cases(60, scale)):
        program = random_rational(draw)
        found = expanded(program)
        if found is None:
            continue
        tried += 1
        degree, bits = found
        assert degree <= degree_bound(program), program
        assert bits <= height_bound(program), program
    assert tried > num_cases(60, scale) / 2


# ---- the chance


def test_the_chance_by_its_parts() -> None:
    bound = ErrorBound(degree=1000, height=500, roots=0, opaque=3, unit=1)
    assert (bound.bits, bound.tries) == (127, TRIES)
    # zeros of degree 1000 for the difference and for 3 pairs of arguments; primes of 127 bits
    zeros = Fraction(1000 * 4, 2**126)
    primes = (Fraction(500, 126) + 1) * Fraction(127, 2**125)
    assert bound.chance == zeros + primes
    error = math.comb(20, 2) * bound.chance**2
    assert Fraction(1, 2 ** (bound.exponent + 1)) < error <= Fraction(1, 2**bound.exponent)
    assert f"2^-{bound.exponent}" in str(bound)


def test_larger_functions_get_larger_fields() -> None:
    for degree, height in ((2**100, 1), (1, 2**100)):
        bound = ErrorBound(degree, height, 0, 0, 1)
        assert bound.bits == 181
        assert bound.exponent > 120
        assert "2^101" in str(bound)


def test_roots_double_degrees_and_tries() -> None:
    two = program_of(da.sqrt(x + 1) * da.sqrt(y + 1))
    bound = ErrorBound.of([two], unit=1)
    assert bound.degree == 4 * degree_bound(two)
    assert bound.height == 4 * height_bound(two)
    assert bound.tries == 4 * TRIES
    assert ErrorBound(1, 1, 50, 0, 1).tries == 64 * TRIES


def test_programs_add_up_and_spheres_double() -> None:
    program = program_of(x * y)
    one, two = ErrorBound.of([program], 1), ErrorBound.of([program, program], 1)
    assert (one.degree, two.degree) == (2, 4)
    assert two.height == 2 * one.height
    sphere = ErrorBound.of([program], 1, on_spheres=True)
    assert (sphere.degree, sphere.height) == (4, one.height + 8)


def test_zeros_in_small_fields_are_as_rare_as_stated() -> None:
    """x (x - y) (y - 1): at most 3 of 512 points in fields of 10 bits."""
    program = program_of(x * (x - y) * (y - 1))
    number = 4000
    zeros = sum(
        run_in_field(program, {"x": SYMBOLS}, FieldPoint(k, bits=10))["y"] == [0]
        for k in range(number)
    )
    expected = number * 3 / 512
    # four standard deviations
    assert 0 < zeros < expected + 4 * math.sqrt(expected)


def test_sines_in_small_fields_are_zero_as_rarely_as_stated() -> None:
    program = program_of(da.sin(x) + da.sin(y) - da.cos(z))
    number = 4000
    zeros = sum(
        run_in_field(program, {"x": SYMBOLS}, FieldPoint(k, bits=10))["y"] == [0]
        for k in range(number)
    )
    expected = number * degree_bound(program) / 512
    assert 0 < zeros < expected + 4 * math.sqrt(expected)


def test_pi_is_a_number_of_its_own() -> None:
    point = FieldPoint(3)
    a, b = (
        run_in_field(program_of(e), {"x": SYMBOLS}, point)["y"] for e in (da.pi * 2, da.pi + 0 * x)
    )
    assert (a[0] - 2 * b[0]) % point.p == 0
    assert PI in point.opaque
