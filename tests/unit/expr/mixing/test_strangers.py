"""The commonest slips get an answer that teaches."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import dalembert as da
from dalembert.expr.data.pack import pack, unpack

coordinates: Any = da.coordinates
sin: Any = da.sin
x, y = coordinates("x y")
m, l = da.parameters("m l")
one: Any = coordinates("q")
two: Any = da.parameters("a b")
sx: Any = sympy.Symbol("x")


@pytest.mark.parametrize(
    ("slip", "error", "words"),
    [
        # numbers where there are none
        (lambda: math.sin(x), ValueError, ["got the expression x", "da.sin instead of math.sin"]),
        (lambda: float(m * x), ValueError, ["got the expression", "(x, m)", "evaluate"]),
        (lambda: int(x), ValueError, ["expected a number", "evaluate"]),
        (lambda: f"{x:.3f}", ValueError, ["expected a number", "evaluate"]),
        (lambda: 1 if x else 2, TypeError, ["truth value", "da.equal"]),
        (lambda: 1 if x > 0 else 2, TypeError, ["got x and 0", "da.sign", "evaluate"]),
        (lambda: max(x, y), TypeError, ["expected numbers to compare", "da.abs"]),
        (lambda: sorted([y, x]), TypeError, ["expected numbers to compare"]),
        # a tuple of symbols that was not unpacked
        (lambda: one * 2, ValueError, ['(q,) = da.coordinates("q")']),
        (lambda: m * one, ValueError, ['(q,) = da.coordinates("q")']),
        (lambda: -one, ValueError, ["unpack"]),
        (lambda: one**2 / 2, ValueError, ["unpack"]),
        (lambda: one.dot, AttributeError, ["symbol that has dot", '(q,) = da.coordinates("q")']),
        (lambda: da.sin(one), ValueError, ['(q,) = da.coordinates("q")']),
        (lambda: 3 * two, ValueError, ["tuple of 2 symbols", 'a, b = da.parameters("a b")']),
        (lambda: two - m, ValueError, ["unpack"]),
        # objects of SymPy
        (lambda: sx + x, ValueError, ["SymPy", "da.from_sympy", "da.parameters"]),
        (lambda: x * sympy.sin(sx), ValueError, ["SymPy", "da.from_sympy"]),
        (lambda: x**sx, ValueError, ["SymPy"]),
        (lambda: sx / x, ValueError, ["SymPy"]),
        (lambda: da.sin(sx), ValueError, ["got Symbol: x", "da.from_sympy"]),
        (lambda: da.Matrix(sympy.eye(2)), ValueError, ["SymPy", "da.from_sympy"]),
        (lambda: x * sympy.I, ValueError, ["ImaginaryUnit", "real"]),
        # other strangers
        (lambda: x * 1j, ValueError, ["complex", "real"]),
        (lambda: 1j + x, ValueError, ["complex", "real"]),
        (lambda: sin(2j), ValueError, ["complex", "real"]),
        (lambda: sin("x"), ValueError, ["str", "da.parse"]),
        (lambda: sin([x]), ValueError, ["list", "da.Matrix"]),
        (lambda: x.velocity, AttributeError, ["ddot", "evaluate", "got velocity"]),
        (lambda: da.Matrix([x, y]), ValueError, ["list of rows", "Matrix.column"]),
    ],
)
def test_a_slip_is_answered_with_its_remedy(slip, error, words):
    with pytest.raises(error) as found:
        slip()
    for word in words:
        assert word in str(found.value)
    assert "\n" not in str(found.value)


def test_constants_are_numbers_of_any_package():
    third = sympy.Rational(1, 3)
    assert third * x is x * third is x / 3
    assert x * sympy.pi is sympy.pi * x is da.pi * x
    assert x + sympy.sqrt(2) is x + da.sqrt(2)
    assert x**third is x ** Fraction(1, 3)
    assert x * np.array(2.0) is np.array(2.0) * x is 2 * x
    assert sin(np.array(0.5)) is da.sin(0.5)
    assert sin(np.float32(0.1)) is da.sin(Fraction(1, 10))
    assert np.float32(0.1) * x is x * np.float32(0.1) is x / 10
    assert np.int64(3) + x is x + 3
    assert Decimal("0.1") * x is x / 10
    assert x / np.float64(4) is x / 4
    assert (2 / np.array(4)) * x is x / 2


def test_a_constant_expression_is_a_number_to_python():
    assert int(da.sqrt(9)) == 3
    assert int(-7 * da.sin(da.pi / 2)) == -7
    assert math.sin(da.pi / 2) == 1.0
    assert f"{da.pi:.3f}" == "3.142"
    assert f"{x}" == "x"


def test_a_cube_root_is_recognised_in_its_float():
    with pytest.warns(UserWarning, match="1/3"):
        assert x ** (1 / 3) is x ** Fraction(1, 3)


def test_functions_of_sympy_take_expressions_for_what_they_are():
    t = sympy.Symbol("t")
    assert sympy.sin(x) == sympy.sin(sympy.Function("x")(t))
    assert sympy.sin(m) == sympy.sin(sympy.Symbol("m"))


def test_symbols_made_together_are_a_tuple():
    assert one + two == (*one, *two)
    assert [*two] == list(da.parameters("a b"))
    assert pickle.loads(pickle.dumps(two)) == two
    assert unpack(pack({"symbols": two}))["symbols"] == two
    assert {two: 1}[da.parameters("a b")] == 1
    with pytest.raises(ValueError, match="unpack"):
        _ = 0 + two
