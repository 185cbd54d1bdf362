"""Rigorous evaluation in ball arithmetic at rational points: how a false equality is refuted."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

import flint

from dalembert.expr import ARITHMETIC, Expr, Kind, free_symbols, postorder, symbol_text

Point = dict[Expr, Fraction]
Box = Mapping[Expr, Fraction | flint.arb]
"""A rational, or a ball for a whole range, for every symbol."""

PRECISIONS = (64, 128, 256)
TRIES = 12


def refute(e: Expr, tries: int = TRIES, seed: int = 1743) -> Point | None:
    """Return a rational point where ``e`` is certainly not zero, or None when none was found."""
    rng = random.Random(seed)
    symbols = free_symbols([e])
    for _ in range(tries):
        point = random_point(symbols, rng)
        if is_nonzero_at(e, point):
            return point
    return None


def random_point(symbols: Sequence[Expr], rng: random.Random) -> Point:
    """Return small rational values, positive for parameters and time."""
    point = {}
    # by name: the point does not depend on earlier calls
    for x in sorted(symbols, key=symbol_text):
        s = x.symbol
        assert s is not None
        value = Fraction(rng.randint(1, 40), rng.choice((7, 8, 9, 10, 11, 13)))
        if s.kind not in (Kind.PARAMETER, Kind.TIME) and rng.random() < 0.5:
            value = -value
        point[x] = value
    return point


def is_nonzero_at(e: Expr, point: Mapping[Expr, Fraction]) -> bool:
    """Tell whether the value is provably not zero; False also when it is undefined there."""
    for precision in PRECISIONS:
        value = ball(e, point, precision)
        if value is None or not value.is_finite():
            return False
        if not value.contains(0):
            return True
    return False


def ball(e: Expr, point: Box, precision: int = 128) -> flint.arb | None:
    """Return a ball that certainly contains the value of ``e``, or None when it divides by zero.

    The point holds rationals, or balls for whole ranges.
    """
    try:
        return ball_all([e], point, precision)[0]
    except ZeroDivisionError:
        return None


def ball_all(exprs: Sequence[Expr], point: Box, precision: int = 128) -> list[flint.arb]:
    """Return balls that certainly contain the values of the expressions, in one sweep."""
    before = flint.ctx.prec
    flint.ctx.prec = precision
    try:
        values: dict[Expr, flint.arb] = {}
        for node in postorder(exprs):
            values[node] = _ball(node, values, point)
        return [values[e] for e in exprs]
    finally:
        flint.ctx.prec = before


def _rational(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _ball(node: Expr, values: Mapping[Expr, flint.arb], point: Box) -> flint.arb:
    args = [values[arg] for arg in node.args]
    match node.op:
        case "const":
            return _rational(node.value)
        case "pi":
            return flint.arb.pi()
        case "symbol":
            value = point[node]
            return _rational(value) if isinstance(value, Fraction) else value
        case op if op in ARITHMETIC:
            return ARITHMETIC[op](*args)
        case "pow":
            p, n = node.value.numerator, node.value.denominator
            root = args[0] if n == 1 else args[0].sqrt() if n == 2 else args[0].root(n)
            return root**p
        case "atan2":
            return flint.arb.atan2(args[0], args[1])
        case "abs":
            return abs(args[0])
        case "sign":
            return args[0].sgn()
        case name:
            return getattr(args[0], name)()
