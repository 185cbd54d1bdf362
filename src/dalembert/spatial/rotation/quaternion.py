"""Quaternions (w, x, y, z) of rotations, over any scalar.

Products follow Hamilton: ij = k, and to_matrix(a b) = to_matrix(a) to_matrix(b). A unit quaternion
and its negative are the same rotation.
"""

from __future__ import annotations

from dalembert.errors import InvalidExpression
from dalembert.spatial.scalar import (
    arctangent,
    choose,
    is_positive,
    is_symbolic,
    is_zero,
    length,
    signed_length,
    sincos,
    square_root,
)
from dalembert.spatial.sinc import sinc
from dalembert.spatial.vectors import Mat, Scalar, Vec, add, cross, dot, ratio, scale

Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]

IDENTITY: Quaternion = (1, 0, 0, 0)


def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return a b: the rotation b, then a.

    >>> product((0, 1, 0, 0), (0, 0, 1, 0))
    (0, 0, 0, 1)
    """
    u, v = a[1:], b[1:]
    # (a₀ + u)(b₀ + v) = a₀ b₀ - uᵀv + a₀ v + b₀ u + u × v
    return (a[0] * b[0] - dot(u, v), *add(add(scale(a[0], v), scale(b[0], u)), cross(u, v)))


def conjugate(q: Quaternion) -> Quaternion:
    """Return (w, -x, -y, -z): for a unit quaternion the inverse rotation."""
    w, x, y, z = q
    return w, -x, -y, -z


def normalise(q: Quaternion) -> Quaternion:
    """Return q / |q|.

    Raises:
        InvalidExpression: a quaternion of zeros, or one that is not finite.

    >>> normalise((0.0, 3.0, 0.0, 4.0))
    (0.0, 0.6, 0.0, 0.8)
    """
    k = length(q)
    if not is_positive(k):
        raise InvalidExpression(
            f"expected a quaternion with a direction, got {q}: the identity is (1, 0, 0, 0)"
        )
    return ratio(q[0], k), ratio(q[1], k), ratio(q[2], k), ratio(q[3], k)


def rotate(q: Quaternion, a: Vec) -> Vec:
    """Return q a q*, the vector rotated by a unit quaternion: a + 2 w (v × a) + 2 v × (v × a)."""
    v = q[1:]
    t = scale(2, cross(v, a))
    return add(a, add(scale(q[0], t), cross(v, t)))


def to_matrix(q: Quaternion) -> Mat:
    """Return the rotation matrix of a unit quaternion.

    >>> to_matrix((0, 0, 0, 1))
    ((-1, 0, 0), (0, -1, 0), (0, 0, 1))
    """
    w, x, y, z = q
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def from_matrix(R: Mat) -> Quaternion:
    """Return the unit quaternion of R, with w ≥ 0.

    R gives all products 4 q qᵀ. Any row is a multiple of q; the one with the largest diagonal, at
    least 1, loses no digits. Symbols cannot be compared: they take the first row, which holds
    unless R is half a turn.

    Reference: S. W. Shepperd, Quaternion from rotation matrix, Journal of Guidance and Control 1
    (1978) 223.

    >>> from_matrix(((1, 0, 0), (0, -1, 0), (0, 0, -1)))
    (0.0, 1.0, 0.0, 0.0)
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    # K = 4 q qᵀ
    ww, xx, yy, zz = 1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i
    wx, wy, wz = h - f, c - g, d - b
    xy, xz, yz = b + d, c + g, f + h
    row, pivot = (ww, wx, wy, wz), ww
    if not is_symbolic(*row):
        for k, other in ((xx, (wx, xx, xy, xz)), (yy, (wy, xy, yy, yz)), (zz, (wz, xz, yz, zz))):
            larger = k > pivot
            row = tuple(choose(larger, n, o) for n, o in zip(other, row, strict=True))
            pivot = choose(larger, k, pivot)
        sign = choose(row[0] < 0, -1.0, 1.0)
        row = tuple(sign * k for k in row)
    # q = row / (2 √K_ii)
    k = 2 * square_root(pivot)
    return row[0] / k, row[1] / k, row[2] / k, row[3] / k


def exp(w: Vec) -> Quaternion:
    """Return the quaternion (cos θ/2, sin(θ/2) w/θ) of the rotation vector w, θ = |w|.

    >>> exp((0, 0, 0))
    (1, 0, 0, 0)
    """
    if all(is_zero(x) for x in w):
        return IDENTITY
    half = signed_length(w) / 2
    return (sincos(half)[1], *scale(sinc(half) / 2, w))


def log(q: Quaternion) -> Vec:
    """Return the rotation vector w of a unit quaternion, |w| ≤ π: 2 atan2(|v|, q_w) v / |v|.

    Numbers take the shorter of the two ways round; symbols the one that q says, |w| < 2π.

    >>> log((0.0, 0.0, 1.0, 0.0))
    (0.0, 3.141592653589793, 0.0)
    """
    c, v = q[0], q[1:]
    if is_symbolic(*q):
        s = signed_length(v)
        return v if is_zero(s) else scale(2 * arctangent(s, c) / s, v)
    s = length(v)
    sign = choose(c < 0, -1.0, 1.0)
    # no digits are lost in atan2(s, c) / s; at s = 0 it is 1 / c
    none = s == 0
    safe = choose(none, 1.0, s)
    k = sign * 2 * choose(none, 1.0, arctangent(safe, abs(c)) / safe)
    return scale(k, v)
