"""Random problems of joints that move, with targets that can be kept."""

from __future__ import annotations

import numpy as np

from dalembert.control import JerkLimits, Motion


def problems(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return rows p0, v0, a0, p1, v1, a1, V, A, J of about ``count`` joints.

    States are within their limits, and stay there if the acceleration vanishes at once. Half of the
    targets have no acceleration, a third no velocity; ways are between 0.01 and 10.
    """
    V, A = rng.uniform(0.2, 3, count), rng.uniform(0.3, 5, count)
    J = rng.uniform(0.5, 20, count)
    v0, v1 = 0.9 * V * rng.uniform(-1, 1, (2, count))
    a0, a1 = 0.9 * A * rng.uniform(-1, 1, (2, count))
    a1 *= rng.random(count) < 0.5
    v1 *= rng.random(count) < 0.7
    way = 2 * rng.normal(size=count) * rng.choice([0.01, 0.1, 1, 10], count)
    kept = np.abs(v0 + a0 * np.abs(a0) / (2 * J)) < V
    kept &= np.abs(v1 - a1 * np.abs(a1) / (2 * J)) < V
    rows = np.stack([rng.normal(size=count), v0, a0, way, v1, a1, V, A, J], axis=1)
    rows[:, 3] += rows[:, 0]
    return rows[kept]


def asked(rows: np.ndarray) -> tuple[JerkLimits, Motion, Motion]:
    """Return limits, start and end of joints."""
    parts = [np.ascontiguousarray(x) for x in rows.T]
    return JerkLimits(*parts[6:]), Motion(*parts[:3]), Motion(*parts[3:6])
