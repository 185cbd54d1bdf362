"""Rotation matrices and the angular velocity they imply."""

from __future__ import annotations

from dalembert.errors import InvalidExpression
from dalembert.expr import Matrix, Scalar, cos, ddt, sin
from dalembert.spatial.rotation.axis_angle import axis_rotation


def rotation_x(angle: Scalar) -> Matrix:
    """Return the rotation about x that takes y towards z."""
    return Matrix(axis_rotation((1, 0, 0), sin(angle), cos(angle)))


def rotation_y(angle: Scalar) -> Matrix:
    """Return the rotation about y that takes z towards x."""
    return Matrix(axis_rotation((0, 1, 0), sin(angle), cos(angle)))


def rotation_z(angle: Scalar) -> Matrix:
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
