"""Lay out a polynomial as a print tree, collected the way equations of motion are read.

Terms are collected by q̈, by products of q̇, by gravity, the rest, inputs, multipliers; each
coefficient is grouped.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from dalembert.typeset.arrange.factoring import factor_poly
from dalembert.typeset.arrange.grouping import (
    content,
    group,
    join,
    ordered_sum,
    positive_first,
    product,
)
from dalembert.typeset.arrange.letters import (
    ACCELERATION,
    INPUT,
    MASS,
    MULTIPLIER,
    PARAMETER,
    TRIG,
    VELOCITY,
    Alphabet,
    Mono,
    Poly,
    common_monomial,
    divide,
    multiply,
)
from dalembert.typeset.arrange.squares import perfect_squares
from dalembert.typeset.tree import (
    Product,
    cost,
    open_sum,
    sum_tree,
    times,
)

MAX_GROUPED = 60
GAIN = 0.8

# the order in which the parts of an equation are read
PARTS = ("accelerations", "velocities", "gravity", "rest", "inputs", "multipliers")


def lay_out(
    alphabet: Alphabet, p: Poly, is_closed_form: bool = False, in_equation: bool = False
) -> Product:
    """Return the tree of a polynomial, collected part by part.

    In an equation every product of velocities has its coefficient; in a closed form a part is
    grouped by whatever shortens it.
    """
    parts: dict[str, dict[Mono, Poly]] = {}
    for m, k in p.items():
        part, key = _place(alphabet, m)
        rest = tuple((i, n) for i, n in m if (i, n) not in key)
        parts.setdefault(part, {}).setdefault(key, {})[rest] = k
    terms: list[Product] = []
    for part in PARTS:
        if part in parts:
            alone = len(parts) == 1 and not in_equation
            collected = _part_terms(alphabet, part, parts[part], alone)
            if is_closed_form or part == "gravity":
                collected = _shorter_part(alphabet, parts[part], collected)
            terms += collected
    # an equation keeps its order; an energy or a force starts with a positive term
    is_equation = "accelerations" in parts or (len(parts) > 1 and "velocities" in parts)
    keeps_order = in_equation or (is_equation and not is_closed_form)
    if len(terms) > 1 and not keeps_order:
        return sum_tree(positive_first(terms))
    return sum_tree(terms)


def _place(alphabet: Alphabet, m: Mono) -> tuple[str, Mono]:
    """Return the part a term belongs to, and the letters it is collected by."""
    kinds = {alphabet.kind[i] for i, _ in m}

    def letters(*classes: int) -> Mono:
        return tuple((i, n) for i, n in m if alphabet.kind[i] in classes)

    if MULTIPLIER in kinds:
        return "multipliers", letters(MULTIPLIER)
    if ACCELERATION in kinds:
        return "accelerations", letters(ACCELERATION)
    if VELOCITY in kinds:
        return "velocities", letters(VELOCITY)
    if INPUT in kinds:
        return "inputs", letters(INPUT)
    if any(alphabet.is_gravity[i] for i, _ in m):
        return "gravity", letters(TRIG)
    return "rest", ()


def _part_terms(
    alphabet: Alphabet, part: str, keyed: dict[Mono, Poly], alone: bool
) -> list[Product]:
    if part == "rest":
        return list(open_sum(group(alphabet, keyed[()])))
    keys = sorted(keyed, key=lambda key: _key_order(alphabet, key))
    apart = _collected(alphabet, part, keys, keyed)
    if alone and len(keys) > 1 and part in ("velocities", "gravity"):
        outside = _shared_by_all(alphabet, part, keyed)
        if outside:
            inner = {key: divide(p, outside) for key, p in keyed.items()}
            terms = _collected(alphabet, part, keys, inner)
            k = content(t.coefficient for t in terms)
            inside = sum_tree(positive_first([times(t, 1 / k) for t in terms]))
            joined = product(alphabet, k, outside, inside)
            # at equal length C (cos θ φ̇ + ψ̇) is read more easily, m (ẋ²/2 + l² θ̇²/24) is not
            is_whole = all((t.coefficient / k).denominator == 1 for t in terms)
            return [joined] if cost(joined) < sum(map(cost, apart)) + is_whole else apart
    return apart


def _shorter_part(
    alphabet: Alphabet, keyed: dict[Mono, Poly], collected: list[Product]
) -> list[Product]:
    """Return the terms of a part as they are collected, or grouped if that is much shorter."""
    p = {multiply(key, m): k for key, inner in keyed.items() for m, k in inner.items()}
    if len(keyed) < 2 or len(p) > MAX_GROUPED:
        return collected
    grouped = list(open_sum(group(alphabet, p)))
    return grouped if sum(map(cost, grouped)) < GAIN * sum(map(cost, collected)) else collected


def _key_order(alphabet: Alphabet, key: Mono) -> tuple:
    """Order products of velocities: quadratic before linear, q̇₁² q̇₁q̇₂ q̇₂²."""
    return (-sum(n for _, n in key), sorted((alphabet.place[i], -n) for i, n in key))


def _shared_by_all(alphabet: Alphabet, part: str, keyed: dict[Mono, Poly]) -> Mono:
    """Return the monomial that every coefficient of an energy has."""
    common = common_monomial({m: Fraction(1) for p in keyed.values() for m in p})
    has_mass = any(alphabet.kind[i] == MASS for i, _ in common)
    return common if part == "velocities" or has_mass else ()


def _collected(
    alphabet: Alphabet, part: str, keys: list[Mono], keyed: dict[Mono, Poly]
) -> list[Product]:
    """Return coefficient · key for each key; keys with proportional coefficients share one."""
    shared: dict[tuple, list[tuple[Mono, Fraction]]] = {}
    for key in keys:
        items = sorted(keyed[key].items())
        lead = items[0][1]
        shape = tuple((m, k / lead) for m, k in items)
        is_number = shape == (((), 1),)
        # every acceleration has its own coefficient: a row of M is read off the line
        is_apart = is_number or part == "accelerations"
        shared.setdefault((shape, key if is_apart else None), []).append((key, lead))
    terms = []
    for (shape, _), members in shared.items():
        k = content(lead for _, lead in members)
        key, lead = members[0]
        # an inertia keeps its number: m l² (5/3 + c₂) q̈, not 5 m l² (1 + 3 c₂/5) q̈/3
        kept = lead if part == "accelerations" else _kept(alphabet, shape, k)
        coefficient = group(alphabet, {m: x * kept for m, x in shape})
        if len(members) == 1:
            inside = product(alphabet, lead / kept, key)
        else:
            inside = times(_sum_of_keys(alphabet, part, {m: x / k for m, x in members}), k / kept)
        terms.append(join(coefficient, inside))
    return terms


def _kept(alphabet: Alphabet, shape: Sequence[tuple[Mono, Fraction]], k: Fraction) -> Fraction:
    """Return what goes back inside: an inertia has no number, and no fraction is made.

    5 (m l² + 4 I/5)/8 is (5 m l²/4 + I)/2, and 2 (s₁ + s₁₂/2) is 2 s₁ + s₁₂.
    """
    alone = [abs(x) for m, x in shape if len(m) == 1 and _is_inertia(alphabet, m[0])]
    candidates = [1 / min(alone)] if alone and len(shape) > 1 else []
    candidates.append(Fraction(lcm(*(x.denominator for _, x in shape))))
    # in front stays a whole number, or a half where a fraction was
    most = min(2, k.denominator)
    return next((x for x in candidates if (k / x).denominator <= most), Fraction(1))


def _is_inertia(alphabet: Alphabet, power: tuple[int, int]) -> bool:
    i, n = power
    return n == 1 and alphabet.kind[i] in (MASS, PARAMETER)


def _sum_of_keys(alphabet: Alphabet, part: str, p: Poly) -> Product:
    """Return the sum as it is collected, or its factors: (q̇₁ + q̇₂)²."""
    if part == "gravity":
        return ordered_sum([product(alphabet, k, m) for m, k in p.items()])
    if factor_poly(p) is not None or any(perfect_squares(p, sign)[0] for sign in (1, -1)):
        return group(alphabet, p)
    return sum_tree(positive_first([product(alphabet, k, m) for m, k in p.items()]))
