"""M and h = C q̇ + N of large equations as graphs, for print: derived from L, not multiplied out.

What the ring holds of a seven-joint arm has a hundred thousand terms; the graph that Lagrange's
method makes of L has a few thousand nodes, and its parts can be named.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.errors import DalembertError
from dalembert.expr import Expr, ddt_all, gradient
from dalembert.expr.substitute import substitute
from dalembert.ring import Element

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

TOLERANCE = 1e-9
TRIES = 3


class GraphForm(NamedTuple):
    """The lower half of M, row by row, and h, as expressions."""

    M: list[list[Expr]]
    h: list[Expr]


def graph_form(eq: Equations) -> GraphForm | None:
    """Return M = ∂²L/∂q̇² and h = d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇ at q̈ = 0, as they are derived.

    None if they are not the equations' own, as when a matrix was replaced by a claim: both are
    evaluated at random points and compared with the canonical forms.
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
    """Tell whether graphs and canonical forms have the same values at a random point."""
    from dalembert.expr.evaluate import evaluate

    draw = random.Random(len(graphs))
    symbols = [g for g in eq.ring.generators if g.op == "symbol"]
    for _ in range(TRIES):
        point = {x: draw.uniform(0.3, 1.7) for x in symbols}
        try:
            expected = evaluate(graphs, point)
            generators = [float(x) for x in evaluate(eq.ring.generators, point)]
        except DalembertError:
            continue
        return all(
            math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
            for x, y in zip(map(float, expected), _values(eq, generators), strict=True)
        )
    return False


def _values(eq: Equations, generators: Sequence[float]) -> list[float]:
    """Return the lower half of M, row by row, and h = C q̇ + N, at values of the generators."""
    exact = [flint.fmpq(*x.as_integer_ratio()) for x in generators]
    n, f = len(eq.coordinates), eq.forms
    v = [exact[eq.ring.index[x]] for x in eq.velocities]
    found = [_value(f.M[i, j], exact) for i in range(n) for j in range(i + 1)]
    for k in range(n):
        products = (_value(f.C[k, j], exact) * v[j] for j in range(n))
        found.append(sum(products, _value(f.N[k], exact)))
    return [int(x.p) / int(x.q) for x in found]


def _value(x: Element, generators: Sequence[flint.fmpq]) -> flint.fmpq:
    return x.num(*generators) / (1 if x.is_polynomial else x.den(*generators))
