"""The Coriolis matrix by recursion: the one of the Christoffel symbols, so that Ṁ - 2C is skew.

Reference: Echeandia and Wensing, Numerical methods to compute the Coriolis matrix and Christoffel
symbols for rigid-body systems (2021), here in the frames of the links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.mechanics.kinematics import link_velocities
from dalembert.mechanics.newton_euler import has_armature, joint_rate
from dalembert.mechanics.tree import Tree, Values
from dalembert.mechanism import JointKind
from dalembert.spatial.se3 import (
    Twist,
    bracket,
    cobracket,
    plus,
    power,
    times,
    transform_twist_back,
)
from dalembert.spatial.vectors import ZERO, ratio, skew

Columns = dict[int, Twist]


def coriolis_matrix(tree: Tree, q: Values, v: Values) -> list[list[Any]]:
    """Return C(q, v) with C v = bias without gravity and Ṁ - 2C skew.

    C = Σ Jᵀ (I J̇ + B J) over the links, with B X = ½ (V ×* IX + I(V × X) + X ×* IV).
    """
    poses = tree.poses(q)
    twists = link_velocities(tree, poses, v)
    C: list[list[Any]] = [[0] * tree.num_v for _ in range(tree.num_v)]
    jacobians: list[tuple[Columns, Columns]] = []
    for i, node in enumerate(tree.nodes):
        J, Jd = _columns(tree, jacobians, i, poses[i], v)
        jacobians.append((J, Jd))
        V = twists[i]
        IV = node.inertia.momentum(*V)
        for k, X in J.items():
            IX = node.inertia.momentum(*X)
            B = plus(cobracket(V, IX), node.inertia.momentum(*bracket(V, X)))
            B = plus(B, cobracket(X, IV))
            # twice the column, halved when it is projected: no fraction meets a float
            column = plus(times(2, node.inertia.momentum(*Jd[k])), B)
            for j, Y in J.items():
                C[j][k] = C[j][k] + ratio(power(Y, column), 2)
        if has_armature(node) and node.joint.kind is JointKind.FLOATING:
            # the rotor's momentum armature · u turns with the body: armature · ω̂
            w_hat = skew(tuple(v[k] for k in node.velocities[3:]))  # type: ignore[arg-type]
            for j, row in zip(node.velocities[:3], w_hat, strict=True):
                for k, w in zip(node.velocities[:3], row, strict=True):
                    C[j][k] = C[j][k] + node.joint.armature * w
    return C


def _columns(
    tree: Tree,
    above: Sequence[tuple[Columns, Columns]],
    i: int,
    X_PC: Any,
    v: Values,
) -> tuple[Columns, Columns]:
    """Return J of a link and its rate, column by column, in the link's frame.

    J = (J of the parent at the child, S);  J̇ = (J̇ of the parent at the child - S q̇ × J, 0).
    """
    node = tree.nodes[i]
    relative = joint_rate(node.columns, [v[k] for k in node.velocities])
    J: Columns = {}
    Jd: Columns = {}
    if node.parent:
        Jp, Jdp = above[node.parent - 1]
        for k, column in Jp.items():
            J[k] = transform_twist_back(X_PC, column)
            carried = bracket(relative, J[k])
            Jd[k] = plus(transform_twist_back(X_PC, Jdp[k]), times(-1, carried))
    for k, column in zip(node.velocities, node.columns, strict=True):
        J[k] = plus(J.get(k, (ZERO, ZERO)), column)
        Jd.setdefault(k, (ZERO, ZERO))
    return J, Jd
