"""Grade what was solved for: the accelerations, and λ up to its sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Matrix, symbol_text
from dalembert.mechanics.answers.at_a_point import require_difference
from dalembert.mechanics.answers.grade import Fault, Grade, right, wrong
from dalembert.mechanics.answers.on_constraints import vanishes_on_constraints
from dalembert.mechanics.answers.terms import fault, in_one_ring, vanishes
from dalembert.mechanics.equations.closed_form import closed_form
from dalembert.ring import Element, canonical_all

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def grade_accelerations(eq: Equations, mine: Matrix) -> Grade:
    """Grade q̈ in closed form; with constraints it may be right on them only."""
    return _grade(eq, "accelerations", mine, closed_form(eq)[0], signs=(1,))


def grade_multipliers(eq: Equations, mine: Matrix) -> Grade:
    """Grade λ; texts that put Aᵀλ on the left have the opposite sign, which is accepted."""
    return _grade(eq, "lam", mine, closed_form(eq)[1], signs=(1, -1))


def _grade(
    eq: Equations, part: str, mine: Matrix, expected: Matrix, signs: tuple[int, ...]
) -> Grade:
    wanted = canonical_all(eq.ring, expected.entries)
    _, given, wanted = in_one_ring(eq, mine.entries, wanted)
    names = [f"row {i + 1}" for i in range(len(given))]
    if part == "accelerations":
        names = [symbol_text(x) for x in eq.system.accelerations]
    faults: list[Fault] = []
    notes: dict[str, None] = {}
    for name, a, b in zip(names, given, wanted, strict=True):
        verdict = _verdict(eq, a, b, signs)
        if verdict is None:
            require_difference(eq, [b - a * sign for sign in signs])
            faults.append(fault(eq, name, a, b))
        elif verdict:
            notes[f"{name}: {verdict}"] = None
    if len(notes) == len(given) > 1 and len({x.partition(": ")[2] for x in notes}) == 1:
        notes = dict.fromkeys(["all: " + next(iter(notes)).partition(": ")[2]])
    return wrong(part, faults, tuple(notes)) if faults else right(part, *notes)


def _verdict(eq: Equations, mine: Element, expected: Element, signs: tuple[int, ...]) -> str | None:
    """Return with which reservation an entry is right, None if it is wrong."""
    opposite = "of opposite sign: right where Aᵀλ stands on the left"
    for sign in signs:
        if vanishes(expected - mine * sign):
            return opposite if sign < 0 else ""
    for sign in signs:
        if eq.lam and vanishes_on_constraints(eq, expected - mine * sign):
            words = "right where the constraints hold"
            return f"{words}; {opposite}" if sign < 0 else words
    return None
