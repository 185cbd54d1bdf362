"""Elementary functions that work on floats, arrays, expressions and ring elements alike."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dalembert.expr import Expr, cos, sin, sqrt
from dalembert.ring import Element, canonical_all, rebuild


def sincos(x: Any) -> tuple[Any, Any]:
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


def square_root(x: Any) -> Any:
    """Return √x in the arithmetic of x."""
    if isinstance(x, Expr):
        return sqrt(x)
    if isinstance(x, Element):
        return canonical_all(x.ring, [sqrt(rebuild(x))])[0]
    if isinstance(x, int | float | Fraction):
        return math.sqrt(x)
    import numpy as np

    return np.sqrt(x)
