"""Power series of arithmetic and functions: coefficients of ε⁰ … εⁿ, each an expression.

Every function solves a differential equation y′ = g(y, a) a′, so that the coefficients of y follow
from those of its argument a one after the other: k yₖ = Σ j aⱼ gₖ₋ⱼ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.expr.functions import (
    abs_,
    acos,
    asin,
    atan2,
    cos,
    exp,
    log,
    rebuild,
    sign,
    sin,
    tanh,
)
from dalembert.expr.graph import outline
from dalembert.expr.node import ONE, ZERO, Expr
from dalembert.expr.undefined import derivatives

Series = tuple[Expr, ...]


def add(a: Series, b: Series) -> Series:
    """Return a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sub(a: Series, b: Series) -> Series:
    """Return a - b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def neg(a: Series) -> Series:
    """Return -a."""
    return tuple(-x for x in a)


def mul(a: Series, b: Series) -> Series:
    """Return a b."""
    return tuple(_convolved(a, b, k, 0) for k in range(len(a)))


def div(a: Series, b: Series) -> Series:
    """Return a / b."""
    if b[0] is ZERO:
        raise InvalidExpression(
            "expected a denominator that does not vanish where the expansion begins, got one that "
            "does: expand about another point"
        )
    result: list[Expr] = []
    for k in range(len(a)):
        known = _sum(b[j] * result[k - j] for j in range(1, k + 1) if b[j] is not ZERO)
        result.append((a[k] - known) / b[0])
    return tuple(result)


def power(a: Series, n: Fraction) -> Series:
    """Return aⁿ; of a fractional power a₀ must not vanish."""
    if n.denominator == 1 and n > 0:
        result, square, left = _constant(ONE, a), a, int(n)
        while left:
            if left & 1:
                result = mul(result, square)
            left >>= 1
            if left:
                square = mul(square, square)
        return result
    if a[0] is ZERO:
        raise InvalidExpression(
            "expected a root whose argument does not vanish where the expansion begins, got one "
            "that does: it has no Taylor polynomial there"
        )
    # y = aⁿ has a y′ = n y a′
    result = (a[0] ** n,)
    for k in range(1, len(a)):
        terms = ((n * j - (k - j)) * a[j] * result[k - j] for j in range(1, k + 1))
        result += (_sum(terms) / (k * a[0]),)
    return result


def _convolved(a: Series, b: Series, k: int, first: int) -> Expr:
    """Return Σ aⱼ bₖ₋ⱼ from j = first on."""
    pairs = ((a[j], b[k - j]) for j in range(first, k + 1))
    return _sum(x * y for x, y in pairs if x is not ZERO and y is not ZERO)


def _sum(terms: Iterable[Expr]) -> Expr:
    total = ZERO
    for term in terms:
        total = total + term
    return total


def _constant(x: Expr, like: Series) -> Series:
    return (x, *[ZERO] * (len(like) - 1))


def _integral(start: Expr, slope: Series, a: Series) -> Series:
    """Return y with y₀ = start and y′ = slope · a′."""
    rates = tuple(k * a[k] for k in range(len(a)))
    return (start, *(_convolved(rates, slope, k, 1) / k for k in range(1, len(a))))


def _sine_and_cosine(a: Series) -> tuple[Series, Series]:
    s, c = [sin(a[0])], [cos(a[0])]
    for k in range(1, len(a)):
        terms = [(j * a[j], k - j) for j in range(1, k + 1) if a[j] is not ZERO]
        s_k = _sum(x * c[i] for x, i in terms) / k
        c.append(-_sum(x * s[i] for x, i in terms) / k)
        s.append(s_k)
    return tuple(s), tuple(c)


def _sin(a: Series) -> Series:
    return _sine_and_cosine(a)[0]


def _cos(a: Series) -> Series:
    return _sine_and_cosine(a)[1]


def _tan(a: Series) -> Series:
    return div(*_sine_and_cosine(a))


def _exp(a: Series) -> Series:
    y = [exp(a[0])]
    for k in range(1, len(a)):
        y.append(_sum(j * a[j] * y[k - j] for j in range(1, k + 1)) / k)
    return tuple(y)


def _log(a: Series) -> Series:
    return _integral(log(a[0]), div(_constant(ONE, a), a), a)


def _tanh(a: Series) -> Series:
    y: Series = (tanh(a[0]),)
    slopes: list[Expr] = []
    for k in range(1, len(a)):
        # (1 - y²) to the order k - 1 that is known
        square = _convolved(y, y, k - 1, 0)
        slopes.append((ONE if k == 1 else ZERO) - square)
        y += (_sum(j * a[j] * slopes[k - j] for j in range(1, k + 1)) / k,)
    return y


def _asin(a: Series) -> Series:
    return _integral(asin(a[0]), _slope_of_arcs(a), a)


def _acos(a: Series) -> Series:
    return _integral(acos(a[0]), neg(_slope_of_arcs(a)), a)


def _slope_of_arcs(a: Series) -> Series:
    """Return 1/√(1 - a²)."""
    one = _constant(ONE, a)
    return div(one, power(sub(one, mul(a, a)), Fraction(1, 2)))


def _atan2(y: Series, x: Series) -> Series:
    r2 = add(mul(x, x), mul(y, y))
    along_y = _integral(ZERO, div(x, r2), y)
    along_x = _integral(ZERO, div(y, r2), x)
    return (atan2(y[0], x[0]), *sub(along_y, along_x)[1:])


def _abs(a: Series) -> Series:
    side = _side(a)
    return (abs_(a[0]), *(side * x for x in a[1:]))


def _sign(a: Series) -> Series:
    return _constant(_side(a), a)


def _side(a: Series) -> Expr:
    """Return the sign of a₀; at zero there is a kink or a jump."""
    if a[0] is ZERO and any(x is not ZERO for x in a[1:]):
        raise InvalidExpression(
            "expected a function that is smooth where the expansion begins, got sign or | | of an "
            "argument that vanishes there: expand about another point"
        )
    return sign(a[0])


def _applied(node: Expr, args: list[Series]) -> Series:
    """Return f(a, b, …) of a function without a definition: y′ = f₁ a′ + f₂ b′ + …."""
    start, length = rebuild(node, tuple(a[0] for a in args)), len(args[0])
    if length == 1:
        return (start,)
    total = _constant(ZERO, args[0])
    for a, slope in zip(args, derivatives(node), strict=True):
        # f₁ to one order less
        along = _applied(slope, [b[:-1] for b in args])
        total = add(total, _integral(ZERO, (*along, ZERO), a))
    return (start, *total[1:])


RULES: dict[str, Callable[..., Series]] = {
    "add": add,
    "sub": sub,
    "neg": neg,
    "mul": mul,
    "div": div,
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "exp": _exp,
    "log": _log,
    "tanh": _tanh,
    "asin": _asin,
    "acos": _acos,
    "atan2": _atan2,
    "abs": _abs,
    "sign": _sign,
}
"""For each operation the series of its result from those of its operands."""


def of_node(node: Expr, args: list[Series], length: int) -> Series:
    """Return the series of a node from those of its operands."""
    if not args:
        return (node, *[ZERO] * (length - 1))
    # what does not vary needs no rule, and has no kink
    if all(x is ZERO for a in args for x in a[1:]):
        return (rebuild(node, tuple(a[0] for a in args)), *[ZERO] * (length - 1))
    if node.op == "pow":
        return power(args[0], node.value)
    if node.op == "apply":
        return _applied(node, args)
    if node.op not in RULES:
        raise InvalidExpression(
            f"expected functions whose power series is known, got {outline(node)}: put in what it "
            "stands for first"
        )
    return RULES[node.op](*args)


def scaled(x: Expr, at: Expr, length: int) -> Series:
    """Return x₀ + ε (x - x₀)."""
    return (at, x - at, *[ZERO] * (length - 2)) if length > 1 else (at,)
