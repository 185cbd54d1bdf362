"""The expression: a node of the graph with arithmetic, calculus and text."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from dalembert.errors import InvalidExpression
from dalembert.expr.fold import add, div, mul, neg, power, sub
from dalembert.expr.graph import GraphNode, Symbol, free_symbols, interned, number, outline
from dalembert.expr.mixing.strangers import from_stranger, refuse_number, refuse_order
from dalembert.expr.rational import as_rational, as_typed, multiple_of_pi

if TYPE_CHECKING:
    import numpy as np
    import sympy

    from dalembert.expr.substitute import Replacements
    from dalembert.expr.symbols import BySymbol
    from dalembert.types import Array, ArrayLike


def printer() -> ModuleType:
    """Return the module that writes expressions and matrices as text and LaTeX."""
    from dalembert.typeset import printer

    return printer


class Expr(GraphNode):
    """A real scalar expression; structurally equal ones are the same object.

    >>> from dalembert import coordinates, parameters, sin
    >>> (q,) = coordinates("q")
    >>> (m,) = parameters("m")
    >>> e = m * sin(q) + 0 * q
    >>> e is m * sin(q)
    True
    """

    __slots__ = ()

    # SymPy's operators leave the work to ours where an operand has this
    _op_priority = 100.0

    # ---- arithmetic

    def __add__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else add(self, other)

    def __radd__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else add(other, self)

    def __sub__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else sub(self, other)

    def __rsub__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else sub(other, self)

    def __mul__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else mul(self, other)

    def __rmul__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else mul(other, self)

    def __truediv__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else div(self, other)

    def __rtruediv__(self, other: Scalar) -> Expr:
        other = _operand(other)
        return NotImplemented if other is NotImplemented else div(other, self)

    def __pow__(self, exponent: Scalar) -> Expr:
        exponent = (
            number(Expr, as_typed(exponent)) if isinstance(exponent, float) else _operand(exponent)
        )
        if exponent is NotImplemented:
            return NotImplemented
        if exponent.op != "const":
            raise InvalidExpression(
                f"expected a rational exponent, got {outline(exponent)}: "
                "write exp(y*log(x)) for x**y"
            )
        return power(self, exponent.value)

    def __rpow__(self, base: Scalar) -> NoReturn:
        raise InvalidExpression(
            f"expected a rational exponent, got {outline(self)}: write exp(y*log(x)) for x**y"
        )

    def __neg__(self) -> Expr:
        return neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        from dalembert.expr.functions import abs_

        return abs_(self)

    # ---- identity

    def __eq__(self, other: object) -> bool:
        """Structural equality; use ``da.equal`` for mathematical equality."""
        if isinstance(other, Expr):
            return self is other
        if isinstance(other, numbers.Real | Decimal):
            if isinstance(other, float) and math.isfinite(other):
                return self is as_expr(other)
            return self.op == "const" and self.value == other
        return NotImplemented

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError("an expression has no truth value: use da.equal(e, 0) or e == 0")

    def __lt__(self, other: object) -> NoReturn:
        refuse_order(self, other)

    __le__ = __gt__ = __ge__ = __lt__

    # ---- as a number, and in the hands of other packages

    def __float__(self) -> float:
        if self.symbols:
            refuse_number(self)
        return float(self.evaluate({}))

    def __int__(self) -> int:
        return int(self.value if self.op == "const" else float(self))

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **options: Any) -> Any:
        from dalembert.expr.mixing.ufuncs import apply

        return apply(ufunc, method, args, options)

    def __getattr__(self, name: str) -> Any:
        # called for what is not there: NumPy asks the entries of an array for sin, cos, …
        if not name.startswith("_"):
            from dalembert.expr.mixing.ufuncs import method

            found = method(self, name)
            if found is not None:
                return found
        known = ", ".join(x for x in dir(Expr) if not x.startswith("_"))
        raise AttributeError(f"expected an attribute of an expression ({known}), got {name}")

    def _sympy_(self) -> sympy.Expr:
        """Return what SymPy's functions take this expression for."""
        from dalembert.expr.mixing.to_sympy import to_sympy

        return to_sympy(self)

    # ---- symbols

    @property
    def symbol(self) -> Symbol | None:
        """The symbol this node is, or None."""
        return self.value if self.op == "symbol" else None

    @property
    def dot(self) -> Expr:
        """Total time derivative; of a coordinate its velocity."""
        from dalembert.expr.calculus import ddt

        return ddt(self)

    @property
    def ddot(self) -> Expr:
        """Second total time derivative; of a coordinate its acceleration."""
        return self.dot.dot

    @property
    def symbols(self) -> list[Expr]:
        """The symbols the expression depends on, by kind and name."""
        return [self] if self.op == "symbol" else free_symbols([self])

    # ---- calculus and numbers

    def diff(self, x: Expr | str) -> Expr:
        """Partial derivative with respect to the symbol ``x``, or to the one of this name.

        Raises:
            InvalidExpression: by time, of what contains coordinates: use `da.ddt`.
        """
        from dalembert.expr.calculus import diff, require_one_meaning

        require_one_meaning(self, x)
        return diff(self, x)

    def subs(self, values: Replacements) -> Expr:
        """Replace symbols (or names) simultaneously; a coordinate takes its rates along."""
        from dalembert.expr.substitute import substitute

        return substitute([self], values)[0]

    def series(self, about: BySymbol[Scalar] | Sequence[Expr | str], order: int) -> Expr:
        """Return the Taylor polynomial in some symbols, up to a total degree; exact.

        >>> from dalembert import coordinates, cos
        >>> (q,) = coordinates("q")
        >>> cos(q).series([q], 4)
        q⁴/24 - q²/2 + 1
        """
        from dalembert.expr.taylor import taylor

        return taylor([self], about, order)[0]

    @overload
    def evaluate(self, values: BySymbol[Number]) -> float: ...
    @overload
    def evaluate(self, values: BySymbol[ArrayLike]) -> Array: ...
    def evaluate(self, values: BySymbol[ArrayLike | Number]) -> float | Array:
        """Evaluate with floats or arrays that broadcast; see `dalembert.expr.evaluate`."""
        from dalembert.expr.evaluate import evaluate

        return evaluate([self], values)[0]

    # ---- text

    def __str__(self) -> str:
        return printer().text(self)

    def latex(self) -> str:
        """LaTeX of the canonical form, without delimiters."""
        return printer().latex(self)

    def __repr__(self) -> str:
        return printer().text(self)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self


Number = int | float | Fraction | Decimal
Scalar = Expr | Number


def make(op: str, args: tuple[Expr, ...] = (), value: object = None) -> Expr:
    """Return the one node with this operation, operands and value; no folding."""
    return interned(Expr, op, args, value)


def constant(value: Fraction | int) -> Expr:
    """Return the node of an exact rational."""
    return number(Expr, value)


def as_expr(x: object) -> Expr:
    """Convert a number to an exact expression; a float keeps its decimal meaning, or is r π.

    >>> as_expr(9.81).value
    Fraction(981, 100)
    >>> import math
    >>> print(as_expr(math.pi / 6))
    π/6
    """
    if isinstance(x, Expr):
        return x
    if isinstance(x, float) and (r := multiple_of_pi(x)) is not None:
        return mul(number(Expr, r), PI)
    if isinstance(x, numbers.Real | Decimal):
        return number(Expr, as_rational(x))
    found = from_stranger(x)
    return number(Expr, as_rational(x)) if found is NotImplemented else found


def exact_operand(x: Scalar) -> Expr:
    """Convert an operand of arithmetic; a float such as 0.3333333333333333 is 1/3, with a warning.

    Raises:
        InvalidExpression: no number and no expression.
    """
    found = _operand(x)
    return as_expr(x) if found is NotImplemented else found


def _operand(x: Any) -> Expr:
    """Convert an operand, or return NotImplemented so that Python tries the other side."""
    if isinstance(x, Expr):
        return x
    if type(x) is int:
        return number(Expr, x)
    if isinstance(x, float):
        r = multiple_of_pi(x)
        return number(Expr, as_typed(x)) if r is None else mul(number(Expr, r), PI)
    if isinstance(x, numbers.Real | Decimal):
        return as_expr(x)
    return from_stranger(x)


ZERO = constant(0)
ONE = constant(1)
MINUS_ONE = constant(-1)
PI = make("pi")


def total(terms: Sequence[Scalar]) -> Expr:
    """Return the sum of the terms."""
    result = ZERO
    for term in terms:
        result = add(result, as_expr(term))
    return result
