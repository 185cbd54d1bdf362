"""Bounds of expressions over boxes, as expressions: a centre and a radius around it.

The value of an expression is within its radius of its centre wherever every symbol is within its
own. Centres are the values at the centres of the symbols. Where an operation has no bound, as a
division by a range with zero in it, the radius is `UNKNOWN`, which is larger than what counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dalembert.expr import ONE, ZERO, Expr, abs_, as_expr, exp, postorder, power, sign, sqrt
from dalembert.expr.functions import rebuild
from dalembert.types import Scalar

UNKNOWN = 10**30
MUCH = 600
HALF = Fraction(1, 2)


class Ball(NamedTuple):
    """All numbers within a radius of a centre."""

    centre: Expr
    radius: Expr


def bounds(expressions: Sequence[Scalar], radii: Mapping[Expr, Expr]) -> list[Ball]:
    """Return a ball for each expression.

    Args:
        expressions: Of any symbols.
        radii: The radius of each symbol that varies.
    """
    roots = [as_expr(x) for x in expressions]
    found: dict[Expr, Ball] = {}
    for node in postorder(roots):
        balls = [found[part] for part in node.args]
        if node.op == "symbol":
            found[node] = Ball(node, radii.get(node, ZERO))
        elif all(ball.radius is ZERO for ball in balls):
            found[node] = Ball(node, ZERO)
        else:
            centre = rebuild(node, tuple(ball.centre for ball in balls))
            found[node] = Ball(centre, _radius(node, centre, balls))
    return [found[x] for x in roots]


def _radius(node: Expr, centre: Expr, balls: Sequence[Ball]) -> Expr:
    (a, r), (b, s) = balls[0], balls[-1]
    match node.op:
        case "neg":
            return r
        case "add" | "sub":
            return r + s
        case "mul":
            return abs_(a) * s + (abs_(b) + s) * r
        case "div":
            # |a/b - a'/b'| ≤ (r + |a/b| s) / (|b| - s)
            return _over(r + abs_(centre) * s, abs_(b) - s)
        case "pow" if node.value >= 1:
            # a difference of powers could round to less than zero, of which there is no root
            return node.value * r * power(abs_(a) + r, node.value - 1)
        case "pow" if node.value == HALF:
            # |√a - √a'| is at most r/√a and at most √r
            return 2 * r / (centre + sqrt(r))
        case "pow":
            return power(r, node.value)
        case "sin" | "cos" | "tanh" | "abs":
            return r
        case "exp":
            # steepest at a + r, or at MUCH if that is less: beyond it the bound is huge anyway
            top = a + r
            return exp((top + MUCH - abs_(top - MUCH)) / 2) - centre
        case "log":
            return _over(r, a - r)
        case "sign":
            return ONE - sign(abs_(a) - r)
        case "atan2":
            # an angle changes by at most the way over the distance, and by a turn
            way, distance = r + s, sqrt(a**2 + b**2)
            return _over(2 * way, distance - way)
        case _:
            # the tangent has poles, inverse sines end
            return as_expr(UNKNOWN)


def _over(a: Expr, b: Expr) -> Expr:
    """Return a/b where b is positive, else `UNKNOWN`."""
    s = sign(b)
    keep, leave = s * (1 + s) / 2, (1 - s) * (2 + s) / 2
    return keep * a / (keep * b + leave) + UNKNOWN * leave
