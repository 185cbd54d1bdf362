"""Vectors and matrices of three, as plain tuples over any scalar.

A scalar is a float, an array (a batch), an `Expr` or a ring element; whole numbers 0 and 1 stand
for structural zeros and ones and cost nothing where the scalar folds them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Scalar = Any
"""A member of `types.Scalar`; its own functions decide what else is asked of it."""

Vec = tuple[Scalar, Scalar, Scalar]
Mat = tuple[Vec, Vec, Vec]

ZERO: Vec = (0, 0, 0)
IDENTITY: Mat = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def ratio(a: Scalar, b: Scalar) -> Scalar:
    """Return a / b; of whole numbers the exact quotient, where Python would round."""
    return Fraction(a, b) if isinstance(a, int) and isinstance(b, int) else a / b


def add(a: Vec, b: Vec) -> Vec:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub(a: Vec, b: Vec) -> Vec:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def neg(a: Vec) -> Vec:
    """Return -a."""
    return -a[0], -a[1], -a[2]


def scale(k: Scalar, a: Vec) -> Vec:
    """Return k a."""
    return k * a[0], k * a[1], k * a[2]


def dot(a: Vec, b: Vec) -> Scalar:
    """Return aᵀ b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec, b: Vec) -> Vec:
    """Return a × b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def rotate(R: Mat, a: Vec) -> Vec:
    """Return R a."""
    return dot(R[0], a), dot(R[1], a), dot(R[2], a)


def unrotate(R: Mat, a: Vec) -> Vec:
    """Return Rᵀ a."""
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


def transpose(A: Mat) -> Mat:
    """Return Aᵀ."""
    (a, b, c), (d, e, f), (g, h, i) = A
    return (a, d, g), (b, e, h), (c, f, i)


def multiply(A: Mat, B: Mat) -> Mat:
    """Return A B."""
    T = transpose(B)
    return (
        (dot(A[0], T[0]), dot(A[0], T[1]), dot(A[0], T[2])),
        (dot(A[1], T[0]), dot(A[1], T[1]), dot(A[1], T[2])),
        (dot(A[2], T[0]), dot(A[2], T[1]), dot(A[2], T[2])),
    )


def skew(a: Vec) -> Mat:
    """Return â with â b = a × b."""
    x, y, z = a
    return (0, -z, y), (z, 0, -x), (-y, x, 0)


def trace(A: Mat) -> Scalar:
    """Return the sum of the diagonal."""
    return A[0][0] + A[1][1] + A[2][2]
