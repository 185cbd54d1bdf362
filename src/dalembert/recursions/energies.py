"""Kinetic and potential energy of a mechanism, over any scalar."""

from __future__ import annotations

from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.kinematics import first_moment
from dalembert.recursions.motions import link_velocities
from dalembert.recursions.resistance.spring_inertia import (
    has_spring_inertia,
    spring_kinetic_energy,
)
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.vectors import Scalar, dot, ratio


def kinetic_energy(tree: Tree, q: Values, v: Values) -> Scalar:
    """Return T = Σ ½ Vᵀ I V, with that of rotors and springs that have armature."""
    total: Scalar = 0
    for node, (u, w) in zip(tree.nodes, link_velocities(tree, tree.poses(q), v), strict=True):
        # uᵀ (m u + ω × h) + ωᵀ (I ω + h × u)
        p, L = node.inertia.momentum(u, w)
        total = total + dot(u, p) + dot(w, L)
        if has_armature(node):
            for i in node.velocities:
                total = total + armature(node) * (v[i] * v[i])
    T = ratio(total, 2)
    return T + spring_kinetic_energy(tree, q, v) if has_spring_inertia(tree) else T


def potential_energy(tree: Tree, q: Values) -> Scalar:
    """Return V = -gᵀ Σ m c over the moving links, and what a reduced tree has put aside."""
    return tree.potential_constant - dot(tree.gravity, first_moment(tree, q)[1])
