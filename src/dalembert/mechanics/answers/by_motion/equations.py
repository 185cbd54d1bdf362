"""Grade equations of motion by the motion that they describe, whatever their form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import SingularSystem, TooLarge, Undecided
from dalembert.expr import Expr, Matrix, symbol_text
from dalembert.mechanics.answers.by_motion.consequences import (
    extent,
    follows,
    is_linear,
    repeats_constraints,
)
from dalembert.mechanics.answers.by_motion.conventions import other_convention
from dalembert.mechanics.answers.by_motion.nearest import factors, faults_of
from dalembert.mechanics.answers.grade import Fault, Grade, right, wrong
from dalembert.mechanics.answers.on_constraints import vanishes_on_constraints
from dalembert.mechanics.answers.terms import (
    in_one_ring,
    is_affine,
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

SAYS_NOTHING = "says nothing about the motion: it holds whatever the system does"
REPEATS = "only repeats the constraints: add an equation with forces"
OPPOSITE = "λ of opposite sign: right where Aᵀλ stands on the left"


class Match(NamedTuple):
    """An answered equation is ``factor`` times the equation ``row``."""

    row: int
    factor: Element
    only_on_constraints: bool


def grade_motion(
    eq: Equations, part: str, mine: Sequence[Expr], numbers: Sequence[int] = ()
) -> Grade:
    """Grade equations by what they say of the motion: what follows is right, in any form.

    ``numbers`` are those of the equations in the answer, from 0. Default: their order here.
    """
    numbers = numbers or range(len(mine))
    ring, given, rows = in_one_ring(eq, mine, list(eq.residual_form))
    found = _read_off(eq, ring, given, rows) or _derived(eq, ring, given, rows)
    if found is None:
        matches = _matches(eq, ring, given, rows)
        taken = [m.row for m in matches if m is not None]
        bad = [
            k
            for k, (x, m) in enumerate(zip(given, matches, strict=True))
            if m is None and not _surely_follows(eq, rows, x)
        ]
        faults = list(faults_of(eq, ring, given, rows, taken, bad))
        convention = other_convention(eq, mine)
        if convention:
            return Grade((part,), "other convention", tuple(faults), (f"right if {convention}",))
        return wrong(part, faults)
    notes, signs = found
    given = [_with_signs(eq, ring, x, signs) for x in given]
    linear = [x for x in given if is_linear(eq, x)]
    empty = [k for k, x in enumerate(given) if x in linear and _is_empty(eq, x)]
    repeated = [k for k in empty if repeats_constraints(eq, given[k])]
    if len(repeated) == len(given):
        return wrong(part, [Fault("", REPEATS)])
    if len(empty) > len(repeated):
        nothing = [k for k in empty if k not in repeated]
        where = [f"equation {numbers[k] + 1}" if len(given) > 1 else "" for k in nothing]
        return wrong(part, [Fault(place, SAYS_NOTHING) for place in where])
    if repeated:
        notes = [*notes, _repeated([numbers[k] for k in repeated])]
    if len(linear) < len(given):
        notes = [*notes, "not linear in the accelerations: other motions may satisfy it too"]
    return right(part, *notes, *_sign_notes(signs), extent=extent(eq, linear))


def _is_empty(eq: Equations, x: Element) -> bool:
    """Tell whether an equation that follows says nothing about the motion."""
    found = extent(eq, [x])
    return not found.said if found is not None else vanishes(x)


def _repeated(numbers: Sequence[int]) -> str:
    """Return a note on equations that follow from the constraints alone."""
    listed = ", ".join(str(k + 1) for k in numbers)
    return f"equation{'s' * (len(numbers) > 1)} {listed}: from the constraints alone"


def _read_off(
    eq: Equations, ring: Ring, given: Sequence[Element], rows: Sequence[Element]
) -> tuple[list[str], tuple[int, ...]] | None:
    """Return notes and signs of λ if each equation is a row or all are combinations of rows."""
    for signs in _signs(eq):
        turned = [_with_signs(eq, ring, x, signs) for x in rows]
        matches = _matches(eq, ring, given, turned)
        found = [match for match in matches if match is not None]
        if len(found) == len(given):
            return _notes(eq, found), signs
        is_small = len(given) == len(rows) <= MAX_COMBINED
        det = _combination(eq, ring, given, turned) if is_small else None
        if det is not None:
            words = "combinations of Lagrange's equations, equivalent to them"
            return [words + (f" where {det}" if (det := _where(eq, det)) else "")], signs
    return None


def _derived(
    eq: Equations, ring: Ring, given: Sequence[Element], rows: Sequence[Element]
) -> tuple[list[str], tuple[int, ...]] | None:
    """Return notes and signs of λ if each equation follows from those of motion, else None."""
    multipliers = [ring.index[x] for x in eq.lam if x in ring.index]
    has_multipliers = any(x.involves(i) for x in given for i in multipliers)
    open_questions: list[str] = []
    for signs in _signs(eq) if has_multipliers else [(1,) * len(eq.lam)]:
        try:
            verdicts = [follows(eq, rows, _with_signs(eq, ring, x, signs)) for x in given]
        except (Undecided, TooLarge) as error:
            open_questions.append(str(error))
            continue
        if False not in verdicts:
            return (["right where the constraints hold"] if None in verdicts else []), signs
    if open_questions:
        raise Undecided(open_questions[0])
    return None


def _surely_follows(eq: Equations, rows: Sequence[Element], x: Element) -> bool:
    try:
        return follows(eq, rows, x) is not False
    except (Undecided, TooLarge):
        return False


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
    for factor in factors(eq, x, row):
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
    below = factor.ring.polynomial(factor.over_one().den)
    return any(vanishes_on_constraints(eq, x) for x in (factor, below))


def _combination(
    eq: Equations, ring: Ring, given: Sequence[Element], rows: Sequence[Element]
) -> Element | None:
    """Return det K if the answer is K times the rows with an invertible K, K M = M_mine."""
    if not all(is_affine(x, eq.system.accelerations) for x in given):
        return None
    d = partials(ring, eq.system.accelerations)
    M = Matrix([[dj(x) for dj in d] for x in rows])
    mine = Matrix([[dj(x) for dj in d] for x in given])
    try:
        K = solve(ring, M.T, mine.T).T
    except SingularSystem:
        return None
    left = Matrix.column(given) - K @ Matrix.column(rows)
    if not all(vanishes(x) for x in left):
        return None
    det = determinant(ring, K)
    return None if vanishes(det) or (eq.lam and _degenerates(eq, det)) else det


def _signs(eq: Equations) -> Iterator[tuple[int, ...]]:
    """Yield the signs of λ: as they are, all opposite, then mixed ones."""
    m = len(eq.lam)
    yield (1,) * m
    if m:
        yield (-1,) * m
    if 1 < m <= MAX_SIGNS:
        yield from (s for s in product((1, -1), repeat=m) if len(set(s)) > 1)


def _with_signs(eq: Equations, ring: Ring, x: Element, signs: tuple[int, ...]) -> Element:
    """Return an equation, linear in λ, with some multipliers of opposite sign."""
    for lam, sign in zip(eq.lam, signs, strict=True):
        if sign < 0:
            (d,) = partials(ring, [lam])
            x = x - d(x) * ring.element_of(lam) * 2
    return x


def _notes(eq: Equations, matches: Sequence[Match]) -> list[str]:
    notes = []
    for match in matches:
        k, name = match.factor, symbol_text(eq.coordinates[match.row])
        if match.only_on_constraints:
            notes.append(f"the equation of {name} is right where the constraints hold")
        if not (k.is_polynomial and k.polynomial.is_constant()):
            notes.append(
                f"the equation of {name}, times {_where(eq, k) or written(eq.notation, k)}"
            )
    return notes


def _where(eq: Equations, factor: Element) -> str:
    """Return "x ≠ 0" for a factor that moves, else nothing."""
    ring, num = factor.ring, factor.over_one().num
    angles = {i for a in ring.angles for i in (a.sin, a.cos)}
    moving = {ring.index[q] for q in (*eq.coordinates, *eq.velocities) if q in ring.index} | angles
    if num.is_constant() or not any(factor.involves(i) for i in moving):
        return ""
    if len(num) == 1:
        # constants beside what moves are left out
        ((powers, _),) = num.to_dict().items()
        num = ring.context.from_dict({tuple(n * (i in moving) for i, n in enumerate(powers)): 1})
    return f"{written(eq.notation, ring.polynomial(num))} ≠ 0"


def _sign_notes(signs: tuple[int, ...]) -> list[str]:
    return [OPPOSITE] if any(s < 0 for s in signs) else []
