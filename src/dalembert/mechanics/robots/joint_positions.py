"""Positions of joints from the poses of their two links: a distance, or the angle of an atan2."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.expr import Expr, as_expr, atan2, cos, sin
from dalembert.mechanism import JointKind
from dalembert.recursions.node import Node
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.so3 import turn_between
from dalembert.spatial.vectors import Vec, dot, rotate, sub, transpose
from dalembert.types import Scalar


class JointFrames(NamedTuple):
    """A joint's frame as the parent carries it, and as the child does, in the world."""

    node: Node
    before: Pose
    behind: Pose

    @classmethod
    def of(cls, node: Node, X_WP: Pose, X_WC: Pose) -> JointFrames:
        """Return the frames of a joint between two links."""
        return cls(node, X_WP @ node.joint.placement, X_WC @ node.joint.after.inverse())

    @property
    def axis(self) -> Vec:
        """The axis of the joint in the world."""
        return rotate(self.before.R, self.node.joint.axis)

    @property
    def slide(self) -> Expr:
        """How far the child has moved along the axis, in m."""
        return as_expr(dot(sub(self.behind.p, self.before.p), self.axis))

    @property
    def turn(self) -> tuple[Expr, Expr]:
        """Sine and cosine of the angle by which the child has turned about the axis."""
        e, f = transpose(self.before.R), transpose(self.behind.R)
        k, i, j = self._axes
        sign = self.node.joint.axis[k]
        return as_expr(sign * dot(e[j], f[i])), as_expr(dot(e[i], f[i]))

    @property
    def position(self) -> Expr:
        """The joint's own position: an angle within π of the reference, or a distance."""
        motion = atan2(*self.turn) if self.node.joint.turn else self.slide
        return motion + self.node.joint.reference

    def constraints(self) -> list[Expr]:
        """Return what is zero whatever the joint's position, the pitch of a screw left out."""
        e, f = transpose(self.before.R), transpose(self.behind.R)
        offset = sub(self.behind.p, self.before.p)
        k, i, j = self._axes
        match self.node.joint.kind:
            case JointKind.REVOLUTE | JointKind.CONTINUOUS:
                # the origins meet, the axes stay parallel
                a = [*offset, dot(f[k], e[i]), dot(f[k], e[j])]
            case JointKind.PRISMATIC:
                # no turn, and no offset across the axis
                turn = turn_between(self.before.R, self.behind.R)
                a = [*turn, dot(offset, e[i]), dot(offset, e[j])]
            case JointKind.HELICAL:
                # the axes stay on one line
                a = [dot(offset, e[i]), dot(offset, e[j]), dot(f[k], e[i]), dot(f[k], e[j])]
            case _:
                a = [*offset, *turn_between(self.before.R, self.behind.R)]
        return [as_expr(x) for x in a]

    def at(self, position: Scalar) -> list[Expr]:
        """Return what is zero where the joint is at a position that others give: a mimic joint."""
        joint = self.node.joint
        x = as_expr(position - joint.reference)
        if not joint.turn:
            return [self.slide - x]
        # sin(angle - x), the same after full turns
        s, c = self.turn
        turned = s * cos(x) - c * sin(x)
        return [turned] if joint.kind is not JointKind.HELICAL else [turned, self.pitched(x)]

    def pitched(self, angle: Scalar) -> Expr:
        """Return what is zero where a screw has moved by its pitch times the angle."""
        return as_expr(self.slide - self.node.joint.slide * angle)

    @property
    def _axes(self) -> tuple[int, int, int]:
        """The place of the axis, and the two that follow it."""
        k = next((n for n in range(3) if self.node.joint.axis[n] != 0), 2)
        return k, (k + 1) % 3, (k + 2) % 3
