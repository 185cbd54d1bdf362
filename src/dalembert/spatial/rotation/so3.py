"""Rotations as exponentials: exp, log and the Jacobians of exp, over any scalar.

A rotation vector w is the unit axis times the angle θ = |w|. With ŵ b = w × b all of these are
polynomials 1 + a ŵ + b ŵ² whose coefficients are even functions of θ. Numbers and arrays are
accurate to rounding at every angle; expressions get the closed form.

Reference: J. Solà, J. Deray, D. Atchuthan, A micro Lie theory for state estimation in robotics,
arXiv:1812.01537, equations 132, 133, 143 to 146.
"""

from __future__ import annotations

from dalembert.spatial.rotation import quaternion
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import arctangent, is_zero, signed_length, sincos
from dalembert.spatial.sinc import cosc, cotc, sinc, sinc3
from dalembert.spatial.vectors import (
    IDENTITY,
    ZERO,
    Mat,
    Scalar,
    Vec,
    add,
    cross,
    ratio,
    scale,
    transpose,
)


def exp(w: Vec) -> Mat:
    """Return R = e^ŵ = 1 + (sin θ / θ) ŵ + ((1 - cos θ) / θ²) ŵ² with θ = |w| (Rodrigues).

    About a coordinate axis the angle needs no root, and R keeps its zeros. A symbolic angle about
    another unit axis is better served by `axis_angle.axis_rotation`.

    >>> from dalembert.expr import coordinates
    >>> (q,) = coordinates("q")
    >>> exp((0, 0, q))
    ((cos(q), -sin(q), 0), (sin(q), cos(q), 0), (0, 0, 1))
    """
    for i, angle in enumerate(w):
        if all(is_zero(x) for j, x in enumerate(w) if j != i):
            return axis_rotation(IDENTITY[i], *sincos(angle))
    theta = signed_length(w)
    return _polynomial(w, scale(sinc(theta), w), cosc(theta))


def log(R: Mat) -> Vec:
    """Return w with R = e^ŵ and |w| ≤ π.

    Numbers pass through the quaternion (cos θ/2, n sin θ/2), which loses no digits anywhere; at
    half a turn, where w and -w serve, the sign makes the largest component of the axis positive.
    Expressions get the closed form that holds for 0 < θ < π; about a coordinate axis, at any angle.

    >>> log(((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    (0, 0, 1.5707963267948966)
    """
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        # about the axis i alone: its row and column are those of 1
        if all(is_zero(x) for x in (R[i][i] - 1, R[i][j], R[i][k], R[j][i], R[k][i])):
            angle = arctangent(R[k][j], R[j][j])
            return ZERO if is_zero(angle) else (*ZERO[:i], angle, *ZERO[i + 1 :])  # type: ignore[return-value]
    return quaternion.log(quaternion.from_matrix(R))


def turn_between(R_d: Mat, R: Mat) -> Vec:
    """Return sin φ times the axis of the rotation R R_dᵀ from R_d to R: ½ Σ y × x.

    The sum is over the columns x of R and y of R_d. Unlike `log` it is a polynomial, and it
    vanishes at half a turn too.

    >>> turn_between(IDENTITY, ((1, 0, 0), (0, 0, -1), (0, 1, 0)))
    (Fraction(1, 1), Fraction(0, 1), Fraction(0, 1))
    """
    turn: Vec = ZERO
    for x, y in zip(transpose(R), transpose(R_d), strict=True):
        turn = add(turn, cross(y, x))
    return ratio(turn[0], 2), ratio(turn[1], 2), ratio(turn[2], 2)


def left_jacobian(w: Vec) -> Mat:
    """Return J with (d/dt e^ŵ) e^-ŵ = (J ẇ)^, the angular velocity in the fixed frame.

    J = 1 + ((1 - cos θ) / θ²) ŵ + ((θ - sin θ) / θ³) ŵ².
    """
    theta = signed_length(w)
    return _polynomial(w, scale(cosc(theta), w), sinc3(theta))


def right_jacobian(w: Vec) -> Mat:
    """Return Jᵀ of the left Jacobian: e^-ŵ (d/dt e^ŵ) = (Jᵀ ẇ)^, in the moving frame."""
    return transpose(left_jacobian(w))


def left_jacobian_inverse(w: Vec) -> Mat:
    """Return J⁻¹ = 1 - ½ ŵ + ((1 - (θ/2) cot(θ/2)) / θ²) ŵ², singular at whole turns.

    >>> left_jacobian_inverse((0, 0, 0)) == IDENTITY
    True
    """
    x, y, z = (0 if is_zero(k) else -k / 2 for k in w)
    return _polynomial(w, (x, y, z), cotc(signed_length(w)))


def right_jacobian_inverse(w: Vec) -> Mat:
    """Return the inverse of the right Jacobian, the transpose of the left one's."""
    return transpose(left_jacobian_inverse(w))


def _polynomial(w: Vec, u: Vec, b: Scalar) -> Mat:
    """Return 1 + û + b ŵ²."""
    if all(is_zero(k) for k in w):
        return IDENTITY
    x, y, z = w
    # ŵ² = w wᵀ - wᵀw 1, without the cancellation on the diagonal
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = b * (x * y), b * (x * z), b * (y * z)
    return (
        (1 - b * (yy + zz), xy - u[2], xz + u[1]),
        (xy + u[2], 1 - b * (xx + zz), yz - u[0]),
        (xz - u[1], yz + u[0], 1 - b * (xx + yy)),
    )
