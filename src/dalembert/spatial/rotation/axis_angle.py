"""Rotation about an axis, over any scalar."""

from __future__ import annotations

from dalembert.spatial.vectors import Mat, Scalar, Vec


def axis_rotation(a: Vec, s: Scalar, c: Scalar) -> Mat:
    """Return the rotation about the unit axis a by the angle with sine s and cosine c.

    Rodrigues: R = 1 + s â + (1 - c) â². Coordinate axes keep their zeros.
    """
    x, y, z = a
    if (x, y) == (0, 0):
        s = s if z == 1 else -s
        return (c, -s, 0), (s, c, 0), (0, 0, 1)
    if (y, z) == (0, 0):
        s = s if x == 1 else -s
        return (1, 0, 0), (0, c, -s), (0, s, c)
    if (x, z) == (0, 0):
        s = s if y == 1 else -s
        return (c, 0, s), (0, 1, 0), (-s, 0, c)
    k = 1 - c
    return (
        (c + k * (x * x), k * (x * y) - s * z, k * (x * z) + s * y),
        (k * (x * y) + s * z, c + k * (y * y), k * (y * z) - s * x),
        (k * (x * z) - s * y, k * (y * z) + s * x, c + k * (z * z)),
    )
