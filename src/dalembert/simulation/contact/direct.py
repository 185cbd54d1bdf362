"""The forces of a mode in which every row's part is known: one linear solve.

Most rates of a motion are of this kind: held rows are independent, and what slides does so in a
known direction. Where they are not, `held_forces` shares the load among them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.simulation.contact.rows import BOUND, OPEN, PRESSED, STICK, Mode

if TYPE_CHECKING:
    from dalembert.simulation.contact.contacts import Contacts
    from dalembert.simulation.contact.reading import RowValues

MIN_PIVOT_RATIO = 1e-8
"""Pivots of independent rows, beside the largest; below it rows nearly depend on each other."""


class Plan(NamedTuple):
    """Which rows do what in a mode.

    Attributes:
        held: Rows with u̇ = 0.
        sliding: Rows of frictions that slide.
        owner: The element of each of these.
        part: Which of its velocities each is.
        load: The place in ``held`` of the contact that presses it; -1 if its bound is its own.
        pressed: Rows of compliant contacts that act.
    """

    held: np.ndarray
    sliding: np.ndarray
    owner: np.ndarray
    part: np.ndarray
    load: np.ndarray
    pressed: np.ndarray


def plan_of(contacts: Contacts, mode: Mode) -> Plan | None:
    """Return the plan of a mode; None where its forces ask for more than one solve."""
    e = contacts.elements
    waits = mode.touches | (contacts.is_friction & (mode.status == BOUND) & ~mode.moves)
    follows_soft = (contacts.source >= 0) & (e.normal < 0) & (mode.status != OPEN)
    if contacts.reading.is_constrained or waits.any() or follows_soft.any():
        return None
    held = np.flatnonzero(((mode.status == STICK) & ~contacts.is_soft)[e.owner])
    sliding = np.flatnonzero(((mode.status == BOUND) & contacts.is_friction)[e.owner])
    owner, load = e.owner[sliding], np.full(len(sliding), -1)
    follows = e.normal[owner] >= 0
    rows = e.first[e.normal[owner[follows]]]
    if not np.isin(rows, held).all():
        return None
    load[follows] = np.searchsorted(held, rows)
    pressed = np.flatnonzero((mode.status == PRESSED)[e.owner])
    return Plan(held, sliding, owner, sliding - e.first[owner], load, pressed)


def direct_forces(
    contacts: Contacts, r: RowValues, qdd: np.ndarray, plan: Plan, direction: np.ndarray
) -> np.ndarray | None:
    """Return the forces of all rows; None where held rows nearly depend on each other.

    Args:
        contacts: All of them.
        r: Their rows at the state.
        qdd: q̈ without them.
        plan: What each row does.
        direction: In which frictions slide, ``(k, 2)``.
    """
    z, held = np.zeros(len(r.u)), plan.held
    bound = -r.kinetic[contacts.elements.first[plan.owner]] * direction[plan.owner, plan.part]
    follows = plan.load >= 0
    z[plan.sliding] = np.where(follows, 0.0, bound)
    z[plan.pressed] = r.push[plan.pressed]
    if len(held):
        A = r.A[held]
        b = A @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias[held]
        # friction that follows a held contact acts with it
        both = A.copy()
        np.add.at(both, plan.load[follows], bound[follows, None] * r.A[plan.sliding[follows]])
        if not (r.alone[held] > 0).all():
            return None
        # powers of two: what is not coupled stays so, and a single row is exact
        scale = np.exp2(np.round(np.log2(r.alone[held]) / 2))
        W = (A @ r.P @ both.T) / np.outer(scale, scale)
        y = _solution(W, -b / scale)
        if y is None:
            return None
        z[held] = y / scale
        z[plan.sliding[follows]] = bound[follows] * z[held][plan.load[follows]]
    return z


def _solution(W: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        return None
    factors, _, y, info = _solver()(W, b)
    pivots = np.abs(np.diagonal(factors))
    is_regular = info == 0 and float(pivots.min()) > MIN_PIVOT_RATIO * float(pivots.max())
    return y if is_regular else None


@cache
def _solver():
    from scipy.linalg import get_lapack_funcs

    (solver,) = get_lapack_funcs(("gesv",))
    return solver
