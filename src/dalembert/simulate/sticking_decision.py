"""The modes that contacts and dry friction take from a state on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.simulate.impacts_box import bounded_forces
from dalembert.simulate.sticking_rows import Reading, Row

HELD, OPEN = 0, 1
"""A row is held: u = 0 by a force. Else a contact is open, and friction slides: 1 or -1."""

TOUCH = 1e-10
"""A gap below this, in m or rad, is closed."""

SLOW = 1e-12
"""A sliding velocity below this, in m/s or rad/s, is zero."""

EVEN = 1e-10
"""Accelerations of this part of those without contact forces are zero."""


def decide(
    rows: Sequence[Row],
    r: Reading,
    qdd: np.ndarray,
    modes: np.ndarray,
    *,
    fixed: Mapping[int, int],
    stopped: int | None,
) -> np.ndarray:
    """Return the next modes.

    The forces of all rows at rest are between their bounds, [0, ∞) for contacts and
    [-static, static] for friction, and u̇ is zero or pushed back by a bound. A friction at its bound
    slides, from then on with its kinetic force, and the others are asked again: no more often than
    there are frictions.

    Args:
        rows: Contacts and dry frictions.
        r: Their reading at the state.
        qdd: The acceleration without them.
        modes: Those until now.
        fixed: Modes that are known: of a contact that opens, of a friction that gives way.
        stopped: A friction that has just come to zero velocity.
    """
    is_contact = np.array([row.is_contact for row in rows])
    resting = _resting(rows, r, is_contact, modes)
    if stopped is not None:
        resting[stopped] = True
    modes = np.where(is_contact, OPEN, np.sign(r.u)).astype(int)
    modes[resting] = HELD
    for k, mode in fixed.items():
        modes[k], resting[k] = mode, False
    while resting.any():
        # u̇ of the rows at rest without their forces
        z = np.where(is_contact | resting, 0.0, -modes * r.kinetic)
        A, among, bound = r.A[resting], is_contact[resting], r.static[resting]
        W = A @ r.P @ A.T
        rate = A @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias[resting]
        lower, upper = np.where(among, 0.0, -bound), np.where(among, np.inf, bound)
        force = bounded_forces(W, rate, lower, upper)
        after = W @ force + rate
        moves = np.abs(after) > EVEN * np.abs(rate).max()
        # at its bound a friction gives way, unless it has just tried to slide and stopped
        places = np.flatnonzero(resting)
        yields = ~among & (np.abs(force) >= bound * (1 - EVEN)) & (moves | (places != stopped))
        if not yields.any():
            # without force a contact may as well be open: what is held stays independent
            modes[places[among & (force <= EVEN * force.max())]] = OPEN
            break
        way = np.where(moves, np.sign(after), -np.sign(force))
        modes[places[yields]] = np.where(way == 0, 1, way)[yields]
        resting[places[yields]] = False
    return modes


def _resting(
    rows: Sequence[Row], r: Reading, is_contact: np.ndarray, modes: np.ndarray
) -> np.ndarray:
    """Return which rows are at rest: closed gaps that stay, friction that does not slide."""
    slow = np.array([row.resting_speed for row in rows])
    speed = np.abs(r.u)
    touching = (r.gap <= TOUCH) & (speed <= slow)
    # what stuck may have moved by the rounding of a step
    sticking = speed <= np.where(modes == HELD, 100 * SLOW, SLOW)
    return np.where(is_contact, touching, sticking)
