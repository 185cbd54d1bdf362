"""Euler angles: the twelve sequences of turns about moving axes, and URDF's roll, pitch, yaw.

A sequence is read from left to right, each turn about an axis of the frame turned so far: 'zyx'
with angles (a, b, c) is R = R_z(a) R_y(b) R_x(c). MuJoCo's lower-case `eulerseq` means the same,
and so do SciPy's upper-case sequences.
"""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.errors import UnknownName, nearest
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import arctangent, choose, is_symbolic, is_zero, length, sincos
from dalembert.spatial.vectors import IDENTITY, Mat, Scalar, Vec, multiply

SEQUENCES = tuple(a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b and b != c)

# when the middle turn brings the outer axes together to this, a matrix of rounded entries says
# nothing about one of the outer angles
LOCKED = 1e-15


def from_euler(sequence: str, angles: Iterable[Scalar]) -> Mat:
    """Return R = R_i(a) R_j(b) R_k(c) for the axes ijk of the sequence, e.g. 'zyx' or 'zxz'.

    >>> from_euler("zyx", (0, 0, 0))
    ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    """
    i, j, k = _axes(sequence)
    a, b, c = angles
    return multiply(_turn(i, a), multiply(_turn(j, b), _turn(k, c)))


def to_euler(sequence: str, R: Mat) -> Vec:
    """Return the angles (a, b, c) with from_euler(sequence, angles) = R.

    b is in [-π/2, π/2], or in [0, π] when the first axis comes back ('zxz'); a and c are in
    [-π, π]. In gimbal lock, where only the sum or the difference of a and c is determined, a = 0.
    Close to it the angles are as uncertain as R leaves them, but R comes back to rounding.
    Expressions get the textbook form, which supposes that there is no gimbal lock unless the zeros
    of R show it.

    >>> to_euler("zyx", ((1, 0, 0), (0, 0, -1), (0, 1, 0)))
    (0.0, 0.0, 1.5707963267948966)
    """
    i, j, last = _axes(sequence)
    k = 3 - i - j
    e = 1 if (j - i) % 3 == 1 else -1
    proper = last == i
    # b, and the point (x, y) at the angle a
    if proper:
        # column i: (cos b, sin a sin b, -e cos a sin b) along i, j, k
        x, y = -e * R[k][i], R[j][i]
        b = arctangent(length((x, y)), R[i][i])
    else:
        # column k: (e sin b, -e sin a cos b, cos a cos b); row i: (cos b cos c, -e cos b sin c, ·)
        x, y = R[k][k], -e * R[j][k]
        b = arctangent(e * R[i][k], length((R[i][i], R[i][j])))
    locked = is_zero(x) and is_zero(y)
    if is_symbolic(*R[0], *R[1], *R[2]) and not locked:
        c = arctangent(R[i][j], e * R[i][k]) if proper else arctangent(-e * R[i][j], R[i][i])
        return arctangent(y, x), b, c
    a = 0 if locked else choose(length((x, y)) < LOCKED, 0.0, arctangent(y, x))
    # row j of R_i(a)ᵀ R = R_j(b) R_last(c) is that of the last turn alone: whatever rounding made
    # of a, this c goes with it
    sa, ca = sincos(a)
    row = [ca * u + e * sa * v for u, v in zip(R[j], R[k], strict=True)]
    return a, b, arctangent(-e * row[k] if proper else e * row[i], row[j])


def from_rpy(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Mat:
    """Return R = R_z(yaw) R_y(pitch) R_x(roll), URDF's angles about fixed axes.

    `exact.rotation_from_rpy` gives an exactly orthogonal matrix of fractions instead.
    """
    return from_euler("zyx", (yaw, pitch, roll))


def to_rpy(R: Mat) -> Vec:
    """Return (roll, pitch, yaw) of R, pitch in [-π/2, π/2]; in gimbal lock yaw = 0.

    >>> to_rpy(((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    (0.0, 0.0, 1.5707963267948966)
    """
    yaw, pitch, roll = to_euler("zyx", R)
    return roll, pitch, yaw


def _axes(sequence: str) -> tuple[int, int, int]:
    if sequence not in SEQUENCES:
        raise UnknownName(
            f"expected three axes without the same twice in a row, such as 'zyx' or 'zxz', got "
            f"{sequence!r}: {nearest(str(sequence), SEQUENCES)}"
        )
    i, j, k = ("xyz".index(letter) for letter in sequence)
    return i, j, k


def _turn(axis: int, angle: Scalar) -> Mat:
    return axis_rotation(IDENTITY[axis], *sincos(angle))
