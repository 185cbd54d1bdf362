"""The elementary functions: constructor, derivative, numerical value and spelling of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.expr.fold import ARITHMETIC, is_negative_multiple, is_nonnegative, mul, neg, power
from dalembert.expr.graph import outline
from dalembert.expr.node import ONE, PI, ZERO, Expr, Scalar, as_expr, constant, make
from dalembert.expr.undefined import derivatives


@dataclass(frozen=True)
class Function:
    """A function of the expression language.

    ``partials(node)`` returns ∂f/∂argᵢ for each argument of the node ``f(arg…)``.
    """

    name: str
    build: Callable[..., Expr]
    partials: Callable[[Expr], tuple[Expr, ...]]
    arity: int = 1


def _is_negative(x: Expr) -> bool:
    """Tell whether a sign can be pulled out of ``x``."""
    return x.op == "neg" or is_negative_multiple(x) or (x.op == "const" and x.value < 0)


def _turns(x: Expr) -> Fraction | None:
    """Return x/π when ``x`` is a rational multiple of π."""
    if x is ZERO:
        return Fraction(0)
    if x is PI:
        return Fraction(1)
    if x.op == "neg" and x.args[0] is PI:
        return Fraction(-1)
    if x.op == "mul" and x.args[0].op == "const" and x.args[1] is PI:
        return x.args[0].value
    return None


def _root(n: int) -> Expr:
    return power(constant(n), Fraction(1, 2))


def sine_of_turns(r: Fraction) -> Expr | None:
    """Return sin(rπ) for multiples of π/6 and π/4, else None.

    >>> sine_of_turns(Fraction(1, 3))
    √3/2
    """
    r %= 2
    if r >= 1:
        value = sine_of_turns(r - 1)
        return None if value is None else neg(value)
    if r > Fraction(1, 2):
        r = 1 - r
    exact = {
        Fraction(0): ZERO,
        Fraction(1, 6): constant(Fraction(1, 2)),
        Fraction(1, 4): mul(constant(Fraction(1, 2)), _root(2)),
        Fraction(1, 3): mul(constant(Fraction(1, 2)), _root(3)),
        Fraction(1, 2): ONE,
    }
    return exact.get(r)


def sin(x: Scalar) -> Expr:
    """Return sin x (radians); sin(asin x) stays, x is defined where it is not."""
    x = as_expr(x)
    turns = _turns(x)
    exact = None if turns is None else sine_of_turns(turns)
    if exact is not None:
        return exact
    if _is_negative(x):
        return neg(sin(neg(x)))
    return make("sin", (x,))


def cos(x: Scalar) -> Expr:
    """Return cos x (radians)."""
    x = as_expr(x)
    turns = _turns(x)
    exact = None if turns is None else sine_of_turns(turns + Fraction(1, 2))
    if exact is not None:
        return exact
    if _is_negative(x):
        return cos(neg(x))
    return make("cos", (x,))


def tan(x: Scalar) -> Expr:
    """Return tan x (radians)."""
    x = as_expr(x)
    turns = _turns(x)
    if turns is not None and sine_of_turns(turns) is not None:
        if turns % 1 == Fraction(1, 2):
            raise InvalidExpression(f"expected a finite tangent, got tan({turns} π): a pole")
        return sin(x) / cos(x)
    if _is_negative(x):
        return neg(tan(neg(x)))
    return make("tan", (x,))


def _inside_unit(x: Expr, name: str) -> None:
    if x.op == "const" and abs(x.value) > 1:
        raise InvalidExpression(
            f"expected an argument of {name} in [-1, 1], got {outline(x)}: expressions are real"
        )


_ASIN = {
    Fraction(0): Fraction(0),
    Fraction(1, 2): Fraction(1, 6),
    Fraction(1): Fraction(1, 2),
}


def asin(x: Scalar) -> Expr:
    """Return arcsin x in [-π/2, π/2]."""
    x = as_expr(x)
    _inside_unit(x, "asin")
    if _is_negative(x):
        return neg(asin(neg(x)))
    if x.op == "const" and x.value in _ASIN:
        return mul(constant(_ASIN[x.value]), PI)
    return make("asin", (x,))


def acos(x: Scalar) -> Expr:
    """Return arccos x in [0, π]."""
    x = as_expr(x)
    _inside_unit(x, "acos")
    if x.op == "const" and abs(x.value) in _ASIN:
        turns = _ASIN[abs(x.value)] if x.value > 0 else -_ASIN[abs(x.value)]
        return mul(constant(Fraction(1, 2) - turns), PI)
    return make("acos", (x,))


def atan2(y: Scalar, x: Scalar) -> Expr:
    """Return the angle of the point (x, y) in (-π, π]."""
    y, x = as_expr(y), as_expr(x)
    if y is ZERO and x.op == "const":
        if not x.value:
            raise InvalidExpression("expected a point with a direction, got atan2(0, 0)")
        return ZERO if x.value > 0 else PI
    if x is ZERO and y.op == "const":
        return PI / 2 if y.value > 0 else -PI / 2
    return make("atan2", (y, x))


def atan(x: Scalar) -> Expr:
    """Return arctan x in (-π/2, π/2), the angle atan2(x, 1).

    >>> atan(1)
    π/4
    """
    x = as_expr(x)
    return PI / 4 * x if x.op == "const" and abs(x.value) == 1 else atan2(x, ONE)


def sqrt(x: Scalar) -> Expr:
    """Return the nonnegative square root of x.

    >>> sqrt(9)
    3
    """
    return power(as_expr(x), Fraction(1, 2))


def exp(x: Scalar) -> Expr:
    """Return eˣ; exp(log x) stays, x is defined where it is not."""
    x = as_expr(x)
    if x is ZERO:
        return ONE
    return make("exp", (x,))


def log(x: Scalar) -> Expr:
    """Return the natural logarithm of x."""
    x = as_expr(x)
    if x.op == "const" and x.value <= 0:
        raise InvalidExpression(
            f"expected a positive argument of log, got {outline(x)}: expressions are real"
        )
    if x is ONE:
        return ZERO
    if x.op == "exp":
        return x.args[0]
    return make("log", (x,))


def sinh(x: Scalar) -> Expr:
    """Return sinh x = (eˣ - e⁻ˣ)/2; in floats it has few digits where x is tiny."""
    return (exp(x) - exp(-as_expr(x))) / 2


def cosh(x: Scalar) -> Expr:
    """Return cosh x = (eˣ + e⁻ˣ)/2."""
    return (exp(x) + exp(-as_expr(x))) / 2


def tanh(x: Scalar) -> Expr:
    """Return the hyperbolic tangent of x."""
    x = as_expr(x)
    if x is ZERO:
        return ZERO
    if _is_negative(x):
        return neg(tanh(neg(x)))
    return make("tanh", (x,))


def abs_(x: Scalar) -> Expr:
    """Return |x|."""
    x = as_expr(x)
    if x.op == "const":
        return constant(abs(x.value))
    if _is_negative(x):
        return abs_(neg(x))
    if is_nonnegative(x):
        return x
    return make("abs", (x,))


def sign(x: Scalar) -> Expr:
    """Return the sign of x: -1, 0 or 1."""
    x = as_expr(x)
    if x.op == "const":
        return constant((x.value > 0) - (x.value < 0))
    if _is_negative(x):
        return neg(sign(neg(x)))
    if x.op == "sign":
        return x
    return make("sign", (x,))


def _atan2_partials(e: Expr) -> tuple[Expr, ...]:
    y, x = e.args
    r2 = x**2 + y**2
    return x / r2, -y / r2


FUNCTIONS: dict[str, Function] = {
    f.name: f
    for f in (
        Function("sin", sin, lambda e: (cos(e.args[0]),)),
        Function("cos", cos, lambda e: (-sin(e.args[0]),)),
        Function("tan", tan, lambda e: (1 + e**2,)),
        Function("asin", asin, lambda e: (1 / sqrt(1 - e.args[0] ** 2),)),
        Function("acos", acos, lambda e: (-1 / sqrt(1 - e.args[0] ** 2),)),
        Function("atan2", atan2, _atan2_partials, 2),
        Function("exp", exp, lambda e: (e,)),
        Function("log", log, lambda e: (1 / e.args[0],)),
        Function("tanh", tanh, lambda e: (1 - e**2,)),
        Function("abs", abs_, lambda e: (sign(e.args[0]),)),
        Function("sign", sign, lambda e: (ZERO,)),
    )
}


COMPOSED: dict[str, Callable[[Expr], Expr]] = {
    "atan": atan,
    "cot": lambda x: cos(x) / sin(x),
    "sec": lambda x: 1 / cos(x),
    "csc": lambda x: 1 / sin(x),
    "sinh": sinh,
    "cosh": cosh,
    "coth": lambda x: 1 / tanh(x),
}
"""Functions that people write and that the language spells by others."""


def rebuild(node: Expr, args: tuple[Expr, ...]) -> Expr:
    """Return the node with other operands, folded again."""
    match node.op:
        case op if op in ARITHMETIC:
            return ARITHMETIC[op](*args)
        case "pow":
            return power(args[0], node.value)
        case "const" | "pi" | "symbol":
            return node
        case "apply":
            return make("apply", args, node.value)
        case name:
            return FUNCTIONS[name].build(*args)


def partials(node: Expr) -> tuple[Expr, ...]:
    """Return the partial derivative of the node with respect to each of its operands."""
    match node.op:
        case "add":
            return ONE, ONE
        case "sub":
            return ONE, -ONE
        case "mul":
            return node.args[1], node.args[0]
        case "div":
            return 1 / node.args[1], -node / node.args[1]
        case "neg":
            return (-ONE,)
        case "pow":
            n = node.value
            base = node.args[0]
            # for 0 < n < 1 share the root itself: d√x = 1/(2√x)
            slope = power(base, n - 1) if n > 1 else node / base
            if n == Fraction(1, 2):
                slope = 1 / node
            return (mul(constant(n), slope),)
        case "apply":
            return derivatives(node)
        case name:
            return FUNCTIONS[name].partials(node)
