"""Secondary objectives: what to improve among the configurations that satisfy the tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.ik.space import FAR, SearchSpace

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

# of central differences: the cube root of the rounding error
STEP = 1e-5


@dataclass(frozen=True, eq=False)
class Objective(ABC):
    """A number to minimise with the freedoms that the tasks leave."""

    @abstractmethod
    def value(self, space: SearchSpace, q: Array) -> Array:
        """Return the number for configurations ``(..., nq)``."""

    def gradient(self, space: SearchSpace, q: Array) -> Array:
        """Return the derivative along velocities, ``(..., nv)``, by central differences."""
        move = space.model.configuration.integrate
        at = q[..., None, :]
        steps = STEP * np.eye(space.model.nv)
        ends = (self.value(space, move(at, s * steps)) for s in (1.0, -1.0))
        return np.subtract(*ends) / (2 * STEP)


@dataclass(frozen=True, eq=False)
class Posture(Objective):
    """Close to a configuration: ½ Σ w (q - posture)².

    Args:
        posture: ``(nq,)``, or one for each sample.
        weights: One for each velocity.
    """

    posture: ArrayLike
    weights: ArrayLike = 1.0

    def value(self, space: SearchSpace, q: Array) -> Array:
        posture = np.broadcast_to(np.asarray(self.posture, float), q.shape)
        offset = space.model.configuration.difference(posture, q)
        return 0.5 * (np.asarray(self.weights) * offset**2).sum(axis=-1)


@dataclass(frozen=True, eq=False)
class Centring(Objective):
    """Joints in the middle of their ranges: ½ Σ ((q - middle)/range)² over those that have one."""

    def value(self, space: SearchSpace, q: Array) -> Array:
        bounded = (space.lower > -FAR) & (space.upper < FAR)
        low, high = space.lower[bounded], space.upper[bounded]
        part = (q[..., bounded] - (low + high) / 2) / (high - low)
        return 0.5 * (part**2).sum(axis=-1)


@dataclass(frozen=True, eq=False)
class Manipulability(Objective):
    """Far from singularities: -√det(JJᵀ) of some rows of a frame's Jacobian.

    Args:
        rows: Of (vx, vy, vz, wx, wy, wz).
    """

    frame: str
    rows: Sequence[int] = tuple(range(6))

    def value(self, space: SearchSpace, q: Array) -> Array:
        J = space.model.jacobian(q, frame=self.frame)[..., list(self.rows), :]
        return -np.prod(np.linalg.svd(J, compute_uv=False), axis=-1)
