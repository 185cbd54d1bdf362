"""The actuators of a model: names, bounds, and the matrix that brings their efforts to torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class Actuation:
    """What drives a mechanism: τ = B u with one effort u for each actuator.

    ``matrix`` is B, ``(nv, actuators)``: the gear ratio in the row of the velocity that an actuator
    drives. ``effort`` are the largest |u|, ∞ where there is no bound. A mechanism without actuators
    has one on each joint that is not floating.
    """

    names: tuple[str, ...]
    matrix: Array
    effort: Array

    def torques(self, u: ArrayLike) -> Array:
        """Return the generalized forces τ = B u, ``(..., nv)``, of efforts ``(..., actuators)``."""
        from dalembert.model.border import finite_array

        return finite_array(u, "u", (..., len(self.names)), labels=self.names) @ self.matrix.T


def actuation_of(mechanism: Mechanism) -> Actuation:
    """Return the actuation of a mechanism whose gear ratios are numbers.

    The bound of an actuator without ``effort`` is that of its joints, seen through the gear.
    """
    import numpy as np

    from dalembert.model.configuration import Configuration
    from dalembert.recursions.actuation import actuation_matrix, drives
    from dalembert.recursions.tree import Tree

    tree = Tree.of(mechanism)
    found = drives(tree)
    known = {actuator.name: actuator.effort for actuator in mechanism.actuators}
    bounds = Configuration.of_joints(mechanism).effort
    effort = np.full(len(found), np.inf)
    for k, drive in enumerate(found):
        given = known.get(drive.name)
        shares = ((bounds[i], abs(float(ratio))) for i, ratio in drive.ratios.items())
        seen = [bound / ratio for bound, ratio in shares if ratio]
        if given is not None:
            effort[k] = float(given)
        elif seen:
            effort[k] = min(seen)
    matrix = np.array(actuation_matrix(tree), dtype=float).reshape(tree.nv, len(found))
    return Actuation(tuple(drive.name for drive in found), matrix, effort)
