"""M and h = C q̇ + N of large equations as graphs, for print: derived from L, not multiplied out.

What the ring holds of a seven-joint arm has a hundred thousand terms; the graph that Lagrange's
method makes of L has a few thousand nodes, and its parts can be named.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.errors import Undecided
from dalembert.expr import Expr, ddt_all, gradient, total
from dalembert.expr.substitute import substitute
from dalembert.mechanics.points.field import FieldPoint, Graph
from dalembert.ring import Element
from dalembert.ring.prime_point import Pole

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

TRIES = 3


class GraphForm(NamedTuple):
    """The lower half of M, row by row, and h, as expressions."""

    M: list[list[Expr]]
    h: list[Expr]

    def residuals(self, accelerations: Sequence[Expr], right: Sequence[Expr]) -> list[Expr]:
        """Return M q̈ + h less the right sides, row by row."""
        n = len(self.h)
        entry = [[self.M[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        return [
            total([*(x * a for x, a in zip(row, accelerations, strict=True)), h, -side])
            for row, h, side in zip(entry, self.h, right, strict=True)
        ]


def graph_form(eq: Equations) -> GraphForm | None:
    """Return M = ∂²L/∂q̇² and h = d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇ at q̈ = 0, as they are derived.

    None if they are not the equations' own, as when a matrix was replaced by a claim: both are
    compared with the canonical forms at a random point of a prime field.
    """
    system, v = eq.system, eq.velocities
    L = system.lagrangian
    momenta = gradient(L, v)
    M = [gradient(p, v[: i + 1]) for i, p in enumerate(momenta)]
    slopes, drag = gradient(L, system.coordinates), gradient(system.dissipation, v)
    rates = substitute(ddt_all(momenta), dict.fromkeys(system.accelerations, 0))
    h = [rate - slope + r for rate, slope, r in zip(rates, slopes, drag, strict=True)]
    graphs = [x for row in M for x in row] + h
    return GraphForm(M, h) if _agree(eq, graphs) else None


def _agree(eq: Equations, graphs: Sequence[Expr]) -> bool:
    """Tell whether graphs and canonical forms are equal at a random point of a prime field.

    Exactly: those that differ agree there with a chance of about 2⁻¹²⁰.
    """
    rng = random.Random(len(graphs))
    graph = Graph([*graphs, *eq.ring.generators])
    for _ in range(TRIES):
        point = FieldPoint(rng)
        try:
            values = point.values(graph)
            expected = [values[graph.place[x]] for x in graphs]
            generators = [values[graph.place[g]] for g in eq.ring.generators]
            return expected == _values(eq, generators, point)
        except Pole:
            continue
        except Undecided:
            # a root or another function, which no field has
            return False
    return False


def _values(eq: Equations, generators: Sequence[int], point: FieldPoint) -> list[int]:
    """Return the lower half of M, row by row, and h = C q̇ + N, at values of the generators."""
    whole = [flint.fmpq(x) for x in generators]

    def residue(x: flint.fmpq) -> int:
        return int(x.p) * point.inverse(int(x.q)) % point.p

    def at(x: Element) -> int:
        total = residue(x.whole(*whole)) if x.whole else 0
        for key, p in (x.fractions or {}).items():
            part = residue(p(*whole))
            for number, e in key:
                below = residue(x.ring.denominators.factors[number].poly(*whole))
                part = part * pow(point.inverse(below), e, point.p)
            total += part
        return total % point.p

    n, f = len(eq.coordinates), eq.forms
    v = [generators[eq.ring.index[x]] for x in eq.velocities]
    found = [at(f.M[i, j]) for i in range(n) for j in range(i + 1)]
    for k in range(n):
        found.append((sum(at(f.C[k, j]) * v[j] for j in range(n)) + at(f.N[k])) % point.p)
    return found
