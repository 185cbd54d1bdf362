"""Numbers of a prime field: the laws that real numbers have too hold, and no others."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest

import dalembert as da
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.kernel.program.trace import trace
from dalembert.model.certificates.in_field import (
    FieldPoint,
    InField,
    NeedsFinerAngles,
    NoRoot,
    Pole,
    run_in_field,
)

x, y, z, w = SYMBOLS = da.coordinates("x y z w")


def at(point: FieldPoint, *values: da.Expr) -> list[int]:
    program = trace("f", {"x": SYMBOLS}, {"y": list(values)})
    return run_in_field(program, {"x": SYMBOLS}, point)["y"]


@pytest.mark.parametrize("bits", [10, 127, 200])
def test_primes_have_so_many_bits_and_are_three_modulo_four(bits: int) -> None:
    for seed in range(5):
        p = FieldPoint(seed, bits=bits).p
        assert p.bit_length() == bits
        assert p % 4 == 3
        assert flint.fmpz(p).is_prime()


def test_arithmetic_is_that_of_rational_numbers() -> None:
    """Values by Fractions, then taken into the field."""
    point = FieldPoint(1)
    point.set_values(SYMBOLS, [3, 5, 7, 11])
    a, b, c, d = map(Fraction, (3, 5, 7, 11))
    values = [
        a * b + c - d,
        (a - b) / (c * d),
        -a / 3 + Fraction(2, 9),
        (a / b) ** 3,
        (a * d) ** -2,
    ]
    found = at(
        point,
        x * y + z - w,
        (x - y) / (z * w),
        -x / 3 + Fraction(2, 9),
        (x / y) ** 3,
        (x * w) ** -2,
    )
    for value, number in zip(values, found, strict=True):
        assert (number * value.denominator - value.numerator) % point.p == 0


def test_fused_operations() -> None:
    point = FieldPoint(1)
    point.set_values(SYMBOLS, [3, 5, 7, 11])
    code = tuple(Instruction("input", (), (0, k)) for k in range(3))
    code += tuple(Instruction(op, (0, 1, 2)) for op in ("fma", "fms", "fnma"))
    program = Program("f", (Port("x", (4,)),), (Port("y", (3,)),), code, (3, 4, 5))
    found = run_in_field(program, {"x": SYMBOLS}, point)["y"]
    assert found == [22, 8, -8 % point.p]


def test_angles_add_up() -> None:
    point = FieldPoint(2)
    s, c, S, C = at(point, da.sin(x), da.cos(x), da.sin(y), da.cos(y))
    p = point.p
    assert (s * s + c * c) % p == (S * S + C * C) % p == 1
    assert s not in (S, -S % p)
    found = at(point, da.sin(x + y), da.cos(x - y), da.sin(-2 * x), da.cos(3 * x), da.tan(x))
    expected = [s * C + c * S, c * C + s * S, -2 * s * c, 4 * c**3 - 3 * c, s * pow(c, -1, p)]
    assert [v % p for v in expected] == found
    assert point.is_algebraic


def test_half_angles_need_a_finer_unit() -> None:
    with pytest.raises(NeedsFinerAngles) as found:
        at(FieldPoint(3), da.sin(x / 2))
    assert found.value.denominator == 2
    point = FieldPoint(3, unit=2)
    half, whole, cosine = at(point, da.sin(x / 2), da.sin(x), da.cos(x / 2))
    assert (2 * half * cosine - whole) % point.p == 0


def test_unit_vectors_have_length_one() -> None:
    point = FieldPoint(4)
    point.set_unit_vector(SYMBOLS)
    assert sum(point.value(v) ** 2 for v in SYMBOLS) % point.p == 1
    assert len({point.value(v) % point.p for v in SYMBOLS}) == 4


def test_roots_have_both_signs_and_no_others() -> None:
    for seed in range(20):
        point = FieldPoint(seed)
        try:
            found = [at(point, da.sqrt(x + 1), da.sqrt(x + 1) * y)[0] for _ in point.cases.runs()]
        except NoRoot:
            continue
        assert len(found) == 2
        assert sum(found) == point.p
        assert all((r * r - point.value(x) - 1) % point.p == 0 for r in found)
        assert point.opaque == {"±√"}
        return
    pytest.fail("expected a root in one of 20 fields")


def test_roots_may_be_any_function() -> None:
    point = FieldPoint(5, split_roots=False)
    a, b, c = at(point, da.sqrt(x + y), da.sqrt(y + x), da.sqrt(x + z))
    assert a == b != c
    assert point.opaque == {"√"}


def test_powers_of_fractions_are_powers_of_roots() -> None:
    point = FieldPoint(6)
    a, b, c = at(point, x ** Fraction(1, 3), x ** Fraction(2, 3), x ** Fraction(-1, 3))
    assert (a * a - b) % point.p == 0
    assert a * c % point.p == 1
    assert not point.is_algebraic


# ---- signs


def signs(point: FieldPoint, *values: da.Expr) -> list[int]:
    return at(point, *(da.sign(v) for v in values))


def test_signs_are_the_same_for_positive_multiples_and_opposite_for_negative_ones() -> None:
    point = FieldPoint(7)
    p = point.p
    a, b, c, d, e = signs(point, x - y, 3 * x - 3 * y, y / 7 - x / 7, x, -2 * x)
    assert a == b == -c % p
    assert d == -e % p
    assert a not in (d, -d % p)
    # products have the sign of their rational factor
    f, g = signs(point, 5 * (x * y), -(x * y) / 3)
    assert f == -g % p


def test_signs_take_the_values_that_are_asked_for() -> None:
    point = FieldPoint(8, signs=(1, -1, 0))
    found = [signs(point, x, -x, y) for _ in point.cases.runs()]
    assert len(found) == 9
    assert {tuple(v - point.p if v > 1 else v for v in f) for f in found} == {
        (a, -a, b) for a in (1, -1, 0) for b in (1, -1, 0)
    }
    assert point.opaque == {"±sign"}


def test_signs_of_zero_and_of_what_is_assumed() -> None:
    point = FieldPoint(9)
    assert signs(point, (x + y) * (x - y) - x * x + y * y) == [0]
    point.assume_positive([point.value(x) + 5])
    assert signs(point, x + 5) == [1]
    assert signs(point, x) != [1]


def test_signs_of_constants_are_known() -> None:
    code = (
        Instruction("const", (), Fraction(-3, 7)),
        Instruction("const", (), Fraction(0)),
        Instruction("const", (), Fraction(2)),
        *(Instruction("sign", (k,)) for k in range(3)),
    )
    program = Program("f", (), (Port("y", (3,)),), code, (3, 4, 5))
    point = FieldPoint(10)
    assert run_in_field(program, {}, point)["y"] == [point.p - 1, 0, 1]


def test_absolute_values_are_signs_times_numbers() -> None:
    point = FieldPoint(11)
    a, s, b = at(point, da.abs(x - y), da.sign(x - y), da.abs(y - x))
    assert a == b == s * (point.value(x) - point.value(y)) % point.p


# ---- tables


def test_tables_depend_on_name_and_arguments() -> None:
    point = FieldPoint(12)
    a, b, c, d, e = at(point, da.exp(x + y), da.exp(y + x), da.exp(x), da.log(x), da.atan2(x, y))
    assert a == b
    assert len({a, c, d, e}) == 4
    assert at(point, da.atan2(y, x)) != [e]
    assert point.opaque == {"exp", "log", "atan2"}


def test_angles_of_products_are_known_by_their_values() -> None:
    point = FieldPoint(13)
    a, b, c = at(point, da.sin(x * (y + 1)), da.sin(x * y + x), da.sin(2 * (x * y)))
    assert a != c
    s, k = at(point, da.sin(x * y), da.cos(x * y))
    assert (2 * s * k - c) % point.p == 0
    assert point.opaque == {"sin"}
    assert b != a


def test_poles() -> None:
    point = FieldPoint(14)
    with pytest.raises(Pole):
        at(point, 1 / ((x + y) * (x - y) - x * x + y * y))
    with pytest.raises(Pole):
        point.inverse(3 * point.p)


def test_an_evaluation_knows_zero_and_fractions() -> None:
    point = FieldPoint(15)
    field = InField(point, {"x": SYMBOLS})
    assert field.is_zero(2 * point.p)
    assert not field.is_zero(1)
    assert field.number(Fraction(3, 4)) * 4 % point.p == 3
    assert field.reduced(point.p + 5) == 5
    field.set_values([x], [7])
    assert field.value(x) == 7


def test_an_angle_that_a_program_negates() -> None:
    code = (
        Instruction("input", (), (0, 0)),
        Instruction("neg", (0,)),
        *(Instruction(op, (k,)) for k in (0, 1) for op in ("sin", "cos")),
    )
    program = Program("f", (Port("x", (4,)),), (Port("y", (4,)),), code, (2, 3, 4, 5))
    point = FieldPoint(16)
    s, c, minus_s, same_c = run_in_field(program, {"x": SYMBOLS}, point)["y"]
    assert (s + minus_s) % point.p == 0
    assert c == same_c


def test_pairs_of_sine_and_cosine_and_angles_that_are_divided() -> None:
    code = (
        Instruction("input", (), (0, 0)),
        Instruction("const", (), Fraction(2)),
        Instruction("div", (0, 1)),
        Instruction("sincos", (2,)),
        Instruction("sin_of", (3,)),
        Instruction("cos_of", (3,)),
        Instruction("sin", (0,)),
        Instruction("cos", (0,)),
    )
    program = Program("f", (Port("x", (4,)),), (Port("y", (4,)),), code, (4, 5, 6, 7))
    point = FieldPoint(17, unit=2)
    s, c, S, C = run_in_field(program, {"x": SYMBOLS}, point)["y"]
    assert (2 * s * c - S) % point.p == 0
    assert (c * c - s * s - C) % point.p == 0
    assert point.is_algebraic
