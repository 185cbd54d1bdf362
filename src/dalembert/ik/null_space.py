"""Better configurations among those that satisfy the tasks: descent in the null space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.goal import Goal
from dalembert.ik.objectives import Objective
from dalembert.ik.space import SearchSpace

if TYPE_CHECKING:
    from dalembert.types import Array

STEPS = 200
CORRECTIONS = 4
CUTOFF = 1e-6
# of a joint, below which nothing is gained
SMALLEST = 1e-7


def improved(goal: Goal, objectives: Sequence[Objective], q: Array) -> Array:
    """Return configurations with a smaller sum of objectives and |e| ≤ tolerance, as before.

    d = -(1 - J⁺J) ∇h, a step along it, Newton steps back to the tasks; a step counts only if the
    tasks hold, the limits hold and h is smaller.
    """
    space, move = goal.space, goal.space.model.configuration.integrate
    q, size = q.copy(), np.full(len(q), 0.1)
    value = _sum(objectives, space, q)
    active = np.arange(len(q))
    for _ in range(STEPS):
        if not active.size:
            break
        here, aim = q[active], goal.of(active)
        d = _descent(aim, objectives, here)
        # no joint moves farther than the size
        length = np.abs(d).max(axis=-1)
        scale = np.minimum(1.0, size[active] / np.maximum(length, 1e-300))
        trial = space.clipped(move(here, scale[:, None] * d))
        for _ in range(CORRECTIONS):
            # δ = J⁺ e, back to the tasks
            e, J = aim.error_and_jacobian(trial)
            back = (np.linalg.pinv(J, rcond=CUTOFF) @ e[..., None])[..., 0]
            trial = space.clipped(move(trial, back))
        new = _sum(objectives, space, trial)
        good = aim.is_reached(trial) & (new < value[active])
        q[active[good]], value[active[good]] = trial[good], new[good]
        size[active] = np.where(good, np.minimum(2 * size[active], 1.0), 0.3 * size[active])
        active = active[(scale * length > SMALLEST) & (size[active] > SMALLEST)]
    return q


def _descent(goal: Goal, objectives: Sequence[Objective], q: Array) -> Array:
    """Return -(1 - J⁺J) ∇h; joints that would leave their bounds are held first."""
    space = goal.space
    _, J = goal.error_and_jacobian(q)
    g = sum((h.gradient(space, q) for h in objectives), np.zeros(J.shape[::2]))
    free = np.ones(g.shape, bool)
    for column, place in enumerate(goal.problem.places):
        if place is not None:
            at_lower, at_upper = (
                q[:, place] <= space.lower[place],
                q[:, place] >= space.upper[place],
            )
            free[:, column] = ~((at_lower & (g[:, column] > 0)) | (at_upper & (g[:, column] < 0)))
    g, J = g * free, J * free[:, None, :]
    return -(g - np.einsum("nij,nj->ni", np.linalg.pinv(J, rcond=CUTOFF) @ J, g))


def _sum(objectives: Sequence[Objective], space: SearchSpace, q: Array) -> Array:
    return sum((h.value(space, q) for h in objectives), np.zeros(q.shape[:-1]))
