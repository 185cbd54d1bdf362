"""All contacts and dry frictions of a motion: their elements, and the problems that they pose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import UnknownName, nearest
from dalembert.simulation.contact.direct import Plan, plan_of
from dalembert.simulation.contact.reading import Rows, RowValues
from dalembert.simulation.contact.rows import BOUND, PRESSED, Elements, Mode, Problem

if TYPE_CHECKING:
    from dalembert.simulation.laws.base import Row
    from dalembert.simulation.problem.problem import Problem as MotionProblem

SPRING = 1e-5
"""R of a row beside its mobility: how redundant rows share a load, as this becomes zero."""


class Loads(NamedTuple):
    """What acts beside the forces that are sought.

    Attributes:
        applied: Forces along the rows that are known, less the friction of the model, ``(r,)``.
        qdd: q̈ with these, ``(nv,)``.
        lam: λ of the constraints with these; None where no friction follows them.
    """

    applied: np.ndarray
    qdd: np.ndarray
    lam: np.ndarray | None


class Contacts:
    """Contacts and dry frictions: elements of one row, or of two for friction on a plane in space.

    Attributes:
        problem: What moves.
        reading: Their rows, compiled.
        elements: What the solver sees of them; compliant contacts are frictions that it leaves out.
        names: What the trajectory calls each element, ``(k,)``.
        row_names: What it calls each row, ``(r,)``.
        is_contact, is_soft, is_friction: Which elements are rigid contacts, compliant ones, and
            frictions, ``(k,)``.
        source: The contact that presses a friction, compliant ones included; else -1, ``(k,)``.
        constraints: The places in λ whose length presses a friction, by element.
        restitution: e of each element, ``(k,)``.
        resting_speed: The slowest rebound of each, NaN unless given, ``(k,)``.
    """

    def __init__(self, problem: MotionProblem, rows: Sequence[Row]) -> None:
        self.problem = problem
        self.reading = Rows(problem.model, rows, is_constrained=problem.constraints is not None)
        first = [i for i, row in enumerate(rows) if not row.disc or i == _begin(rows, i)]
        size = np.diff([*first, len(rows)])
        heads = [rows[i] for i in first]
        self.names = tuple(row.disc or row.name for row in heads)
        self.row_names = tuple(row.name for row in rows)
        self.is_contact = np.array([row.is_contact for row in heads])
        self.is_soft = np.array([row.is_soft for row in heads])
        self.is_friction = ~(self.is_contact | self.is_soft)
        known = () if problem.constraints is None else problem.constraints.names
        sources = [_source(row, heads, known) for row in heads]
        self.source = np.array([contact for contact, _ in sources])
        self.constraints = {i: places for i, (_, places) in enumerate(sources) if places}
        rigid = np.where(self.is_contact[self.source] & (self.source >= 0), self.source, -1)
        self.elements = Elements(np.array(first), size, self.is_contact, rigid)
        self.restitution = np.array([float(row.restitution) for row in heads])  # type: ignore[arg-type]
        given = [np.nan if row.resting_speed is None else row.resting_speed for row in heads]
        self.resting_speed = np.array(given, float)
        self._plans: dict[bytes, Plan | None] = {}

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all elements."""
        return self.reading.rows

    def read(self, t: float, q: np.ndarray, v: np.ndarray) -> RowValues:
        """Return all rows at a state."""
        return self.reading.read(t, q, v)

    def plan(self, mode: Mode) -> Plan | None:
        """Return what each row does in a mode, if one linear solve gives all forces."""
        key = mode.status.tobytes() + mode.moves.tobytes() + mode.touches.tobytes()
        if key not in self._plans:
            self._plans[key] = plan_of(self, mode)
        return self._plans[key]

    def speeds(self, u: np.ndarray) -> np.ndarray:
        """Return of each element the rate of its gap, or the length of its velocity, ``(k,)``."""
        return np.where(self.is_friction, self.lengths(u), u[self.elements.first])

    def lengths(self, of_rows: np.ndarray) -> np.ndarray:
        """Return the length of what belongs to the rows of each element, ``(k,)``."""
        first, second = self.elements.first, self.elements.first + self.elements.size - 1
        both = np.hypot(of_rows[first], of_rows[second])
        return np.where(self.elements.size == 2, both, np.abs(of_rows[first]))

    def slip(self, u: np.ndarray, i: int) -> np.ndarray:
        """Return the velocity of an element, ``(2,)``."""
        found, first = np.zeros(2), self.elements.first[i]
        found[: self.elements.size[i]] = u[first : first + self.elements.size[i]]
        return found

    def largest(self, of_rows: np.ndarray) -> np.ndarray:
        """Return the largest entry of each element, ``(k,)``."""
        return np.maximum.reduceat(of_rows, self.elements.first)

    def loads(
        self,
        r: RowValues,
        qdd: np.ndarray,
        lam: np.ndarray | None,
        status: np.ndarray,
    ) -> Loads:
        """Return what compliant contacts add to the motion, and the model's own friction takes."""
        pressed = (status == PRESSED)[self.elements.owner]
        applied = np.where(pressed, r.push, 0.0) - r.own
        push = r.A.T @ applied
        return Loads(applied, qdd + r.P @ push, None if lam is None else lam + r.share @ push)

    def problem_of(self, r: RowValues, b: np.ndarray, terms: np.ndarray) -> Problem:
        """Return the problem that the rows pose at a state; normal forces of contacts alone press.

        Args:
            r: The rows at a state.
            b: w without their forces, ``(r,)``.
            terms: The sizes of what b is the sum of.
        """
        e, k = self.elements, len(self.names)
        mu, mu_static = r.kinetic[e.first], r.static[e.first]
        presses = np.zeros((k, len(b)))
        followers = np.flatnonzero(e.normal >= 0)
        presses[followers, e.first[e.normal[followers]]] = 1.0
        offset = np.where(e.normal >= 0, 0.0, 1.0)
        soft = np.flatnonzero((self.source >= 0) & (e.normal < 0))
        offset[soft] = r.push[e.first[self.source[soft]]]
        # of bounds that do not move, as of linkages at their dead points, nothing is asked here
        mobility = np.where(r.immobile, 0.0, r.alone)
        spring = SPRING * np.where(r.alone > 0, r.alone, 1.0)
        W = r.A @ r.P @ r.A.T
        return Problem(e, W, b, terms, mobility, spring, mu, mu_static, offset, presses)

    def pressed(self, p: Problem, r: RowValues, loads: Loads, z: np.ndarray) -> Problem:
        """Return a problem in which constraints press frictions by |λ|, linear around forces z."""
        if not self.constraints or loads.lam is None:
            return p
        offset, presses, response = p.offset.copy(), p.presses.copy(), r.share @ r.A.T
        for i, places in self.constraints.items():
            own, slopes = loads.lam[list(places)], response[list(places)]
            force = own + slopes @ z
            size = float(np.linalg.norm(force))
            along = force / size if size > 0 else np.zeros(len(places))
            offset[i], presses[i] = along @ own, along @ slopes
        return p._replace(offset=offset, presses=presses)

    def accelerations(self, r: RowValues, qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return u̇ without the forces that are sought, and the sizes of its terms."""
        return r.A @ qdd + r.bias, np.abs(r.A) @ np.abs(qdd) + np.abs(r.bias)

    def row_modes(self, mode: Mode) -> np.ndarray:
        """Return for each row 0 if it is held, the sign of a sliding one, else its status."""
        status, owner = mode.status[self.elements.owner], self.elements.owner
        signs = np.where(mode.direction[owner, 0] < 0, -1, 1)
        return np.where((status == BOUND) & self.is_friction[owner], signs, status)


def _begin(rows: Sequence[Row], i: int) -> int:
    """Return the first row of the friction on a plane that a row belongs to."""
    begin = i
    while begin and rows[begin - 1].disc == rows[i].disc:
        begin -= 1
    # two frictions of one name follow each other in pairs
    return i - (i - begin) % 2


def _source(
    row: Row, heads: Sequence[Row], constraints: Sequence[str]
) -> tuple[int, tuple[int, ...]]:
    """Return the element that presses a friction, -1 if none, and constraints that do.

    Raises:
        UnknownName: there is no such contact or constraint.
    """
    contacts = {head.name: i for i, head in enumerate(heads) if head.gap is not None}
    if not row.normal:
        return -1, ()
    if len(row.normal) == 1 and row.normal[0] in contacts:
        return contacts[row.normal[0]], ()
    for name in row.normal:
        if name not in constraints:
            raise UnknownName(
                f"expected a contact, or constraints of the model, as the normal force of "
                f"{row.name}, got {name!r} ({nearest(name, [*contacts, *constraints])})"
            )
    return -1, tuple(constraints.index(name) for name in row.normal)
