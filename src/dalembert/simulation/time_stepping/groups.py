"""Rows that a time step solves together: contacts with friction, joints with friction and stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.expr import Expr

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.laws.base import Row


@dataclass(frozen=True)
class Cone:
    """A contact with friction on a plane: its tangents, one or two, and its normal."""

    tangents: tuple[Row, ...]
    normal: Row

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows: two tangents, of which the second may be none, and the normal."""
        return (*self.tangents, self.normal)


@dataclass(frozen=True)
class Line:
    """One velocity with dry friction, a lower and an upper stop, or some of them.

    The friction is along the velocity, the lower stop too, the upper one against it.
    """

    friction: Row | None = None
    lower: Row | None = None
    upper: Row | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that there are."""
        return tuple(row for row in (self.friction, self.lower, self.upper) if row is not None)

    @property
    def velocity(self) -> Expr:
        """The velocity of the line."""
        own = self.friction or self.lower
        return -self.upper.velocity if own is None and self.upper else own.velocity  # type: ignore[union-attr]


Group = Cone | Line


def groups_of(model: Model, rows: Sequence[Row]) -> list[Group]:
    """Return rows in groups that steps can solve.

    Raises:
        EvaluationError: a row has what steps cannot do.
    """
    for row in rows:
        _check(model, row)
    contacts = {row.name: row for row in rows if row.gap is not None}
    tangents: dict[str, list[Row]] = {}
    frictions: list[Row] = []
    for row in rows:
        if row.gap is None and row.normal:
            tangents.setdefault(_contact(row, contacts), []).append(row)
        elif row.gap is None:
            frictions.append(row)
    cones = [Cone(tuple(tangents[name]), contacts[name]) for name in tangents]
    alone = [row for name, row in contacts.items() if name not in tangents]
    return [*_lines(frictions, alone), *cones]


def _lines(frictions: Sequence[Row], contacts: Sequence[Row]) -> list[Line]:
    """Return lines of frictions and of contacts without friction; one line for each velocity."""
    found: dict[Expr, Line] = {row.velocity: Line(row) for row in frictions}
    others: list[Line] = []
    for row in contacts:
        along, against = found.get(row.velocity), found.get(-row.velocity)
        if along is not None and along.lower is None:
            found[row.velocity] = Line(along.friction, row, along.upper)
        elif against is not None and against.upper is None:
            found[-row.velocity] = Line(against.friction, against.lower, row)
        elif along is None and against is None:
            found[row.velocity] = Line(None, row)
        else:
            others.append(Line(None, row))
    return [*found.values(), *others]


def _contact(row: Row, contacts: dict[str, Row]) -> str:
    """Return the contact that presses a friction."""
    (name, *more) = row.normal
    if more or name not in contacts:
        raise EvaluationError(
            f"expected a contact as the normal force of {row.name} in time steps, got "
            f"{', '.join(row.normal)}: constraints take da.simulate without TimeStepping"
        )
    return name


def _check(model: Model, row: Row) -> None:
    """Raise if a row has what steps cannot do."""
    what = ""
    if row.push is not None:
        what = "a compliance"
    elif row.restitution != 0:
        what = "a restitution"
    elif not _is_one_coefficient(model, row):
        what = "static friction above kinetic"
    if what:
        raise EvaluationError(
            f"expected contacts and friction without {what} in time steps, got {row.name}: "
            "da.simulate takes it with its other methods"
        )


def _is_one_coefficient(model: Model, row: Row) -> bool:
    """Tell whether friction at rest is the kinetic one there, so that no other bound is missing."""
    if not isinstance(row.kinetic, Expr):
        return row.kinetic == row.static
    return row.kinetic.subs(dict.fromkeys(model.symbols.qd, 0)) == row.static
