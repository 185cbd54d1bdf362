"""Elementary functions that work on floats, arrays, expressions and ring elements alike."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dalembert.expr import PI, Expr, abs_, atan2, cos, sign, sin, sqrt, substitute
from dalembert.ring import Element, canonical_all, rebuild
from dalembert.spatial.vectors import Scalar


def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """Return (sin x, cos x) in the arithmetic of x.

    >>> sincos(0)
    (0, 1)
    """
    if isinstance(x, Expr):
        return sin(x), cos(x)
    if isinstance(x, Element):
        # the ring knows the angle: it was built with this sine
        e = rebuild(x)
        s, c = canonical_all(x.ring, [sin(e), cos(e)])
        return s, c
    if isinstance(x, int | Fraction):
        return (0, 1) if not x else (math.sin(x), math.cos(x))
    if isinstance(x, float):
        return math.sin(x), math.cos(x)
    import numpy as np

    return np.sin(x), np.cos(x)


def square_root(x: Scalar) -> Scalar:
    """Return √x in the arithmetic of x."""
    if isinstance(x, Expr):
        return sqrt(x)
    if isinstance(x, Element):
        return canonical_all(x.ring, [sqrt(rebuild(x))])[0]
    if isinstance(x, int | float | Fraction):
        return math.sqrt(x)
    import numpy as np

    return np.sqrt(x)


def evaluated(expression: Expr, values: Mapping[Expr, Scalar]) -> Scalar:
    """Return an expression with values for all its symbols, in their arithmetic.

    >>> import dalembert as da
    >>> (x,) = da.coordinates("x")
    >>> evaluated(x**2, {x: 3.0})
    9.0
    """
    if expression.op == "const" and expression.value.denominator == 1:
        return int(expression.value)
    for ring in (k.ring for k in values.values() if isinstance(k, Element)):
        known = {x: rebuild(k) if isinstance(k, Element) else k for x, k in values.items()}
        return canonical_all(ring, substitute([expression], known))[0]
    if any(isinstance(k, Expr) for k in values.values()):
        return substitute([expression], values)[0]
    return expression.evaluate({x: values[x] for x in expression.symbols})


def arctangent(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the point (x, y) in the arithmetic of both; 0 for numbers (0, 0)."""
    if isinstance(x, Expr) or isinstance(y, Expr):
        return atan2(y, x)
    for ring in (k.ring for k in (x, y) if isinstance(k, Element)):
        sides = [rebuild(k) if isinstance(k, Element) else k for k in (y, x)]
        return canonical_all(ring, [atan2(*sides)])[0]
    # adding 0.0 makes -0.0 a plain zero, which atan2 tells from it by a turn of π
    if _are_numbers(x, y):
        return math.atan2(y + 0.0, x + 0.0)
    import numpy as np

    return np.arctan2(np.add(y, 0.0), np.add(x, 0.0))


def length(v: Sequence[Scalar]) -> Scalar:
    """Return √(vᵀv) ≥ 0.

    >>> length((3.0, 0, 4.0))
    5.0
    """
    k = signed_length(v)
    return abs_(k) if isinstance(k, Expr) else square_root(k * k) if is_symbolic(k) else abs(k)


def signed_length(v: Sequence[Scalar]) -> Scalar:
    """Return ±√(vᵀv): a component alone, with its sign, when all others are zero.

    Functions that are even in the length do not see the sign, and need no root then.

    >>> signed_length((0, -3, 0))
    -3
    """
    parts = [x for x in v if not is_zero(x)]
    if len(parts) < 2:
        return parts[0] if parts else 0
    if _are_numbers(*parts):
        return math.hypot(*parts)
    if is_symbolic(*parts):
        return square_root(sum((x * x for x in parts[1:]), parts[0] * parts[0]))
    import numpy as np

    return functools.reduce(np.hypot, parts)


def pi_times(x: Scalar) -> Scalar:
    """Return π x: exactly for expressions, else as floats."""
    if isinstance(x, Expr):
        return PI * x
    if isinstance(x, Element):
        return canonical_all(x.ring, [PI])[0] * x
    return math.pi * x


def is_symbolic(*values: object) -> bool:
    """Tell whether some value is an expression or a ring element: comparisons mean nothing then."""
    return any(isinstance(x, Expr | Element) for x in values)


def is_zero(x: object) -> bool:
    """Tell whether a scalar is zero structurally; an array never is."""
    return isinstance(x, int | float | Fraction | Expr | Element) and bool(x == 0)


def choose(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """Return a where the condition on numbers or arrays holds, else b."""
    if isinstance(condition, bool) or condition.ndim == 0:
        return a if condition else b
    import numpy as np

    return np.where(condition, a, b)


def step(x: Scalar) -> Scalar:
    """Return 1 where x > 0, else 0.

    >>> step(3.0), step(-2)
    (1, 0)
    """
    if isinstance(x, Expr):
        # s (1 + s) / 2 is 1, 0, 0 for s = 1, 0, -1
        s = sign(x)
        return s * (1 + s) / 2
    if _are_numbers(x):
        return int(x > 0)
    import numpy as np

    return np.where(np.asarray(x) > 0, 1.0, 0.0)


def absolute(x: Scalar) -> Scalar:
    """Return |x|."""
    return abs_(x) if isinstance(x, Expr) else abs(x)


def larger(a: Scalar, b: Scalar) -> Scalar:
    """Return the larger of two, without a branch.

    >>> larger(2.0, -3.0)
    2.0
    """
    return (a + b + absolute(a - b)) / 2


def smaller(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller of two, without a branch."""
    return (a + b - absolute(a - b)) / 2


def clamped(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """Return the number nearest to x from low to high, without a branch.

    >>> clamped(2.5, 0, 1), clamped(-1, 0, 1), clamped(0.25, 0, 1)
    (1.0, 0.0, 0.25)
    """
    return (absolute(x - low) - absolute(x - high) + low + high) / 2


def is_positive(x: Scalar) -> bool:
    """Tell whether every number is positive and finite; a symbol counts as positive."""
    value: Scalar = x.value if isinstance(x, Expr) and x.op == "const" else x
    if is_symbolic(value):
        return True
    if _are_numbers(value):
        return 0 < value < math.inf
    import numpy as np

    return bool(np.all((np.asarray(value) > 0) & (np.asarray(value) < math.inf)))


def _are_numbers(*values: object) -> bool:
    return all(isinstance(x, int | float | Fraction) for x in values)
