"""The force of every contact and dry friction while no mode changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.contact.contacts import Contacts
from dalembert.simulation.contact.direct import direct_forces
from dalembert.simulation.contact.pivots import forces_in
from dalembert.simulation.contact.reading import RowValues
from dalembert.simulation.contact.rows import BOUND, GIVEN, OPEN, PRESSED, SLIDES, Mode

ROUNDS = 50
"""Steps of Newton's method for normal forces that are lengths of vectors."""

SAME = 1e-14
"""Forces that change by less than this part are found."""


class ModeForces(NamedTuple):
    """Forces in a mode.

    Attributes:
        z: Of all rows, ``(r,)``.
        candidate: What the springs of rows that are not held would carry, ``(r,)``.
        normal: What presses each friction, ``(k,)``; 1 where its bound is its own.
    """

    z: np.ndarray
    candidate: np.ndarray
    normal: np.ndarray


def forces_in_mode(
    contacts: Contacts,
    r: RowValues,
    qdd: np.ndarray,
    lam: np.ndarray | None,
    mode: Mode,
    direction: np.ndarray,
) -> ModeForces:
    """Return the forces at a state.

    Held rows have u̇ = 0, sliding frictions oppose u, compliant contacts give way.

    Args:
        contacts: All of them.
        r: Their rows at the state.
        qdd: q̈ without them.
        lam: λ of the model without them, where frictions follow it.
        mode: That of each.
        direction: In which frictions slide, ``(k, 2)``.

    Raises:
        EvaluationError: friction presses itself by more than it is given.
    """
    e = contacts.elements
    plan = contacts.plan(mode)
    z = None if plan is None else direct_forces(contacts, r, qdd, plan, direction)
    if z is not None:
        follows = e.normal >= 0
        normal = np.where(follows, z[e.first[e.normal]], 1.0)
        return ModeForces(z, np.zeros_like(z), normal)
    loads = contacts.loads(r, qdd, lam, mode.status)
    p = contacts.problem_of(r, *contacts.accelerations(r, loads.qdd))
    if not (np.isfinite(p.W).all() and np.isfinite(p.b).all()):
        raise EvaluationError(
            "expected a state with finite accelerations along contacts and friction, got another"
        )
    found, candidate = np.zeros(len(p.b)), np.zeros(len(p.b))
    # what no force moves has none where it stands still
    is_inert = (contacts.largest(p.mobility) == 0) & (mode.status != BOUND)
    acts = (mode.status != OPEN) | mode.touches
    chosen = np.flatnonzero(acts & ~contacts.is_soft & ~is_inert)
    if len(chosen):
        part, (_, rows) = p.among(chosen), e.among(chosen)
        guess = Mode.of(mode.status[chosen], direction[chosen])
        known = np.where(mode.moves[chosen], GIVEN, SLIDES)
        for _ in range(ROUNDS):
            pressed = contacts.pressed(p, r, loads, found)
            if pressed is not p:
                part = pressed.among(chosen)
            held = forces_in(part, guess, known)
            change = np.abs(held.z - found[rows]).max()
            found[rows], candidate[rows] = held.z, held.candidate
            if pressed is p or change <= SAME * np.abs(held.z).max():
                break
        else:
            raise EvaluationError(
                f"expected a normal force for friction that follows constraints, got none after "
                f"{ROUNDS} steps: it locks itself; a smaller coefficient does not"
            )
        p = contacts.pressed(p, r, loads, found)
    normal = p.offset + p.presses @ found
    pushed = np.where((mode.status == PRESSED)[e.owner], r.push, 0.0)
    return ModeForces(found + pushed, candidate, normal)
