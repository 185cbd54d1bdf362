"""The forces of rows in given modes: linear equations, with a share for each redundant row.

Rows that are held have w = 0. Where they depend on each other their forces are not unique; here
they are those of springs that become infinitely stiff, all at the same rate: R z = -J η for one
displacement η of the bodies. The same displacement says what the spring of any other row would
carry, its candidate force, and so whether a row that the rest holds would take load or grip again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.simulation.contact.rows import BOUND, STICK, Problem

DEPENDENT = 1e-10
"""An eigenvalue of W, each row beside its spring, that is this part of the largest is none."""

CONSISTENT = 1e-9
"""What may be left of w of held rows, beside its terms; more is a contradiction of rows."""


class Held(NamedTuple):
    """Forces in some modes.

    Attributes:
        z: Forces, ``(r,)``.
        w: W z + b, ``(r,)``.
        sizes: What w is the sum of, ``(r,)``.
        candidate: What the spring of each row would carry, ``(r,)``.
        is_closed: Whether all held rows have w = 0.
    """

    z: np.ndarray
    w: np.ndarray
    sizes: np.ndarray
    candidate: np.ndarray
    is_closed: bool


class Across(NamedTuple):
    """How friction at its bound in space is held across its direction.

    Attributes:
        bend: w across over -T across, ``(k,)``: |w| / |T| where it slides, 0 where the rest holds
            it; negative where its direction is known.
        stretch: How much stiffer its spring is across than along, ``(k,)``: |T*| / |T|.
    """

    bend: np.ndarray
    stretch: np.ndarray

    @classmethod
    def none(cls, k: int) -> Across:
        """Return that of directions that are all known."""
        return cls(np.full(k, -1.0), np.ones(k))


def held_forces(
    p: Problem, status: np.ndarray, direction: np.ndarray, grip: np.ndarray, across: Across
) -> Held:
    """Return the forces of all rows in some modes.

    A row that sticks, or a contact that is closed, has w = 0. A friction at its bound has
    T = -grip N d. Where its direction d is part of the solution, it may differ from the given one
    by a small force across: w + bend T = 0 there, which is zero once d is found.

    Args:
        p: Rows and their responses.
        status: Of each element, ``(k,)``.
        direction: Of sliding, ``(k, 2)``.
        grip: The coefficient of each friction, ``(k,)``.
        across: What acts across the directions.
    """
    U, springs, bend = _held_directions(p, status, direction, across)
    B, z0 = _with_followers(p, U, status, direction, grip)
    n, candidate = len(springs), np.zeros(len(p.b))
    if not n:
        return Held(z0, p.W @ z0 + p.b, _sizes(p, z0), candidate, True)
    # A y + r = 0 with w = W (B y + z₀) + b, each row beside the root of its spring
    root, WB = np.sqrt(springs), p.W @ B
    A = U.T @ WB / np.outer(root, root) + np.diag(bend / springs)
    r = U.T @ (p.W @ z0 + p.b) / root
    held = bend == 0
    V = U[:, held]
    WV = p.W @ V
    values, Q = np.linalg.eigh(V.T @ WV / np.outer(root[held], root[held]))
    is_kept = values > DEPENDENT * values[-1] if len(values) else np.empty(0, bool)
    # forces that a displacement makes: y = Q c of held rows, any of those across
    Q, values = Q[:, is_kept], values[is_kept]
    if is_kept.all():
        # what is not coupled stays so, and a single row is exact: scaled by powers of two alone
        scale = np.exp2(np.round(np.log2(root)))
        exact = U.T @ WB / np.outer(scale, scale) + np.diag(bend / scale**2)
        force = _solution(exact, -(U.T @ (p.W @ z0 + p.b)) / scale) / scale
    else:
        basis = np.zeros((n, Q.shape[1] + n - len(held[held])))
        basis[np.ix_(held, np.arange(Q.shape[1]))] = Q
        basis[np.flatnonzero(~held), np.arange(Q.shape[1], basis.shape[1])] = 1.0
        force = basis @ _solution(basis.T @ A @ basis, -basis.T @ r) / root
    y, z = root * force, B @ force + z0
    if n < len(p.b):
        # W_hh v = R y
        v = Q @ (Q.T @ y[held] / values)
        candidate = WV @ (v / root[held]) / p.spring
    w, sizes = p.W @ z + p.b, _sizes(p, z)
    left = np.abs(U.T @ w + bend * force)
    return Held(z, w, sizes, candidate, bool((left <= CONSISTENT * (np.abs(U.T) @ sizes)).all()))


def _solution(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(A, b)[0]


def _sizes(p: Problem, z: np.ndarray) -> np.ndarray:
    """Return what w is the sum of; rows leave rounding in each other, by how mobile they are."""
    own, root = np.abs(p.W) @ np.abs(z) + p.terms, np.sqrt(p.spring)
    return np.maximum(own, root * float((own / root).max(initial=0.0)))


def _held_directions(
    p: Problem, status: np.ndarray, direction: np.ndarray, across: Across
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return unit columns along which w is zero, with their springs and bends."""
    e = p.elements
    stuck = np.flatnonzero((status == STICK)[e.owner])
    bent = np.flatnonzero((status == BOUND) & (across.bend >= 0))
    U = np.zeros((len(p.b), len(stuck) + len(bent)))
    U[stuck, np.arange(len(stuck))] = 1.0
    rows, columns = e.first[bent], len(stuck) + np.arange(len(bent))
    U[rows, columns], U[rows + 1, columns] = -direction[bent, 1], direction[bent, 0]
    springs = np.concatenate([p.spring[stuck], p.spring[rows] * across.stretch[bent]])
    return U, springs, np.concatenate([np.zeros(len(stuck)), across.bend[bent]])


def _with_followers(
    p: Problem, U: np.ndarray, status: np.ndarray, direction: np.ndarray, grip: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return B and z₀ with z = B y + z₀: friction at its bound follows what presses it."""
    e, z0 = p.elements, np.zeros(len(p.b))
    rows = np.flatnonzero((status == BOUND)[e.owner])
    if not len(rows):
        return U, z0
    owner = e.owner[rows]
    part = -grip[owner] * direction[owner, rows - e.first[owner]]
    z0[rows] = part * p.offset[owner]
    presses = part[:, None] * p.presses[owner]
    if not presses.any():
        return U, z0
    if presses[:, rows].any():
        # they press each other, by constraints: z = U y + G z + z₀
        G = np.zeros_like(p.W)
        G[rows] = presses
        inverse = np.linalg.inv(np.eye(len(G)) - G)
        return inverse @ U, inverse @ z0
    B = U.copy()
    B[rows] += presses @ U
    z0[rows] += presses @ z0
    return B, z0
