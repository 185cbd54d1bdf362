"""Variations of steps on the groups of rotations and motions.

A joint that turns freely moves by g_next = g exp(hξ). With x = hξ and variations η = g⁻¹δg,

    η_next = Ad(exp -x) η + h dexp₋ₓ δξ,   η_mid = Ad(exp -x/2) η + h/2 dexp₋ₓ/₂ δξ,

where ad is the matrix of the bracket, Ad(exp x) = exp(ad x) and dexpₓ = Σ (ad x)ᵏ/(k+1)!.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.model import Model

# of |x| ≤ 1 the next term is below rounding
MAX_TERMS = 40


def turning_blocks(model: Model) -> tuple[slice, ...]:
    """Return where in q̇ the velocities of balls (three) and free bodies (six) stand."""
    if model.configuration.is_flat:
        return ()
    blocks, at = [], 0
    for joint in model.description.moving_joints:
        if joint.num_q != joint.num_v:
            blocks.append(slice(at, at + joint.num_v))
        at += joint.num_v
    return tuple(blocks)


class Transport:
    """Momenta at start and end of a step from momentum and force in its middle.

    The discrete action h L(g exp(x/2), ξ) changes by h (F η_mid + p δξ); what stands before η is
    -p_start, before η_next p_end. Joints that do not turn freely have p ∓ h/2 F.
    """

    def __init__(self, blocks: Sequence[slice], xi: np.ndarray, h: float) -> None:
        self.h, self.xi = h, xi
        self.blocks = blocks
        self._parts = [_matrices(h * xi[block]) for block in blocks]

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
        return _cross(x)
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = _cross(x[3:])
    result[:3, 3:] = _cross(x[:3])
    return result


def _cross(w: np.ndarray) -> np.ndarray:
    a, b, c = w
    return np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])


def _exponential_slope(ad: np.ndarray) -> np.ndarray:
    """Return Σ adᵏ/(k+1)!."""
    term = total = np.eye(len(ad))
    for k in range(2, MAX_TERMS):
        term = term @ ad / k
        total = total + term
        if np.abs(term).max() < 1e-18:
            break
    return total
