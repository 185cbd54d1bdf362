"""Motion of every link and of its joint's axes: what derivatives of the dynamics start from.

A link's motion is seen by an observer who moves along with the link's origin at the moment: forces
do not change with a uniform velocity, and the linear velocity at the origin is zero then.
"""

from __future__ import annotations

from typing import NamedTuple

from dalembert.recursions.motions import Acceleration, Velocity
from dalembert.recursions.tree import Column, Node
from dalembert.spatial.se3 import bracket, plus
from dalembert.spatial.vectors import add, cross, neg, rotate


class Axis(NamedTuple):
    """One velocity of a joint: its twist S in the frame of the link, and how the twist moves.

    ``turned`` is ψ̇ = V × S, the change of the link's velocity when the joint's position changes,
    with the parent's twist V. When the joint's velocity changes, the acceleration changes by
    ψ̇ + Ṡ = ``times`` · ``swept``: the number stays outside of products, to be multiplied once.
    """

    place: int
    S: Column
    turned: Column
    swept: Column
    times: int


def joint_axes(node: Node, rate: Velocity) -> list[Axis]:
    """Return the axes of a joint, moved by its link.

    The parent's twist is V = (-u, ω₀) where the joint slides with u. A joint with one velocity may
    take the link's own twist (0, ω) for it: they differ by a multiple of S, and S × S = 0.
    """
    w = rate.w
    axes: list[Axis] = []
    for place, S in zip(node.velocities, node.columns, strict=True):
        su, sw = S
        # Ṡ, at an origin that rests for the observer
        rate_S = (cross(w, su), cross(w, sw))
        if len(node.columns) == 1:
            axes.append(Axis(place, S, rate_S, rate_S, 2))
        else:
            turned = bracket((neg(rate.rate[0]), rate.w0), S)
            axes.append(Axis(place, S, turned, plus(turned, rate_S), 1))
    return axes


def swung_axis(node: Node, axis: Axis, rate: Velocity, motion: Acceleration) -> Column:
    """Return A × S + V × (V × S): the change of acceleration when the joint's position changes.

    A is the parent's spatial acceleration, that of its point at the origin less ω₀ × V.
    """
    su, sw = axis.S
    if len(node.columns) == 1:
        # with V = (0, ω): (K S_v + a × S_w, K S_w)
        return add(rotate(motion.K, su), cross(motion.a, sw)), rotate(motion.K, sw)
    V = (neg(rate.rate[0]), rate.w0)
    A = (add(motion.a0, cross(V[0], V[1])), motion.wd0)
    return plus(bracket(A, axis.S), bracket(V, axis.turned))
