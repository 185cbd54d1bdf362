"""Variations of steps on the groups of rotations and motions.

A joint that turns freely moves by g_next = g exp(hξ). With x = hξ and variations η = g⁻¹δg,

    η_next = Ad(exp -x) η + h dexp₋ₓ δξ,   η_mid = Ad(exp -x/2) η + h/2 dexp₋ₓ/₂ δξ,

where ad is the matrix of the bracket, Ad(exp x) = exp(ad x) and dexpₓ = Σ (ad x)ᵏ/(k+1)!.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.spatial import se3
from dalembert.spatial.arrays import to_vec
from dalembert.spatial.rotation import quaternion, so3
from dalembert.spatial.vectors import add, rotate, skew

if TYPE_CHECKING:
    from dalembert.model import Model

ROUNDING = 1e-17
# enough for turns by several radians, far beyond what a step should do
MAX_TERMS = 60


class Block(NamedTuple):
    """A ball (three velocities) or a free body (six): its places in q and in q̇."""

    q: slice
    v: slice


class Moves:
    """Steps on the configuration manifold, for one state and without expressions.

    ``Configuration.integrate`` does the same for batches and takes three times as long for one
    state: too long for every sweep of an implicit step.
    """

    def __init__(self, model: Model) -> None:
        blocks, q_places, v_places, i, j = [], [], [], 0, 0
        if model.configuration.is_flat:
            q_places = v_places = list(range(model.nv))
        else:
            for joint in model.mechanism.moving_joints:
                if joint.nq != joint.nv:
                    blocks.append(Block(slice(i, i + joint.nq), slice(j, j + joint.nv)))
                else:
                    q_places.append(i)
                    v_places.append(j)
                i, j = i + joint.nq, j + joint.nv
        self.blocks = tuple(blocks)
        self._q_places, self._v_places = np.array(q_places, int), np.array(v_places, int)

    def move(self, q: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return q ⊕ x: the configuration after moving with the velocity x for one second."""
        if not self.blocks:
            return q + x
        new = q.copy()
        new[self._q_places] += x[self._v_places]
        for block in self.blocks:
            # Python's floats are quicker here than arrays of three
            here, step = q[block.q].tolist(), x[block.v].tolist()
            w, turn = tuple(step[-3:]), tuple(here[-4:])
            if len(step) == 6:
                # p + R J(w) u with the left Jacobian J of rotations
                u = rotate(so3.left_jacobian(w), tuple(step[:3]))
                new[block.q][:3] = add(tuple(here[:3]), quaternion.rotate(turn, u))
            new[block.q][-4:] = quaternion.product(turn, quaternion.exp(w))
        return new


class Transport:
    """Momenta at start and end of a step from momentum and force in its middle.

    The discrete action h L(g exp(x/2), ξ) changes by h (F η_mid + p δξ); what stands before η is
    -p_start, before η_next p_end. Joints that do not turn freely have p ∓ h/2 F.
    """

    def __init__(self, blocks: Sequence[Block], xi: np.ndarray, h: float) -> None:
        self.h, self.xi = h, xi
        self.blocks = [block.v for block in blocks]
        self._parts = [_matrices(h * xi[block]) for block in self.blocks]

    def turning(self, p: np.ndarray) -> np.ndarray:
        """Return the part of ṗ that comes from turning axes alone: (ad ξ)ᵀ p."""
        rate = np.zeros_like(p)
        for block in self.blocks:
            rate[block] = bracket(self.xi[block]).T @ p[block]
        return rate

    def to_start(self, p: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Return p_start = -D₁L_d."""
        start = p - self.h / 2 * force
        for block, (B, K, half, whole) in zip(self.blocks, self._parts, strict=True):
            start[block] = (B @ whole).T @ p[block] - self.h * (half - K @ whole).T @ force[block]
        return start

    def to_end(self, p: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Return p_end = D₂L_d."""
        end = p + self.h / 2 * force
        for block, (B, K, _, _) in zip(self.blocks, self._parts, strict=True):
            end[block] = B.T @ p[block] + self.h * K.T @ force[block]
        return end


def _matrices(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return B = (dexp₋ₓ)⁻¹, K = ½ dexp₋ₓ/₂ B, Ad(exp -x/2) and Ad(exp -x)."""
    ad = bracket(-x)
    half_d, whole_d = _exponential_slope(ad / 2), _exponential_slope(ad)
    identity = np.eye(len(x))
    B = np.linalg.inv(whole_d)
    # exp(ad) = 1 + ad dexp
    return B, half_d @ B / 2, identity + ad / 2 @ half_d, identity + ad @ whole_d


def bracket(x: np.ndarray) -> np.ndarray:
    """Return ad x: of an angular velocity, or of a twist (linear, angular)."""
    if len(x) == 3:
        return np.array(skew(to_vec(x)))
    return np.array(se3.ad((to_vec(x[:3]), to_vec(x[3:]))))


def _exponential_slope(ad: np.ndarray) -> np.ndarray:
    """Return Σ adᵏ/(k+1)!, with as many terms as count."""
    size, rest, terms = float(np.abs(ad).sum(axis=0).max()), 1.0, 1
    while rest > ROUNDING and terms < MAX_TERMS:
        terms += 1
        rest *= size / terms
    identity = total = np.eye(len(ad))
    for k in range(terms, 1, -1):
        total = identity + ad @ total / k
    return total
