"""Impulses of all contacts that are closed at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.simulation.laws.base import Row, RowValues
from dalembert.simulation.laws.forces.bounded_forces import bounded_forces
from dalembert.simulation.laws.forces.followers import Follower
from dalembert.simulation.laws.impacts.rough_impact import rough_impact


def restitutions(
    rows: Sequence[Row], r: RowValues, resting: np.ndarray, *, is_plastic: bool = False
) -> np.ndarray:
    """Return e of every row: zero where a rebound is below ``resting``, or there is to be none."""
    e = np.array([row.restitution for row in rows])
    return np.where((-e * r.u < resting) | is_plastic, 0.0, e)


def impact(
    r: RowValues, closed: np.ndarray, e: np.ndarray, *, sliders: Sequence[Follower] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Return the change of q̇ by the impulses of the closed contacts, P Aᵀ Λ, and Λ of all rows.

    ``e`` are the restitutions of all rows, ``sliders`` frictions that follow contacts.
    """
    if any(s.contact is not None and closed[s.contact] for s in sliders):
        impulses = rough_impact(r, closed, e, sliders)
        return r.P @ r.A.T @ impulses, impulses
    A, u, e = r.A[closed], r.u[closed], e[closed]
    # 0 ≤ Λ ⊥ W Λ + (1 + e) u⁻ ≥ 0
    W = A @ r.P @ A.T
    none = np.zeros(len(u))
    impulses = np.zeros(len(r.u))
    impulses[closed] = bounded_forces(W, (1 + e) * u, none, none + np.inf, r.alone[closed])
    return r.P @ r.A.T @ impulses, impulses
