"""Mass matrix by composite rigid bodies, over any scalar (Walker and Orin 1982)."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.resistance.spring_inertia import add_spring_inertia, spring_inertias
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.inertia.pseudo_inertia import PseudoInertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Scalar, add, cross, dot, rotate


def mass_matrix(tree: Tree, q: Values) -> list[list[Scalar]]:
    """Return M(q), the armature of joints (rotors) and springs included."""
    poses = tree.poses(q)
    composite = composite_inertias(tree, poses)
    M: list[list[Scalar]] = [[0] * tree.nv for _ in range(tree.nv)]
    for i, node in enumerate(tree.nodes):
        for k, (place, (su, sw)) in enumerate(zip(node.velocities, node.columns, strict=True)):
            # momentum of the composite body for a unit velocity, projected on this joint …
            f, n = composite[i].momentum(su, sw)
            for other, (tu, tw) in list(zip(node.velocities, node.columns, strict=True))[: k + 1]:
                _add(M, place, other, dot(tu, f) + dot(tw, n), place == other)
            # … and, carried to their frames, on every joint above it
            at = i
            while tree.nodes[at].parent:
                R, p = poses[at]
                f = rotate(R, f)
                n = add(rotate(R, n), cross(p, f))
                at = tree.nodes[at].parent - 1
                above = tree.nodes[at]
                for other, (tu, tw) in zip(above.velocities, above.columns, strict=True):
                    value = dot(tu, f) + dot(tw, n)
                    # joints that share a velocity (mimic) meet on the diagonal from both sides
                    _add(M, place, other, value, False)
    # rotors that turn with a joint
    for node in tree.nodes:
        if has_armature(node):
            for i in node.velocities:
                M[i][i] = M[i][i] + armature(node)
    add_spring_inertia(tree, q, M)
    return M


def mass_diagonal(tree: Tree, q: Values) -> list[Scalar]:
    """Return the diagonal of M(q), with effort linear in the number of links.

    Joints that share a velocity (mimic) meet there; then it is that of the whole matrix.
    """
    if any(node.joint.mimic for node in tree.nodes):
        return [row[i] for i, row in enumerate(mass_matrix(tree, q))]
    composite = composite_inertias(tree, tree.poses(q))
    diagonal: list[Scalar] = [0] * tree.nv
    for body, node in zip(composite, tree.nodes, strict=True):
        for place, (su, sw) in zip(node.velocities, node.columns, strict=True):
            f, n = body.momentum(su, sw)
            diagonal[place] = dot(su, f) + dot(sw, n)
            if has_armature(node):
                diagonal[place] = diagonal[place] + armature(node)
    for weight, row in spring_inertias(tree, q):
        diagonal = [
            d if is_zero(s) else d + weight * (s * s) for d, s in zip(diagonal, row, strict=True)
        ]
    return diagonal


def composite_inertias(tree: Tree, poses: Sequence[Pose]) -> list[PseudoInertia]:
    """Return the inertia of each link with everything behind it, in the frame of the link."""
    composite = [PseudoInertia.of(node.inertia) for node in tree.nodes]
    for i in reversed(range(len(tree.nodes))):
        parent = tree.nodes[i].parent
        if parent:
            composite[parent - 1] = composite[parent - 1].plus(composite[i].moved(poses[i]))
    return composite


def _add(M: list[list[Scalar]], i: int, j: int, value: Scalar, once: bool) -> None:
    """Add a value to M[i][j] and M[j][i]; ``once`` for a true diagonal entry."""
    M[i][j] = M[i][j] + value
    if not once:
        M[j][i] = M[j][i] + value
