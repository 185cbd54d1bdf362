"""Inertia, momentum and its rate of change of everything behind a joint, over any scalar.

Particles m at r move with ṙ against the origin. A small change δ of the angular velocity changes
the force by 2 δ × P and the moment by 2N δ, where P = Σ m ṙ and N = Σ m ((r·ṙ) 1 - ṙ rᵀ): the
matrix 2B of Singh, Russell and Wensing (2022) has only these twelve numbers, which add up.
The symmetric part of 2N = D - L̂ is the rate of the inertia, L the angular momentum.
"""

from __future__ import annotations

from typing import NamedTuple

from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.inertia.symmetric import Sym, sum_of, turned_symmetric
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Mat, Vec, add, cross, ratio, rotate, scale


class Subtree(NamedTuple):
    """Moving bodies, about the origin of a frame and against its velocity; ``PP`` is 2P."""

    inertia: Inertia
    PP: Vec
    L: Vec
    D: Sym

    def plus(self, other: Subtree) -> Subtree:
        """Return both together."""
        return Subtree(
            self.inertia + other.inertia,
            add(self.PP, other.PP),
            add(self.L, other.L),
            sum_of(self.D, other.D),
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


def moved(subtree: Subtree, X_PC: Pose, step: Vec) -> Subtree:
    """Return the bodies about the parent's origin, in its axes and against its velocity.

    ``step`` is the velocity of the origin against the parent's: r → R r + p and ṙ → R ṙ + step.
    """
    R, p = X_PC
    # into the parent's axes
    m, h = subtree.inertia.m, rotate(R, subtree.inertia.h)
    PP, L = rotate(R, subtree.PP), rotate(R, subtree.L)
    I, D = turned_symmetric(R, subtree.inertia.I), turned_symmetric(R, subtree.D)
    if all(is_zero(x) for x in (*p, *step)):
        return Subtree(Inertia(m, h, I), PP, L, D)
    # h' = h + m p;  I gains Σ m (2 pᵀr + pᵀp), direction by direction
    far = add(h, scale(m, p))
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
    # L gains the vector of G - Gᵀ, and 2P gains 2 m step
    L = add(L, (G[2][1] - G[1][2], G[0][2] - G[2][0], G[1][0] - G[0][1]))
    return Subtree(Inertia(m, far, I), add(PP, scale(2 * m, step)), L, D)
