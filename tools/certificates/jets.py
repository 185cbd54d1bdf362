"""Numbers with first and second derivatives along two directions, over arrays of directions.

x + b ε₁ + c ε₂ + d ε₁ε₂ with ε₁² = ε₂² = 0: exact derivatives in floats, without step sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np


class Jet:
    """A value with its derivatives b, c along two directions and the mixed one d."""

    __slots__ = ("b", "c", "d", "x")

    def __init__(self, x: Any, b: Any = 0.0, c: Any = 0.0, d: Any = 0.0) -> None:
        self.x, self.b, self.c, self.d = x, b, c, d

    def __add__(self, o: Jet) -> Jet:
        return Jet(self.x + o.x, self.b + o.b, self.c + o.c, self.d + o.d)

    def __neg__(self) -> Jet:
        return Jet(-self.x, -self.b, -self.c, -self.d)

    def __sub__(self, o: Jet) -> Jet:
        return self + -o

    def __mul__(self, o: Jet) -> Jet:
        mixed = self.x * o.d + self.b * o.c + self.c * o.b + self.d * o.x
        return Jet(self.x * o.x, self.x * o.b + self.b * o.x, self.x * o.c + self.c * o.x, mixed)

    def through(self, f: Any, slope: Any, curvature: Any) -> Jet:
        """Return f of it, where f and its first two derivatives have these values."""
        mixed = slope * self.d + curvature * self.b * self.c
        return Jet(f, slope * self.b, slope * self.c, mixed)


def step(op: str, args: Sequence[Any], found: Sequence[Jet], symbols: Mapping[str, Jet]) -> Jet:
    """Return the value of one step of a certificate."""
    if op == "num":
        return Jet(float(Fraction(args[0])))
    if op == "sym":
        return symbols[args[0]]
    x = found[args[0]]
    v = x.x
    match op:
        case "sum":
            total = x
            for i in args[1:]:
                total = total + found[i]
            return total
        case "sub":
            return x - found[args[1]]
        case "mul":
            return x * found[args[1]]
        case "neg":
            return -x
        case "pow":
            n = args[1]
            if n == 0:
                return Jet(1.0)
            return x.through(v**n, n * v ** (n - 1), n * (n - 1) * v ** (n - 2) if n > 1 else 0.0)
        case "inv":
            return x.through(1 / v, -1 / v**2, 2 / v**3)
        case "sqrt":
            r = np.sqrt(v)
            return x.through(r, 1 / (2 * r), -1 / (4 * r * v))
        case "cos":
            return x.through(np.cos(v), -np.sin(v), -np.cos(v))
        case "sin":
            return x.through(np.sin(v), np.cos(v), -np.sin(v))
        case "tanh":
            h = np.tanh(v)
            return x.through(h, 1 - h * h, -2 * h * (1 - h * h))
        case "abs":
            return x.through(abs(v), np.sign(v), 0.0)
        case "sign":
            return Jet(np.sign(v))
    raise ValueError(op)


def run(program: Sequence[Any], symbols: Mapping[str, Jet]) -> list[Jet]:
    """Return the values of all steps."""
    found: list[Jet] = []
    with np.errstate(all="ignore"):
        for op, *args in program:
            found.append(step(op, args, found, symbols))
    return found
