"""Why a mass matrix is positive: a Gram matrix of the bodies, squares in T, or its minors."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.expr import (
    Expr,
    Matrix,
    as_expr,
    ddt,
    free_symbols,
    gradient,
    jacobian,
)
from dalembert.mechanics.proofs.hypotheses import Hypothesis, nonnegative, nonnegative_inertia
from dalembert.mechanics.proofs.nonnegative import is_manifestly_nonnegative
from dalembert.ring import (
    Point,
    Ring,
    ball_all,
    canonical_matrix,
    defined_balls,
    determinant,
    random_point,
)

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.system.system import System

MAX_PRINCIPAL = 4
"""Largest M of which all principal minors are looked at: 15 of them."""
TRIES, PRECISION = 50, 128
"""Points at which minors are looked at, and bits of their balls."""


class GramTerm(NamedTuple):
    """One term JᵀWJ of a mass matrix; it is nonnegative where the hypothesis holds."""

    weight: Matrix
    J: Matrix
    needs: Hypothesis


def gram_terms(system: System) -> list[GramTerm] | None:
    """Return the terms Σ Jᵀ W J of M from the bodies, else from the squares that T shows."""
    return _terms_of_bodies(system) if system.bodies else _terms_of_squares(system)


def _terms_of_bodies(system: System) -> list[GramTerm]:
    terms = []
    for body in system.bodies:
        m = as_expr(body.mass)
        Jv = jacobian(body.r.map(ddt), system.velocities)
        terms.append(GramTerm(Matrix.diagonal([m] * Jv.shape[0]), Jv, nonnegative(m)))
        w, inertia = body.rotation_rate(), body.world_inertia()
        if w is not None and inertia is not None:
            Jw = jacobian(w, system.velocities)
            terms.append(GramTerm(inertia, Jw, nonnegative_inertia(body.inertia)))
    return terms


def _terms_of_squares(system: System) -> list[GramTerm] | None:
    """Read T = Σ w·(…)² off the graph as it was written; None when it shows none."""
    velocities = set(system.velocities)
    terms: list[GramTerm] = []
    # signed sum of products, walked without recursion
    stack = [(system.kinetic, as_expr(1))]
    while stack:
        node, weight = stack.pop()
        if not _moves(node, velocities):
            # M knows nothing of energy that is there at rest, whatever its sign
            continue
        if node.op == "add":
            stack += [(arg, weight) for arg in node.args]
        elif node.op == "mul":
            constant_side = next((x for x in node.args if not _moves(x, velocities)), None)
            if constant_side is None:
                return None
            other = node.args[1] if node.args[0] is constant_side else node.args[0]
            stack.append((other, weight * constant_side))
        elif node.op == "div" and not _moves(node.args[1], velocities):
            stack.append((node.args[0], weight / node.args[1]))
        elif node.op == "pow" and node.value == 2:
            J = Matrix([gradient(node.args[0], system.velocities)])
            terms.append(GramTerm(Matrix([[2 * weight]]), J, nonnegative(2 * weight)))
        else:
            return None
    # a bare Lagrangian shows none; the graph keeps a sum in the order in which its parts were made
    return sorted(terms, key=lambda term: term.needs.text) or None


def _moves(e: Expr, velocities: set[Expr]) -> bool:
    return any(x in velocities for x in e.symbols)


def gram_sum(ring: Ring, terms: Sequence[GramTerm], n: int) -> Matrix:
    """Return the n × n matrix Σ JᵀWJ as ring elements."""
    result = Matrix([[ring.zero] * n for _ in range(n)])
    for weight, J, _ in terms:
        j, w = canonical_matrix(ring, J), canonical_matrix(ring, weight)
        result = result + j.T @ w @ j
    return result


def has_nonnegative_minors(eq: Equations) -> bool:
    """Tell whether the minors of a symmetric M show that M ⪰ 0.

    In a complete ring the leading ones do, if none is zero and all are manifestly nonnegative: then
    M = L D Lᵀ with positive pivots almost everywhere, since the functions are analytic, and M ⪰ 0
    everywhere by continuity. Otherwise a minor may vanish on a region without being zero, and all
    principal minors are needed.
    """
    n, M = len(eq.coordinates), eq.forms.M
    if any(not x.is_surely_zero for x in M - M.T):
        return False
    if eq.ring.is_complete:
        blocks = [tuple(range(k)) for k in range(1, n + 1)]
    elif n <= MAX_PRINCIPAL:
        blocks = [rows for k in range(1, n + 1) for rows in combinations(range(n), k)]
    else:
        return False
    for rows in blocks:
        value = determinant(eq.ring, Matrix([[M[i, j] for j in rows] for i in rows]))
        if eq.ring.is_complete and not value.is_surely_nonzero:
            return False
        if not is_manifestly_nonnegative(value):
            return False
    return True


def regular_point(M: Matrix, witness: Point, where: Sequence[Expr] = ()) -> Point | None:
    """Return a rational point where det M is certainly not zero, or None when none was found.

    The point agrees with ``witness``, where the hypotheses hold, and ``where`` is defined there.
    """
    for point, det in _sampled(M, witness, where, tries=TRIES if where else 5, size=M.shape[0]):
        if not det.contains(0):
            return point
    return None


def indefinite_point(M: Matrix, where: Sequence[Expr] = ()) -> Point | None:
    """Return a rational point where a leading minor of M is certainly negative, or None.

    The expressions ``where`` are defined there.
    """
    for k in range(1, M.shape[0] + 1):
        for point, minor in _sampled(M, {}, where, tries=TRIES, size=k):
            if minor < 0:
                return point
    return None


def _sampled(
    M: Matrix, witness: Point, where: Sequence[Expr], tries: int, size: int
) -> Iterator[tuple[Point, flint.arb]]:
    """Yield random points with a ball around the leading minor of the given size there."""
    rng = random.Random(1717)
    symbols, inside = free_symbols([*M.entries, *where]), free_symbols(M.entries)
    for _ in range(tries):
        point = random_point(symbols, rng) | {x: k for x, k in witness.items() if x in symbols}
        if where and defined_balls(where, point, PRECISION) is None:
            continue
        try:
            minor = ball_all([x for row in M.rows[:size] for x in row[:size]], point)
        except ZeroDivisionError:
            continue
        if all(x.is_finite() for x in minor):
            shown = {x: point[x] for x in symbols if x in inside}
            yield shown, flint.arb_mat(size, size, minor).det()
