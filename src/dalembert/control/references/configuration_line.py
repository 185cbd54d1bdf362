"""The shortest path between two configurations, also of joints with quaternions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Motion, Reference

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.configuration import Configuration
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class ConfigurationLine(Reference):
    """The shortest way between two configurations, quaternions turning at a constant rate."""

    configuration: Configuration
    start: Array
    velocity: Array
    duration: float = 1.0

    def at(self, t: Array) -> Motion:
        q = self.configuration.integrate(self.start, self.velocity, t)
        v = np.broadcast_to(self.velocity, (*t.shape, len(self.velocity)))
        return Motion(q, v, np.zeros_like(v))


def configuration_line(model: Model, start: ArrayLike, end: ArrayLike) -> ConfigurationLine:
    """Return the path from start to end on the configuration manifold, parameter from 0 to 1.

    Its velocities are those of the model, ``(..., nv)``: body-fixed for ball and free joints.
    """
    c = model.configuration
    a = c.normalized(start)
    return ConfigurationLine(c, a, c.difference(a, c.normalized(end)))
