"""Equilibria in closed form: sines and cosines are unknowns with s² + c² = 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import flint

from dalembert.errors import Undecided
from dalembert.expr import (
    PI,
    Expr,
    Kind,
    acos,
    asin,
    atan2,
    constant,
    free_symbols,
    is_kind,
    postorder,
    symbol,
    symbol_text,
    total,
)
from dalembert.expr.functions import sine_of_turns
from dalembert.mechanics.equilibria.algebra import Solution, solve_system
from dalembert.mechanics.equilibria.statics import Statics
from dalembert.mechanics.proofs.nonnegative import is_manifestly_nonnegative
from dalembert.mechanics.proofs.signs import sign_of
from dalembert.ring import Element, Ring, canonical_all, equal, rebuild, ring_of
from dalembert.ring.forms import linear_form
from dalembert.ring.ring import Angle


class Rest(NamedTuple):
    """A point of rest: values of q and λ, and what must be nonnegative for it to exist.

    ``free`` coordinates may have any value; the symbol x₀ stands for that of x.
    """

    coordinates: dict[Expr, Expr]
    multipliers: tuple[Expr, ...]
    conditions: tuple[Expr, ...]
    free: tuple[Expr, ...]


class _Unknowns(NamedTuple):
    """How the generators of a ring are written in the algebraic equations."""

    letters: dict[int, Expr]
    angles: list[tuple[Angle, Expr, Expr]]
    roots: dict[Expr, int]
    relations: list[Expr]


def exact_rests(problem: Statics) -> list[Rest]:
    """Return all points of rest in closed form, for generic positive parameters.

    Raises:
        Undecided: the equations have no closed form that is found.
    """
    ring = ring_of(problem.equations, problem.unknowns)
    elements = canonical_all(ring, problem.equations)
    if problem.is_unloaded:
        return [_anywhere(problem)]
    unknowns = _unknowns(ring, elements, problem)
    equations = [_written(x, unknowns.letters) for x in elements]
    letters = [x for x in unknowns.letters.values() if x.symbol is not None]
    wanted = [x for x in letters if not is_kind(x, Kind.PARAMETER) and x is not PI]
    found = solve_system([*equations, *unknowns.relations], wanted)
    kept = [s for s in found if _has_proper_roots(s, unknowns.roots)]
    return [_rest(problem, unknowns, s) for s in reversed(kept)]


def _anywhere(problem: Statics) -> Rest:
    """Return the family of all configurations: no force acts at rest."""
    if len(problem.equations) > len(problem.coordinates):
        raise Undecided(
            "expected forces at rest, got none: every configuration that the constraints admit is "
            "an equilibrium"
        )
    q = problem.coordinates
    return Rest(
        {x: _start_of(symbol_text(x)) for x in q},
        tuple(constant(0) for _ in problem.multipliers),
        (),
        tuple(q),
    )


def _unknowns(ring: Ring, elements: Sequence[Element], problem: Statics) -> _Unknowns:
    """Return letters for the generators that occur: sines, cosines, roots, coordinates."""
    used = {i for x in elements for i in x.used()}
    moving = set(problem.coordinates)
    result = _Unknowns({}, [], {}, [])
    for k, angle in enumerate(ring.angles):
        if used & {angle.sin, angle.cos} and moving & set(free_symbols(list(angle.form))):
            if not all(t.op == "symbol" or t is PI for t in angle.form):
                raise Undecided("expected angles linear in the coordinates, got another")
            if angle.sin in ring.wild:
                raise Undecided(
                    "expected angles that are small multiples of common ones, got others: "
                    "give all parameters values, to search numerically"
                )
            s, c = (symbol(Kind.COORDINATE, f"{name}{k}") for name in ("sine", "cosine"))
            result.letters.update({angle.sin: s, angle.cos: c})
            result.angles.append((angle, s, c))
            result.relations.append(s**2 + c**2 - 1)
    in_angles = {t for angle, _, _ in result.angles for t in angle.form}
    for i in sorted(used - result.letters.keys()):
        g = ring.generators[i]
        if g.op == "symbol":
            if g in in_angles and g in moving:
                raise Undecided(
                    f"expected equations algebraic in {symbol_text(g)} or in its sine and cosine, "
                    "got both"
                )
            result.letters[i] = g
        elif not moving & set(g.symbols):
            result.letters[i] = g
        elif g.op != "pow":
            raise Undecided(f"expected algebraic equations, got {g.op} of a coordinate")
        else:
            result.letters[i] = symbol(Kind.COORDINATE, f"root{i}")
    _add_roots(ring, result, moving)
    return result


def _add_roots(ring: Ring, unknowns: _Unknowns, moving: set[Expr]) -> None:
    """Add rⁿ = radicand for every root that contains a coordinate."""
    for relation in ring.relations:
        r = unknowns.letters.get(relation.place)
        g = ring.generators[relation.place]
        if r is None or g.op != "pow" or not moving & set(g.symbols):
            continue
        missing = [i for i in relation.value.used() if i not in unknowns.letters]
        for i in missing:
            if ring.generators[i].op != "symbol":
                raise Undecided("expected simple roots of coordinates, got nested ones")
            unknowns.letters[i] = ring.generators[i]
        value = _written(relation.value, unknowns.letters)
        den = _polynomial(ring, relation.value.over_one().den, unknowns.letters)
        unknowns.relations.append(r**relation.degree * den - value)
        unknowns.roots[r] = relation.degree


def _written(x: Element, letters: Mapping[int, Expr]) -> Expr:
    """Return the numerator of an element with letters for its generators."""
    return _polynomial(x.ring, x.over_one().num, letters)


def _polynomial(ring: Ring, p: flint.fmpq_mpoly, letters: Mapping[int, Expr]) -> Expr:
    terms = []
    for exponents, k in p.to_dict().items():
        term = constant(Fraction(int(k.p), int(k.q)))
        for i, n in enumerate(exponents):
            if n:
                term = term * letters[i] ** int(n)
        terms.append(term)
    return total(terms)


def _has_proper_roots(solution: Solution, roots: Mapping[Expr, int]) -> bool:
    """Tell whether even roots are not negative; an open sign is a question without an answer."""
    for r, degree in roots.items():
        if degree % 2 == 0 and r in solution.values:
            sign = sign_of(solution.values[r])
            if sign.is_negative:
                return False
            if sign.factors:
                raise Undecided("expected roots of certain sign, got one that parameters decide")
    return True


def _rest(problem: Statics, unknowns: _Unknowns, solution: Solution) -> Rest:
    """Return a solution in coordinates: angles from sines and cosines, free ones as symbols."""
    values = {q: solution.values[q] for q in problem.coordinates if q in solution.values}
    values |= _from_angles(problem, unknowns, solution)
    free = tuple(q for q in problem.coordinates if q not in values)
    stand_in = {q: _start_of(symbol_text(q)) for q in free}
    coordinates = {q: values.get(q, q).subs(stand_in) for q in problem.coordinates}
    lam = [solution.values.get(x, x).subs(stand_in) for x in problem.multipliers]
    conditions = tuple(c.subs(stand_in) for c in solution.conditions)
    return Rest(coordinates, tuple(lam), conditions, free)


def _start_of(name: str) -> Expr:
    """Return the symbol x₀ for any value of x; no parameter, for it may be negative."""
    return symbol(Kind.COORDINATE, f"{name}_0" if name[-1].isdigit() else f"{name}0")


def _from_angles(problem: Statics, unknowns: _Unknowns, solution: Solution) -> dict[Expr, Expr]:
    """Return the coordinates inside angles from Σ k q + rest = angle, those that are determined."""
    moving = list(problem.coordinates)
    rows, right = [], []
    for angle, s, c in unknowns.angles:
        if s not in solution.values or c not in solution.values:
            continue
        others = [constant(k) * t for t, k in angle.form.items() if t not in moving]
        rows.append([angle.form.get(q, Fraction(0)) for q in moving])
        right.append(angle_of(solution.values[s], solution.values[c]) - total(others))
    if not rows:
        return {}
    return _solved(rows, right, moving)


def _solved(rows: list[list[Fraction]], right: list[Expr], q: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return q of Σ k q = right; coordinates beyond the number of rows stay on the right."""
    m, n = len(rows), len(q)
    table = flint.fmpq_mat(
        [
            [
                *(flint.fmpq(x.numerator, x.denominator) for x in row),
                *(int(i == j) for j in range(m)),
            ]
            for i, row in enumerate(rows)
        ]
    )
    reduced, _ = table.rref()
    result = {}
    for i in range(m):
        k = [Fraction(int(reduced[i, j].p), int(reduced[i, j].q)) for j in range(n + m)]
        pivot = next(j for j in range(n) if k[j])
        value = total([constant(w) * r for w, r in zip(k[n:], right, strict=True)])
        value = value - total([constant(k[j]) * q[j] for j in range(pivot + 1, n)])
        result[q[pivot]] = _wrapped(value)
    return result


def _wrapped(angle: Expr) -> Expr:
    """Return a multiple of π between -π and π; other angles as they are."""
    k = linear_form(angle)
    if any(term is not PI for term in k):
        return angle
    half = k.get(PI, Fraction(0)) % 2
    return constant(half - 2 if half > 1 else half) * PI


def angle_of(s: Expr, c: Expr) -> Expr:
    """Return the angle in (-π, π] with a given sine and cosine, as simply as it can be written.

    >>> from dalembert import sin
    >>> angle_of(constant(0), constant(-1)), angle_of(sin(PI / 6), sin(PI / 3))
    (π, π/6)
    """
    if not free_symbols([s, c]):
        for k in range(-11, 13):
            turns = Fraction(k, 12)
            known_s, known_c = sine_of_turns(turns), sine_of_turns(turns + Fraction(1, 2))
            if known_s is None or known_c is None:
                continue
            if equal(s, known_s) and equal(c, known_c):
                return constant(turns) * PI
    # of the two angles with this cosine the one with the sign of the sine, and the other way round
    simple = _quotient_angle(s, c)
    if simple is not None:
        return simple
    if not _has_roots(c):
        if _is_nonnegative(s):
            return acos(c)
        if _is_nonnegative(-s):
            return -acos(c)
    if not _has_roots(s):
        if _is_nonnegative(c):
            return asin(s)
        if _is_nonnegative(-c):
            return PI - asin(s)
    return atan2(s, c)


def _quotient_angle(s: Expr, c: Expr) -> Expr | None:
    """Return ±atan2(p, q) where s/c = p/q has no roots and c has the sign of q, or None."""
    if not (_has_roots(s) and _has_roots(c)):
        return None
    (t,) = canonical_all(ring_of([s / c]), [s / c])
    p, q = (rebuild(Element(t.ring, x)) for x in t.over_one())
    if _has_roots(p) or _has_roots(q):
        return None
    sign = sign_of(c / q)
    if sign.factors or not sign.sign:
        return None
    y, x = p * sign.sign, q * sign.sign
    return -atan2(-y, x) if sign_of(y).is_negative else atan2(y, x)


def _has_roots(e: Expr) -> bool:
    return any(x.op == "pow" and x.value.denominator != 1 for x in postorder([e]))


def _is_nonnegative(e: Expr) -> bool:
    if not free_symbols([e]):
        return sign_of(e).sign >= 0
    return is_manifestly_nonnegative(canonical_all(ring_of([e]), [e])[0])
