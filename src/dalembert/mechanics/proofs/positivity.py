"""Why a mass matrix is positive: a Gram matrix of the bodies, squares in T, or its pivots."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.expr import (
    ZERO,
    Expr,
    Kind,
    Matrix,
    as_expr,
    ddt,
    free_symbols,
    gradient,
    is_kind,
    jacobian,
)
from dalembert.ring import (
    Element,
    Point,
    Ring,
    ball_all,
    canonical,
    canonical_matrix,
    determinant,
    random_point,
    ring_of,
)

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.system.body import Body
    from dalembert.mechanics.system.system import System


class GramTerm(NamedTuple):
    """One term JᵀWJ of a mass matrix; ``needs`` says what makes the weight W nonnegative."""

    weight: Matrix
    J: Matrix
    needs: str


def gram_terms(system: System) -> list[GramTerm] | None:
    """Return the terms Σ Jᵀ W J of M from the bodies, else from the squares that T shows."""
    if system.bodies:
        return None if any(map(_is_negative_body, system.bodies)) else _terms_of_bodies(system)
    return _terms_of_squares(system)


def _terms_of_bodies(system: System) -> list[GramTerm]:
    terms = []
    for body in system.bodies:
        m = as_expr(body.mass)
        Jv = jacobian(body.r.map(ddt), system.velocities)
        terms.append(GramTerm(Matrix.diagonal([m] * Jv.shape[0]), Jv, _nonnegative(m)))
        w, inertia = body.rotation_rate(), body.world_inertia()
        if w is not None and inertia is not None:
            Jw = jacobian(w, system.velocities)
            needs = _nonnegative(inertia[0]) if len(inertia) == 1 else "inertia tensor ⪰ 0"
            terms.append(GramTerm(inertia, Jw, needs))
    return terms


def _nonnegative(weight: Expr) -> str:
    """Return the hypothesis on a weight; a number needs none."""
    return "" if weight.op == "const" else f"{weight} ≥ 0"


def _is_negative_body(body: Body) -> bool:
    """Tell whether no positive parameters can make the mass or the inertia nonnegative."""
    weights = [as_expr(body.mass)]
    if isinstance(body.inertia, Matrix):
        I = body.inertia
        weights += [I[i, i] for i in range(I.shape[0])]
        if all(x.op == "const" for x in I):
            pairs = combinations(range(I.shape[0]), 2)
            weights += [I[i, i] * I[j, j] - I[i, j] * I[j, i] for i, j in pairs]
            weights.append(I.det())
    elif body.inertia is not None:
        weights.append(as_expr(body.inertia))
    return any(w is not ZERO and _is_nonnegative_weight(-w) for w in weights)


def _terms_of_squares(system: System) -> list[GramTerm] | None:
    """Read T = Σ w·(…)² off the graph as it was written; None when T is not of that shape."""
    velocities = set(system.velocities)
    terms: list[GramTerm] = []
    # signed sum of products, walked without recursion
    stack = [(system.kinetic, as_expr(1))]
    while stack:
        node, weight = stack.pop()
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
            if not _is_nonnegative_weight(weight):
                return None
            J = Matrix([gradient(node.args[0], system.velocities)])
            terms.append(GramTerm(Matrix([[2 * weight]]), J, f"{weight} ≥ 0"))
        else:
            return None
    return terms


def _moves(e: Expr, velocities: set[Expr]) -> bool:
    return any(x in velocities for x in e.symbols)


def _is_nonnegative_weight(e: Expr) -> bool:
    """Tell whether positive parameters make a weight nonnegative: sums, products, squares."""
    return is_manifestly_nonnegative(canonical(ring_of([e]), e))


def gram_sum(ring: Ring, terms: Sequence[GramTerm], n: int) -> Matrix:
    """Return the n × n matrix Σ JᵀWJ as ring elements."""
    result = Matrix([[ring.zero] * n for _ in range(n)])
    for weight, J, _ in terms:
        j, w = canonical_matrix(ring, J), canonical_matrix(ring, weight)
        result = result + j.T @ w @ j
    return result


def has_nonnegative_minors(eq: Equations) -> bool:
    """Tell whether every leading principal minor of M is manifestly nonnegative, none zero.

    Then M = L D Lᵀ with nonnegative pivots wherever no minor vanishes, which is almost everywhere,
    and M ⪰ 0 everywhere by continuity. M must be symmetric.
    """
    n = len(eq.coordinates)
    if any(not x.is_zero for x in eq.forms.M - eq.forms.M.T):
        return False
    for k in range(1, n + 1):
        block = Matrix([row[:k] for row in eq.forms.M.rows[:k]])
        value = determinant(eq.ring, block)
        if value.is_zero or not is_manifestly_nonnegative(value):
            return False
    return True


def is_manifestly_nonnegative(x: Element) -> bool:
    """Tell whether all terms are products of positive parameters and even powers.

    Each angle is tried with s² = 1 - c² and with c² = 1 - s²; both parts of a quotient must pass.
    """
    ring = x.ring
    positive = {
        i for i, g in enumerate(ring.generators) if g.op == "symbol" and is_kind(g, Kind.PARAMETER)
    }
    angles = list(range(len(ring.angles)))
    parts = [x.num] if x.is_polynomial else [x.num, x.den]
    return all(_is_nonnegative_sum(ring, p, positive, angles) for p in parts)


def _is_nonnegative_sum(
    ring: Ring, p: flint.fmpq_mpoly, positive: set[int], angles: list[int]
) -> bool:
    if _are_terms_nonnegative(p, positive):
        return True
    for position, i in enumerate(angles):
        a = ring.angles[i]
        if p.degrees()[a.cos] < 2:
            continue
        # c² = 1 - s², dividing by c² - (1 - s²) in a copy where c leads is a substitution
        swapped = _swap_cosine(ring, p, a.sin, a.cos)
        if _is_nonnegative_sum(ring, swapped, positive, angles[position + 1 :]):
            return True
    return False


def _are_terms_nonnegative(p: flint.fmpq_mpoly, positive: set[int]) -> bool:
    for exponents, k in p.to_dict().items():
        if k < 0:
            return False
        if any(int(n) % 2 for i, n in enumerate(exponents) if i not in positive):
            return False
    return True


def _swap_cosine(ring: Ring, p: flint.fmpq_mpoly, s: int, c: int) -> flint.fmpq_mpoly:
    """Write even powers of one cosine as powers of 1 - s²."""
    result = ring.context.constant(0)
    for exponents, k in p.to_dict().items():
        e = [int(n) for n in exponents]
        pairs, e[c] = divmod(e[c], 2)
        term = ring.context.from_dict({tuple(e): k})
        result = result + term * (1 - ring.element_at(s).num ** 2) ** pairs
    return result


def regular_point(eq: Equations) -> Point | None:
    """Return a rational point where det M is certainly not zero, or None when none was found."""
    for point, det in _sampled(eq, tries=5):
        if not det.contains(0):
            return point
    return None


def indefinite_point(eq: Equations) -> Point | None:
    """Return a rational point where a leading minor of M is certainly negative, or None."""
    for k in range(1, len(eq.coordinates) + 1):
        for point, minor in _sampled(eq, tries=50, size=k):
            if minor < 0:
                return point
    return None


def _sampled(
    eq: Equations, tries: int, size: int | None = None
) -> Iterator[tuple[Point, flint.arb]]:
    """Yield random points with a ball around the leading minor of the given size there."""
    rng = random.Random(1717)
    n = len(eq.coordinates) if size is None else size
    symbols = free_symbols(eq.M.entries)
    for _ in range(tries):
        point = random_point(symbols, rng)
        try:
            minor = ball_all([x for row in eq.M.rows[:n] for x in row[:n]], point)
        except ZeroDivisionError:
            continue
        if all(x.is_finite() for x in minor):
            yield point, flint.arb_mat(n, n, minor).det()
