"""Solve systems of polynomial equations in closed form, by factors and one unknown at a time.

Every equation is split into its factors, each a branch. In a branch the simplest equation gives an
unknown: a linear one directly, a quadratic one by a root; it is put into the others. Where none is
simple, a resultant of two equations removes an unknown. Coefficients are expressions of parameters,
which take no special values: a coefficient that is not identically zero counts as nonzero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import flint

from dalembert.errors import DivisionByZero, TooLarge, Undecided
from dalembert.expr import Expr, count_nodes, substitute
from dalembert.mechanics.small_motions.roots import coefficients, real_roots
from dalembert.ring import Element, Ring, canonical_all, is_zero, rebuild, ring_of
from dalembert.ring.factors import factors

MAX_BRANCHES = 400
MAX_TERMS = 400
MAX_RESULTANTS = 6
MAX_NODES = 4000


class Solution(NamedTuple):
    """Values of the unknowns, and expressions that must be nonnegative for them to be real.

    Unknowns without a value are free.
    """

    values: dict[Expr, Expr]
    conditions: tuple[Expr, ...]


class _Branch(NamedTuple):
    equations: tuple[Expr, ...]
    values: dict[Expr, Expr]
    conditions: tuple[Expr, ...] = ()
    nonzero: tuple[Expr, ...] = ()
    resultants: int = 0


def solve_system(equations: Sequence[Expr], unknowns: Sequence[Expr]) -> list[Solution]:
    """Return all real solutions for generic positive parameters, in closed form.

    Raises:
        Undecided: there is no closed form, or not with the effort that is allowed.
    """
    work = [_Branch(tuple(equations), {})]
    found: list[Solution] = []
    for _ in range(MAX_BRANCHES):
        if not work:
            return found
        branch = work.pop()
        try:
            more = _step(branch, unknowns)
        except (TooLarge, DivisionByZero) as error:
            raise Undecided(f"expected equations of moderate size, got {error}") from None
        if more is None:
            solution = _finished(branch, equations, unknowns)
            if solution is not None and not any(_same(solution, x) for x in found):
                found.append(solution)
        else:
            work += more
    raise Undecided("expected equations with few solutions, got more branches than are followed")


def _step(branch: _Branch, unknowns: Sequence[Expr]) -> list[_Branch] | None:
    """Return the branches that follow, or None when no equation is left."""
    if count_nodes(branch.equations) > MAX_NODES:
        raise Undecided("expected short equations, got ones that grow")
    ring = ring_of(branch.equations, unknowns)
    places = [ring.index[u] for u in unknowns]
    split = []
    for x in canonical_all(ring, branch.equations):
        if is_zero(x):
            continue
        moving = _moving_factors(ring, x, places)
        if not moving:
            # a number, or a relation of parameters that does not hold in general
            return []
        split.append((x, moving))
    if not split:
        return None
    best = min(split, key=lambda item: max(_cost(f, places) for f in item[1]))
    others = tuple(rebuild(_numerator(x)) for x, _ in split if x is not best[0])
    result: list[_Branch] = []
    for f in best[1]:
        result += _resolve(branch, ring, f, others, places)
    return result


def _numerator(x: Element) -> Element:
    return Element(x.ring, x.over_one().num)


def _moving_factors(ring: Ring, x: Element, places: Sequence[int]) -> list[Element]:
    """Return the factors that contain an unknown."""
    num = x.over_one().num
    if len(num) > MAX_TERMS:
        raise Undecided(f"expected equations of at most {MAX_TERMS} terms, got {len(num)}")
    found = [Element(ring, f) for f, _ in factors(num)[1]]
    return [f for f in found if any(f.involves(i) for i in places)]


def _cost(f: Element, places: Sequence[int]) -> tuple[int, int, int, int]:
    """Order factors: one unknown and low degree first, then linear ones, then short ones."""
    inside = [i for i in places if f.involves(i)]
    degrees = [_degree(f.polynomial, i) for i in inside]
    if len(inside) == 1:
        return (0, degrees[0], 0, len(f))
    plain = any(_degree(f.polynomial, i) == 1 and _is_fixed(f, i, places) for i in inside)
    return (1 if plain else 2 if 1 in degrees else 3, len(inside), min(degrees), len(f))


def _degree(p: flint.fmpq_mpoly, i: int) -> int:
    return int(p.degrees()[i])


def _is_fixed(f: Element, i: int, places: Sequence[int]) -> bool:
    """Tell whether the coefficient of a linear unknown contains no other unknown."""
    a, _ = _linear_parts(f, i)
    return not any(a.involves(j) for j in places)


def _linear_parts(f: Element, i: int) -> tuple[Element, Element]:
    """Return (a, b) of a x + b."""
    parts = coefficients(f, i)
    return parts[1], parts.get(0, f.ring.zero)


def _resolve(
    branch: _Branch, ring: Ring, f: Element, others: tuple[Expr, ...], places: Sequence[int]
) -> list[_Branch]:
    """Return the branches in which a factor vanishes."""
    inside = [i for i in places if f.involves(i)]
    if len(inside) == 1:
        roots = real_roots(coefficients(f, inside[0]))
        u = ring.generators[inside[0]]
        return [_with_value(branch, others, u, value, conditions) for value, conditions in roots]
    linear = [i for i in inside if _degree(f.polynomial, i) == 1]
    for i in sorted(linear, key=lambda i: not _is_fixed(f, i, places)):
        a, b = _linear_parts(f, i)
        u, slope = ring.generators[i], rebuild(a)
        solved = _with_value(branch, others, u, rebuild(-b / a), ())
        if _is_fixed(f, i, places):
            return [solved]
        # either the slope vanishes, and b with it, or it does not
        special = branch._replace(equations=(*others, slope, rebuild(b)))
        return [special, solved._replace(nonzero=(*solved.nonzero, slope))]
    return [_with_resultant(branch, ring, f, others, inside)]


def _with_value(
    branch: _Branch, others: tuple[Expr, ...], u: Expr, value: Expr, conditions: tuple[Expr, ...]
) -> _Branch:
    return branch._replace(
        equations=tuple(substitute(others, {u: value})),
        values={**branch.values, u: value},
        conditions=(*branch.conditions, *conditions),
    )


def _with_resultant(
    branch: _Branch, ring: Ring, f: Element, others: tuple[Expr, ...], inside: Sequence[int]
) -> _Branch:
    """Return the branch with one more equation, in which an unknown of the factor is missing."""
    if branch.resultants >= MAX_RESULTANTS:
        raise Undecided("expected equations that can be solved one by one, got none")
    for x in canonical_all(ring, others):
        num = x.over_one().num
        for i in inside:
            if x.involves(i) and _degree(num, i) * _degree(f.polynomial, i) <= 8:
                r = f.polynomial.resultant(num, str(ring.context.names()[i]))
                found = Element(ring, ring.reduce(r))
                if not found.is_surely_zero and len(found) <= MAX_TERMS:
                    return branch._replace(
                        equations=(rebuild(found), rebuild(f), *others),
                        resultants=branch.resultants + 1,
                    )
    raise Undecided("expected equations that can be solved one by one, got none")


def _finished(
    branch: _Branch, equations: Sequence[Expr], unknowns: Sequence[Expr]
) -> Solution | None:
    """Return the solution of a branch, put together and checked; None if it is none."""
    values: dict[Expr, Expr] = {}
    # the last unknown first: earlier ones were written with later ones
    for u, value in reversed(branch.values.items()):
        (values[u],) = substitute([value], values)
    try:
        left = substitute(equations, values)
        if not all(is_zero(x) for x in canonical_all(ring_of(left), left)):
            return None
        apart = substitute(branch.nonzero, values)
        if any(is_zero(x) for x in canonical_all(ring_of(apart), apart)):
            return None
    except DivisionByZero:
        return None
    tidy = dict(zip(values, _tidied(list(values.values())), strict=True))
    return Solution(
        {u: tidy[u] for u in unknowns if u in tidy},
        tuple(substitute(branch.conditions, values)),
    )


def _tidied(values: list[Expr]) -> list[Expr]:
    return [rebuild(canonical_all(ring_of([v]), [v])[0]) for v in values]


def _same(a: Solution, b: Solution) -> bool:
    if a.values.keys() != b.values.keys():
        return False
    differences = [a.values[u] - b.values[u] for u in a.values]
    return all(is_zero(x) for x in canonical_all(ring_of(differences), differences))
