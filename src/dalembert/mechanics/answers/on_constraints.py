"""Decide whether a difference vanishes wherever the constraints of a system hold."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import TYPE_CHECKING, Any

import flint

from dalembert.expr import Expr, Matrix, ddt, substitute
from dalembert.expr.calculus import diff
from dalembert.mechanics.answers.at_a_point import differs_on_constraints
from dalembert.ring import Element, Ring, canonical_all, partials, rebuild, ring_of, row_reduce
from dalembert.ring.budget import check_terms

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

ROUNDS = 4
MAX_GIVEN = 12
"""Polynomials from which a Gröbner basis is tried."""
MAX_TERMS = 5_000
"""Terms of a difference that is divided by the constraints."""
LIMITS = (30, 60, 256)
"""Polynomials of a basis, terms and bits of each."""


def vanishes_on_constraints(eq: Equations, x: Element) -> bool:
    """Tell whether x is proved zero on a(q, t) = 0 and A q̇ + b = 0.

    Coordinates that a constraint gives as a linear function of others are replaced, and so are
    the velocities that the constraints determine. Then the numerator is divided by the constraints
    that are left: a remainder of zero shows that it is a combination of them. False means that no
    such proof was found.
    """
    if differs_on_constraints(eq, x):
        return False
    e = rebuild(x.ring.polynomial(x.over_one().num))
    positions = list(eq.system.constraints)
    velocities = [*map(ddt, positions), *eq.system.velocity_constraints]
    e, positions, velocities = _without_linear_coordinates(eq, e, positions, velocities)
    ring = ring_of([e, *positions, *velocities], eq.velocities)
    (element, *rest) = canonical_all(ring, [e, *positions, *velocities])
    a, phi = rest[: len(positions)], rest[len(positions) :]
    p = _without_dependent_rates(eq, element, phi).over_one().num
    divisors = _basis(ring, [c.over_one().num for c in a if not c.is_surely_zero])
    for _ in range(ROUNDS):
        for divisor in divisors:
            check_terms(len(p), MAX_TERMS)
            p = divmod(p, divisor)[1]
    return not ring.reduce(p)


def _basis(ring: Ring, constraints: Sequence[flint.fmpq_mpoly]) -> list[flint.fmpq_mpoly]:
    """Return a Gröbner basis of the constraints and the relations of the ring, or part of one.

    A basis that would grow too large is not completed; what it has still vanishes.
    """
    relations = [
        ring.element_at(r.place).polynomial ** r.degree - r.value.polynomial
        for r in ring.relations
        if r.value.is_polynomial
    ]
    given = [*constraints, *relations]
    if len(constraints) == 0 or len(given) > MAX_GIVEN:
        return given
    names = [str(x) for x in ring.context.names()]
    whole = flint.fmpz_mpoly_ctx.get(names, flint.Ordering.lex)
    vector = flint.fmpz_mpoly_vec([_whole(whole, p) for p in given], whole)
    found: Any = vector.buchberger_naive(limits=LIMITS)
    return [ring.context.from_dict(p.to_dict()) for p in found[0]]


def _whole(context: flint.fmpz_mpoly_ctx, p: flint.fmpq_mpoly) -> flint.fmpz_mpoly:
    """Return a polynomial with whole coefficients, a multiple of p."""
    terms = p.to_dict()
    common = lcm(*(int(k.q) for k in terms.values()))
    return context.from_dict({e: int((k * common).p) for e, k in terms.items()})


def _without_linear_coordinates(
    eq: Equations, e: Expr, positions: list[Expr], velocities: list[Expr]
) -> tuple[Expr, list[Expr], list[Expr]]:
    """Return all with coordinates replaced that occur in a constraint with a number as factor."""
    for number in range(len(positions)):
        a = positions[number]
        for q in eq.coordinates:
            slope = diff(a, q)
            if slope.op == "const" and slope.value:
                value = q - a / slope
                e, *others = substitute([e, *positions, *velocities], {q: value})
                positions = others[: len(positions)]
                velocities = others[len(positions) :]
                break
    return e, positions, velocities


def _without_dependent_rates(eq: Equations, x: Element, phi: Sequence[Element]) -> Element:
    """Return x with the velocities replaced that the constraints φ = 0 give by the others."""
    ring, v = x.ring, eq.velocities
    d = partials(ring, v)
    rates = ring.column(v)
    A = [[dj(f) for dj in d] for f in phi]
    b = [f - Matrix.column(row).dot(rates) for f, row in zip(phi, A, strict=True)]
    rows, pivots = row_reduce(ring, Matrix([[*row, c] for row, c in zip(A, b, strict=True)]))
    for row, j in zip(rows, pivots, strict=True):
        if j < len(v):
            # q̇ⱼ = -Σ aₖ q̇ₖ - b over the others
            others = [*rates, ring.one]
            value = ring.zero
            for k, (entry, rate) in enumerate(zip(row, others, strict=True)):
                if k != j:
                    value = value - entry * rate
            x = _replaced(ring, x, ring.index[v[j]], value)
    return x


def _replaced(ring: Ring, x: Element, i: int, value: Element) -> Element:
    """Return x with the i-th generator replaced by an element."""
    num, den = x.over_one()
    return _composed(ring, num, i, value) / _composed(ring, den, i, value)


def _composed(ring: Ring, p: flint.fmpq_mpoly, i: int, value: Element) -> Element:
    parts: dict[int, dict[tuple[int, ...], flint.fmpq]] = {}
    for exponents, k in p.to_dict().items():
        e = [int(n) for n in exponents]
        power, e[i] = e[i], 0
        parts.setdefault(power, {})[tuple(e)] = k
    total = ring.zero
    for power, terms in parts.items():
        total = total + ring.polynomial(ring.context.from_dict(terms)) * value**power
    return total
