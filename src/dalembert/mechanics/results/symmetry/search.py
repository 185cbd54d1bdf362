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
from dalembert.ring import Element, Ring, null_space, partials, rank, rebuild, time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_TERMS = 300
"""Terms of L up to which symmetries are searched for."""
MAX_COORDINATES = 9
MAX_UNKNOWNS = 40
"""Unknowns that may be left when single ones are eliminated."""


Vector = list[Element]
Place = tuple[Expr, Expr]
"""An entry of B, (coordinate that moves, coordinate it is proportional to), or of c, (q, 1)."""


class Unknown(NamedTuple):
    """One number of the ansatz: its place in B or c, none for F; what it adds to each condition."""

    place: Place | None
    conditions: list[Element]


def linear_symmetries(eq: Equations, cyclic: Sequence[Expr]) -> list[dict[Expr, Expr]]:
    """Return independent fields ξ = B q + c that are symmetries, beside the cyclic translations.

    Left out are rotations of directions in which the system moves freely: what they conserve
    follows from the momenta. Larger systems than the limits above are not searched.
    """
    if len(eq.forms.L) > MAX_TERMS or len(eq.coordinates) > MAX_COORDINATES:
        return []
    unknowns = list(_unknowns(eq, cyclic))
    places = [unknown.place for unknown in unknowns if unknown.place is not None]
    try:
        solutions = _essential(eq, _solutions(eq.ring, unknowns), places, cyclic)
    except (TooLarge, Undecided):
        return []
    return [_field(eq, solution, places) for solution in solutions]


def _field(eq: Equations, solution: Vector, places: Sequence[Place]) -> dict[Expr, Expr]:
    """Return the field of a solution by coordinate, without a common number or sign."""
    last = [x for x in solution if not x.is_zero][-1]
    k = last.content() * (1 if last.num.leading_coefficient() > 0 else -1)
    field = dict.fromkeys(eq.coordinates, ZERO)
    for x, (q, source) in zip(solution, places, strict=True):
        field[q] = field[q] + rebuild(x * (1 / k)) * source
    return {q: value for q, value in field.items() if value is not ZERO}


def _essential(
    eq: Equations, solutions: list[Vector], places: Sequence[Place], cyclic: Sequence[Expr]
) -> list[Vector]:
    """Return the fields that are independent of each other and of idle rotations."""
    ring, size = eq.ring, len(places)
    idle = _idle_rotations(eq, solutions, places, cyclic)
    fields = sorted((x[:size] for x in solutions), key=lambda x: _cost(x, places))
    # only those that are symmetries themselves
    kept = [x for x in idle if rank(ring, Matrix([*fields, x], size)) == len(fields)]
    num_idle = len(kept)
    for x in fields:
        if rank(ring, Matrix([*kept, x], size)) > rank(ring, Matrix(kept, size)):
            kept.append(x)
    return kept[num_idle:]


def _cost(x: Vector, places: Sequence[Place]) -> tuple[int, bool, int]:
    """Order solutions: pure numbers first, then translations, then few entries."""
    terms = sum(int(entry.num.total_degree()) for entry in x if not entry.is_zero)
    used = [place for entry, place in zip(x, places, strict=True) if not entry.is_zero]
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
        is_translation = all(x.is_zero for (_, source), x in used.items() if source is not ONE)
        if is_translation and all(x.is_zero for x in solution[len(places) :]):
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
    slopes, momenta = [d(f.L) for d in dq], [d(f.L) for d in dv]
    applied = [f.forces[k] - d(f.dissipation) for k, d in enumerate(dv)]
    inside = {x for angle in ring.angles for term in angle.form for x in term.symbols}
    plain = [q for q in eq.coordinates if q not in inside]

    def of_field(k: int, value: Element, rate: Element) -> list[Element]:
        # change of L, power of the forces, constraints
        change = value * slopes[k] + rate * momenta[k]
        return [change, value * applied[k], *(value * row[k] for row in f.A.rows)]

    for k, q in enumerate(eq.coordinates):
        if q not in cyclic:
            yield Unknown((q, ONE), of_field(k, ring.one, ring.zero))
        for other in plain if q in plain else ():
            value, rate = ring.element_of(other), ring.element_of(other.dot)
            yield Unknown((q, other), of_field(k, value, rate))
    # dF/dt of the monomials of F
    d_dt = time_derivative(ring, max_order=0)
    zeros = [ring.zero] * (1 + len(f.A.rows))
    for q in eq.coordinates:
        yield Unknown(None, [-ring.element_of(q.dot), *zeros])
    for i, q in enumerate(plain):
        for other in plain[i:]:
            yield Unknown(None, [-d_dt(ring.element_of(q) * ring.element_of(other)), *zeros])


def _solutions(ring: Ring, unknowns: Sequence[Unknown]) -> list[Vector]:
    """Return independent values of the unknowns for which all conditions vanish."""
    rows = _rows(ring, unknowns)
    # an equation with one unknown makes it zero
    zero: set[int] = set()
    while True:
        single = {next(iter(row)) for row in rows if len(row) == 1}
        if not single:
            break
        zero |= single
        rows = [{j: x for j, x in row.items() if j not in single} for row in rows]
    left = [j for j in range(len(unknowns)) if j not in zero]
    rows = [row for row in rows if row]
    if not left or len(left) > MAX_UNKNOWNS:
        return []
    table = _independent(ring, [[row.get(j, ring.zero) for j in left] for row in rows])
    if table:
        vectors = null_space(ring, Matrix(table, len(left))).T.rows
    else:
        vectors = Matrix.identity(len(left)).map(lambda x: ring.constant(x.value)).rows
    return [_spread(ring, vector, left, len(unknowns)) for vector in vectors]


def _spread(ring: Ring, vector: Sequence[Element], places: Sequence[int], n: int) -> list[Element]:
    result = [ring.zero] * n
    for j, x in zip(places, vector, strict=True):
        result[j] = x
    return result


def _independent(ring: Ring, rows: list[list[Element]]) -> list[list[Element]]:
    """Return rows without repetitions."""
    seen: list[list[Element]] = []
    for row in rows:
        if not any(all(a == b for a, b in zip(row, other, strict=True)) for other in seen):
            seen.append(row)
    return seen


def _rows(ring: Ring, unknowns: Sequence[Unknown]) -> list[dict[int, Element]]:
    """Return one equation for each condition and each product of moving generators.

    Its entries contain parameters only.
    """
    moving = [i for i, g in enumerate(ring.generators) if not _is_fixed(g)]
    rows: dict[tuple[int, tuple[int, ...]], dict[int, dict[tuple[int, ...], Any]]] = {}
    for number in range(len(unknowns[0].conditions)):
        column = [unknown.conditions[number] for unknown in unknowns]
        for j, x in enumerate(_over_common_denominator(ring, column)):
            for exponents, k in x.num.to_dict().items():
                e = [int(n) for n in exponents]
                key = tuple(e[i] for i in moving)
                for i in moving:
                    e[i] = 0
                rows.setdefault((number, key), {}).setdefault(j, {})[tuple(e)] = k
    return [
        {j: ring.polynomial(ring.context.from_dict(terms)) for j, terms in row.items()}
        for row in rows.values()
    ]


def _over_common_denominator(ring: Ring, column: Sequence[Element]) -> list[Element]:
    common = ring.one_poly
    for x in column:
        common = common * (x.den / common.gcd(x.den))
    scale = ring.polynomial(common)
    return [x * scale for x in column]


def _is_fixed(g: Expr) -> bool:
    return all(is_kind(x, Kind.PARAMETER) for x in g.symbols)
