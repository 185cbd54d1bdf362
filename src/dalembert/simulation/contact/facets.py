"""Forces with cones of friction replaced by pyramids: a linear complementarity problem.

It always has an answer at the level of impulses, and `lemke` finds it. On a plane that is the
answer itself, but for the springs; in space facets are turned to it and made narrower, and what
comes out is a guess of modes and directions.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulation.contact.lemke import lemke
from dalembert.simulation.contact.rows import BOUND, FREE, GIVEN, OPEN, STICK, Mode, Problem

NUM_FACETS = 8

NARROWER = 4
"""Each time that facets are turned, they become so many times narrower."""

LOADED = 1e-7
"""A force that is one, beside the largest."""

INSIDE = 1e-6
"""A friction that is below its bound by this part of it sticks."""


def forces_by_facets(
    p: Problem, start: Mode, known: np.ndarray, turns: int = 0, softness: float = 1.0
) -> np.ndarray | None:
    """Return forces with friction in pyramids; None if there are none.

    Args:
        p: Rows and their responses, with their springs in series.
        start: Directions of sliding that are known.
        known: What is known of each friction.
        turns: How often facets are turned to the forces and made narrower.
        softness: How much softer the springs are than those of the problem.
    """
    p = p._replace(spring=softness * p.spring)
    width = 2 * np.pi / NUM_FACETS
    angles = {int(i): np.arange(NUM_FACETS) * width for i in _in_space(p, known)}
    z = _forces(p, start, known, angles)
    for _ in range(turns):
        if z is None or not angles:
            break
        width /= NARROWER
        fan = np.array([0, width, -width, 2 * width, -2 * width, np.pi / 2, -np.pi / 2, np.pi])
        for i in angles:
            x, y = z[p.elements.first[i] : p.elements.first[i] + 2]
            if x or y:
                angles[i] = np.arctan2(y, x) + fan
        z = _forces(p, start, known, angles)
    return z


def _in_space(p: Problem, known: np.ndarray) -> np.ndarray:
    return np.flatnonzero((p.elements.size == 2) & (known != GIVEN))


def _forces(
    p: Problem, start: Mode, known: np.ndarray, angles: dict[int, np.ndarray]
) -> np.ndarray | None:
    """Return forces for facets at angles: z = D y with y ≥ 0.

    Dᵀ w ≥ 0 of contacts, Dᵀ w + λ ≥ 0 of facets, μ N - Σ y ≥ 0 of frictions, each with its y or λ.
    """
    e, grip = p.elements, np.where(known == FREE, p.mu_static, p.mu)
    free = np.flatnonzero(~e.is_contact & (known != GIVEN))
    columns, owners = [], []
    for i in np.flatnonzero(e.is_contact):
        columns.append([(e.first[i], 1.0)])
        owners.append(-1)
    for i in free.tolist():
        sides = _sides(angles[i]) if i in angles else [(1.0,), (-1.0,)]
        for side in sides:
            columns.append([(e.first[i] + j, x) for j, x in enumerate(side)])
            owners.append(i)
    D = np.zeros((len(p.b), len(columns)))
    for j, column in enumerate(columns):
        for row, x in column:
            D[row, j] = x
    along, fixed = _given(p, start, known, grip)
    # D y, and what slides in a known direction and follows it
    B, owner, n = D + along @ D, np.array(owners), len(columns)
    mine = (owner == free[:, None]).astype(float)
    M, q = np.zeros((n + len(free), n + len(free))), np.zeros(n + len(free))
    M[:n, :n], M[:n, n:] = D.T @ (p.W + np.diag(p.spring)) @ B, mine.T
    M[n:, :n] = grip[free, None] * (p.presses[free] @ B) - mine
    q[:n] = D.T @ (p.b + p.W @ fixed)
    q[n:] = grip[free] * (p.offset[free] + p.presses[free] @ fixed)
    # each row in its own unit: forces times the root of their mobility, λ over it
    size = np.sqrt(np.maximum(p.mobility @ D**2, np.finfo(float).tiny))
    own = np.array([size[owner == i].max() for i in free])
    scale = np.concatenate([1 / size, own])
    largest = float(np.abs(scale * q).max(initial=0.0)) or 1.0
    y = lemke(scale[:, None] * M * scale, scale * q / largest)
    return None if y is None else B @ (scale * y * largest)[:n] + fixed


def _sides(angles: np.ndarray) -> list[tuple[float, float]]:
    return list(zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True))


def _given(
    p: Problem, start: Mode, known: np.ndarray, grip: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return G and z₀ of frictions in known directions: z = G z + z₀."""
    e, G, z0 = p.elements, np.zeros_like(p.W), np.zeros(len(p.b))
    for i in np.flatnonzero(~e.is_contact & (known == GIVEN)):
        for j in range(e.size[i]):
            part = -grip[i] * start.direction[i, j]
            G[e.first[i] + j], z0[e.first[i] + j] = part * p.presses[i], part * p.offset[i]
    return G, z0


def modes_of(p: Problem, z: np.ndarray, start: Mode, known: np.ndarray) -> Mode:
    """Return the modes that forces tell of."""
    e, size = p.elements, np.sqrt(p.mobility)
    grip = np.where(known == FREE, p.mu_static, p.mu)
    largest = float((np.abs(z) * size).max(initial=0.0))
    status, direction = np.full(len(e.first), STICK), start.direction.copy()
    for i in np.flatnonzero(e.is_contact):
        row = e.first[i]
        status[i] = STICK if z[row] * size[row] > LOADED * largest else OPEN
    for i in np.flatnonzero(~e.is_contact):
        T = z[e.first[i] : e.first[i] + e.size[i]]
        N, length = float(p.offset[i] + p.presses[i] @ z), float(np.linalg.norm(T))
        if e.normal[i] >= 0 and status[e.normal[i]] == OPEN:
            status[i] = OPEN
        elif known[i] == GIVEN:
            status[i] = BOUND
        elif known[i] != FREE or not N > 0 or length >= grip[i] * N * (1 - INSIDE):
            status[i] = BOUND
            if length > 0:
                direction[i, : len(T)] = -T / length
    return Mode.of(status, direction)
