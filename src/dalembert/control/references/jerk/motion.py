"""A motion of limited jerk of all joints together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Motion, Reference
from dalembert.control.references.jerk.kernels import NUM_BRAKE, NUM_PHASES, kernel
from dalembert.control.references.jerk.plan import BRAKES

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True, eq=False)
class JerkLimited(Reference):
    """The synchronised motion of several joints between two states; all arrive at once.

    Attributes:
        duration: How long it takes, in s.
        num_joints: How many joints move, n.
        asked: p0, v0, a0, p1, v1, a1 and the limits V, A, J of each joint, in n rows; rows behind
            them only fill up.
        plan: What each joint does, in as many rows; see `jerk.plan.Plan`.
    """

    duration: float
    num_joints: int
    asked: Array
    plan: Array

    def at(self, t: Array) -> Motion:
        return Motion(*self._states(t)[:3])

    def jerk(self, t: Array) -> Array:
        """Return the jerk at times ``(...)`` within the duration, ``(..., n)``."""
        return self._states(np.asarray(t, float))[3]

    def _states(self, t: Array) -> list[Array]:
        n, count = self.num_joints, len(self.asked)
        shape = (*t.shape, count)
        if t.ndim:
            times = np.broadcast_to(t[..., None], shape)
            rows = [np.broadcast_to(x, (*shape, x.shape[1])) for x in (self.asked, self.plan)]
        else:
            times, rows = np.full(count, float(t)), [self.asked, self.plan]
        return [x[..., :n] for x in kernel("state")(times, *rows)]

    @cached_property
    def breaks(self) -> Array:
        """The times at which a jerk changes, of all joints."""
        brake = np.cumsum(self.plan[: self.num_joints, :BRAKES], axis=1)
        both = self.plan[: self.num_joints, NUM_BRAKE:-1].reshape(-1, 2, NUM_PHASES)
        ends = brake[:, -1:, None] + np.cumsum(both, axis=2)
        times = np.concatenate([[0.0, self.duration], brake.ravel(), ends.ravel()])
        return np.unique(np.clip(times, 0.0, self.duration))

    def peaks(self) -> tuple[Array, Array]:
        """Return the exact largest |velocity| and |acceleration| of each joint."""
        t = self.breaks
        _, v, a = self.at(t)
        # between two breaks a is linear: v has its peak where a vanishes
        h, rise = np.diff(t)[:, None], np.diff(a, axis=0)
        crossing = a[:-1] * a[1:] < 0
        part = np.where(crossing, -a[:-1] / np.where(crossing, rise, 1.0), 0.0)
        inner = v[:-1] + a[:-1] * part * h / 2
        return np.abs(np.concatenate([v, inner])).max(axis=0), np.abs(a).max(axis=0)
