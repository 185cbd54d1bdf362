"""Inertia, momentum and its rate of change of everything behind a joint, over any scalar.

Particles m at r move with ṙ against the origin. A small change δ of the angular velocity changes
the force by 2 δ × P and the moment by 2N δ, where P = Σ m ṙ and N = Σ m ((r·ṙ) 1 - ṙ rᵀ): the
matrix 2B of Singh, Russell and Wensing (2022) has only these twelve numbers, which add up.
The symmetric part of 2N = D - L̂ is the rate of the inertia, L the angular momentum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dalembert.recursions.tree import Node, Values, joint_motion
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Mat, Vec, add, cross, dot, multiply, ratio, rotate, scale

Six = tuple[Any, Any, Any, Any, Any, Any]
"""A symmetric matrix: xx, yy, zz, xy, xz, yz."""


class Subtree(NamedTuple):
    """Moving bodies, about the origin of a frame and against its velocity; ``PP`` is 2P."""

    inertia: Inertia
    PP: Vec
    L: Vec
    D: Six

    def plus(self, other: Subtree) -> Subtree:
        """Return both together."""
        return Subtree(
            self.inertia + other.inertia,
            add(self.PP, other.PP),
            add(self.L, other.L),
            sum_six(self.D, other.D),
        )

    def coriolis(self) -> Mat:
        """Return 2N = D - L̂."""
        xx, yy, zz, xy, xz, yz = self.D
        x, y, z = self.L
        return (xx, xy + z, xz - y), (xy - z, yy, yz + x), (xz + y, yz - x, zz)


def moving_body(inertia: Inertia, w: Vec) -> Subtree:
    """Return a rigid body that turns with w about the origin: P = w × h, L = I w, D = ŵI - Iŵ."""
    xx, yy, zz, xy, xz, yz = inertia.I
    x, y, z = w
    i, j, k = (2 * yz) * x, (2 * xz) * y, (2 * xy) * z
    D = (
        j - k,
        k - i,
        i - j,
        (xx - yy) * z + (yz * y - xz * x),
        (zz - xx) * y + (xy * x - yz * z),
        (yy - zz) * x + (xz * z - xy * y),
    )
    return Subtree(inertia, cross(w, scale(2, inertia.h)), inertia.times_rotation(w), D)


class Turn(NamedTuple):
    """The rotation R_PC of a joint, in steps that keep their zeros; the last acts first."""

    R: Mat
    steps: tuple[Mat, ...]

    def symmetric(self, T: Six) -> Six:
        """Return R T Rᵀ."""
        for R in reversed(self.steps):
            T = rotate_symmetric(R, T)
        return T


def joint_turn(node: Node, pose: Pose, q: Values) -> Turn:
    """Return the rotation of a joint: in steps where each of them is about a coordinate axis."""
    joint = node.joint
    values = [q[i] for i in node.positions]
    motion = joint_motion(joint, values, node.multiplier, node.offset) if values else None
    steps = [joint.placement.R, joint.after.R]
    if motion is not None:
        steps.insert(1, motion.R)
    if all(_is_permutation(R) or _axis_of(R) is not None for R in steps):
        return Turn(pose.R, tuple(steps))
    return Turn(pose.R, (pose.R,))


def moved(subtree: Subtree, turn: Turn, p: Vec, step: Vec) -> Subtree:
    """Return the bodies about the parent's origin, in its axes and against its velocity.

    ``step`` is the velocity of the origin against the parent's: r → r + p and ṙ → ṙ + step.
    """
    m, h, I = subtree.inertia
    h, PP, L = rotate(turn.R, h), rotate(turn.R, subtree.PP), rotate(turn.R, subtree.L)
    I, D = turn.symmetric(I), turn.symmetric(subtree.D)
    if all(is_zero(x) for x in (*p, *step)):
        return Subtree(Inertia(m, h, I), PP, L, D)
    far = add(h, scale(m, p))
    # Σ m (2 pᵀr + pᵀp), direction by direction
    x, y, z = (p[k] * (h[k] + far[k]) for k in range(3))
    I = (
        I[0] + (y + z),
        I[1] + (x + z),
        I[2] + (x + y),
        I[3] - (p[0] * far[1] + h[0] * p[1]),
        I[4] - (p[0] * far[2] + h[0] * p[2]),
        I[5] - (p[1] * far[2] + h[1] * p[2]),
    )
    # G = P pᵀ + step h'ᵀ is what Σ m ṙ rᵀ gains; 2N gains 2 (tr G 1 - G)
    half = [x if is_zero(x) else ratio(x, 2) for x in p]
    G = [[PP[i] * half[j] + step[i] * far[j] for j in range(3)] for i in range(3)]
    x, y, z = (2 * G[k][k] for k in range(3))
    D = (
        D[0] + (y + z),
        D[1] + (x + z),
        D[2] + (x + y),
        D[3] - (G[0][1] + G[1][0]),
        D[4] - (G[0][2] + G[2][0]),
        D[5] - (G[1][2] + G[2][1]),
    )
    L = add(L, (G[2][1] - G[1][2], G[0][2] - G[2][0], G[1][0] - G[0][1]))
    return Subtree(Inertia(m, far, I), add(PP, scale(2 * m, step)), L, D)


def sum_six(a: Six, b: Six) -> Six:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


def rotate_symmetric(R: Mat, T: Six) -> Six:
    """Return R T Rᵀ."""
    k = _axis_of(R)
    if k is not None:
        return _rotate_about(k, R, T)
    xx, yy, zz, xy, xz, yz = T
    A = multiply(R, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return (
        dot(A[0], R[0]),
        dot(A[1], R[1]),
        dot(A[2], R[2]),
        dot(A[0], R[1]),
        dot(A[0], R[2]),
        dot(A[1], R[2]),
    )


PLACES = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
"""Places of a symmetric matrix' entries among its six."""


def _rotate_about(k: int, R: Mat, T: Six) -> Six:
    """Rotate about coordinate axis k, with one product for the plane across.

    With e = xx - yy and u = s e + 2c xy: xx' = xx - s u, yy' = yy + s u and xy' = c u - xy.
    """
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = R[i][i], R[j][i]
    ii, jj, ij = T[PLACES[i][i]], T[PLACES[j][j]], T[PLACES[i][j]]
    ik, jk = T[PLACES[i][k]], T[PLACES[j][k]]
    u = s * (ii - jj) + (2 * c) * ij
    su = s * u
    new = list(T)
    new[PLACES[i][i]], new[PLACES[j][j]], new[PLACES[i][j]] = ii - su, jj + su, c * u - ij
    new[PLACES[i][k]], new[PLACES[j][k]] = c * ik - s * jk, s * ik + c * jk
    return new[0], new[1], new[2], new[3], new[4], new[5]


def _axis_of(R: Mat) -> int | None:
    """Return the coordinate axis that a rotation keeps by its structure."""
    for k in range(3):
        others = [i for i in range(3) if i != k]
        if all(is_zero(R[i][k]) and is_zero(R[k][i]) for i in others) and is_zero(R[k][k] - 1):
            return k
    return None


def _is_permutation(R: Mat) -> bool:
    """Tell whether a rotation only exchanges axes: then its products cost nothing."""
    return all(is_zero(x) or is_zero(x - 1) or is_zero(x + 1) for row in R for x in row)
