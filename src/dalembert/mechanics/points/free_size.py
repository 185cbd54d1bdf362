"""Bounds on the degree of what is compared at free points: quotients, roots and tables too."""

from __future__ import annotations

import math
from typing import NamedTuple

from dalembert.mechanics.points.field import Graph, Size


class Quotient(NamedTuple):
    """Degrees of a numerator and a denominator, bits of their numbers, rational factors."""

    above: int
    below: int
    bits: int
    factors: int

    def times(self, n: int) -> Quotient:
        """Return the bounds of a power."""
        return Quotient(self.above * n, self.below * n, self.bits * n, self.factors * n)


def free_size_of(graph: Graph) -> Size:
    """Return bounds for every node of a graph, read as a quotient of polynomials.

    A formal root counts as what it is the root of, a table as a symbol of its own. Two arguments
    of tables that differ may agree by chance: every pair of them adds the degree again.
    """
    fractions = [n.value for n in graph.nodes if n.op == "const"]
    common = math.lcm(*(x.denominator for x in fractions)).bit_length()
    sizes: list[Quotient] = []
    tables = 0
    for i, node in enumerate(graph.nodes):
        args = [sizes[k] for k in graph.args[i]]
        match node.op:
            case "const":
                size = Quotient(0, 0, abs(node.value).__ceil__().bit_length(), 1)
            case "mul":
                a, b = args
                size = Quotient(*(x + y for x, y in zip(a, b, strict=True)))
            case "div":
                a, b = args
                size = Quotient(
                    a.above + b.below, a.below + b.above, a.bits + b.bits, a.factors + b.factors
                )
            case "add" | "sub":
                size = _sum(*args)
            case "neg":
                size = args[0]
            case "pow":
                n = node.value
                size = args[0].times(abs(n.numerator))
                if n < 0:
                    size = size._replace(above=size.below, below=size.above)
            case "abs":
                size = args[0].times(2)
            case "sin" | "cos":
                n = sum(abs(k) for k in graph.turns(i).values())
                size = Quotient(2 * n, 0, 2 * n, 0)
            case "symbol" | "pi":
                size = Quotient(1, 0, 1, 0)
            case _:
                tables += 1
                size = Quotient(1, 0, 1, 0)
        sizes.append(size)
    degree = max((x.above + x.below for x in sizes), default=0)
    bits = max((x.bits for x in sizes), default=0)
    count = max((x.factors for x in sizes), default=0)
    return Size(degree * (1 + tables * (tables - 1) // 2), bits + common * count)


def _sum(a: Quotient, b: Quotient) -> Quotient:
    if not a.below and not b.below:
        return Quotient(
            max(a.above, b.above), 0, max(a.bits, b.bits) + 1, max(a.factors, b.factors)
        )
    above = max(a.above + b.below, b.above + a.below)
    return Quotient(above, a.below + b.below, a.bits + b.bits + 1, a.factors + b.factors)
