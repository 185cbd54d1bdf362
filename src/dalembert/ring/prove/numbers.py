"""Decide whether an algebraic number, written with roots and cosines of parts of π, is zero.

E = U/L with algebraic integers U and L. When all conjugates of U are at most 2ᵘ, those of L at most
2ˡ, and the degree is at most D, then E = 0 or |E| ≥ 2^-(u (D - 1) + l): a ball smaller than that
around 0 proves E = 0. (Burnikel, Fleischer, Mehlhorn, Schirra: A strong and easily computable
separation bound for arithmetic expressions involving radicals, Algorithmica 27, 2000.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, log2
from typing import NamedTuple

import flint

from dalembert.expr import PI, Expr, postorder
from dalembert.ring.balls import defined_balls

MAX_BITS = 60_000
# bits of the bound times nodes: about a tenth of a second
MAX_WORK = 2_000_000
# bounds are sums of logarithms in floating point: every step is rounded up by this
SLACK = 1e-6


class Size(NamedTuple):
    """Logarithms to base 2 of bounds on all conjugates of numerator and denominator."""

    u: float
    l: float


def is_zero_number(e: Expr) -> bool | None:
    """Tell whether a constant is zero; None when it is not algebraic or its bound is too fine.

    >>> from dalembert.expr import sqrt
    >>> is_zero_number(sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3))
    True
    """
    nodes = postorder([e])
    if not all(map(_is_algebraic, nodes)):
        return None
    sizes: dict[Expr, Size] = {}
    for node in nodes:
        sizes[node] = _size(node, sizes)
    u, l = sizes[e]
    bound = u * (_degree(nodes, sizes) - 1) + l + 2
    precision, most = 64, min(2 * bound + 256, MAX_BITS, MAX_WORK / len(nodes))
    while precision < most:
        values = defined_balls([e], {}, precision)
        if values is not None:
            if not values[0].contains(0):
                return False
            # |E| < 2^-bound
            if abs(values[0]) < flint.arb(2) ** flint.arb(-int(bound) - 1):
                return True
        precision *= 2
    return None


def _is_algebraic(node: Expr) -> bool:
    if node.op in ("sin", "cos"):
        return _turns(node.args[0]) is not None
    return node.op in ("const", "pi", "add", "sub", "mul", "div", "neg", "pow")


def _turns(angle: Expr) -> Fraction | None:
    """Return r where the angle is r π."""
    if angle is PI:
        return Fraction(1)
    if angle.op == "mul" and angle.args[0].op == "const" and angle.args[1] is PI:
        return angle.args[0].value
    return None


def _size(node: Expr, sizes: Mapping[Expr, Size]) -> Size:
    match node.op, *(sizes[arg] for arg in node.args):
        case ("const",):
            value: Fraction = node.value
            return Size(_bits(abs(value.numerator)), _bits(value.denominator))
        case (("add" | "sub"), a, b):
            # (U₁ L₂ ± U₂ L₁)/(L₁ L₂)
            return Size(max(a.u + b.l, b.u + a.l) + 1 + SLACK, a.l + b.l + SLACK)
        case "mul", _, _ if _is_even_multiple(node):
            # k sin(r π) = k/2 · 2 sin(r π)
            return Size(_bits(abs(int(node.args[0].value)) // 2) + 1, 0)
        case "mul", a, b:
            return Size(a.u + b.u + SLACK, a.l + b.l + SLACK)
        case "div", a, b:
            return Size(a.u + b.l + SLACK, a.l + b.u + SLACK)
        case "pow", a:
            r = float(node.value)
            return Size(r * a.u + SLACK, r * a.l + SLACK)
        case (("sin" | "cos"), _):
            # 2 cos(r π) is an algebraic integer whose conjugates are at most 2
            return Size(1, 1)
        case "neg", a:
            return a
        case _:
            return Size(0, 0)


def _is_even_multiple(node: Expr) -> bool:
    k, wave = node.args
    return wave.op in ("sin", "cos") and k.op == "const" and (k.value / 2).denominator == 1


def _bits(n: int) -> float:
    return log2(n) + SLACK if n > 1 else 0.0


def _degree(nodes: Sequence[Expr], sizes: Mapping[Expr, Size]) -> int:
    """Return a bound on the degree of the field of numerator and denominator."""
    degree = 1
    turns = [_turns(n.args[0]) for n in nodes if n.op in ("sin", "cos")]
    if turns:
        # all sines and cosines lie in the field of the 4N-th roots of unity
        degree = int(flint.fmpz(4 * lcm(*(r.denominator for r in turns if r))).euler_phi())
    for node in nodes:
        if node.op == "pow" and node.value.denominator != 1:
            n = node.value.denominator
            # the root of a quotient is a quotient of two roots
            degree *= n * n if sizes[node.args[0]].l > 2 * SLACK * len(nodes) else n
    return degree
