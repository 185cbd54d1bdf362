"""Rotations about an axis, and the angular velocity of a rotation matrix."""

from __future__ import annotations

from dalembert.errors import InvalidExpression
from dalembert.expr import Matrix, cos, ddt, sin
from dalembert.expr import Scalar as Number
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


def rotation_x(angle: Number) -> Matrix:
    """Return the rotation about x that takes y towards z."""
    return Matrix(axis_rotation((1, 0, 0), sin(angle), cos(angle)))


def rotation_y(angle: Number) -> Matrix:
    """Return the rotation about y that takes z towards x."""
    return Matrix(axis_rotation((0, 1, 0), sin(angle), cos(angle)))


def rotation_z(angle: Number) -> Matrix:
    """Return the rotation about z that takes x towards y.

    >>> from dalembert import coordinates
    >>> (q,) = coordinates("q")
    >>> print(rotation_z(q))
    ⎡cos(q)  -sin(q)  0⎤
    ⎢sin(q)   cos(q)  0⎥
    ⎣     0        0  1⎦
    """
    return Matrix(axis_rotation((0, 0, 1), sin(angle), cos(angle)))


def angular_velocity(R: Matrix) -> Matrix:
    """Return ω in the fixed frame, from ω̂ = Ṙ Rᵀ (Savin, equation 5, where T Ṫ is printed).

    ``R_WB`` takes body components to world components; ω is linear in the velocities.

    >>> from dalembert import coordinates
    >>> (q,) = coordinates("q")
    >>> print(angular_velocity(rotation_z(q)))
    ⎡0⎤
    ⎢0⎥
    ⎣q̇⎦
    """
    if R.shape != (3, 3):
        raise InvalidExpression(f"expected a 3 × 3 rotation matrix, got shape {R.shape}")
    w = R.map(ddt) @ R.T
    return Matrix.column([w[2, 1], w[0, 2], w[1, 0]])
