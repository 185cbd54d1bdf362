"""Find the translations and linear maps of the coordinates that leave a Lagrangian alone.

The field ξ = B q + c is a symmetry if the change of L is the rate of a function F, and if forces
and constraints do no work along it. With F a quadratic polynomial all this is linear in the numbers
B, c and those of F: a system of linear equations, one for each product of moving symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import TooLarge, Undecided
from dalembert.expr import ONE, ZERO, Expr, Kind, Matrix, is_kind
from dalembert.mechanics.results.symmetry.pieces import lagrangian_pieces
from dalembert.mechanics.results.symmetry.sparse_rows import (
    Row,
    as_row,
    is_dependent,
    null_vectors,
    reduced,
    without_denominators,
)
from dalembert.ring import Element, Ring, canonical_all, partials, rebuild, time_derivative
from dalembert.ring.budget import allowance, check_terms

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_TERMS = 300
"""Terms of L up to which symmetries are searched for."""
MAX_COORDINATES = 9
MAX_WORK = 3_000_000
"""Pairs of terms in all products and divisions of a search: about a second."""
MAX_CONDITION_TERMS = 100_000
"""Terms of the conditions with their denominators multiplied out, some hundred bytes each."""

Vector = list[Element]
Place = tuple[Expr, Expr]
"""An entry of B, (coordinate that moves, coordinate it is proportional to), or of c, (q, 1)."""


class Unknown(NamedTuple):
    """One number of the ansatz: its place in B or c, or the monomial of F that it multiplies.

    ``conditions`` is what it adds to each of the sums that have to vanish.
    """

    place: Place | None
    conditions: list[Element]
    monomial: Expr = ZERO


class Symmetry(NamedTuple):
    """A field by coordinate, along which L changes by dF/dt, with ``gauge`` F."""

    field: dict[Expr, Expr]
    gauge: Expr


def linear_symmetries(eq: Equations, cyclic: Sequence[Expr]) -> list[Symmetry]:
    """Return independent fields ξ = B q + c that are symmetries, beside the cyclic translations.

    Left out are rotations of directions in which the system moves freely: what they conserve
    follows from the momenta. Larger systems than the limits above are not searched.
    """
    if len(eq.forms.L) > MAX_TERMS or len(eq.coordinates) > MAX_COORDINATES:
        return []
    try:
        with allowance(MAX_WORK):
            unknowns = list(_unknowns(eq, cyclic))
            places = [unknown.place for unknown in unknowns if unknown.place is not None]
            solutions = null_vectors(eq.ring, _rows(eq.ring, unknowns), len(unknowns))
            solutions = _essential(eq, solutions, places, cyclic)
    except (TooLarge, Undecided):
        return []
    return [_symmetry(eq, solution, unknowns) for solution in solutions]


def _symmetry(eq: Equations, solution: Vector, unknowns: Sequence[Unknown]) -> Symmetry:
    """Return the field and F of a solution, without a common number or sign."""
    pairs = [(x, u) for x, u in zip(solution, unknowns, strict=True) if not x.is_surely_zero]
    last = [x for x, u in pairs if u.place is not None][-1]
    k = last.content() * last.leading_sign()
    field, gauge = dict.fromkeys(eq.coordinates, ZERO), ZERO
    for x, unknown in pairs:
        value = rebuild(x * (1 / k))
        if unknown.place is None:
            gauge = gauge + value * unknown.monomial
        else:
            q, source = unknown.place
            field[q] = field[q] + value * source
    return Symmetry({q: value for q, value in field.items() if value is not ZERO}, gauge)


def _essential(
    eq: Equations, solutions: list[Vector], places: Sequence[Place], cyclic: Sequence[Expr]
) -> list[Vector]:
    """Return the fields that are independent of each other and of idle rotations."""
    size = len(places)
    solutions = sorted(solutions, key=lambda x: _cost(x[:size], places))
    symmetries = reduced(as_row(x[:size]) for x in solutions)
    # only those that are symmetries themselves
    idle = [as_row(x) for x in _idle_rotations(eq, solutions, places, cyclic)]
    known = reduced(row for row in idle if is_dependent(symmetries, row))
    kept = []
    for x in solutions:
        row = as_row(x[:size])
        if not is_dependent(known, row):
            known = reduced([*known.values(), row])
            kept.append(x)
    return kept


def _cost(x: Vector, places: Sequence[Place]) -> tuple[int, bool, int]:
    """Order solutions: pure numbers first, then translations, then few entries."""
    terms = sum(int(entry.polynomial.total_degree()) for entry in x if not entry.is_empty)
    used = [place for entry, place in zip(x, places, strict=True) if not entry.is_surely_zero]
    return terms, any(source is not ONE for _, source in used), len(used)


def _idle_rotations(
    eq: Equations, solutions: Sequence[Vector], places: Sequence[Place], cyclic: Sequence[Expr]
) -> list[Vector]:
    """Return ξ = c (dᵀM q) - d (cᵀM q) for translations c, d that leave L alone.

    Mc and Md have to be constant.
    """
    ring, M, q = eq.ring, eq.forms.M, eq.coordinates
    free = [[ring.one if x is y else ring.zero for x in q] for y in cyclic]
    for solution in solutions:
        used = dict(zip(places, solution, strict=False))
        is_translation = all(
            x.is_surely_zero for (_, source), x in used.items() if source is not ONE
        )
        if is_translation and all(x.is_surely_zero for x in solution[len(places) :]):
            free.append([used.get((x, ONE), ring.zero) for x in q])
    found = []
    for c, d in combinations(free, 2):
        Mc, Md = M @ Matrix.column(c), M @ Matrix.column(d)
        if not all(_is_fixed(ring.generators[i]) for x in (*Mc, *Md) for i in x.used()):
            continue
        entries = {
            (x, y): c[i] * Md[j] - d[i] * Mc[j] for i, x in enumerate(q) for j, y in enumerate(q)
        }
        found.append([entries.get(place, ring.zero) for place in places])
    return found


def _unknowns(eq: Equations, cyclic: Sequence[Expr]) -> Iterator[Unknown]:
    ring, f = eq.ring, eq.forms
    dq, dv = partials(ring, eq.coordinates), partials(ring, eq.velocities)
    pieces = lagrangian_pieces(eq)
    slopes = [[d(x) for x in pieces] for d in dq]
    momenta = [[d(x) for x in pieces] for d in dv]
    applied = [f.forces[k] - d(f.dissipation) for k, d in enumerate(dv)]
    inside = {x for angle in ring.angles for term in angle.form for x in term.symbols}
    plain = [q for q in eq.coordinates if q not in inside]

    def of_field(k: int, value: Element, rate: Element) -> list[Element]:
        # change of the pieces of L, power of the forces, constraints
        changes = [value * a + rate * b for a, b in zip(slopes[k], momenta[k], strict=True)]
        return [*changes, value * applied[k], *(value * row[k] for row in f.A.rows)]

    for k, q in enumerate(eq.coordinates):
        if q not in cyclic:
            yield Unknown((q, ONE), of_field(k, ring.one, ring.zero))
        for other in plain if q in plain else ():
            value, rate = ring.element_of(other), ring.element_of(other.dot)
            yield Unknown((q, other), of_field(k, value, rate))
    # the polynomial piece may change by dF/dt
    d_dt = time_derivative(ring, max_order=0)
    zeros = [ring.zero] * (len(pieces) + len(f.A.rows))
    products = [q * other for i, q in enumerate(plain) for other in plain[i:]]
    for monomial in [*eq.coordinates, *products]:
        (x,) = canonical_all(ring, [monomial])
        yield Unknown(None, [-d_dt(x), *zeros], monomial)


def _rows(ring: Ring, unknowns: Sequence[Unknown]) -> list[Row]:
    """Return one equation for each condition and each product of moving generators.

    Its entries contain parameters only.
    """
    moving = [i for i, g in enumerate(ring.generators) if not _is_fixed(g)]
    rows: dict[tuple[int, tuple[int, ...]], dict[int, dict[tuple[int, ...], Any]]] = {}
    count = 0
    for number in range(len(unknowns[0].conditions)):
        column = [unknown.conditions[number] for unknown in unknowns]
        for j, x in enumerate(without_denominators(ring, column)):
            count += len(x)
            check_terms(count, MAX_CONDITION_TERMS)
            for exponents, k in x.polynomial.to_dict().items():
                e = [int(n) for n in exponents]
                key = tuple(e[i] for i in moving)
                for i in moving:
                    e[i] = 0
                rows.setdefault((number, key), {}).setdefault(j, {})[tuple(e)] = k
    return [
        {j: ring.polynomial(ring.context.from_dict(terms)) for j, terms in row.items()}
        for row in rows.values()
    ]


def _is_fixed(g: Expr) -> bool:
    return all(is_kind(x, Kind.PARAMETER) for x in g.symbols)
