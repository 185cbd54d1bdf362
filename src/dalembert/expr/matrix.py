"""Dense matrices of exact scalars: expressions, or the elements of a ring."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.errors import InvalidExpression
from dalembert.expr.graph import ExactScalar, Notation
from dalembert.expr.mixing.strangers import what
from dalembert.expr.node import ONE, ZERO, Expr, Scalar, as_expr, printer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    from dalembert.expr.substitute import Replacements
    from dalembert.expr.symbols import BySymbol
    from dalembert.types import ArrayLike

Index = int | slice


class Matrix:
    """An immutable matrix; a vector is a matrix of one column.

    >>> a = Matrix([[1, 2], [3, 4]])
    >>> print(a @ Matrix.column([1, 1]))
    ⎡3⎤
    ⎣7⎦
    """

    __slots__ = ("_made", "_make", "notation", "rows", "shape")

    rows: tuple[tuple[Any, ...], ...]
    shape: tuple[int, int]
    notation: Notation | None
    _make: Callable[[int, int], Any] | None
    _made: dict[tuple[int, int], Any]

    __array_ufunc__ = None  # numpy scalars leave ``2.0 * matrix`` to us

    def __init__(self, rows: Iterable[Iterable[Any]], num_columns: int | None = None) -> None:
        try:
            entries = tuple(tuple(_entry(x) for x in row) for row in rows)
        except TypeError:
            raise _not_rows(rows) from None
        width = len(entries[0]) if entries else (num_columns or 0)
        for i, row in enumerate(entries):
            if len(row) != width:
                raise InvalidExpression(
                    f"expected rows of equal length {width}, got {len(row)} entries in row {i}"
                )
        object.__setattr__(self, "rows", entries)
        object.__setattr__(self, "shape", (len(entries), width))
        object.__setattr__(self, "notation", None)
        object.__setattr__(self, "_make", None)

    @classmethod
    def lazy(cls, shape: tuple[int, int], make: Callable[[int, int], Any]) -> Matrix:
        """Return a matrix whose entries ``make(i, j)`` are made when they are first asked for."""
        result = object.__new__(cls)
        for name, value in (("shape", shape), ("notation", None), ("_make", make), ("_made", {})):
            object.__setattr__(result, name, value)
        return result

    def __getattr__(self, name: str) -> Any:
        # called for what is not there yet: the rows of a lazy matrix
        if name != "rows":
            raise AttributeError(f"expected an attribute of a matrix, got {name}")
        m, n = self.shape
        rows = tuple(tuple(self._entry_at(i, j) for j in range(n)) for i in range(m))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "_make", None)
        return rows

    def _entry_at(self, i: int, j: int) -> Any:
        """Return one entry, made if it is not there yet."""
        if self._make is None:
            return self.rows[i][j]
        m, n = self.shape
        place = range(m)[i], range(n)[j]
        if place not in self._made:
            self._made[place] = self._make(*place)
        return self._made[place]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("matrices are immutable: build a new one")

    # ---- building

    @classmethod
    def column(cls, entries: Iterable[Any]) -> Matrix:
        """Return a column vector."""
        return cls([[x] for x in entries], num_columns=1)

    @classmethod
    def zeros(cls, m: int, n: int) -> Matrix:
        """Return an m × n matrix of zeros."""
        return cls([[ZERO] * n for _ in range(m)], num_columns=n)

    @classmethod
    def identity(cls, n: int) -> Matrix:
        """Return the n × n identity."""
        return cls([[ONE if i == j else ZERO for j in range(n)] for i in range(n)], num_columns=n)

    @classmethod
    def diagonal(cls, entries: Sequence[Any]) -> Matrix:
        """Return a diagonal matrix."""
        n = len(entries)
        return cls(
            [[entries[i] if i == j else ZERO for j in range(n)] for i in range(n)], num_columns=n
        )

    # ---- access

    def __getitem__(self, index: Index | tuple[Index, Index]) -> Any:
        """Return entry ``[i, j]``, or entry ``[i]`` of a vector; slices give a matrix.

        >>> print(Matrix([[1, 2], [3, 4]])[:, 1])
        ⎡2⎤
        ⎣4⎦
        """
        if not isinstance(index, tuple):
            if 1 not in self.shape:
                raise InvalidExpression(
                    f"expected a[i, j] for a matrix of shape {self.shape}, got a[{index}]"
                )
            index = (index, 0) if self.shape[1] == 1 else (0, index)
        i, j = index
        if isinstance(i, slice) or isinstance(j, slice):
            return self._block(i, j)
        return self._entry_at(i, j)

    def _block(self, i: Index, j: Index) -> Matrix:
        """Return the entries in some rows and columns."""
        m, n = self.shape
        rows = range(m)[i] if isinstance(i, slice) else [i]
        columns = range(n)[j] if isinstance(j, slice) else [j]
        entries = [[self._entry_at(row, column) for column in columns] for row in rows]
        return Matrix(entries, num_columns=len(columns)).printed_as(self.notation)

    @property
    def entries(self) -> tuple[Any, ...]:
        """All entries, row by row."""
        return tuple(x for row in self.rows for x in row)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries)

    def __len__(self) -> int:
        return self.shape[0] * self.shape[1]

    def row(self, i: int) -> Matrix:
        """Return row i as a 1 × n matrix."""
        return Matrix([self.rows[i]]).printed_as(self.notation)

    def col(self, j: int) -> Matrix:
        """Return column j as an m × 1 matrix."""
        return Matrix.column([row[j] for row in self.rows]).printed_as(self.notation)

    def stack(self, below: Matrix) -> Matrix:
        """Return this matrix with another below it."""
        return Matrix([*self.rows, *below.rows], num_columns=self.shape[1])

    def beside(self, right: Matrix) -> Matrix:
        """Return this matrix with another to its right."""
        if len(self.rows) != len(right.rows):
            raise InvalidExpression(
                f"expected equal numbers of rows, got {self.shape} beside {right.shape}"
            )
        rows = [[*a, *b] for a, b in zip(self.rows, right.rows, strict=True)]
        return Matrix(rows, num_columns=self.shape[1] + right.shape[1])

    # ---- algebra

    @property
    def T(self) -> Matrix:
        """The transpose."""
        if not self.rows:
            return Matrix.zeros(self.shape[1], 0)
        turned = Matrix(zip(*self.rows, strict=True), num_columns=self.shape[0])
        return turned.printed_as(self.notation)

    def map(self, f: Callable[[Any], Any]) -> Matrix:
        """Return the matrix of f(entry)."""
        return Matrix([[f(x) for x in row] for row in self.rows], num_columns=self.shape[1])

    def __add__(self, other: MatrixLike) -> Matrix:
        return self._zip(other, lambda a, b: a + b)

    def __radd__(self, other: MatrixLike) -> Matrix:
        return self._zip(other, lambda a, b: b + a)

    def __sub__(self, other: MatrixLike) -> Matrix:
        return self._zip(other, lambda a, b: a - b)

    def __rsub__(self, other: MatrixLike) -> Matrix:
        return self._zip(other, lambda a, b: b - a)

    def __neg__(self) -> Matrix:
        return self.map(lambda x: -x)

    def __mul__(self, scalar: Any) -> Matrix:
        if isinstance(scalar, Matrix):
            raise InvalidExpression("expected a scalar for *, got a matrix: use @ for the product")
        return self.map(lambda x: x * scalar)

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Matrix:
        return self.map(lambda x: x / scalar)

    def __matmul__(self, other: MatrixLike) -> Matrix:
        other = _as_matrix(other)
        k, (k2, n) = self.shape[1], other.shape
        if k != k2:
            raise InvalidExpression(
                f"expected matching inner sizes for @, got {self.shape} @ {other.shape}"
            )
        columns = list(zip(*other.rows, strict=True)) if k else [()] * n
        return Matrix([[_dot(row, column) for column in columns] for row in self.rows], n)

    def __rmatmul__(self, other: MatrixLike) -> Matrix:
        return _as_matrix(other, lambda entries: Matrix([entries])) @ self

    def _zip(self, other: MatrixLike, f: Callable[[Any, Any], Any]) -> Matrix:
        other = _as_matrix(other)
        if self.shape != other.shape:
            raise InvalidExpression(f"expected a matrix of shape {self.shape}, got {other.shape}")
        return Matrix(
            [
                [f(a, b) for a, b in zip(r, s, strict=True)]
                for r, s in zip(self.rows, other.rows, strict=True)
            ],
            self.shape[1],
        )

    def dot(self, other: Matrix) -> Any:
        """Return the inner product of two vectors."""
        if len(self) != len(other):
            raise InvalidExpression(
                f"expected vectors of equal length, got {self.shape} and {other.shape}"
            )
        return _dot(self.entries, other.entries)

    def cross(self, other: Matrix) -> Matrix:
        """Return the vector product of two vectors of three entries."""
        if len(self) != 3 or len(other) != 3:
            raise InvalidExpression(
                f"expected two vectors of three entries, got {self.shape} and {other.shape}"
            )
        (a, b, c), (x, y, z) = self.entries, other.entries
        return Matrix.column([b * z - c * y, c * x - a * z, a * y - b * x])

    def trace(self) -> Any:
        """Return the sum of the diagonal."""
        if self.shape[0] != self.shape[1]:
            raise InvalidExpression(f"expected a square matrix for its trace, got {self.shape}")
        return reduce(add, (self.rows[i][i] for i in range(self.shape[0])), ZERO)

    def det(self) -> Expr:
        """Return the exact determinant.

        >>> Matrix([[1, 2], [3, 4]]).det()
        -2
        """
        from dalembert.ring.algebra.minors import matrix_det

        return matrix_det(self)

    def volume(self, positive: Sequence[Expr] = ()) -> Expr:
        """Return √det(A Aᵀ) exactly, √det(Aᵀ A) of a tall matrix; |det A| of a square one.

        ``positive`` symbols are written without an absolute value.

        >>> Matrix([[3, 4]]).volume()
        5
        """
        from dalembert.ring.algebra.volume import matrix_volume

        return matrix_volume(self, positive)

    def solve(self, b: Matrix) -> Matrix:
        """Return the exact x with ``self @ x = b``; raises when the matrix is singular.

        >>> print(Matrix([[2, 0], [0, 4]]).solve(Matrix.column([1, 1])))
        ⎡1/2⎤
        ⎣1/4⎦
        """
        from dalembert.ring.algebra.minors import matrix_solve

        return matrix_solve(self, b)

    def inverse(self) -> Matrix:
        """Return the exact inverse."""
        return self.solve(Matrix.identity(self.shape[0]))

    # ---- calculus and numbers

    def diff(self, x: Expr | str) -> Matrix:
        """Return the matrix of partial derivatives by a symbol, or by the one of this name."""
        from dalembert.expr.calculus import symbol_below

        symbol = symbol_below(self.entries, x)
        return self.map(lambda e: e.diff(symbol))

    def ddt(self) -> Matrix:
        """Return the matrix of total time derivatives."""
        return self.map(lambda e: e.dot)

    def subs(self, values: Replacements) -> Matrix:
        """Replace symbols in every entry; see `Expr.subs`."""
        from dalembert.expr.substitute import substitute

        return self._like(substitute(self.entries, values))

    def series(self, about: BySymbol[Any] | Sequence[Expr | str], order: int) -> Matrix:
        """Return the Taylor polynomial of every entry; see `Expr.series`."""
        from dalembert.expr.taylor import taylor

        return self._like(taylor(self.entries, about, order))

    def evaluate(self, values: BySymbol[Any]) -> np.ndarray:
        """Return a float array of shape ``(..., m, n)``; batch axes of the values lead."""
        from dalembert.expr.evaluate import evaluate_array

        return evaluate_array(self.entries, values, self.shape)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        """Return the entries as a NumPy array of the same shape."""
        import numpy as np

        array = np.array(self.entries, dtype=object).reshape(self.shape)
        return array if dtype is None else array.astype(dtype)

    def _like(self, entries: Sequence[Any]) -> Matrix:
        m, n = self.shape
        return Matrix([entries[i * n : (i + 1) * n] for i in range(m)], n)

    # ---- identity and printing

    def printed_as(self, notation: Notation | None) -> Matrix:
        """Return the same matrix, printed in the notation of the system it belongs to."""
        if notation is self.notation:
            return self
        make = self._make
        result = Matrix(self.rows, self.shape[1]) if make is None else Matrix.lazy(self.shape, make)
        object.__setattr__(result, "notation", notation)
        return result

    def __eq__(self, other: object) -> bool:
        """Structural equality; use ``da.equal`` for mathematical equality."""
        return isinstance(other, Matrix) and self.rows == other.rows and self.shape == other.shape

    def __hash__(self) -> int:
        return hash(self.rows)

    def __copy__(self) -> Matrix:
        return self

    def __deepcopy__(self, memo: object) -> Matrix:
        return self

    def __str__(self) -> str:
        return printer().text(self)

    __repr__ = __str__

    def latex(self) -> str:
        """LaTeX of the matrix, without delimiters."""
        return printer().latex(self)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


MatrixLike: TypeAlias = "Matrix | ArrayLike | Sequence[Scalar] | Sequence[Sequence[Scalar]]"
"""A matrix, or rows of numbers and expressions in lists or an array; a flat one is a column."""


def _as_matrix(x: Any, from_flat: Callable[[list[Any]], Matrix] | None = None) -> Matrix:
    """Return a matrix of what a person may write for one; a flat list is a column."""
    if isinstance(x, Matrix):
        return x
    if not isinstance(x, Iterable) or isinstance(x, str):
        raise _not_rows(x)
    rows = list(x)
    if any(isinstance(row, Iterable) for row in rows):
        return Matrix(rows)
    return (from_flat or Matrix.column)(rows)


def _not_rows(x: object) -> InvalidExpression:
    return InvalidExpression(
        f"expected a matrix as a list of rows, as in [[a, b], [c, d]], got {what(x)}; "
        "da.Matrix.column makes one of a flat list"
    )


def _entry(x: Any) -> Any:
    """Keep exact scalars, convert numbers."""
    return x if isinstance(x, ExactScalar) else as_expr(x)


def _dot(xs: Sequence[Any], ys: Sequence[Any]) -> Any:
    products = [x * y for x, y in zip(xs, ys, strict=True)]
    return reduce(add, products) if products else ZERO
