"""Grade equations of motion: sides, factors, order and the sign of λ do not matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import SingularSystem
from dalembert.expr import Expr, Kind, Matrix, free_symbols, is_kind, symbol_text
from dalembert.mechanics.answers.at_a_point import require_difference
from dalembert.mechanics.answers.grade import Fault, Grade, right, wrong
from dalembert.mechanics.answers.on_constraints import vanishes_on_constraints
from dalembert.mechanics.answers.terms import (
    count_terms,
    fault,
    in_one_ring,
    open_terms,
    vanishes,
    written,
)
from dalembert.ring import Element, Ring, determinant, partials, solve

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_SIGNS = 4
"""Multipliers whose signs are tried one by one; of more, all are turned over or none."""

MAX_COMBINED = 5
"""Equations of which combinations are recognised."""

OTHER_PLACE, ODDITY = 0.2, 0.05
"""What counts, beside the share of terms that differ, for another place and for an odd factor."""

OPPOSITE = "λ of opposite sign: right where Aᵀλ stands on the left"


class Match(NamedTuple):
    """An answered equation is ``factor`` times the equation ``row``."""

    row: int
    factor: Element
    only_on_constraints: bool


def grade_motion(eq: Equations, part: str, mine: Sequence[Expr]) -> Grade:
    """Grade one equation of motion, or all of them in any order."""
    ring, given, rows = in_one_ring(eq, mine, list(eq.residual_form))
    for signs in _signs(eq):
        turned = _turned(eq, ring, rows, signs)
        matches = _matches(eq, ring, given, turned)
        if all(match is not None for match in matches):
            found = [match for match in matches if match is not None]
            return right(part, *_notes(eq, found, signs))
        is_small = part == "equations" and len(rows) <= MAX_COMBINED
        if is_small and _is_combination(eq, ring, given, turned):
            notes = ["combinations of Lagrange's equations, equivalent to them"]
            return right(part, *notes, *_sign_notes(signs))
    matches = _matches(eq, ring, given, rows)
    return wrong(part, list(_faults(eq, ring, given, rows, matches)))


def _matches(
    eq: Equations, ring: Ring, given: Sequence[Element], rows: Sequence[Element]
) -> list[Match | None]:
    """Return for each answered equation the row that it is, each row once."""
    taken: set[int] = set()
    found: list[Match | None] = []
    for x in given:
        match = next(
            (m for k, row in enumerate(rows) if k not in taken and (m := _match(eq, x, k, row))),
            None,
        )
        if match is not None:
            taken.add(match.row)
        found.append(match)
    return found


def _match(eq: Equations, x: Element, number: int, row: Element) -> Match | None:
    """Return the factor by which an answered equation is one of the rows, or None."""
    for factor in _factors(eq, x, row):
        difference = x - factor * row
        holds = vanishes(difference)
        if not holds and not (eq.lam and vanishes_on_constraints(eq, difference)):
            continue
        # times a constraint an equation says nothing, and divided by one it has no meaning
        if not (eq.lam and _degenerates(eq, factor)):
            return Match(number, factor, not holds)
    return None


def _degenerates(eq: Equations, factor: Element) -> bool:
    """Tell whether a factor is zero or infinite wherever the constraints hold."""
    below = Element(factor.ring, factor.den, factor.ring.one_poly)
    return any(vanishes_on_constraints(eq, x) for x in (factor, below))


def _factors(eq: Equations, x: Element, row: Element) -> Iterator[Element]:
    """Yield possible factors, functions of q and t that the coefficients of x and row give."""
    ring = x.ring
    seen: list[Element] = []
    inputs = [y for y in free_symbols(eq.system.forces) if is_kind(y, Kind.INPUT)]
    linear = [*eq.system.accelerations, *inputs, *eq.lam]
    fast = [ring.index[y] for y in [*linear, *eq.velocities] if y in ring.index]
    candidates = [
        d(x) / d(row)
        for d in partials(ring, [y for y in linear if y in ring.index])
        if not (vanishes(d(row)) or vanishes(d(x)))
    ]
    for factor in [ring.one, -ring.one, *candidates]:
        if factor not in seen and not any(factor.involves(i) for i in fast):
            seen.append(factor)
            yield factor


def _is_combination(
    eq: Equations, ring: Ring, given: Sequence[Element], rows: Sequence[Element]
) -> bool:
    """Tell whether the answer is K times the rows with an invertible K, found by K M = M_mine."""
    d = partials(ring, eq.system.accelerations)
    M = Matrix([[dj(x) for dj in d] for x in rows])
    mine = Matrix([[dj(x) for dj in d] for x in given])
    try:
        K = solve(ring, M.T, mine.T).T
    except SingularSystem:
        return False
    left = Matrix.column(given) - K @ Matrix.column(rows)
    if not all(vanishes(x) for x in left):
        return False
    det = determinant(ring, K)
    return not vanishes(det) and not (eq.lam and _degenerates(eq, det))


def _signs(eq: Equations) -> Iterator[tuple[int, ...]]:
    """Yield the signs of λ: as they are, all opposite, then mixed ones."""
    m = len(eq.lam)
    yield (1,) * m
    if m:
        yield (-1,) * m
    if 1 < m <= MAX_SIGNS:
        yield from (s for s in product((1, -1), repeat=m) if len(set(s)) > 1)


def _turned(
    eq: Equations, ring: Ring, rows: Sequence[Element], signs: tuple[int, ...]
) -> list[Element]:
    """Return the rows with some multipliers of opposite sign."""
    turned = list(rows)
    for lam, sign in zip(eq.lam, signs, strict=True):
        if sign < 0:
            (d,) = partials(ring, [lam])
            # they are linear in λ
            turned = [x - d(x) * ring.element_of(lam) * 2 for x in turned]
    return turned


def _notes(eq: Equations, matches: Sequence[Match], signs: tuple[int, ...]) -> list[str]:
    notes = []
    for match in matches:
        k, name = match.factor, symbol_text(eq.coordinates[match.row])
        if match.only_on_constraints:
            notes.append(f"the equation of {name} is right where the constraints hold")
        if k.is_polynomial and k.num.is_constant():
            continue
        times = written(eq.notation, k)
        moves = any(k.involves(k.ring.index[q]) for q in eq.coordinates) or any(
            k.involves(i) for a in k.ring.angles for i in (a.sin, a.cos)
        )
        notes.append(f"the equation of {name}, times {times}" + (" ≠ 0" if moves else ""))
    return [*notes, *_sign_notes(signs)]


def _sign_notes(signs: tuple[int, ...]) -> list[str]:
    return [OPPOSITE] if any(s < 0 for s in signs) else []


def _faults(
    eq: Equations,
    ring: Ring,
    given: Sequence[Element],
    rows: Sequence[Element],
    matches: Sequence[Match | None],
) -> Iterator[Fault]:
    """Yield the faults of the equations that match none, each compared with the nearest row."""
    free = [k for k in range(len(rows)) if k not in {m.row for m in matches if m is not None}]
    for number, (x, match) in enumerate(zip(given, matches, strict=True)):
        if match is not None or not free:
            continue
        # of all rows and factors those that leave the fewest terms
        choices = [(k, factor) for k in free for factor in _factors(eq, x, rows[k])]
        k, factor = min(
            choices,
            key=lambda choice: (
                _distance(x, rows[choice[0]], choice[1])
                + OTHER_PLACE * (len(given) > 1 and choice[0] != number)
            ),
        )
        free.remove(k)
        where = f"equation of {symbol_text(eq.coordinates[k])}"
        if factor != 1:
            where += f", times {written(eq.notation, ring.one / factor)}"
        require_difference(eq, [x - f * rows[i] for i, f in choices])
        yield fault(eq, where, x / factor, rows[k])


def _distance(x: Element, row: Element, factor: Element) -> float:
    """Return the share of terms that differ after division by a factor, more for an odd factor."""
    powers = [int(n) for p in (factor.num, factor.den) for n in p.degrees()]
    oddity = sum(powers) + 2 * len(factor) - 2
    scaled = x / factor
    return count_terms(open_terms(scaled, row)) / (len(scaled) + len(row)) + ODDITY * oddity
