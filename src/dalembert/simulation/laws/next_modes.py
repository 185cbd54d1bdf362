"""The modes that contacts and dry friction take from a state on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.simulation.laws.base import EVEN, Row, RowValues
from dalembert.simulation.laws.forces.bounded_forces import bounded_forces
from dalembert.simulation.laws.sizes import Limits, scaled_solution

HELD, OPEN, PRESSED = 0, 1, 2
"""A row is held: u = 0 by a force. Else a contact is open, or pressed if it is soft, and friction
slides: 1 or -1."""

SLIDES = 1
"""A friction on a plane that slides, whatever its direction."""

UNSTUCK = 100
"""What stuck may move by so many times the speed that is zero, by the rounding of a step."""


def next_modes(
    rows: Sequence[Row],
    r: RowValues,
    qdd: np.ndarray,
    modes: np.ndarray,
    limits: Limits,
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
        limits: What counts as zero.
        fixed: Modes that are known: of a contact that opens, of a friction that gives way.
        stopped: The row whose motion has just ended: a friction that came to zero velocity, or a
            gap that came to zero.
    """
    is_contact = np.array([row.is_contact for row in rows])
    is_soft = np.array([row.is_soft for row in rows])
    resting, modes = states_of(rows, r, modes, limits, stopped)
    modes[resting] = HELD
    for k, mode in fixed.items():
        modes[k], resting[k] = mode, False
    while resting.any():
        # u̇ of the rows at rest without their forces
        z = np.where(is_contact | resting, 0.0, -modes * r.kinetic)
        z = np.where(is_soft, np.where(modes == PRESSED, r.push, 0.0), z)
        A, among, bound = r.A[resting], is_contact[resting], r.static[resting]
        W = A @ r.P @ A.T
        rate = A @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias[resting]
        # what these are sums of, each in its own unit
        size = rate_terms(r, qdd, z)[resting]
        forced = r.immobile[resting] & ~among & (rate != 0)
        if forced.any():
            places = np.flatnonzero(resting)[forced]
            modes[places] = np.sign(rate[forced])
            resting[places] = False
            continue
        lower, upper = np.where(among, 0.0, -bound), np.where(among, np.inf, bound)
        force = bounded_forces(W, rate, lower, upper, r.alone[resting])
        after = W @ force + rate
        moves = np.abs(after) > EVEN * (size + np.abs(W) @ np.abs(force))
        places = np.flatnonzero(resting)
        # without force a contact may as well be open: what is held stays independent
        weight = force * np.sqrt(r.alone[resting])
        presses = among & (weight > EVEN * weight.max())
        # at its bound a friction gives way
        yields = ~among & (np.abs(force) >= bound * (1 - EVEN))
        # between two modes, the one that has just ended does not come back
        even = (places == stopped) & ~moves
        presses |= among & even
        yields &= ~(even & _is_independent(W, presses, r.alone[resting]))
        if not yields.any():
            modes[places[among & ~presses]] = OPEN
            break
        way = np.where(moves, np.sign(after), -np.sign(force))
        modes[places[yields]] = np.where(way == 0, 1, way)[yields]
        resting[places[yields]] = False
    return modes


def rate_terms(r: RowValues, qdd: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return for each row the size of the terms of u̇ under forces z."""
    A, P = np.abs(r.A), np.abs(r.P)
    return A @ (np.abs(qdd) + P @ (A.T @ np.abs(z - r.own))) + np.abs(r.bias)


def states_of(
    rows: Sequence[Row], r: RowValues, modes: np.ndarray, limits: Limits, stopped: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows are at rest, and the modes of those that are not."""
    is_contact = np.array([row.is_contact for row in rows])
    is_soft = np.array([row.is_soft for row in rows])
    resting = _resting(r, is_contact, modes, limits) & ~is_soft
    if stopped is not None and not is_contact[stopped]:
        resting[stopped] = True
    soft = _soft_modes(r, modes, limits)
    moving = np.where(is_contact, OPEN, np.where(is_soft, soft, np.sign(r.u))).astype(int)
    return resting, moving


def _soft_modes(r: RowValues, modes: np.ndarray, limits: Limits) -> np.ndarray:
    """Return whether soft contacts are pressed; one at the border stays, or begins if it closes."""
    acts = r.pressing > 0
    at_border = np.abs(r.gap) <= limits.touch
    acts |= at_border & (r.grip > 0) & ((modes == PRESSED) | (r.u < 0))
    return np.where(acts, PRESSED, OPEN)


def _is_independent(W: np.ndarray, held: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return which rows do not depend on those that are held, by Schur's complement."""
    if not held.any():
        return np.full(len(W), True)
    rest = scaled_solution(W[np.ix_(held, held)], W[held], sizes[held])
    return W.diagonal() - np.sum(W[held] * rest, axis=0) > EVEN * W.diagonal()


def _resting(r: RowValues, is_contact: np.ndarray, modes: np.ndarray, limits: Limits) -> np.ndarray:
    """Return which rows are at rest: closed gaps that stay, friction that does not slide."""
    speed = np.abs(r.u)
    touching = (r.gap <= limits.touch) & (speed <= limits.resting)
    sticking = speed <= np.where(modes == HELD, UNSTUCK, 1) * limits.slow
    return np.where(is_contact, touching, sticking)
