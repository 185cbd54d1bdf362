"""The semi-implicit method of Euler: velocities first, then positions with the new velocities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.methods.explicit import ExplicitMethod, Motion, S

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True)
class SemiImplicitEuler(ExplicitMethod):
    """q̇ ← q̇ + h q̈(q, q̇), then q ← q ⊕ h q̇; of order 1, what game engines and MuJoCo do.

    For a constant mass matrix without damping it is symplectic: the energy error stays bounded.

    Args:
        step: Seconds.
    """

    def advance(self, motion: Motion[S], t: S, x: Array, h: S) -> tuple[Array, Array]:
        n, rate = motion.nq, motion.rate(t, x)
        v = x[n:] + h * rate[n:]
        return np.concatenate([motion.moved(x[:n], v, h), v]), rate
