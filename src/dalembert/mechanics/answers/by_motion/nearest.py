"""Say what is wrong with equations of motion: each is compared with the nearest right one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.expr import Kind, free_symbols, is_kind, symbol_text
from dalembert.mechanics.answers.at_a_point import CLEAR, motion_points, require_difference
from dalembert.mechanics.answers.grade import Fault
from dalembert.mechanics.answers.terms import (
    count_terms,
    depends,
    fault,
    open_terms,
    vanishes,
    written,
)
from dalembert.ring import Element, Ring, partials, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

OTHER_PLACE, ODDITY, OTHER_INERTIA = 0.2, 0.05, 0.5
"""What counts, beside the share of terms that differ: another place in the list, an odd factor, and
accelerations with other factors, since the sign of an equation is read off its inertia."""


def faults_of(
    eq: Equations,
    ring: Ring,
    given: Sequence[Element],
    rows: Sequence[Element],
    taken: Sequence[int],
    wrong: Sequence[int],
) -> Iterator[Fault]:
    """Yield the faults of the wrong equations, each compared with the nearest row not yet taken."""
    free = [k for k in range(len(rows)) if k not in taken] or list(range(len(rows)))
    for number in wrong:
        x = given[number]
        # of all rows and factors those that leave the fewest terms
        choices = [(k, factor) for k in free for factor in factors(eq, x, rows[k])]
        k, factor = min(
            choices,
            key=lambda choice: (
                _distance(eq, x, rows[choice[0]], choice[1])
                + OTHER_PLACE * (len(given) > 1 and choice[0] != number)
            ),
        )
        if len(free) > 1:
            free.remove(k)
        where = f"equation of {symbol_text(eq.coordinates[k])}"
        if factor != 1:
            where += f", times {written(eq.notation, ring.one / factor)}"
        require_difference(eq, [x - f * rows[i] for i, f in choices])
        found = fault(eq, where, x / factor, rows[k])
        yield (
            found
            if found.hint or _have_common_terms(x / factor, rows[k])
            else _at_a_point(eq, x, found)
        )


def _have_common_terms(x: Element, row: Element) -> bool:
    return count_terms(open_terms(x, row)) < len(x) + len(row)


def _at_a_point(eq: Equations, x: Element, found: Fault) -> Fault:
    """Return the fault of an equation that has nothing in common with one of motion."""
    e = rebuild(x)
    for values in motion_points(eq):
        try:
            error = e.evaluate({y: values[y] for y in e.symbols})
        except EvaluationError:
            continue
        if abs(error) > CLEAR:
            shown = [y for y in e.symbols if y in {*eq.coordinates, *eq.velocities}]
            place = ", ".join(f"{symbol_text(y)} = {values[y]:.3g}" for y in shown)
            words = f"its sides differ by {error:.3g}" + (f" at {place}" if place else "")
            return replace(found, words=f"does not hold along the motion: {words}")
    return found


def _distance(eq: Equations, x: Element, row: Element, factor: Element) -> float:
    """Return the share of terms that differ after division by a factor, more for an odd factor."""
    powers = [int(n) for p in factor.over_one() for n in p.degrees()]
    oddity = sum(powers) + 2 * len(factor) - 2
    scaled = x / factor
    by = partials(x.ring, [y for y in eq.system.accelerations if y in x.ring.index])
    is_other = not any((d(scaled) - d(row)).is_empty and not d(row).is_empty for d in by)
    share = count_terms(open_terms(scaled, row)) / (len(scaled) + len(row))
    return share + ODDITY * oddity + OTHER_INERTIA * is_other


def factors(eq: Equations, x: Element, row: Element) -> Iterator[Element]:
    """Yield possible factors, functions of q and t that the coefficients of x and row give."""
    ring = x.ring
    seen: list[Element] = []
    inputs = [y for y in free_symbols(eq.system.forces) if is_kind(y, Kind.INPUT)]
    linear = [*eq.system.accelerations, *inputs, *eq.lam]
    fast = {*linear, *eq.velocities}
    candidates = [
        d(x) / d(row)
        for d in partials(ring, [y for y in linear if y in ring.index])
        if not (vanishes(d(row)) or vanishes(d(x)))
    ]
    for factor in [ring.one, -ring.one, *candidates]:
        if factor not in seen and not depends(factor, fast):
            seen.append(factor)
            yield factor
