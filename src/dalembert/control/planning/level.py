"""Where a regulator surely ends a motion: a level of its V below which V falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.control.controllers.lqr import LQR
    from dalembert.types import Array

DIRECTIONS = 4_000
SEED = 1960
HALVINGS = 60


def falling_level(catch: LQR, is_angle: Array) -> float:
    """Return half of the level of V = x̃ᵀ S x̃ up to which V̇ < 0 in all directions tried.

    That is a check by samples, not a proof. Angles stay within half a turn.

    Args:
        catch: A regulator of a model without constraints and quaternions.
        is_angle: Which coordinates are angles, ``(nv,)``.
    """
    model, n, S = catch.model, catch.model.nv, catch.riccati
    rng = np.random.default_rng(SEED)
    d = rng.normal(size=(DIRECTIONS, 2 * n))
    # directions of the ellipsoid x̃ᵀ S x̃ = 1
    values, vectors = np.linalg.eigh(S)
    d = (d / np.linalg.norm(d, axis=1, keepdims=True)) @ (vectors / np.sqrt(values)).T

    def falls(level: float) -> bool:
        # all shells inside too: the set must hold no other rest
        x = np.concatenate([d * np.sqrt(level * f) for f in np.linspace(0.1, 1.0, 8)])
        q, v = catch.equilibrium + x[:, :n], x[:, n:]
        a = model.forward_dynamics(q, v, catch(0.0, q, v))
        rate = 2 * ((x @ S) * np.concatenate([v, a], axis=1)).sum(axis=1)
        within = np.abs(x[:, :n][:, is_angle]) < np.pi
        return bool((rate < 0).all() and within.all())

    low, high = 0.0, float(values[-1])
    while falls(high):
        low, high = high, 4 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(middle) else (low, middle)
        if low > 0 and high - low < 1e-3 * low:
            break
    return low / 2
