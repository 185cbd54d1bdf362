"""Floating bases in a time step: their linear velocities keep their axes while the base turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.expr import ZERO, Expr
from dalembert.spatial.rotation.quaternion import to_matrix
from dalembert.spatial.vectors import Mat, cross, neg, rotate, unrotate

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Scalar

FREE_VELOCITIES = 6
"""Velocities of a floating base: three linear ones in its own axes, then three angular ones."""


class Bases(NamedTuple):
    """Where the floating bases of a mechanism have their numbers.

    Attributes:
        at_q, at_v: First places in q and in v, one for each base.
        nv: Velocities in all.
    """

    at_q: tuple[int, ...]
    at_v: tuple[int, ...]
    nv: int

    @classmethod
    def of(cls, model: Model) -> Bases:
        """Return the floating bases of a model of a mechanism."""
        at_q, at_v, i, k = [], [], 0, 0
        for joint in model.mechanism.moving_joints:
            if joint.nv == FREE_VELOCITIES:
                at_q.append(i)
                at_v.append(k)
            i, k = i + joint.nq, k + joint.nv
        return cls(tuple(at_q), tuple(at_v), model.nv)

    def turning(self, v: Sequence[Expr]) -> list[Any]:
        """Return q̈ = -ω × v of bases whose velocity in the world stays, else zeros."""
        found: list[Any] = [ZERO] * self.nv
        for k in self.at_v:
            linear, angular = (v[k], v[k + 1], v[k + 2]), (v[k + 3], v[k + 4], v[k + 5])
            found[k : k + 3] = neg(cross(angular, linear))
        return found

    def turned(self, q: Sequence[Expr], q_next: Sequence[Expr], v: Sequence[Scalar]) -> list[Any]:
        """Return velocities with the linear ones of bases in the axes that these have next."""
        found: list[Any] = list(v)
        for i, k in zip(self.at_q, self.at_v, strict=True):
            world = rotate(_rotation(q, i), (v[k], v[k + 1], v[k + 2]))
            found[k : k + 3] = unrotate(_rotation(q_next, i), world)
        return found


def _rotation(q: Sequence[Expr], i: int) -> Mat:
    """Return the rotation of the base whose numbers in q begin at i."""
    return to_matrix((q[i + 3], q[i + 4], q[i + 5], q[i + 6]))
