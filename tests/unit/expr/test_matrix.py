"""Matrices of exact scalars, against NumPy on random integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dalembert.errors import DivisionByZero, InvalidExpression
from dalembert.expr import ONE, ZERO, Expr, Matrix, as_expr, coordinates, cos, parameters, sin

x, y = coordinates("x y")
(m,) = parameters("m")


def random_array(draw, rows, columns):
    return np.array([[draw.randint(-9, 9) for _ in range(columns)] for _ in range(rows)], int)


def as_array(a: Matrix) -> np.ndarray:
    return np.array([[int(e.value) for e in row] for row in a.rows], int).reshape(a.shape)


def test_algebra_agrees_with_numpy(draw):
    for _ in range(30):
        p, n, r = (draw.randint(1, 4) for _ in range(3))
        A, B, C = random_array(draw, p, n), random_array(draw, p, n), random_array(draw, n, r)
        a, b, c = Matrix(A.tolist()), Matrix(B.tolist()), Matrix(C.tolist())
        assert (as_array(a + b) == A + B).all()
        assert (as_array(a - b) == A - B).all()
        assert (as_array(-a) == -A).all()
        assert (as_array(a @ c) == A @ C).all()
        assert (as_array(a.T) == A.T).all()
        assert (as_array(a * 3) == A * 3).all()
        assert (as_array(3 * a) == A * 3).all()
        assert (as_array((2 * a) / 2) == A).all()
        assert (as_array(a.stack(b)) == np.vstack([A, B])).all()
        assert (as_array(a.beside(b)) == np.hstack([A, B])).all()
        assert a.shape == A.shape
        assert len(a) == A.size


def test_vectors_agree_with_numpy(draw):
    for _ in range(20):
        u, v = random_array(draw, 3, 1), random_array(draw, 3, 1)
        a, b = Matrix(u.tolist()), Matrix(v.tolist())
        assert a.dot(b) == int(u.ravel() @ v.ravel())
        assert (as_array(a.cross(b)).ravel() == np.cross(u.ravel(), v.ravel())).all()
        s = random_array(draw, 4, 4)
        assert Matrix(s.tolist()).trace() == int(np.trace(s))


def test_symbolic_rotation():
    R = Matrix([[cos(x), -sin(x)], [sin(x), cos(x)]])
    product = (R @ R.T).evaluate({x: 0.7})
    assert product == pytest.approx(np.eye(2), abs=1e-15)
    assert (x * R)[0, 1] is -(x * sin(x))
    assert (R * x)[0, 1] is (x * R)[0, 1]


def test_building():
    assert Matrix.identity(2).rows == ((ONE, ZERO), (ZERO, ONE))
    assert Matrix.diagonal([x, 2]).rows == ((x, ZERO), (ZERO, Matrix([[2]])[0]))
    assert Matrix.column([x, y]).shape == (2, 1)
    assert Matrix.column([]).shape == (0, 1)
    assert Matrix.zeros(2, 3).entries == (ZERO,) * 6
    assert Matrix([[0.5]])[0, 0].value == Fraction(1, 2)
    assert list(Matrix([[x, y]])) == [x, y]
    assert Matrix([[x, y], [y, m]]).map(lambda e: e * 2)[1, 1] is 2 * m


def test_access():
    a = Matrix([[1, 2, 3], [4, 5, 6]])
    assert a[1, 2] == 6
    assert a[-1, -1] == 6
    assert a.row(1).entries == (4, 5, 6)
    assert a.col(1).entries == (2, 5)
    assert a.col(1)[1] == 5
    with pytest.raises(InvalidExpression, match=r"a\[i, j\].*\(2, 3\)"):
        _ = a[0]
    with pytest.raises(IndexError):
        _ = a[2, 0]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_empty_matrices_keep_their_shape(shape):
    p, n = shape
    a = Matrix.zeros(p, n)
    assert a.shape == shape
    assert a.T.shape == (n, p)
    assert a.T.T.shape == shape
    assert (a + a).shape == shape
    assert (-a).shape == shape
    assert (a @ a.T).shape == (p, p)
    assert (a.T @ a).shape == (n, n)
    assert a.subs({x: 1}).shape == shape
    assert a.evaluate({}).shape == shape
    assert a.ddt().shape == shape
    assert a.beside(Matrix.zeros(p, 2)).shape == (p, n + 2)
    assert a.stack(Matrix.zeros(2, n)).shape == (p + 2, n)


def test_a_product_over_nothing_is_zero():
    assert (Matrix.zeros(2, 0) @ Matrix.zeros(0, 3)) == Matrix.zeros(2, 3)
    assert Matrix.zeros(0, 0).trace() is ZERO


A, B = Matrix([[1, 2], [3, 4]]), Matrix([[1, 2, 3]])


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: A + B, "(2, 2), got (1, 3)"),
        (
            lambda: A - 3,  # pyright: ignore[reportOperatorIssue]
            "got int",
        ),
        (lambda: A @ B, "(2, 2) @ (1, 3)"),
        (lambda: A * A, "use @"),
        (lambda: A.beside(B), "(2, 2) beside (1, 3)"),
        (lambda: A.stack(B), "3 entries in row 2"),
        (lambda: A.dot(B), "(2, 2) and (1, 3)"),
        (lambda: A.cross(B), "three entries"),
        (lambda: B.trace(), "square"),
        (lambda: Matrix([[1, 2], [3]]), "1 entries in row 1"),
        (lambda: Matrix([["a"]]), "str"),
        (lambda: Matrix([[float("nan")]]), "nan"),
        (lambda: Matrix([[True]]), "True"),
    ],
)
def test_wrong_shapes_and_entries_are_named(make, named):
    with pytest.raises(InvalidExpression) as error:
        make()
    assert named in str(error.value)


def test_division_by_zero():
    with pytest.raises(DivisionByZero):
        _ = A / 0


def test_calculus():
    a = Matrix([[x**2, sin(y)], [m * x, 1]])
    assert a.diff(x).rows == ((2 * x, ZERO), (m, ZERO))
    assert a.ddt()[0, 1] is cos(y) * y.dot
    assert a.subs({x: 2, m: y}).entries == (4, sin(y), 2 * y, 1)


def test_evaluation_puts_batch_axes_first():
    a = Matrix([[x, 1, y]])
    out = a.evaluate({x: np.arange(4.0), y: 2.0})
    assert out.shape == (4, 1, 3)
    assert out[:, 0, 0] == pytest.approx(np.arange(4.0))
    assert (out[:, 0, 1] == 1).all()
    assert (out[:, 0, 2] == 2).all()
    two = a.evaluate({x: np.ones((5, 1)), y: np.ones(4)})
    assert two.shape == (5, 4, 1, 3)
    assert a.evaluate({x: 1, y: 2}).dtype == np.float64


def test_identity_and_immutability():
    a = Matrix([[x, y]])
    assert a == Matrix([[x, y]])
    assert hash(a) == hash(Matrix([[x, y]]))
    assert a != Matrix([[y, x]])
    assert a != Matrix([[x], [y]])
    assert Matrix.zeros(0, 2) != Matrix.zeros(0, 3)
    with pytest.raises(AttributeError, match="immutable"):
        a.rows = ()  # type: ignore[misc]


def test_numpy_scalars_scale_from_both_sides():
    assert np.float64(2) * A == A * 2
    assert A * np.float64(2) == A * 2


def test_entries_of_a_lazy_matrix_are_made_when_they_are_asked_for() -> None:
    made = []

    def make(i: int, j: int) -> Expr:
        made.append((i, j))
        return as_expr(10 * i + j)

    a = Matrix.lazy((2, 3), make)
    assert a.shape == (2, 3)
    assert len(a) == 6
    assert made == []
    assert a[1, 2] == 12
    assert a[-1, -1] == 12
    assert made == [(1, 2)]
    assert a == Matrix([[0, 1, 2], [10, 11, 12]])
    assert sorted(made) == [(i, j) for i in range(2) for j in range(3)]
    with pytest.raises(IndexError):
        Matrix.lazy((2, 3), make)[2, 0]
    with pytest.raises(AttributeError, match="columns"):
        getattr(Matrix.lazy((2, 3), make), "columns")  # noqa: B009
    column = Matrix.lazy((3, 1), make)
    made.clear()
    assert column[1] == 10
    assert made == [(1, 0)]


def test_slices_are_matrices_with_the_entries_that_numpy_takes() -> None:
    numbers = np.arange(12).reshape(3, 4)
    a = Matrix(numbers.tolist())
    for index in (np.s_[:, 1], np.s_[1, :], np.s_[1:, ::2], np.s_[:, -1], np.s_[0:0, :]):
        expected = numbers[
            tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index)
        ]
        assert a[index].shape == expected.shape
        assert a[index].entries == tuple(expected.ravel().tolist())
    column = a[:, 0]
    assert column[1:] == Matrix.column([4, 8])
    assert a[0, :][2:] == Matrix([[2, 3]])
    with pytest.raises(IndexError):
        a[:, 4]
