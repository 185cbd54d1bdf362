"""The modes that contacts and dry friction take from a state on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.simulation.laws.base import EVEN, Row, RowValues
from dalembert.simulation.laws.bounded_forces import bounded_forces

HELD, OPEN, PRESSED = 0, 1, 2
"""A row is held: u = 0 by a force. Else a contact is open, or pressed if it is soft, and friction
slides: 1 or -1."""

TOUCH = 1e-12
"""A gap below this, in m or rad, is closed."""

SLOW = 1e-12
"""A sliding velocity below this, in m/s or rad/s, is zero."""


def next_modes(
    rows: Sequence[Row],
    r: RowValues,
    qdd: np.ndarray,
    modes: np.ndarray,
    *,
    fixed: Mapping[int, int],
    stopped: int | None,
) -> np.ndarray:
    """Return the mode of each contact and dry friction from a state on.

    The forces of all rows at rest are between their bounds, [0, ∞) for contacts and
    [-static, static] for friction, and u̇ is zero or pushed back by a bound. A friction at its bound
    slides, from then on with its kinetic force, and the others are asked again: no more often than
    there are frictions. A friction that is immobile but accelerates, as at a dead point of a
    linkage, cannot be held by any force.

    Args:
        rows: Contacts and dry frictions.
        r: Their values at the state.
        qdd: The acceleration without them.
        modes: Those until now.
        fixed: Modes that are known: of a contact that opens, of a friction that gives way.
        stopped: The row whose motion has just ended: a friction that came to zero velocity, or a
            gap that came to zero.
    """
    is_contact = np.array([row.is_contact for row in rows])
    is_soft = np.array([row.is_soft for row in rows])
    resting, modes = states_of(rows, r, modes, stopped)
    modes[resting] = HELD
    for k, mode in fixed.items():
        modes[k], resting[k] = mode, False
    while resting.any():
        # u̇ of the rows at rest without their forces
        z = np.where(is_contact | resting, 0.0, -modes * r.kinetic)
        z = np.where(is_soft, np.where(modes == PRESSED, r.push, 0.0), z)
        A, among, bound = r.A[resting], is_contact[resting], r.static[resting]
        W = A @ r.P @ A.T
        parts = np.stack([A @ qdd, A @ (r.P @ (r.A.T @ (z - r.own))), r.bias[resting]])
        rate = parts.sum(axis=0)
        forced = r.immobile[resting] & ~among & (rate != 0)
        if forced.any():
            places = np.flatnonzero(resting)[forced]
            modes[places] = np.sign(rate[forced])
            resting[places] = False
            continue
        lower, upper = np.where(among, 0.0, -bound), np.where(among, np.inf, bound)
        force = bounded_forces(W, rate, lower, upper)
        after = W @ force + rate
        moves = np.abs(after) > EVEN * np.abs(parts).max()
        places = np.flatnonzero(resting)
        # without force a contact may as well be open: what is held stays independent
        presses = among & (force > EVEN * force.max())
        # at its bound a friction gives way
        yields = ~among & (np.abs(force) >= bound * (1 - EVEN))
        # between two modes, the one that has just ended does not come back
        even = (places == stopped) & ~moves
        presses |= among & even
        yields &= ~(even & _is_independent(W, presses))
        if not yields.any():
            modes[places[among & ~presses]] = OPEN
            break
        way = np.where(moves, np.sign(after), -np.sign(force))
        modes[places[yields]] = np.where(way == 0, 1, way)[yields]
        resting[places[yields]] = False
    return modes


def states_of(
    rows: Sequence[Row], r: RowValues, modes: np.ndarray, stopped: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows are at rest, and the modes of those that are not."""
    is_contact = np.array([row.is_contact for row in rows])
    is_soft = np.array([row.is_soft for row in rows])
    resting = _resting(rows, r, is_contact, modes) & ~is_soft
    if stopped is not None and not is_contact[stopped]:
        resting[stopped] = True
    soft = _soft_modes(r, modes)
    moving = np.where(is_contact, OPEN, np.where(is_soft, soft, np.sign(r.u))).astype(int)
    return resting, moving


def _soft_modes(r: RowValues, modes: np.ndarray) -> np.ndarray:
    """Return whether soft contacts are pressed; one at the border stays, or begins if it closes."""
    acts = r.pressing > 0
    at_border = np.abs(r.gap) <= TOUCH
    acts |= at_border & (r.grip > 0) & ((modes == PRESSED) | (r.u < 0))
    return np.where(acts, PRESSED, OPEN)


def _is_independent(W: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Return which rows do not depend on those that are held, by Schur's complement."""
    if not held.any():
        return np.full(len(W), True)
    rest = np.linalg.lstsq(W[np.ix_(held, held)], W[held], rcond=1e-12)[0]
    return W.diagonal() - np.sum(W[held] * rest, axis=0) > EVEN * W.diagonal()


def _resting(
    rows: Sequence[Row], r: RowValues, is_contact: np.ndarray, modes: np.ndarray
) -> np.ndarray:
    """Return which rows are at rest: closed gaps that stay, friction that does not slide."""
    slow = np.array([row.resting_speed for row in rows])
    speed = np.abs(r.u)
    touching = (r.gap <= TOUCH) & (speed <= slow)
    # what stuck may have moved by the rounding of a step
    sticking = speed <= np.where(modes == HELD, 100 * SLOW, SLOW)
    return np.where(is_contact, touching, sticking)
