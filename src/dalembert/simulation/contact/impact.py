"""Impulses of all contacts that are closed at once, with those of the frictions that they press."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.contact.contacts import Contacts
from dalembert.simulation.contact.reading import RowValues
from dalembert.simulation.contact.rows import BOUND, FREE, SLIDES, STICK, Mode, Problem
from dalembert.simulation.contact.scales import Limits
from dalembert.simulation.contact.solver import Solution, islands, solve

GAIN = 1e-12
"""Kinetic energy grows by more than rounding if it does by this part of it."""

FEWER_REBOUNDS = 8
"""How often restitutions are halved until an impact adds no energy."""


class Blow(NamedTuple):
    """Impulses at one instant.

    Attributes:
        change: Of q̇.
        impulses: Of all rows, ``(r,)``.
        hit: The contacts that are hit, ``(k,)``.
        rebounds: The restitution of each, 0 where there is no rebound, ``(k,)``.
        work: Of surfaces that move, and of drives, in joules.
    """

    change: np.ndarray
    impulses: np.ndarray
    hit: np.ndarray
    rebounds: np.ndarray
    work: float


def blow(
    c: Contacts,
    r: RowValues,
    closed: np.ndarray,
    limits: Limits,
    *,
    is_plastic: bool,
    approach: np.ndarray | None = None,
) -> Blow:
    """Return the impulses of closed contacts, by Moreau's rule and Coulomb's law for impulses.

    0 ≤ Λ ⊥ u⁺ + e u⁻ ≥ 0, with e = 0 of contacts that are not hit. Of contacts that share loads all
    rebound or none: redundant rows with different e contradict each other.

    Args:
        c: Contacts and frictions.
        r: Their rows at the state.
        closed: Contacts that take part, ``(k,)``.
        limits: What counts as zero.
        is_plastic: Whether there is to be no rebound.
        approach: Speeds to add to those towards the contacts, ``(k,)``.

    Raises:
        EvaluationError: constraints and drives push a body through a surface.
    """
    u = r.u.copy()
    first = c.elements.first
    if approach is not None:
        u[first] -= approach
    speed = u[first]
    hit = closed & (speed < -limits.still) if approach is None else closed
    pressed = c.is_friction & (c.elements.normal >= 0) & closed[c.elements.normal]
    chosen = np.flatnonzero(closed | pressed)
    e = np.where(hit & (not is_plastic), c.restitution, 0.0)
    p = c.problem_of(r, u, r.u_terms + np.abs(u))
    for island in islands(p.among(chosen)):
        members = chosen[island]
        if not (-e * speed >= limits.rest)[members].any():
            e[members] = 0.0
    impulses = np.zeros(len(u))
    for left in reversed(range(FEWER_REBOUNDS)):
        b = u.copy()
        b[first] += np.where(hit, e * speed, 0.0)
        found = _solved(p._replace(b=b).among(chosen))
        impulses[c.elements.among(chosen)[1]] = found.z
        # the energy that impulses add, beside what they exchange
        after = r.A @ (r.P @ (r.A.T @ impulses))
        gain = impulses @ (r.u + after / 2)
        exchanged = np.abs(impulses) @ (np.abs(r.u) + np.abs(after))
        if gain <= GAIN * exchanged or not e.any():
            break
        e = e / 2 if left > 1 else np.zeros_like(e)
    change = r.P @ (r.A.T @ impulses)
    work = r.power_in(impulses)
    now = (r.u + r.A @ change)[first]
    through = hit & (approach is None) & (now < 0.5 * speed)
    if through.any():
        i = int(np.argmax(through))
        cause = (
            "a velocity that constraints and prescribed motions fix: they push it through"
            if r.immobile[first[i]]
            else "surfaces that leave no room between them"
        )
        raise EvaluationError(
            f"expected an impact at {c.names[i]!r} to end the motion towards it, got {cause}; "
            f"change them, or take {c.names[i]!r} away"
        )
    stays = closed & (np.abs(now) < np.maximum(limits.rest, limits.still))
    # what leaves more slowly than a rebound that is none does not leave: rocking ends
    rows = (stays & (np.abs(now) > 0))[c.elements.owner]
    if rows.any():
        rest = r.u + r.A @ change
        change = change + r.change(rows, -rest[rows])
    return Blow(change, impulses, hit, np.where(hit, e, 0.0), work)


def _solved(p: Problem) -> Solution:
    k = len(p.mu)
    known, start = np.full(k, FREE), Mode.of(np.full(k, STICK))
    found = solve(p, start, known)
    weaker = p.mu < p.mu_static
    for _ in range(k):
        yields = weaker & (found.mode.status == BOUND) & (known == FREE)
        if not yields.any():
            break
        known[yields] = SLIDES
        found = solve(p, found.mode, known)
    return found
