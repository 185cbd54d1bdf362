"""Rigorous evaluation in ball arithmetic at rational points: how a false equality is refuted."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

import flint

from dalembert.expr import ARITHMETIC, Expr, Kind, count_nodes, postorder, symbol_text
from dalembert.expr.graph import by_name

Point = dict[Expr, Fraction]
Box = Mapping[Expr, Fraction | flint.arb]
"""A rational, or a ball for a whole range, for every symbol."""

PRECISIONS = (64, 128, 256)
FINE_PRECISIONS = (64, 256, 1024, 4096)
TRIES = 12
# a finer search: points of all sizes, as many as this number of nodes allows
FINE_TRIES = 48
FINE_NODES = 300_000
STAND_IN_TERMS = 7
SCALES = (0, -2, 2, -6, 6, -20, 20, -80)


def refute(
    e: Expr,
    tries: int = TRIES,
    precisions: Sequence[int] = PRECISIONS,
    where: Sequence[Expr] = (),
) -> Point | None:
    """Return a rational point where ``e`` is certainly not zero, or None when none was found.

    The expressions ``where`` are defined there. Every second point has many digits: some functions
    vanish at all small rationals.
    """
    symbols, rng = _symbols_and_numbers([e, *where])
    for i in range(tries):
        point = random_point(symbols, rng)
        if i % 2:
            point = scaled_point(symbols, rng, positive=True, scaled=False)
        if is_nonzero_at(e, point, precisions, where):
            return {x: point[x] for x in e.symbols}
    return None


def search(e: Expr, where: Sequence[Expr] = ()) -> Point | None:
    """Return a point where ``e`` is certainly not zero, with more effort than `refute`.

    The points have all sizes and signs, the balls up to a thousand digits. The expressions
    ``where`` are defined there.
    """
    symbols, rng = _symbols_and_numbers([e, *where])
    tries = max(12, min(FINE_TRIES, FINE_NODES // count_nodes([e]))) if symbols else 1
    for i in range(tries):
        point = scaled_point(symbols, rng, positive=i % 3 != 2, scaled=i % 2 == 1)
        if i < 4:
            # signs differ from ±1 at zero only
            point = {x: v if rng.random() < i / 4 else Fraction(0) for x, v in point.items()}
        if is_nonzero_at(e, point, FINE_PRECISIONS if i < 12 else PRECISIONS, where):
            return {x: point[x] for x in e.symbols}
    return None


def _symbols_and_numbers(exprs: Sequence[Expr]) -> tuple[list[Expr], random.Random]:
    """Return the symbols, and random numbers that depend on the expressions, not on their age."""
    nodes = postorder(exprs)
    symbols = by_name(node for node in nodes if node.op == "symbol")
    return symbols, random.Random(f"{len(nodes)} {' '.join(map(symbol_text, symbols))}")


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


def scaled_point(
    symbols: Sequence[Expr], rng: random.Random, *, positive: bool, scaled: bool
) -> Point:
    """Return rationals of many digits, of one size or ``scaled`` to small and large ones.

    Coordinates have any sign, parameters and time too unless they are ``positive``.
    """
    point = {}
    for x in sorted(symbols, key=symbol_text):
        s = x.symbol
        assert s is not None
        value = Fraction(rng.randint(1, 3 * 10**9), 10**9 + rng.randint(1, 10**6))
        if scaled:
            value *= Fraction(10) ** rng.choice(SCALES)
        keep = positive and s.kind in (Kind.PARAMETER, Kind.TIME)
        point[x] = value if keep or rng.random() < 0.5 else -value
    return point


def is_nonzero_at(
    e: Expr,
    point: Mapping[Expr, Fraction],
    precisions: Sequence[int] = PRECISIONS,
    where: Sequence[Expr] = (),
) -> bool:
    """Tell whether the value is provably not zero.

    False also when it, or one of the expressions ``where``, is undefined there.
    """
    for precision in precisions:
        # near the border of a domain only fine balls are defined
        values = defined_balls([e, *where], point, precision)
        if values is not None and not values[0].contains(0):
            return True
    return False


def defined_balls(exprs: Sequence[Expr], point: Box, precision: int) -> list[flint.arb] | None:
    """Return balls of the values, or None unless every part of the expressions is defined.

    Functions without a definition have that of `stand_in`: what is not zero for one function is
    not zero for all.
    """
    before = flint.ctx.prec
    flint.ctx.prec = precision
    try:
        values: dict[Expr, flint.arb] = {}
        for node in postorder(exprs):
            if node.op == "apply":
                values[node] = stand_in(node, [values[arg] for arg in node.args])
            else:
                values[node] = _ball(node, values, point)
            if not values[node].is_finite():
                return None
        return [values[e] for e in exprs]
    except ZeroDivisionError:
        return None
    finally:
        flint.ctx.prec = before


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
            return value if isinstance(value, flint.arb) else _rational(Fraction(value))
        case op if op in ARITHMETIC:
            return ARITHMETIC[op](*args)
        case "pow":
            p, n = node.value.numerator, node.value.denominator
            root = args[0] if n == 1 else args[0].sqrt() if n == 2 else args[0].root(n)
            return root**p
        case "atan2":
            # the origin has no direction
            undefined = args[0].is_zero() and args[1].is_zero()
            return flint.arb.nan() if undefined else flint.arb.atan2(args[0], args[1])
        case "abs":
            return abs(args[0])
        case "sign":
            return args[0].sgn()
        case "apply":
            # it may have any value
            return flint.arb.nan()
        case name:
            return getattr(args[0], name)()


def stand_in(node: Expr, args: Sequence[flint.arb]) -> flint.arb:
    """Return the value of f(x, y, …) = Σ kⱼ Π exp(aⱼᵢ xᵢ) with numbers that belong to its name.

    As many terms as no small relation between values and derivatives holds for all of them.
    """
    name, orders = node.value
    rng = random.Random(f"{name} {len(orders)}")
    total = flint.arb(0)
    for _ in range(STAND_IN_TERMS):
        term = _rational(Fraction(rng.randint(20, 60), 37))
        for x, n in zip(args, orders, strict=True):
            a = _rational(Fraction(rng.randint(-40, 40) or 7, 53))
            term = term * a**n * (a * x).exp()
        total = total + term
    return total
