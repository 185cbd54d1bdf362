"""NumPy's functions of expressions: ``np.sin(q)``, ``np.array([q1, q2]) * m``.

NumPy asks an expression for ``__array_ufunc__`` where it is an argument itself, and the entries of
an array for methods of their own, ``entry.sin()``. Both look here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidExpression, nearest
from dalembert.expr.functions import (
    COMPOSED,
    abs_,
    acos,
    asin,
    atan2,
    cos,
    exp,
    log,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)
from dalembert.expr.node import PI, Expr, Scalar, as_expr, exact_operand

if TYPE_CHECKING:
    import numpy as np

_DEGREE = PI / 180


def _cbrt(x: Expr) -> Expr:
    # NumPy's root of a negative number is negative
    return sign(x) * abs_(x) ** Fraction(1, 3)


UFUNCS: dict[str, Callable[..., Any]] = {
    # what Python's operators do
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "negative": operator.neg,
    "positive": operator.pos,
    "power": operator.pow,
    "float_power": operator.pow,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "square": lambda x: x**2,
    "reciprocal": lambda x: 1 / x,
    # functions of the expression language
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "arcsin": asin,
    "arccos": acos,
    "arctan2": atan2,
    "sqrt": sqrt,
    "exp": exp,
    "log": log,
    "tanh": tanh,
    "absolute": abs_,
    "fabs": abs_,
    "sign": sign,
    # what can be written with them
    "arctan": COMPOSED["atan"],
    "sinh": COMPOSED["sinh"],
    "cosh": COMPOSED["cosh"],
    "cbrt": _cbrt,
    "hypot": lambda x, y: sqrt(x**2 + y**2),
    "expm1": lambda x: exp(x) - 1,
    "log1p": lambda x: log(1 + x),
    "log2": lambda x: log(x) / log(2),
    "log10": lambda x: log(x) / log(10),
    "deg2rad": lambda x: x * _DEGREE,
    "radians": lambda x: x * _DEGREE,
    "rad2deg": lambda x: x / _DEGREE,
    "degrees": lambda x: x / _DEGREE,
    "conjugate": lambda x: x,
}
"""For each NumPy function that expressions have, the function of expressions."""


_SAME = ("equal", "not_equal")
"""These also take what is no number."""


def apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return what a NumPy function gives for these arguments, one of which is an expression.

    Raises:
        InvalidExpression: a NumPy function that expressions do not have.
    """
    import numpy as np

    name = ufunc.__name__
    if method != "__call__":
        return getattr(ufunc, method)(*map(_as_objects, inputs), **options)
    if name in ("matmul", "vecdot"):
        raise TypeError(f"expected two vectors or matrices for {name}, got an expression: use *")
    if name not in UFUNCS:
        raise InvalidExpression(
            f"expected a NumPy function that expressions have, got np.{name} "
            f"({nearest(name, UFUNCS)})"
        )
    function = UFUNCS[name]
    if name not in _SAME:
        function = partial(_exactly, function)
    return np.frompyfunc(function, len(inputs), 1)(*map(_as_objects, inputs), **options)


def _as_objects(x: Any) -> np.ndarray:
    """Return an array of objects; of an expression, one without axes.

    A float of another size than Python's keeps its own decimals: 0.1 of 32 bits is 1/10.
    """
    import numpy as np

    if isinstance(x, Expr):
        return np.array(x, dtype=object)
    array = np.asarray(x)
    if array.dtype.kind != "f" or array.dtype == float:
        return array.astype(object)
    return np.array([as_expr(entry) for entry in array.flat], dtype=object).reshape(array.shape)


def _exactly(function: Callable[..., Any], *args: Scalar) -> Any:
    return function(*(exact_operand(x) for x in args))


def method(e: Expr, name: str) -> Callable[..., Any] | None:
    """Return what NumPy calls of an entry of an array, as ``sin`` for ``np.sin(array)``."""
    found = UFUNCS.get(name)
    return None if found is None else partial(_exactly, found, e)
