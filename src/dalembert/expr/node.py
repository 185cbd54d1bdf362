"""The expression node: a hash-consed graph whose constructors fold locally and never expand.

Equal structure is the same object, so ``is`` is structural equality, common subexpressions are
shared by construction, and every pass over an expression is a pass over distinct nodes.
"""

from __future__ import annotations

import math
import numbers
import threading
import weakref
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from dalembert.errors import DivisionByZero, InvalidExpression
from dalembert.expr.rational import exact_root

if TYPE_CHECKING:
    from dalembert.expr.symbols import Symbol


def printer() -> ModuleType:
    """Return the module that writes expressions and matrices as text and LaTeX."""
    from dalembert.typeset import printer

    return printer


class Expr:
    """A real scalar expression.

    ``op`` is one of ``const pi symbol add sub mul div neg pow`` or the name of a function;
    ``args`` are the operands; ``value`` is the rational of a ``const``, the exponent of a
    ``pow`` and the `Symbol` of a ``symbol``.

    >>> from dalembert import coordinates, parameters, sin
    >>> (q,) = coordinates("q")
    >>> (m,) = parameters("m")
    >>> e = m * sin(q) + 0 * q
    >>> e is m * sin(q)
    True
    """

    __slots__ = ("__weakref__", "args", "op", "serial", "value")

    op: str
    args: tuple[Expr, ...]
    value: Any
    serial: int

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
        exponent = _operand(exponent)
        if exponent is NotImplemented:
            return NotImplemented
        if exponent.op != "const":
            raise InvalidExpression(
                f"expected a rational exponent, got {_outline(exponent)}: "
                "write exp(y*log(x)) for x**y"
            )
        return power(self, exponent.value)

    def __rpow__(self, base: Scalar) -> NoReturn:
        raise InvalidExpression(
            f"expected a rational exponent, got {_outline(self)}: write exp(y*log(x)) for x**y"
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
                other = Fraction(repr(float(other)))
            return self.op == "const" and self.value == other
        return NotImplemented

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError("an expression has no truth value: use da.equal(e, 0) or e == 0")

    def __float__(self) -> float:
        return float(self.evaluate({}))

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
        from dalembert.expr.graph import free_symbols

        return free_symbols([self])

    # ---- calculus and numbers

    def diff(self, x: Expr) -> Expr:
        """Partial derivative with respect to the symbol ``x``."""
        from dalembert.expr.calculus import diff

        return diff(self, x)

    def subs(self, values: Mapping[Expr, Scalar]) -> Expr:
        """Replace symbols simultaneously; a replaced coordinate takes its rates along."""
        from dalembert.expr.substitute import substitute

        return substitute([self], values)[0]

    def evaluate(self, values: Mapping[Expr, Any]) -> Any:
        """Evaluate with floats or arrays that broadcast; see `dalembert.expr.evaluate`."""
        from dalembert.expr.evaluate import evaluate

        return evaluate([self], values)[0]

    # ---- faces

    def __str__(self) -> str:
        return printer().text(self)

    def latex(self) -> str:
        """LaTeX of the canonical form, without delimiters."""
        return printer().latex(self)

    def __repr__(self) -> str:
        return printer().text(self)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "expressions are not pickled: a pickle could run code; rebuild them from their source"
        )

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self


Scalar = Expr | int | float | Fraction | Decimal

# ---- hash-consing: one table of weak references, keyed by operation and identity of operands

_table: dict[tuple, _Entry] = {}
# reentrant: a collection inside `make` may run `_forget` on the same thread
_lock = threading.RLock()
_serial = count()


def make(op: str, args: tuple[Expr, ...] = (), value: Any = None) -> Expr:
    """Return the one node with this operation, operands and value; no folding."""
    key = (op, value, *map(id, args))
    with _lock:
        found = _table.get(key)
        node = None if found is None else found()
        if node is None:
            node = object.__new__(Expr)
            node.op, node.args, node.value, node.serial = op, args, value, next(_serial)
            # ids in the key stay valid: the node keeps its operands alive, and its entry goes first
            entry = _Entry(node, _forget)
            entry.key = key
            _table[key] = entry
    return node


class _Entry(weakref.ref):
    """A weak reference that knows its key."""

    __slots__ = ("key",)
    key: tuple


def _forget(entry: _Entry) -> None:
    # the lock keeps another thread from putting a live entry there between look and removal
    with _lock:
        if _table.get(entry.key) is entry:
            del _table[entry.key]


def constant(value: Fraction | int) -> Expr:
    """Return the node of an exact rational."""
    # the pair of integers hashes faster than the fraction
    key = (value.numerator, value.denominator)
    node = _small.get(key)
    if node is None:
        node = make("const", (), Fraction(value))
        if len(_small) < 1000:
            _small[key] = node
    return node


# the first thousand constants stay alive: they are met again and again
_small: dict[tuple, Expr] = {}


def as_expr(x: object) -> Expr:
    """Convert a number to an exact expression; a float keeps its decimal meaning.

    >>> as_expr(9.81).value
    Fraction(981, 100)
    """
    if isinstance(x, Expr):
        return x
    if isinstance(x, bool):
        raise InvalidExpression(f"expected a number or an expression, got the truth value {x}")
    if isinstance(x, numbers.Rational):
        return constant(Fraction(int(x.numerator), int(x.denominator)))
    if isinstance(x, numbers.Real):
        try:
            return constant(Fraction(repr(float(x))))
        except ValueError:
            raise InvalidExpression(
                f"expected a finite number, got {float(x)}: exact expressions have no NaN or "
                "infinity; check the value that was passed in"
            ) from None
    if isinstance(x, Decimal) and x.is_finite() and abs(x.adjusted()) <= MAX_EXPONENT:
        return constant(Fraction(x))
    raise InvalidExpression(
        f"expected a number or an expression, got {type(x).__name__}: {str(x)[:60]}"
    )


def _operand(x: Any) -> Expr:
    """Convert an operand, or return NotImplemented so that Python tries the other side."""
    if isinstance(x, Expr):
        return x
    if type(x) is int:
        return constant(x)
    if isinstance(x, numbers.Real | Decimal):
        return as_expr(x)
    return NotImplemented


ZERO = constant(0)
ONE = constant(1)
MINUS_ONE = constant(-1)
TWO = constant(2)
PI = make("pi")


def _ordered(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Order commuting operands: constants first, then by age."""
    if b.op == "const" or (a.op != "const" and b.serial < a.serial):
        return b, a
    return a, b


def add(a: Expr, b: Expr) -> Expr:
    """Return a + b."""
    if a.op == "const":
        if not a.value:
            return b
        if b.op == "const":
            return constant(a.value + b.value)
    elif b.op == "const" and not b.value:
        return a
    if a is b:
        return mul(TWO, a)
    if b.op == "neg":
        return sub(a, b.args[0])
    if a.op == "neg":
        return sub(b, a.args[0])
    if is_negative_multiple(b):
        return sub(a, neg(b))
    if is_negative_multiple(a):
        return sub(b, neg(a))
    return make("add", _ordered(a, b))


def sub(a: Expr, b: Expr) -> Expr:
    """Return a - b."""
    if a is b:
        return ZERO
    if b.op == "const":
        if not b.value:
            return a
        if a.op == "const":
            return constant(a.value - b.value)
        return add(constant(-b.value), a)
    if a.op == "const" and not a.value:
        return neg(b)
    if b.op == "neg":
        return add(a, b.args[0])
    if is_negative_multiple(b):
        return add(a, neg(b))
    return make("sub", (a, b))


def neg(a: Expr) -> Expr:
    """Return -a."""
    if a.op == "const":
        return constant(-a.value)
    if a.op == "neg":
        return a.args[0]
    if a.op == "sub":
        return sub(a.args[1], a.args[0])
    if a.op == "mul" and a.args[0].op == "const":
        return mul(constant(-a.args[0].value), a.args[1])
    return make("neg", (a,))


def is_negative_multiple(a: Expr) -> bool:
    """Tell whether ``a`` is a negative constant times something."""
    return a.op == "mul" and a.args[0].op == "const" and a.args[0].value < 0


def mul(a: Expr, b: Expr) -> Expr:
    """Return a * b, with one leading constant and one leading sign."""
    if b.op == "const":
        a, b = b, a
    if a.op == "const":
        if b.op == "const":
            return constant(a.value * b.value)
        if not a.value:
            return ZERO
        if a.value == 1:
            return b
        if a.value == -1:
            return neg(b)
        if b.op == "neg":
            return mul(neg(a), b.args[0])
        if b.op == "mul" and b.args[0].op == "const":
            return mul(constant(a.value * b.args[0].value), b.args[1])
        if b.op == "div" and b.args[0].op == "const":
            return div(constant(a.value * b.args[0].value), b.args[1])
        return make("mul", (a, b))
    if a.op == "neg":
        return neg(mul(a.args[0], b))
    if b.op == "neg":
        return neg(mul(a, b.args[0]))
    if a.op == "mul" and a.args[0].op == "const":
        return mul(a.args[0], mul(a.args[1], b))
    if b.op == "mul" and b.args[0].op == "const":
        return mul(b.args[0], mul(a, b.args[1]))
    if a is b:
        return power(a, Fraction(2))
    return make("mul", _ordered(a, b))


def div(a: Expr, b: Expr) -> Expr:
    """Return a / b."""
    if b.op == "const":
        if not b.value:
            raise DivisionByZero(
                f"expected a nonzero denominator, got 0 under {_outline(a)}: "
                "check the values that were put into the expression"
            )
        return mul(constant(1 / b.value), a)
    if a.op == "const" and not a.value:
        return ZERO
    if a is b:
        return ONE
    if a.op == "neg" or (a.op == "const" and a.value < 0):
        return neg(div(neg(a), b))
    if b.op == "neg":
        return neg(div(a, b.args[0]))
    if b.op == "mul" and b.args[0].op == "const":
        return mul(constant(1 / b.args[0].value), div(a, b.args[1]))
    if a.op == "mul" and a.args[0].op == "const":
        return mul(a.args[0], div(a.args[1], b))
    return make("div", (a, b))


MAX_EXPONENT = 10_000
MAX_BITS = 100_000


def power(base: Expr, exponent: Fraction) -> Expr:
    """Return base ** exponent for a rational exponent."""
    if abs(exponent) > MAX_EXPONENT or exponent.denominator > MAX_EXPONENT:
        raise InvalidExpression(
            f"expected an exponent of at most {MAX_EXPONENT}, got {_outline(constant(exponent))}: "
            "write exp(n*log(x)) for a power this large"
        )
    if not exponent:
        return ONE
    if exponent == 1:
        return base
    if exponent < 0:
        return div(ONE, power(base, -exponent))
    if base.op == "const":
        return _constant_power(base, exponent)
    if base.op == "pow" and exponent.denominator == 1:
        # (xᵃ)ⁿ = xᵃⁿ for whole n; (x²)^½ stays, it is |x|
        return power(base.args[0], base.value * exponent)
    if base.op == "neg" and exponent.denominator == 1:
        inner = power(base.args[0], exponent)
        return inner if exponent % 2 == 0 else neg(inner)
    return make("pow", (base,), exponent)


def _constant_power(base: Expr, exponent: Fraction) -> Expr:
    value: Fraction = base.value
    p, n = exponent.numerator, exponent.denominator
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if value not in (0, 1, -1) and bits * max(p, n) > MAX_BITS * n:
        raise InvalidExpression(
            f"expected a constant of at most {MAX_BITS} bits, got {_outline(base)}**({exponent}): "
            "keep the base as a parameter"
        )
    if n == 1:
        return constant(value**p)
    if value < 0:
        raise InvalidExpression(
            f"expected a nonnegative base of a fractional power, got {_outline(base)}**({exponent})"
            ": expressions are real"
        )
    root = exact_root(value, n)
    if root is not None:
        return power(constant(root), Fraction(p))
    # whole part of the exponent out of the root: 2^(3/2) = 2·2^(1/2)
    return mul(constant(value ** (p // n)), make("pow", (base,), Fraction(p % n, n)))


def _outline(e: Expr) -> str:
    from dalembert.expr.graph import outline

    return outline(e)


def total(terms: Sequence[Scalar]) -> Expr:
    """Return the sum of the terms."""
    result = ZERO
    for term in terms:
        result = add(result, as_expr(term))
    return result
