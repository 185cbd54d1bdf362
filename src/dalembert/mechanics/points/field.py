"""Expressions at random points of prime fields: identities too large to expand.

`ring.prime_point` says why. On the circle the bound holds with 2d: a polynomial of degree d in s
and c has at most 2d zeros.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dalembert.errors import Undecided
from dalembert.expr import ONE, Expr, postorder
from dalembert.mechanics.points.surds import inverse, root_of
from dalembert.ring.forms import linear_form
from dalembert.ring.prime_point import PrimePoint, error_chance, random_prime

BITS = 127
POINTS = 2
TURNING = ("sin", "cos")


class Graph:
    """Expressions with one place for every node, operands first."""

    def __init__(self, exprs: Sequence[Expr]) -> None:
        self.nodes = postorder(list(exprs))
        self.place = {node: i for i, node in enumerate(self.nodes)}
        self.args = [tuple(self.place[arg] for arg in node.args) for node in self.nodes]
        self.forms = {
            i: linear_form(node.args[0]) for i, node in enumerate(self.nodes) if node.op in TURNING
        }
        # an angle comes in whole multiples of term / unit
        self.units: dict[Expr, int] = {}
        for form in self.forms.values():
            for term, k in form.items():
                self.units[term] = math.lcm(self.units.get(term, 1), k.denominator)

    def turns(self, i: int) -> dict[Expr, int]:
        """Return how often each term's smallest angle stands in the argument of a sine."""
        return {term: int(k * self.units[term]) for term, k in self.forms[i].items()}


class Size(NamedTuple):
    """Bounds on the degree of a polynomial, and on the bits of its integer coefficients."""

    degree: int
    bits: int

    @property
    def chance(self) -> Fraction:
        """Bound on the chance that a polynomial which is not zero vanishes at a random point."""
        return error_chance(self.degree, self.bits, BITS)

    def __str__(self) -> str:
        exponent = POINTS * (math.floor(1 / self.chance).bit_length() - 1)
        return (
            f"equal at {POINTS} random points of prime fields of {BITS} bits, degree at most "
            f"{self.degree}: the chance of error is below 2^-{exponent} (Schwartz–Zippel)"
        )


def size_of(graph: Graph) -> Size:
    """Return bounds for every node of a graph: degree in t of s = 2t/(1+t²), c = (1-t²)/(1+t²)."""
    fractions = [n.value for n in graph.nodes if n.op == "const"]
    common = math.lcm(*(x.denominator for x in fractions)).bit_length()
    # (degree, bits without denominators, number of rational factors)
    sizes: list[tuple[int, int, int]] = []
    for i, node in enumerate(graph.nodes):
        args = [sizes[k] for k in graph.args[i]]
        match node.op:
            case "const":
                size = (0, abs(node.value).__ceil__().bit_length(), 1)
            case "symbol":
                size = (1, 1, 0)
            case "mul":
                (a, b, c), (d, e, f) = args
                size = (a + d, b + e, c + f)
            case "add" | "sub" | "neg":
                degree, bits, count = (max(column) for column in zip(*args, strict=True))
                size = (degree, bits + 1, count)
            case "pow" if node.value.denominator == 1 and node.value > 0:
                n = int(node.value)
                size = (args[0][0] * n, args[0][1] * n, args[0][2] * n)
            case "sin" | "cos":
                n = sum(abs(k) for k in graph.turns(i).values())
                size = (2 * n, 2 * n, 0)
            case "sign":
                size = (1, 1, 0)
            case _:
                raise _no_polynomial(node)
        sizes.append(size)
    degree, bits, count = (max(column, default=0) for column in zip(*sizes, strict=True))
    return Size(degree, bits + common * count)


class FieldPoint(PrimePoint):
    """A random point of a random prime field; ``has_tables`` once a sign stood for its table.

    What vanishes there may still differ from zero where a function stands for a random table. If
    it is ``free``, every function that is no polynomial is a table, and roots are formal ones.
    """

    def __init__(self, rng: random.Random, *, free: bool = False, p: int | None = None) -> None:
        super().__init__(rng, p or random_prime(rng, BITS))
        self.free = free
        self.has_tables = False

    def sincos(self, turns: Mapping[Expr, int]) -> tuple[int, int]:
        """Return sine and cosine of a sum of whole multiples of angles."""
        pair = (0, 1)
        for term, n in turns.items():
            key: Hashable = term
            if term.op != "symbol" and term is not ONE:
                # relations such as sin π/6 = ½ are lost
                self.has_tables = True
                if self.free:
                    # one term in two spellings is one angle
                    key = ("angle", self.values(Graph([term]))[-1])
            pair = self.turned(pair, key, n)
        return pair

    def values(self, graph: Graph) -> list[Any]:
        """Return the value of every node; where there are roots, some are `Surd`."""
        p = self.p
        values: list[Any] = []
        for i, node in enumerate(graph.nodes):
            args = [values[k] for k in graph.args[i]]
            match node.op:
                case "const":
                    x = node.value.numerator * self.inverse(node.value.denominator)
                case "symbol":
                    x = self.value(node)
                case "add":
                    x = args[0] + args[1]
                case "sub":
                    x = args[0] - args[1]
                case "mul":
                    x = args[0] * args[1]
                case "div":
                    x = args[0] * inverse(args[1], p)
                case "neg":
                    x = -args[0]
                case "pow" if node.value.denominator == 1 or self.free:
                    x = self._power(args[0], node.value)
                case "sin":
                    x = self.sincos(graph.turns(i))[0]
                case "cos":
                    x = self.sincos(graph.turns(i))[1]
                case "abs" if self.free:
                    # |x|² = x²
                    x = root_of(args[0] * args[0] % p, 2, p)
                case "sign":
                    self.has_tables = True
                    x = self.value(("sign", args[0]))
                case _ if self.free:
                    self.has_tables = True
                    x = self.value((node.op, node.value, *args))
                case _:
                    raise _no_polynomial(node)
            values.append(x % p)
        return values

    def _power(self, x: Any, n: Fraction) -> Any:
        root = x if n.denominator == 1 else root_of(x, n.denominator, self.p)
        k = n.numerator
        return inverse(pow(root, -k, self.p), self.p) if k < 0 else pow(root, k, self.p)

    def rates(self, graph: Graph, values: Sequence[int], seeds: Mapping[Expr, int]) -> list[int]:
        """Return the derivative of every node in the direction of the seeds of the symbols."""
        p = self.p
        rates: list[int] = []
        for i, node in enumerate(graph.nodes):
            at = graph.args[i]
            match node.op:
                case "symbol":
                    x = seeds.get(node, 0)
                case "const" | "sign":
                    x = 0
                case "add":
                    x = rates[at[0]] + rates[at[1]]
                case "sub":
                    x = rates[at[0]] - rates[at[1]]
                case "mul":
                    x = rates[at[0]] * values[at[1]] + values[at[0]] * rates[at[1]]
                case "neg":
                    x = -rates[at[0]]
                case "pow":
                    n = int(node.value)
                    x = n * pow(values[at[0]], n - 1, p) * rates[at[0]]
                case "sin":
                    x = rates[at[0]] and self.sincos(graph.turns(i))[1] * rates[at[0]]
                case "cos":
                    x = rates[at[0]] and -self.sincos(graph.turns(i))[0] * rates[at[0]]
                case _:
                    raise _no_polynomial(node)
            rates.append(x % p)
        return rates


def null_space(A: Sequence[Sequence[int]], n: int, p: int) -> list[list[int]]:
    """Return a basis of {z : A z = 0} over the field of p elements, for rows of n entries."""
    rows = [[x % p for x in row] for row in A]
    pivots: list[int] = []
    for j in range(n):
        i = next((i for i in range(len(pivots), len(rows)) if rows[i][j]), None)
        if i is None:
            continue
        at = len(pivots)
        rows[at], rows[i] = rows[i], rows[at]
        inverse = pow(rows[at][j], -1, p)
        rows[at] = [x * inverse % p for x in rows[at]]
        # column j vanishes outside the pivot row
        for k, row in enumerate(rows):
            if k != at and row[j]:
                rows[k] = [(x - row[j] * y) % p for x, y in zip(row, rows[at], strict=True)]
        pivots.append(j)
    basis = []
    for j in (j for j in range(n) if j not in pivots):
        z = [int(k == j) for k in range(n)]
        for row, pivot in zip(rows, pivots, strict=False):
            z[pivot] = -row[j] % p
        basis.append(z)
    return basis


def _no_polynomial(node: Expr) -> Undecided:
    return Undecided(
        f"expected polynomials in symbols, sines and cosines for random points, got {node.op}: "
        "prove it in the ring"
    )
