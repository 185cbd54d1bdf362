"""Pseudo-inertia: mass, first moment and second moments Σ = Σ m r rᵀ about the frame's origin.

The same ten numbers as `Inertia`, with I = tr(Σ) 1 - Σ; moving it needs no trace, and the moment of
an acceleration field K r is the skew part of K Σ.
"""

from __future__ import annotations

from typing import NamedTuple

from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.inertia.symmetric import Sym, sum_of, turned_symmetric
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Mat, Scalar, Vec, add, cross, ratio, rotate, scale


class PseudoInertia(NamedTuple):
    """Mass m, first moment h and second moments S = (xx, yy, zz, xy, xz, yz)."""

    m: Scalar
    h: Vec
    S: Sym

    @classmethod
    def of(cls, inertia: Inertia) -> PseudoInertia:
        """Return Σ = ½ tr(I) 1 - I."""
        xx, yy, zz, xy, xz, yz = inertia.I
        S = (
            ratio(yy + zz - xx, 2),
            ratio(xx + zz - yy, 2),
            ratio(xx + yy - zz, 2),
            -xy,
            -xz,
            -yz,
        )
        return cls(inertia.m, inertia.h, S)

    def plus(self, other: PseudoInertia) -> PseudoInertia:
        """Return the sum of both bodies in one frame."""
        return PseudoInertia(self.m + other.m, add(self.h, other.h), sum_of(self.S, other.S))

    def moved(self, X_AB: Pose) -> PseudoInertia:
        """Return the moments in frame A of a body given in frame B.

        With h' = R h and h_A = h' + m p: Σ_A = R Σ Rᵀ + h' pᵀ + p h_Aᵀ.
        """
        R, p = X_AB
        h = rotate(R, self.h)
        h_A = add(h, scale(self.m, p))
        xx, yy, zz, xy, xz, yz = turned_symmetric(R, self.S)
        S = (
            xx + p[0] * (h[0] + h_A[0]),
            yy + p[1] * (h[1] + h_A[1]),
            zz + p[2] * (h[2] + h_A[2]),
            xy + (h[0] * p[1] + p[0] * h_A[1]),
            xz + (h[0] * p[2] + p[0] * h_A[2]),
            yz + (h[1] * p[2] + p[1] * h_A[2]),
        )
        return PseudoInertia(self.m, h_A, S)

    def momentum(self, v: Vec, w: Vec) -> tuple[Vec, Vec]:
        """Return linear and angular momentum (about the origin) of the twist (v, w).

        p = m v + w × h, L = tr(Σ) w - Σ w + h × v.
        """
        xx, yy, zz, xy, xz, yz = self.S
        L = (
            (yy + zz) * w[0] - xy * w[1] - xz * w[2],
            (xx + zz) * w[1] - xy * w[0] - yz * w[2],
            (xx + yy) * w[2] - xz * w[0] - yz * w[1],
        )
        return add(scale(self.m, v), cross(w, self.h)), add(L, cross(self.h, v))

    def wrench(self, K: Mat, a: Vec) -> tuple[Vec, Vec]:
        """Return force and moment for the acceleration a + K r of the point at r.

        f = m a + K h;  n = Σ r × K r + h × a, e.g. in x: (Σ Kᵀ)_yz - (Σ Kᵀ)_zy.
        """
        xx, yy, zz, xy, xz, yz = self.S
        (Kxx, Kxy, Kxz), (Kyx, Kyy, Kyz), (Kzx, Kzy, Kzz) = K
        n = (
            xy * Kzx + yy * Kzy + yz * (Kzz - Kyy) - xz * Kyx - zz * Kyz,
            yz * Kxy + zz * Kxz + xz * (Kxx - Kzz) - xy * Kzy - xx * Kzx,
            xz * Kyz + xx * Kyx + xy * (Kyy - Kxx) - yz * Kxz - yy * Kxy,
        )
        return add(scale(self.m, a), rotate(K, self.h)), add(n, cross(self.h, a))
