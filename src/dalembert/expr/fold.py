"""Arithmetic that folds locally and never expands: the constructors of sums, products and powers.

A fold looks at most two levels down: numbers combine, zeros and ones vanish, one sign and one
number stand in front of a product. Every fold holds at each point where its operands are defined,
and none but the cancellations 0·x, x - x and x/x drops a condition on the operands. Every node has
the class of its operands, see `graph.interned`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dalembert.errors import DivisionByZero, InvalidExpression
from dalembert.expr.graph import interned, number, outline
from dalembert.expr.rational import MAX_EXPONENT, exact_root

if TYPE_CHECKING:
    from dalembert.expr.node import Expr

MAX_BITS = 100_000

# what every scalar can do; the other operations each arithmetic does in its own way
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}


def _ordered(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Order commuting operands: constants first, then by age."""
    if b.op == "const" or (a.op != "const" and b.serial < a.serial):
        return b, a
    return a, b


def add(a: Expr, b: Expr) -> Expr:
    """Return a + b."""
    # 0 + b = b, a + 0 = a
    if a.op == "const":
        if not a.value:
            return b
        if b.op == "const":
            return number(type(a), a.value + b.value)
    elif b.op == "const" and not b.value:
        return a
    # a + a = 2 a
    if a is b:
        return mul(number(type(a), 2), a)
    # a + (-b) = a - b, and the same with a negative number in front of b
    if b.op == "neg":
        return sub(a, b.args[0])
    if a.op == "neg":
        return sub(b, a.args[0])
    if is_negative_multiple(b):
        return sub(a, neg(b))
    if is_negative_multiple(a):
        return sub(b, neg(a))
    return interned(type(a), "add", _ordered(a, b))


def sub(a: Expr, b: Expr) -> Expr:
    """Return a - b."""
    if a is b:
        return number(type(a), 0)
    # a - k = -k + a: numbers stand first in sums
    if b.op == "const":
        if not b.value:
            return a
        if a.op == "const":
            return number(type(a), a.value - b.value)
        return add(number(type(a), -b.value), a)
    if a.op == "const" and not a.value:
        return neg(b)
    # a - (-b) = a + b, and the same with a negative number in front of b
    if b.op == "neg":
        return add(a, b.args[0])
    if is_negative_multiple(b):
        return add(a, neg(b))
    return interned(type(a), "sub", (a, b))


def neg(a: Expr) -> Expr:
    """Return -a."""
    if a.op == "const":
        return number(type(a), -a.value)
    if a.op == "neg":
        return a.args[0]
    # -(x - y) = y - x, -(k x) = (-k) x
    if a.op == "sub":
        return sub(a.args[1], a.args[0])
    if a.op == "mul" and a.args[0].op == "const":
        return mul(number(type(a), -a.args[0].value), a.args[1])
    return interned(type(a), "neg", (a,))


def is_negative_multiple(a: Expr) -> bool:
    """Tell whether ``a`` is a negative constant times something."""
    return a.op == "mul" and a.args[0].op == "const" and a.args[0].value < 0


def mul(a: Expr, b: Expr) -> Expr:
    """Return a * b, with one leading constant and one leading sign."""
    if b.op == "const":
        a, b = b, a
    if a.op == "const":
        return _multiple(a, b)
    # the sign to the front
    if a.op == "neg":
        return neg(mul(a.args[0], b))
    if b.op == "neg":
        return neg(mul(a, b.args[0]))
    # the number to the front: (k x) b = k (x b)
    if a.op == "mul" and a.args[0].op == "const":
        return mul(a.args[0], mul(a.args[1], b))
    if b.op == "mul" and b.args[0].op == "const":
        return mul(b.args[0], mul(a, b.args[1]))
    if a is b:
        return power(a, Fraction(2))
    return interned(type(a), "mul", _ordered(a, b))


def _multiple(k: Expr, b: Expr) -> Expr:
    """Return k * b for a constant k."""
    if b.op == "const":
        return number(type(k), k.value * b.value)
    if not k.value:
        return k
    if k.value == 1:
        return b
    if k.value == -1:
        return neg(b)
    # k (-x) = (-k) x, k (l x) = (k l) x, k (l/x) = (k l)/x
    if b.op == "neg":
        return mul(neg(k), b.args[0])
    if b.op == "mul" and b.args[0].op == "const":
        return mul(number(type(k), k.value * b.args[0].value), b.args[1])
    if b.op == "div" and b.args[0].op == "const":
        return div(number(type(k), k.value * b.args[0].value), b.args[1])
    return interned(type(k), "mul", (k, b))


def div(a: Expr, b: Expr) -> Expr:
    """Return a / b."""
    # a/k = (1/k) a
    if b.op == "const":
        if not b.value:
            raise DivisionByZero(
                f"expected a nonzero denominator, got 0 under {outline(a)}: "
                "check the values that were put into the expression"
            )
        return mul(number(type(a), 1 / b.value), a)
    if a.op == "const" and not a.value:
        return a
    if a is b:
        return number(type(a), 1)
    # signs and numbers to the front of the quotient
    if a.op == "neg" or (a.op == "const" and a.value < 0):
        return neg(div(neg(a), b))
    if b.op == "neg":
        return neg(div(a, b.args[0]))
    if b.op == "mul" and b.args[0].op == "const":
        return mul(number(type(a), 1 / b.args[0].value), div(a, b.args[1]))
    if a.op == "mul" and a.args[0].op == "const":
        return mul(a.args[0], div(a.args[1], b))
    return interned(type(a), "div", (a, b))


def power(base: Expr, exponent: Fraction) -> Expr:
    """Return base ** exponent for a rational exponent."""
    if abs(exponent) > MAX_EXPONENT or exponent.denominator > MAX_EXPONENT:
        got = outline(number(type(base), exponent))
        raise InvalidExpression(
            f"expected an exponent of at most {MAX_EXPONENT}, got {got}: "
            "write exp(n*log(x)) for a power this large"
        )
    if not exponent:
        return number(type(base), 1)
    if exponent == 1:
        return base
    if exponent < 0:
        return div(number(type(base), 1), power(base, -exponent))
    if base.op == "const":
        return _constant_power(base, exponent)
    if base.op == "pow" and exponent.denominator == 1 and _keeps_domain(base, exponent):
        # (xᵃ)ⁿ = xᵃⁿ for whole n; (x²)^½ stays, it is |x|
        return power(base.args[0], base.value * exponent)
    # (-x)ⁿ = ± xⁿ for whole n
    if base.op == "neg" and exponent.denominator == 1:
        inner = power(base.args[0], exponent)
        return inner if exponent % 2 == 0 else neg(inner)
    return interned(type(base), "pow", (base,), exponent)


def _keeps_domain(root: Expr, exponent: Fraction) -> bool:
    """Tell whether (xᵃ)ⁿ = xᵃⁿ is defined where (xᵃ)ⁿ is: (√x)² needs x ≥ 0, x does not."""
    whole = (root.value * exponent).denominator == 1
    return not whole or root.value.denominator == 1 or is_nonnegative(root.args[0])


def is_nonnegative(x: Expr, depth: int = 4) -> bool:
    """Tell whether the top levels show x ≥ 0 wherever x is defined: a sum of squares, a modulus."""
    match x.op:
        case "const":
            return x.value >= 0
        case "pi" | "exp" | "abs" | "acos":
            return True
        case "pow" if x.value.numerator % 2 == 0 or x.value.denominator != 1:
            return True
        case "add" | "mul" | "div" | "pow" if depth:
            return all(is_nonnegative(arg, depth - 1) for arg in x.args)
        case _:
            return False


def _constant_power(base: Expr, exponent: Fraction) -> Expr:
    value: Fraction = base.value
    p, n = exponent.numerator, exponent.denominator
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if value not in (0, 1, -1) and bits * max(p, n) > MAX_BITS * n:
        raise InvalidExpression(
            f"expected a constant of at most {MAX_BITS} bits, got {outline(base)}**({exponent}): "
            "keep the base as a parameter"
        )
    if n == 1:
        return number(type(base), value**p)
    if value < 0:
        raise InvalidExpression(
            f"expected a nonnegative base of a fractional power, got {outline(base)}**({exponent})"
            ": expressions are real"
        )
    root = exact_root(value, n)
    if root is not None:
        return power(number(type(base), root), Fraction(p))
    # whole part of the exponent out of the root: 2^(3/2) = 2·2^(1/2)
    rest = interned(type(base), "pow", (base,), Fraction(p % n, n))
    return mul(number(type(base), value ** (p // n)), rest)
