"""Exact rational stand-ins: numbers by their decimal meaning, rotations exactly orthogonal.

A rotation matrix of rounded entries is not orthogonal, and identities proved with it fail in the
sixteenth digit. A quaternion of whole numbers gives a rational matrix with RᵀR = 1 exactly, as
close to the wanted rotation as the numbers are long.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.expr import Expr
from dalembert.expr.rational import as_rational
from dalembert.spatial.vectors import IDENTITY, Mat, Scalar, Vec

BITS = 58
RIGHT_ANGLE_TOLERANCE = 4e-16


def exact(x: object) -> Scalar:
    """Return an exact scalar: an expression stays, a number becomes an int or a Fraction.

    >>> exact(0.1), exact(2.0)
    (Fraction(1, 10), 2)
    """
    if type(x) is int:
        return x
    if type(x) is Fraction:
        return _simple(x)
    if isinstance(x, Expr):
        return x if x.op != "const" else _simple(x.value)
    if isinstance(x, bool) or not isinstance(x, numbers.Real):
        raise InvalidExpression(f"expected a number or an expression, got {x!r}")
    return _simple(as_rational(x))


def _simple(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value


def exact_vector(v: Sequence[object]) -> Vec:
    """Return three exact scalars."""
    try:
        found = tuple(v)
    except TypeError:
        raise InvalidExpression(f"expected three components, got {v!r:.60}") from None
    if len(found) != 3:
        raise InvalidExpression(f"expected three components, got {len(found)}")
    return exact(found[0]), exact(found[1]), exact(found[2])


def rotation_from_quaternion(w: float, x: float, y: float, z: float) -> Mat:
    """Return the exactly orthogonal rational matrix of a quaternion of any length.

    >>> rotation_from_quaternion(1, 0, 0, 1)
    ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    """
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not length or not math.isfinite(length):
        raise InvalidExpression(f"expected a quaternion with a direction, got {(w, x, y, z)}")
    W, X, Y, Z = _whole([w / length, x / length, y / length, z / length])
    N = W * W + X * X + Y * Y + Z * Z

    def entry(k: int) -> int | Fraction:
        return _simple(Fraction(k, N))

    return (
        (
            entry(W * W + X * X - Y * Y - Z * Z),
            entry(2 * (X * Y - W * Z)),
            entry(2 * (X * Z + W * Y)),
        ),
        (
            entry(2 * (X * Y + W * Z)),
            entry(W * W - X * X + Y * Y - Z * Z),
            entry(2 * (Y * Z - W * X)),
        ),
        (
            entry(2 * (X * Z - W * Y)),
            entry(2 * (Y * Z + W * X)),
            entry(W * W - X * X - Y * Y + Z * Z),
        ),
    )


def _whole(q: list[float]) -> list[int]:
    """Return whole numbers in the proportion of q; small ones when q allows."""
    largest = max(abs(k) for k in q)
    # quarter and half turns about coordinate axes and diagonals: equal or zero components
    simple = [k / largest for k in q]
    rounded = [round(k) for k in simple]
    if all(abs(k - r) <= RIGHT_ANGLE_TOLERANCE for k, r in zip(simple, rounded, strict=True)):
        return rounded
    return [round(math.ldexp(k, BITS)) for k in q]


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Mat:
    """Return R = R_z(yaw) R_y(pitch) R_x(roll), URDF's fixed-axis angles, exactly orthogonal.

    >>> rotation_from_rpy(0, 0, 3.141592653589793 / 2)
    ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    """
    roll, pitch, yaw = (_angle(a) for a in (roll, pitch, yaw))
    if not roll and not pitch and not yaw:
        return IDENTITY
    (cr, sr), (cp, sp), (cy, sy) = (_half(a) for a in (roll, pitch, yaw))
    return rotation_from_quaternion(
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def rotation_about(axis: Sequence[float], angle: float) -> Mat:
    """Return the rotation by an angle (rad) about a unit axis, exactly orthogonal.

    >>> rotation_about((1, 0, 0), 3.141592653589793)
    ((1, 0, 0), (0, -1, 0), (0, 0, -1))
    """
    c, s = _half(angle)
    x, y, z = axis
    return rotation_from_quaternion(c, s * x, s * y, s * z)


def _angle(angle: object) -> float:
    try:
        value = float(angle)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if isinstance(angle, str) or not math.isfinite(value):
        raise InvalidExpression(f"expected an angle as a finite number, got {angle!r:.60}")
    return value


def _half(angle: float) -> tuple[float, float]:
    """Return cos and sin of half the angle, exact for multiples of a right angle."""
    quarter = angle / (math.pi / 2)
    n = round(quarter)
    if abs(quarter - n) <= RIGHT_ANGLE_TOLERANCE * max(1.0, abs(quarter)):
        root = math.sqrt(0.5)
        table = [(1.0, 0.0), (root, root), (0.0, 1.0), (-root, root)]
        c, s = table[n % 4]
        return (c, s) if n % 8 < 4 else (-c, -s)
    return math.cos(angle / 2), math.sin(angle / 2)


def rotation_to_axis(axis: Sequence[float]) -> Mat:
    """Return an exactly orthogonal R whose third column is along the axis (to rounding)."""
    x, y, z = (float(k) for k in axis)
    length = math.sqrt(x * x + y * y + z * z)
    if not length or not math.isfinite(length):
        raise InvalidExpression(f"expected an axis with a direction, got {tuple(axis)}")
    x, y, z = x / length, y / length, z / length
    # the half-way quaternion from z to the axis; close to -z a half turn about x goes first
    if z < -0.999:
        return rotation_from_quaternion(-y, 1 - z, 0.0, x)
    return rotation_from_quaternion(1 + z, -y, x, 0.0)
