"""Base parameters of a mechanism: the fewest combinations of parameters that its motion reveals.

Stages: the regressor of links, rotors, friction and springs by recursion over the ring; its columns
as vectors over the field of the known lengths; independent columns and rows at a random point
modulo a prime (never too many); the other columns as exact combinations; every combination verified
in the ring.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import compress
from random import Random
from typing import Any, NamedTuple

import flint

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, Matrix, as_expr, parameters
from dalembert.mechanics.equations.over_ring import over_ring
from dalembert.mechanics.proofs.proof import Proof, Verdict
from dalembert.mechanics.results.base_parameters import BaseParameters
from dalembert.mechanics.results.regressor import is_constant
from dalembert.mechanics.robots.equations import sines_and_cosines, symbolic_state
from dalembert.mechanics.robots.independence import are_independent
from dalembert.mechanics.robots.right_angles import naming_rounded_angles
from dalembert.mechanism import Mechanism
from dalembert.recursions.drive_regressor import passive_columns
from dalembert.recursions.link_regressor import PARAMETERS, inertial_parameters, link_regressor
from dalembert.recursions.resistance.forces import dissipation, dry_forces
from dalembert.recursions.resistance.spring_inertia import spring_kinetic_energy
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.recursions.tree import Tree
from dalembert.ring import Element, Ring, rebuild, ring_of, row_reduce
from dalembert.ring.algebra.minors import without_denominators
from dalembert.spatial.inertia.inertia import NO_INERTIA

PRIME = 2**61 - 1
TRIES = 3
# what is eliminated comes last within its link: Iyy, hz and m join the link itself and its parents
LOOKED_FOR = ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "hx", "hy", "Iyy", "hz", "m")
ORDER = tuple(PARAMETERS.index(name) for name in LOOKED_FOR)

Exponents = tuple[int, ...]
Place = tuple[int, Hashable]
"""(torque, product of powers that move)."""
Coefficients = dict[Place, dict[Exponents, Any]]
"""One column of Y: {place: {exponents of lengths: rational}}."""


def base_parameters(mechanism: Mechanism) -> BaseParameters:
    """Return the smallest set of parameters that determines the torques of a mechanism.

    They are ten of every link, and of joints, motors and springs what is not zero: armature,
    damping, friction, stribeck, stiffness, preload = stiffness · rest; ``armature2`` is that of the
    joint before the second link. Lengths, axes, gear ratios, Stribeck velocities and gravity
    count as known and may be symbols. Reference: M. Gautier and W. Khalil, Direct calculation of
    minimum set of inertial parameters of serial robots, IEEE Transactions on Robotics and
    Automation 6 (1990).

    >>> import dalembert as da
    >>> base = base_parameters(da.textbook.robots.planar_arm_nr(2))
    >>> for combination in base.combinations:
    ...     print(combination)
    m₂ a₁² + Izz₁
    m₂ a₁ + hx₁
    hy₁
    Izz₂
    hx₂
    hy₂
    """
    with naming_rounded_angles(mechanism):
        return _smallest(_regressor(mechanism))


def _smallest(full: _Regressor) -> BaseParameters:
    ring, Y = full.ring, full.Y
    links = 10 * full.num_links
    # rotors, friction and springs join the links, not the other way round
    order = [10 * i + k for i in range(full.num_links) for k in ORDER]
    order += range(links, len(full.symbols))
    known = [is_constant(g) for g in ring.generators]
    # a dependence of columns does not see what a row is multiplied with
    polynomials = [without_denominators(ring, row)[0] for row in Y]
    coefficients = [_coefficients([row[j] for row in polynomials], known) for j in order]
    for seed in range(TRIES):
        places = _independent_rows(ring, coefficients, known, seed)
        if places is None:
            break
        rows, pivots = row_reduce(ring, _table(ring, coefficients, known, places))
        if _is_verified(ring, Y, order, rows, pivots):
            method = "rank at a point of a finite field, and the combinations exact in the ring"
            return _result(full, order, rows, pivots, method)
    everywhere = list(dict.fromkeys(place for column in coefficients for place in column))
    rows, pivots = row_reduce(ring, _table(ring, coefficients, known, everywhere))
    return _result(full, order, rows, pivots, "row reduction in the ring")


class _Regressor(NamedTuple):
    """Y over a ring of lengths and motion, without inertias; names and values of its columns."""

    ring: Ring
    Y: list[list[Element]]
    symbols: list[str]
    values: list[Expr]
    num_links: int


def _regressor(mechanism: Mechanism) -> _Regressor:
    links = tuple(replace(link, inertia=NO_INERTIA) for link in mechanism.links)
    skeleton = replace(mechanism, links=links)
    q, _ = symbolic_state(mechanism)
    v, a = [x.dot for x in q], [x.ddot for x in q]
    tree, full = Tree.of(skeleton), Tree.of(mechanism)
    energies = [spring_energy(tree, q), dissipation(tree, q, v), spring_kinetic_energy(tree, q, v)]
    forces = [*dry_forces(tree, v), *energies]
    atoms = [*sines_and_cosines(tree, q), *tree.scalars, *map(as_expr, forces)]
    ring = ring_of(atoms, [*skeleton.parameters, *q, *v, *a])
    state = [[ring.element_of(x) for x in part] for part in (q, v, a)]
    in_ring = over_ring(tree, ring)
    passive = passive_columns(in_ring, *state)
    rows = [
        [*row, *(column.torque[i] for column in passive)]
        for i, row in enumerate(link_regressor(in_ring, *state))
    ]
    numbers = range(1, len(full.nodes) + 1)
    return _Regressor(
        ring,
        [[ring.element(x) for x in row] for row in rows],
        [f"{name}{i}" for i in numbers for name in PARAMETERS] + [c.symbol for c in passive],
        [
            *map(as_expr, inertial_parameters(full)),
            *(rebuild(ring.element(c.value)) for c in passive),
        ],
        len(full.nodes),
    )


def _coefficients(column: Sequence[Element], known: Sequence[bool]) -> Coefficients:
    """Split one column of Y into motion and lengths."""
    moving = [not c for c in known]
    result: Coefficients = {}
    for i, x in enumerate(column):
        if not x.is_polynomial:
            raise InvalidMechanism(
                "expected a regressor polynomial in the lengths, got a quotient: "
                "name the quotient as a parameter of its own"
            )
        if x.ring.is_wild(x.polynomial):
            terms = _terms_by_waves(x, known)
        else:
            terms = [
                (tuple(compress(exponents, moving)), tuple(compress(exponents, known)), k)
                for exponents, k in x.polynomial.to_dict().items()
            ]
        for motion, lengths, k in terms:
            result.setdefault((i, motion), {})[lengths] = k
    return result


def _terms_by_waves(
    x: Element, known: Sequence[bool]
) -> list[tuple[Hashable, Exponents, flint.fmpq]]:
    """Return (motion, exponents of lengths, rational): of angles that depend on each other, too.

    Waves are independent where products of sines are not.
    """
    found: list[tuple[Hashable, Exponents, flint.fmpq]] = []
    for (word, wave), k in x.ring.waves.collected(x.polynomial).items():
        motion = tuple([(i, n) for i, n in word if not known[i]])
        powers = dict(word)
        lengths = tuple([powers.get(i, 0) for i, is_known in enumerate(known) if is_known])
        found.append(((motion, wave), lengths, k))
    return found


def _independent_rows(
    ring: Ring, columns: Sequence[Coefficients], known: Sequence[bool], seed: int
) -> list[Place] | None:
    """Return independent rows, short ones first, by their values at a point modulo a prime.

    Their number cannot exceed the rank; whether it reaches it, the verification shows. None when a
    function of lengths has no value there.
    """
    symbols = list(compress(ring.generators, known))
    if any(g.op != "symbol" for g in symbols):
        return None
    draw = Random(seed)
    point = [draw.randrange(1, PRIME) for _ in symbols]

    def value(terms: dict[Exponents, Any]) -> int:
        whole = 0
        for e, k in terms.items():
            x = int(k.p) if k.q == 1 else int(k.p) * pow(int(k.q), -1, PRIME)
            for length, n in zip(point, e, strict=True):
                if n:
                    x = x * pow(length, int(n), PRIME) % PRIME
            whole += x
        return whole % PRIME

    # short rows first; of proportional ones the shortest
    size: dict[Place, int] = {}
    rows: dict[Place, list[tuple[int, int]]] = {}
    for j, column in enumerate(columns):
        for place, terms in column.items():
            size[place] = size.get(place, 0) + len(terms)
            rows.setdefault(place, []).append((j, value(terms)))
    distinct: dict[Any, Place] = {}
    for place in sorted(rows, key=lambda place: size[place]):
        distinct.setdefault(_direction(rows[place]), place)
    places = list(distinct.values())
    if not places:
        return []
    numbers = [[0] * len(columns) for _ in places]
    for line, place in zip(numbers, places, strict=True):
        for j, x in rows[place]:
            line[j] = x
    pivots = _first_independent(numbers)
    transposed = [[row[j] for row in numbers] for j in pivots]
    return [places[i] for i in _first_independent(transposed)]


def _direction(row: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the row divided by its first entry."""
    nonzero = [(j, x) for j, x in row if x]
    if not nonzero:
        return ()
    inverse = pow(nonzero[0][1], -1, PRIME)
    return tuple((j, x * inverse % PRIME) for j, x in nonzero)


def _first_independent(rows: list[list[int]]) -> list[int]:
    """Return the first independent columns of a matrix modulo the prime."""
    m, n = len(rows), len(rows[0])
    reduced, rank = flint.nmod_mat(m, n, [x for row in rows for x in row], PRIME).rref()
    return [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]


def _table(
    ring: Ring,
    columns: Sequence[Coefficients],
    known: Sequence[bool],
    places: Sequence[Place],
) -> Matrix:
    """Return rows of coefficients as ring elements in the lengths alone."""
    where = [i for i, c in enumerate(known) if c]

    def entry(terms: dict[Exponents, Any] | None) -> Element:
        if not terms:
            return ring.zero
        whole = {}
        for e, k in terms.items():
            exponents = [0] * len(known)
            for i, n in zip(where, e, strict=True):
                exponents[i] = int(n)
            whole[tuple(exponents)] = k
        return Element(ring, ring.context.from_dict(whole))

    return Matrix([[entry(c.get(place)) for c in columns] for place in places], len(columns))


def _is_verified(
    ring: Ring,
    Y: Sequence[Sequence[Element]],
    order: Sequence[int],
    rows: Sequence[Sequence[Element]],
    pivots: Sequence[int],
) -> bool:
    """Tell whether every column of Y is its combination of the independent ones, exactly."""
    leading = [order[j] for j in pivots]
    for j in range(len(order)):
        parts = [(row[j], i) for row, i in zip(rows, leading, strict=True) if not row[j].is_empty]
        for line in Y:
            difference = line[order[j]]
            for k, i in parts:
                difference = difference - k * line[i]
            if not difference.is_surely_zero:
                return False
    return True


def _result(
    full: _Regressor,
    order: Sequence[int],
    rows: Sequence[Sequence[Element]],
    pivots: Sequence[int],
    method: str,
) -> BaseParameters:
    ring, count = full.ring, len(order)
    weights: list[tuple[int, tuple[Element, ...]]] = []
    for row, pivot in zip(rows, pivots, strict=True):
        line = [ring.zero] * count
        for j, k in zip(order, row, strict=True):
            line[j] = k
        weights.append((order[pivot], tuple(line)))
    # in the order of the links, and within a link as they were looked for
    weights.sort(key=lambda pair: order.index(pair[0]))
    independent = tuple(i for i, _ in weights)
    columns = Matrix([[line[i] for i in independent] for line in full.Y], len(independent))
    what = "inertial parameters" if count == 10 * full.num_links else "parameters"
    verdict: Verdict = "proved"
    if ring.wild or not ring.is_complete:
        # products of functions may depend on each other, so that independence needs a look
        certain = are_independent(ring, columns.rows)
        verdict = "proved" if certain else "undecided"
        method += "; independent at random states, in balls" if certain else ": more may depend"
    return BaseParameters(
        full=Matrix.column(parameters(" ".join(full.symbols))),
        independent=independent,
        weights=tuple(line for _, line in weights),
        columns=columns,
        given=tuple(full.values),
        proof=Proof(f"{len(independent)} of {count} {what} determine the torques", verdict, method),
    )
