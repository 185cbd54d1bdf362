"""Objects that are no expressions: which of them are constants, and what to write instead."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from dalembert.errors import InvalidExpression
from dalembert.expr.graph import outline

if TYPE_CHECKING:
    from dalembert.expr.node import Expr


def from_stranger(x: Any) -> Expr:
    """Return the constant that an object of another package is, or NotImplemented.

    An array without axes is its entry, a SymPy object without symbols its value.

    Raises:
        InvalidExpression: a complex number, a SymPy object with symbols, several symbols.
    """
    from dalembert.expr.node import as_expr

    if getattr(x, "shape", None) == () and hasattr(x, "dtype") and x.dtype.kind in "fiuO":
        return as_expr(x[()])
    if is_sympy(x):
        return _sympy_constant(x)
    if isinstance(x, complex) or type(x) in _UNPACKED:
        raise InvalidExpression(f"expected a number or an expression, got {what(x)}")
    return NotImplemented


_UNPACKED: set[type] = set()


def unpacked(cls: type) -> type:
    """Mark a class of tuples of symbols, which a person forgets to unpack."""
    _UNPACKED.add(cls)
    return cls


def is_sympy(x: object) -> bool:
    """Tell whether ``x`` is a SymPy object; asks nobody to install it."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(x, sympy.Basic | sympy.MatrixBase)


def _sympy_constant(x: Any) -> Expr:
    if x.free_symbols or not getattr(x, "is_number", False):
        raise InvalidExpression(f"expected a number or an expression, got {what(x)}")
    from dalembert.expr.mixing.from_sympy import from_sympy

    return from_sympy(x)


def what(x: Any) -> str:
    """Return what an object is and what to write instead of it, for a message."""
    kind = type(x).__name__
    if type(x) in _UNPACKED:
        names = ", ".join(outline(s) for s in x[:3]) + ", …" * (len(x) > 3)
        one = len(x) == 1
        return (
            f"a tuple of {len(x)} symbol{'s' * (not one)}: unpack it, as in "
            f'{f"({names},)" if one else names} = da.{x.maker}("{names.replace(",", "")}")'
        )
    text = f"{kind}: {str(x)[:60]}"
    if is_sympy(x):
        return (
            f"{text}, a SymPy object: convert it with da.from_sympy, which makes parameters of "
            "symbols and coordinates of functions of time, or write it with da.parameters and "
            "da.sin"
        )
    if isinstance(x, complex):
        return f"{text}: expressions are real; write real and imaginary part as two expressions"
    if isinstance(x, str):
        return f"{text}: da.parse reads text; da.parameters and da.coordinates make symbols"
    if hasattr(x, "dtype") or isinstance(x, list | tuple):
        return f"{text}: take its entries one by one, or use da.Matrix"
    return text


def refuse_number(e: Expr) -> NoReturn:
    """Raise for an expression where Python wants a number: in ``float``, in ``math.sin``."""
    symbols = ", ".join(x.value.text for x in e.symbols[:5])
    raise InvalidExpression(
        f"expected a number, got the expression {outline(e)}, whose symbols ({symbols}) have no "
        "values: write da.sin instead of math.sin, and e.evaluate({symbol: value}) for a number"
    )


def refuse_order(e: Expr, other: object) -> NoReturn:
    """Raise for a comparison by size."""
    raise TypeError(
        f"expected numbers to compare, got {outline(e)} and {outline(other)}: an expression has no "
        "size before its symbols have values; compare e.evaluate({symbol: value}), or write a "
        "force that switches with da.sign and da.abs"
    )
