"""The Coriolis matrix by recursion: the one of the Christoffel symbols, so that Ṁ - 2C is skew.

A velocity of joint j moves each particle behind it by J_j = u + w × r, and C_ij = Σ m J_iᵀ J̇_j over
the particles behind both joints. So each pair of joints needs only sums over the subtree of the
deeper one, and these sums add up from the leaves to the root.
Reference: Echeandia and Wensing, Numerical methods to compute the Coriolis matrix and Christoffel
symbols for rigid-body systems (2021): the same matrix, here from moments of moving particles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.mechanism import JointKind
from dalembert.recursions.dynamics.newton_euler import has_armature
from dalembert.recursions.motions import Velocity, link_rates
from dalembert.recursions.resistance.spring_inertia import moving_inertias
from dalembert.recursions.tree import Column, Node, Tree, Values
from dalembert.spatial.inertia.pseudo_inertia import PseudoInertia
from dalembert.spatial.inertia.symmetric import matrix_of, turned, turned_symmetric
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import (
    ZERO,
    Mat,
    Scalar,
    Vec,
    add,
    cross,
    dot,
    rotate,
    scale,
    skew,
    sub,
    trace,
    unrotate,
)

NOTHING: Mat = (ZERO, ZERO, ZERO)


def coriolis_matrix(tree: Tree, q: Values, v: Values) -> list[list[Scalar]]:
    """Return C(q, v) with C v = bias without gravity and Ṁ - 2C skew."""
    poses = tree.poses(q)
    rates = link_rates(tree, poses, v)
    moments = [Moments(PseudoInertia.of(node.inertia), ZERO, NOTHING) for node in tree.nodes]
    C: list[list[Scalar]] = [[0] * tree.nv for _ in range(tree.nv)]
    for i in reversed(range(len(tree.nodes))):
        node, (R, p), (u, w) = tree.nodes[i], poses[i], rates[i].rate
        above = node.parent - 1
        turned_moments = moments[i].turned(R, w)
        for place, column in zip(node.velocities, node.columns, strict=True):
            if node.parent and _is_fixed_in_parent(node):
                # all of it in the axes of the parent, which saves turning the sums
                column = rotate(R, column[0]), rotate(R, column[1])
                sums = turned_moments.pair_sums(column, rates[above].w)
                _add(C, place, place, column, sums)
            else:
                sums = moments[i].pair_sums(column, rates[i].w)
                for other, own in zip(node.velocities, node.columns, strict=True):
                    _add(C, other, place, own, sums)
                sums = sums.turned(R)
            _add_above(C, tree, poses, rates, i, place, sums)
        if node.parent:
            step = rotate(R, u)
            moments[above] = moments[above].plus(turned_moments.shifted(p, step))
        if has_armature(node) and node.joint.kind is JointKind.FLOATING:
            _add_rotor(C, node, v)
    # springs with inertia: weight · rowᵀ rate
    for weight, row, rate in moving_inertias(tree, q, v):
        for i, s in enumerate(row):
            C[i] = [
                c if is_zero(s) else c + weight * (s * r) for c, r in zip(C[i], rate, strict=True)
            ]
    return C


class PairSums(NamedTuple):
    """Sums over a subtree with J = u + w × r of one velocity: what any joint above pairs with it.

    p = Σ m J, L = Σ m r × J;  f = Σ m J̇, n = Σ m r × J̇;  G = Σ m ṙ × J. Positions and velocities of
    the particles are against the origin of the frame.
    """

    p: Vec
    L: Vec
    f: Vec
    n: Vec
    G: Vec

    def turned(self, R: Mat) -> PairSums:
        """Return the sums in other axes."""
        return PairSums(*(rotate(R, x) for x in self))

    def shifted(self, t: Vec, step: Vec) -> PairSums:
        """Return the sums about another origin: this one is at t there and recedes by ``step``."""
        return self._replace(
            L=add(self.L, cross(t, self.p)),
            n=add(self.n, cross(t, self.f)),
            G=add(self.G, cross(step, self.p)),
        )


class Moments(NamedTuple):
    """Moments of particles as they move against the frame itself: h' = Σ m r', W = Σ m r' rᵀ.

    A rigid body at rest in the frame has none, whatever the frame does.
    """

    body: PseudoInertia
    h_rate: Vec
    W: Mat

    def plus(self, other: Moments) -> Moments:
        """Return both together."""
        a, b = self.W, other.W
        W = (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]))
        return Moments(self.body.plus(other.body), add(self.h_rate, other.h_rate), W)

    def turned(self, R: Mat, w: Vec) -> Moments:
        """Return the moments in the axes of the parent, against which the frame turns with w.

        r → R r and r' → R (r' + w × r).
        """
        m, h, S = self.body
        # W + ŵ Σ: column k of ŵ Σ is w × (column k of Σ)
        turns = [cross(w, column) for column in matrix_of(S)]
        W = [[self.W[i][k] + turns[k][i] for k in range(3)] for i in range(3)]
        body = PseudoInertia(m, rotate(R, h), turned_symmetric(R, S))
        h_rate = rotate(R, add(self.h_rate, cross(w, h)))
        return Moments(body, h_rate, turned(R, W))  # type: ignore[arg-type]

    def shifted(self, p: Vec, u: Vec) -> Moments:
        """Return the moments about another origin: this one is at p there and moves with u.

        r → r + p and r' → r' + u.
        """
        m, h, _ = self.body
        body = self.body.moved(Pose(p=p))
        h_rate = add(self.h_rate, scale(m, u))
        # W + h' pᵀ + u hᵀ + m u pᵀ
        W = [
            add(row, add(scale(x, p), scale(y, h)))
            for row, x, y in zip(self.W, h_rate, u, strict=True)
        ]
        return Moments(body, h_rate, tuple(W))  # type: ignore[arg-type]

    def pair_sums(self, column: Column, spin: Vec) -> PairSums:
        """Return the sums for J = u + w × r, with u and w fixed in this frame, which turns with Ω.

        With ṙ = r' + Ω × r and J̇ = Ω × u + w × r' + Ω × (w × r), by r × (Ω × (w × r)) =
        -(rᵀΩ) w × r and (Ω × r) × (w × r) = r rᵀ(Ω × w).
        """
        u, w = column
        h = self.body.h
        p, L = self.body.momentum(u, w)
        S = matrix_of(self.body.S)
        f = add(cross(spin, p), cross(w, self.h_rate))
        # n = h × (Ω × u) + tr(W) w - W w - w × ΣΩ
        both = scale(trace(self.W), w)
        n = add(sub(both, rotate(self.W, w)), cross(rotate(S, spin), w))
        n = add(n, cross(h, cross(spin, u)))
        # G = (h' + Ω × h) × u + tr(W) w - Wᵀ w + Σ (Ω × w)
        G = add(sub(both, unrotate(self.W, w)), rotate(S, cross(spin, w)))
        G = add(G, cross(add(self.h_rate, cross(spin, h)), u))
        return PairSums(p, L, f, n, G)


def _is_fixed_in_parent(node: Node) -> bool:
    """Tell whether the joint's twist stands still in the parent too: on the axis of one joint."""
    return len(node.columns) == 1 and node.joint.after.is_identity


def _add(C: list[list[Scalar]], i: int, j: int, column: Column, sums: PairSums) -> None:
    """Add C_ij = Σ m J_iᵀ J̇_j, with the column of i and the sums of j."""
    u, w = column
    C[i][j] = C[i][j] + (dot(u, sums.f) + dot(w, sums.n))


def _add_above(
    C: list[list[Scalar]],
    tree: Tree,
    poses: Sequence[Pose],
    rates: Sequence[Velocity],
    i: int,
    place: int,
    sums: PairSums,
) -> None:
    """Add the entries of one velocity of node i with every joint above, in both orders.

    The sums come about the origin of node i in the axes of its parent.
    """
    while tree.nodes[i].parent:
        above = tree.nodes[i].parent - 1
        sums = sums.shifted(poses[i].p, rates[i].step)
        # J̇ = Ω × u + (Ω × w) × r + w × ṙ of the joint above
        spin = rates[above].w
        turned_p, turned_L = cross(sums.p, spin), cross(sums.L, spin)
        node = tree.nodes[above]
        for other, (u, w) in zip(node.velocities, node.columns, strict=True):
            _add(C, other, place, (u, w), sums)
            C[place][other] = C[place][other] + (dot(u, turned_p) + dot(w, add(turned_L, sums.G)))
        sums = sums.turned(poses[above].R)
        i = above


def _add_rotor(C: list[list[Scalar]], node: Node, v: Values) -> None:
    """Add armature · ω̂: the rotor's momentum armature · u of a floating joint turns with it."""
    w_hat = skew(tuple(v[k] for k in node.velocities[3:]))  # type: ignore[arg-type]
    for j, row in zip(node.velocities[:3], w_hat, strict=True):
        for k, w in zip(node.velocities[:3], row, strict=True):
            C[j][k] = C[j][k] + node.joint.armature * w
