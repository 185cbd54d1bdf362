"""NumPy's functions and arrays of expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.expr.mixing.ufuncs import UFUNCS

coordinates: Any = da.coordinates
x, y, z = coordinates("x y z")
three: Any = 3
m, l = da.parameters("m l")
vector: Any = np.array([x, y, z])


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_a_function_of_an_expression_has_the_value_numpy_gives(name):
    ufunc = getattr(np, name)
    numbers = [0.3, 0.7][: ufunc.nin]
    given: list[Any] = [x, y][: ufunc.nin]
    if name in ("power", "float_power"):
        given[1] = numbers[1] = 3
    got = ufunc(*given)
    if name in ("equal", "not_equal"):
        assert got is (name == "not_equal")
        return
    assert isinstance(got, da.Expr)
    values = {x: numbers[0], y: numbers[-1]}
    assert got.evaluate(values) == pytest.approx(ufunc(*numbers), rel=1e-14)
    # a number in place of one of the two expressions
    if ufunc.nin == 2:
        mixed = ufunc(x, numbers[1])
        assert mixed.evaluate(values) == pytest.approx(ufunc(*numbers), rel=1e-14)


@pytest.mark.parametrize("value", [-8.0, 8.0])
def test_the_cube_root_of_a_negative_number_is_negative(value):
    assert np.cbrt(x).evaluate({x: value}) == pytest.approx(np.cbrt(value))


@pytest.mark.parametrize(
    "name",
    ["sin", "cos", "tan", "arcsin", "arccos", "arctan", "sqrt", "exp", "log", "tanh", "sinh"],
)
def test_a_function_of_an_array_is_taken_entry_by_entry(name):
    ufunc = getattr(np, name)
    got = ufunc(vector)
    assert [got[i] is ufunc(vector[i]) for i in range(3)] == [True] * 3
    # and beside a lone expression, whatever the entries are
    both = np.arctan2(np.array([x, 2.0, 3], dtype=object), y)
    assert list(both) == [da.atan2(x, y), da.atan2(2, y), da.atan2(3, y)]


def test_arithmetic_of_arrays_and_expressions():
    assert list(np.array([1.0, 0.5, 3]) * x) == [x, x / 2, 3 * x]
    assert list(x - np.array([1, 2])) == [x - 1, x - 2]
    assert list(vector / m) == [x / m, y / m, z / m]
    assert list(m / vector) == [m / x, m / y, m / z]
    assert list(vector**2) == [x**2, y**2, z**2]
    assert list(np.array([0.1], dtype=np.float32) * x) == [x / 10]
    assert np.multiply.outer(np.array([1, 2]), x).tolist() == [x, 2 * x]
    assert (vector == x).tolist() == [True, False, False]
    assert (np.array([x, None]) == x).tolist() == [True, False]
    with pytest.warns(UserWarning, match="1/3"):
        assert (x * np.array([1 / 3]))[0] is x / 3


def test_linear_algebra_of_arrays():
    table: Any = np.array([[x, y], [m, l]])
    assert list(table @ np.array([x, y])) == [x**2 + y**2, m * x + l * y]
    assert (table.T)[0, 1] is m
    assert list(np.cross(vector, np.array([0, 0, 1]))) == [y, -x, 0]
    assert np.dot([x, y], [1, 2]) is x + 2 * y
    assert np.linalg.norm(np.array([x, y])) is da.sqrt(x**2 + y**2)
    assert da.equal(np.trace(table), x + l)
    assert da.equal(np.sum(vector), x + y + z)
    assert np.einsum("i,i", table[0], table[1]) is m * x + l * y


def test_matrices_beside_arrays():
    A = da.Matrix([[x, y], [m, l]])
    expected = da.Matrix.column([x**2 + y**2, m * x + l * y])
    assert A @ np.array([x, y]) == A @ [x, y] == expected
    assert np.array(A) @ da.Matrix.column([x, y]) == expected
    assert np.array([x, y]) @ A == da.Matrix([[x**2 + m * y, x * y + l * y]])
    assert np.eye(2) + A == A + np.eye(2) == da.Matrix([[x + 1, y], [m, l + 1]])
    assert np.eye(2) - A == da.Matrix([[1 - x, -y], [-m, 1 - l]])
    assert [[1, 0], [0, 1]] @ A == A
    assert np.asarray(A).shape == (2, 2)
    assert np.asarray(A)[1, 0] is m
    assert np.asarray(da.Matrix([[1, 0.5]]), dtype=float).tolist() == [[1.0, 0.5]]
    with pytest.raises(da.InvalidExpression, match="evaluate"):
        np.asarray(A, dtype=float)
    with pytest.raises(da.InvalidExpression, match=r"inner sizes.*\(1, 3\)"):
        _ = vector @ A
    with pytest.raises(da.InvalidExpression, match="list of rows"):
        _ = A @ three


@pytest.mark.parametrize("name", ["floor", "maximum", "less", "arcsinh", "isfinite"])
def test_a_function_that_expressions_do_not_have_is_named(name):
    ufunc = getattr(np, name)
    with pytest.raises(da.InvalidExpression, match=f"np.{name}"):
        ufunc(*[x, y][: ufunc.nin])


def test_a_product_of_matrices_needs_two():
    with pytest.raises(TypeError, match=r"use \*"):
        _ = vector @ x
