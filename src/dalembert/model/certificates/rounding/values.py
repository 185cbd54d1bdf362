"""A number of a program over a box of inputs: where its exact value lies, how far off its float is.

Beside plain intervals a value keeps how it was added up of sines and cosines,

    x = Σⱼ (Aⱼ cos qⱼ + Bⱼ sin qⱼ) + R,   so that   |x - R| ≤ Σⱼ √(Aⱼ² + Bⱼ²),

and its error likewise: a rotation multiplies lengths by 1, where intervals multiply them by 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dalembert.model.certificates.rounding import intervals
from dalembert.model.certificates.rounding.intervals import Interval, intersection, outward, size

U = 2.0**-53
"""Half the distance from 1 to the next float: the relative error of one rounding."""
TINY = 5e-324
"""The smallest float: an absolute error that underflow may add."""
UP = 1.0 + 2.0**-44
"""More than the roundings of any bound that is computed here."""

Part = tuple[float, float, float, float]
"""Bounds on |A| and |B| of one angle, and on the errors of both."""

ZERO: Interval = (0.0, 0.0)


class Value(NamedTuple):
    """Bounds on one number.

    Attributes:
        x: Encloses the exact value.
        err: Bounds |float - exact value|.
        parts: By angle, what multiplies its cosine and its sine.
        rest: Encloses R.
        rest_err: Bounds what the parts leave of the error.
        turn: The angle and 0, or 1, if the value is its cosine, or its sine.
        is_nonnegative: Whether exact value and float are at least zero.
    """

    x: Interval
    err: float
    parts: dict[int, Part]
    rest: Interval
    rest_err: float
    turn: tuple[int, int] | None = None
    is_nonnegative: bool = False

    @property
    def size(self) -> float:
        """A bound on the absolute value of the float."""
        return (size(self.x) + self.err) * UP


def plain(x: Interval, err: float = 0.0, is_nonnegative: bool = False) -> Value:
    """Return a value of which nothing is known but its enclosure and its error."""
    return Value(x, err, {}, x, err, None, is_nonnegative)


def turn(x: Interval, angle: int, place: int, relative: float, drift: float) -> Value:
    """Return a cosine (place 0) or sine (place 1) of an angle.

    Args:
        x: Encloses it.
        angle: The number of the angle.
        place: Which of both.
        relative: The relative error of the function.
        drift: What the error of the angle adds.
    """
    err = (size(x) * relative + drift + TINY) * UP
    part = (1.0, 0.0, relative, 0.0) if place == 0 else (0.0, 1.0, 0.0, relative)
    return Value(x, err, {angle: part}, ZERO, drift + TINY, (angle, place))


def negative(a: Value) -> Value:
    """Return -a, which is not rounded."""
    (lower, upper), (below, above) = a.x, a.rest
    return Value((-upper, -lower), a.err, a.parts, (-above, -below), a.rest_err)


def total(a: Value, b: Value, minus: bool = False) -> Value:
    """Return a + b, or a - b, rounded once."""
    combine = intervals.sub if minus else intervals.add
    x, rest = combine(a.x, b.x), combine(a.rest, b.rest)
    parts = dict(a.parts)
    for angle, part in b.parts.items():
        if angle in parts:
            A, B, eA, eB = parts[angle]
            C, D, eC, eD = part
            part = ((A + C) * UP, (B + D) * UP, (eA + eC) * UP, (eB + eD) * UP)
        parts[angle] = part
    rest_err = (a.rest_err + b.rest_err) * UP
    x = _enclosed(x, parts, rest)
    err = min(a.err + b.err, rest_err + _error(parts)) * UP
    # the float of the sum of floats
    rounding = U * (size(x) + err) * UP
    is_nonnegative = not minus and a.is_nonnegative and b.is_nonnegative
    return Value(
        x, (err + rounding) * UP, parts, rest, (rest_err + rounding) * UP, None, is_nonnegative
    )


def product(a: Value, b: Value, is_square: bool = False) -> Value:
    """Return a b, rounded once."""
    x = intervals.square(a.x) if is_square else intervals.mul(a.x, b.x)
    err = (size(a.x) * b.err + b.size * a.err) * UP
    rounding = (U * (size(x) + err) + TINY) * UP
    is_nonnegative = is_square or (a.is_nonnegative and b.is_nonnegative)
    if a.turn or b.turn:
        parts, rest, rest_err = _turned(a, b) if a.turn else _turned(b, a)
    elif a.parts or b.parts:
        parts, rest, rest_err = _scaled(a, b) if a.parts else _scaled(b, a)
        rest_err = (rest_err + rounding) * UP
    else:
        return plain(x, (err + rounding) * UP, is_nonnegative)
    x = _enclosed(x, parts, rest)
    err = min(err + rounding, rest_err + _error(parts)) * UP
    return Value(x, err, parts, rest, rest_err, None, is_nonnegative)


def _turned(c: Value, b: Value) -> tuple[dict[int, Part], Interval, float]:
    """Return the parts of b times a cosine or sine: (c + cθ + η)(b + δ) is c b + c (δ + θ b̂) + η b̂.

    The rounding of the product counts as part of θ.
    """
    assert c.turn is not None
    angle, place = c.turn
    _, _, eA, eB = c.parts[angle]
    relative = (max(eA, eB) + U + U * max(eA, eB)) * UP
    error = (b.err + relative * b.size) * UP
    part = (size(b.x), 0.0, error, 0.0) if place == 0 else (0.0, size(b.x), 0.0, error)
    return {angle: part}, ZERO, (c.rest_err * b.size * (1 + U) + TINY) * UP


def _scaled(a: Value, m: Value) -> tuple[dict[int, Part], Interval, float]:
    """Return the parts of a times m: (a + δa)(m + δm) is a m + m̂ δa + a δm."""
    M, e = size(m.x), m.err
    parts = {
        angle: (A * M * UP, B * M * UP, (eA * m.size + A * e) * UP, (eB * m.size + B * e) * UP)
        for angle, (A, B, eA, eB) in a.parts.items()
    }
    return parts, intervals.mul(a.rest, m.x), (a.rest_err * m.size + size(a.rest) * e) * UP


def _enclosed(x: Interval, parts: dict[int, Part], rest: Interval) -> Interval:
    """Return the smaller of two enclosures: an interval, or what parts and rest allow."""
    if not parts:
        return x
    radius = sum([math.hypot(A, B) for A, B, _, _ in parts.values()]) * UP
    return intersection(x, outward(rest[0] - radius, rest[1] + radius))


def _error(parts: dict[int, Part]) -> float:
    return sum([math.hypot(eA, eB) for _, _, eA, eB in parts.values()]) * UP
