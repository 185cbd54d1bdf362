"""Spatial inertia: mass, first moment and second moments about the frame's origin.

The ten numbers enter the equations of motion linearly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dalembert.expr.data import packable
from dalembert.spatial.inertia.symmetric import Sym, matrix_of, sum_of, turned_symmetric
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
    ratio,
    rotate,
    scale,
)


@packable
class Inertia(NamedTuple):
    """Mass m, first moment h = m c and inertia I about the origin of the frame, six numbers.

    ``I`` holds (xx, yy, zz, xy, xz, yz), entries of the tensor (products with their minus sign).
    """

    m: Scalar
    h: Vec
    I: Sym

    @classmethod
    def from_com(cls, m: Scalar, c: Vec, I_c: Mat) -> Inertia:
        """Return the inertia of a body with centre of mass c and tensor I_c about it.

        Parallel axes: I = I_c + m (cᵀc 1 - c cᵀ).
        """
        x, y, z = c
        xx, yy, zz = x * x, y * y, z * z
        return cls(
            m,
            scale(m, c),
            (
                I_c[0][0] + m * (yy + zz),
                I_c[1][1] + m * (xx + zz),
                I_c[2][2] + m * (xx + yy),
                I_c[0][1] - m * (x * y),
                I_c[0][2] - m * (x * z),
                I_c[1][2] - m * (y * z),
            ),
        )

    @classmethod
    def about_axis(cls, a: Vec, J: Scalar) -> Inertia:
        """Return J a aᵀ: the moment J about the axis a, and nothing else."""
        x, y, z = a
        products = (x * x, y * y, z * z, x * y, x * z, y * z)
        return cls(0, ZERO, tuple(J * k for k in products))  # type: ignore[arg-type]

    @property
    def tensor(self) -> Mat:
        """The 3 × 3 tensor about the origin."""
        return matrix_of(self.I)

    def com(self) -> Vec:
        """Return the centre of mass h/m; the mass must not be zero."""
        return ratio(self.h[0], self.m), ratio(self.h[1], self.m), ratio(self.h[2], self.m)

    def about_com(self) -> Mat:
        """Return the tensor about the centre of mass."""
        c = self.com()
        m, (x, y, z), T = self.m, c, self.tensor
        cc = dot(c, c)
        shift = (
            (cc - x * x, -x * y, -x * z),
            (-x * y, cc - y * y, -y * z),
            (-x * z, -y * z, cc - z * z),
        )
        return tuple(  # type: ignore[return-value]
            tuple(T[i][j] - m * shift[i][j] for j in range(3)) for i in range(3)
        )

    def __add__(self, other: Inertia) -> Inertia:  # type: ignore[override]
        """Return the inertia of both bodies in one frame."""
        return Inertia(self.m + other.m, add(self.h, other.h), sum_of(self.I, other.I))

    def moved(self, X_AB: Pose) -> Inertia:
        """Return the inertia in frame A of a body whose inertia in frame B this is.

        With h' = R h: h_A = h' + m p and I_A = R I Rᵀ + pᵀ(h' + h_A) 1 - p h'ᵀ - h_A pᵀ.
        """
        R, p = X_AB
        m, h, I = self.m, rotate(R, self.h), turned_symmetric(R, self.I)
        if all(is_zero(x) for x in p):
            return Inertia(m, h, I)
        h_A = add(h, scale(m, p))
        k = dot(p, add(h, h_A))

        def entry(x: Scalar, i: int, j: int) -> Scalar:
            value = x - (p[i] * h[j] + h_A[i] * p[j])
            return value + k if i == j else value

        xx, yy, zz, xy, xz, yz = I
        return Inertia(
            m,
            h_A,
            (
                entry(xx, 0, 0),
                entry(yy, 1, 1),
                entry(zz, 2, 2),
                entry(xy, 0, 1),
                entry(xz, 0, 2),
                entry(yz, 1, 2),
            ),
        )

    def times_rotation(self, w: Vec) -> Vec:
        """Return I w."""
        return rotate(self.tensor, w)

    def momentum(self, v: Vec, w: Vec) -> tuple[Vec, Vec]:
        """Return linear and angular momentum (about the origin) of the twist (v, w).

        p = m v + w × h, L = I w + h × v.
        """
        p = add(scale(self.m, v), cross(w, self.h))
        L = add(self.times_rotation(w), cross(self.h, v))
        return p, L

    def map(self, f: Callable[[Any], Any]) -> Inertia:
        """Return the inertia with f applied to every number."""
        x, y, z = self.h
        return Inertia(f(self.m), (f(x), f(y), f(z)), tuple(f(k) for k in self.I))  # type: ignore[arg-type]


NO_INERTIA = Inertia(0, ZERO, (0, 0, 0, 0, 0, 0))
