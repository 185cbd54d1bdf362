"""Motions of least jerk: they minimise ∫ ‖d³x/dt³‖² dt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Piecewise
from dalembert.control.references.polynomials import checked_points

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


def minimum_jerk(points: ArrayLike, times: ArrayLike) -> Piecewise:
    """Return the motion of least jerk through points, from rest to rest.

    Between two points it is 10 r³ - 15 r⁴ + 6 r⁵ with r = t/T; through several it is a spline of
    quintics with continuous derivatives up to the fourth.

    Args:
        points: ``(k, n)``, or ``(k,)`` for a scalar such as a timing.
        times: When each is passed, starting with zero; or the duration, for two points.

    Reference: T. Flash, N. Hogan, The coordination of arm movements, J. Neuroscience 5(7), 1985.

    >>> position, velocity, _ = minimum_jerk([[0.0], [1.0]], 2.0)(1.0)
    >>> float(position[0]), float(velocity[0])
    (0.5, 0.9375)
    """
    if np.ndim(times) == 0 and np.shape(points)[:1] == (2,):
        times = np.array([0.0, times])
    x, t = checked_points(points, times)
    h, columns = np.diff(t), x.reshape(len(x), -1)
    v, a = _rates(columns, h)
    c = _quintics(columns, v, a, h)
    return Piecewise(t, c.reshape(*c.shape[:2], *x.shape[1:]))


def _quintics(x: Array, v: Array, a: Array, h: Array) -> Array:
    """Return coefficients of the quintics with given x, v, a at both ends of each piece."""
    H = h[:, None]
    d = x[1:] - x[:-1] - v[:-1] * H - a[:-1] * H**2 / 2
    e = v[1:] - v[:-1] - a[:-1] * H
    f = a[1:] - a[:-1]
    c = [
        x[:-1],
        v[:-1],
        a[:-1] / 2,
        (10 * d - 4 * e * H + f * H**2 / 2) / H**3,
        (-15 * d + 7 * e * H - f * H**2) / H**4,
        (6 * d - 3 * e * H + f * H**2 / 2) / H**5,
    ]
    return np.stack(c, axis=1)


def _rates(x: Array, h: Array) -> tuple[Array, Array]:
    """Return velocities and accelerations at the points: zero at the ends, and inside so that the
    third and fourth derivatives are continuous."""
    k = len(x)
    v, a = np.zeros_like(x), np.zeros_like(x)
    if k == 2:
        return v, a
    # the jumps are linear in the unknown (v, a) of the inner points: build them column by column
    zero = _jumps(_quintics(x, v, a, h), h)
    inner = 2 * (k - 2)
    A = np.empty((inner, inner))
    for j in range(inner):
        unit = np.zeros((2, k, 1))
        unit[j % 2, 1 + j // 2] = 1.0
        A[:, j] = _jumps(_quintics(np.zeros((k, 1)), unit[0], unit[1], h), h)[:, 0]
    solution = np.linalg.solve(A, -zero)
    v[1:-1], a[1:-1] = solution[0::2], solution[1::2]
    return v, a


def _jumps(c: Array, h: Array) -> Array:
    """Return the jumps of the third and fourth derivatives at the inner points, in turn."""
    H = h[:-1, None]
    third = 6 * c[:-1, 3] + 24 * c[:-1, 4] * H + 60 * c[:-1, 5] * H**2 - 6 * c[1:, 3]
    fourth = 24 * c[:-1, 4] + 120 * c[:-1, 5] * H - 24 * c[1:, 4]
    return np.stack([third, fourth], axis=1).reshape(-1, c.shape[2])
