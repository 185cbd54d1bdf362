"""Rigid motions as exponentials of twists, over any scalar: exp and log, adjoint maps, screws.

A twist is a pair V = (v, w), linear before angular, and a wrench a pair F = (f, m), force before
moment. V_AB_A, of frame B in A with components in A, refers v to the point at the origin of A.

Reference: R. Murray, Z. Li, S. Sastry, A mathematical introduction to robotic manipulation, 1994,
sections 2.3 to 2.5.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dalembert.errors import InvalidExpression
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import so3
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import is_symbolic, is_zero, sincos
from dalembert.spatial.vectors import (
    IDENTITY,
    ZERO,
    Mat,
    Scalar,
    Vec,
    add,
    cross,
    dot,
    multiply,
    neg,
    ratio,
    rotate,
    scale,
    skew,
    unrotate,
)

Twist = tuple[Vec, Vec]
Wrench = tuple[Vec, Vec]
Rows = tuple[tuple[Scalar, ...], ...]

NO_ROTATION: Mat = (ZERO, ZERO, ZERO)


class Screw(NamedTuple):
    """A line through ``point`` along ``axis``, with the advance per radian ``pitch`` (length).

    The axis is as long as the twist is fast: a unit twist has a unit axis. A translation has the
    pitch `math.inf`.
    """

    axis: Vec
    point: Vec
    pitch: Scalar


def hat(V: Twist) -> Rows:
    """Return the 4 × 4 matrix [[ŵ, v], [0, 0]] of a twist.

    >>> hat(((1, 2, 3), (0, 0, 4)))
    ((0, -4, 0, 1), (4, 0, 0, 2), (0, 0, 0, 3), (0, 0, 0, 0))
    """
    v, w = V
    return (*((*row, x) for row, x in zip(skew(w), v, strict=True)), (0, 0, 0, 0))


def vee(A: Rows) -> Twist:
    """Return the twist of a 4 × 4 matrix [[ŵ, v], [0, 0]]; it reads the entries below the diagonal.

    >>> vee(hat(((1, 2, 3), (4, 5, 6))))
    ((1, 2, 3), (4, 5, 6))
    """
    return (A[0][3], A[1][3], A[2][3]), (A[2][1], -A[2][0], A[1][0])


def to_matrix(X: Pose) -> Rows:
    """Return the 4 × 4 matrix [[R, p], [0, 1]] of a pose."""
    return (*((*row, x) for row, x in zip(X.R, X.p, strict=True)), (0, 0, 0, 1))


def exp(V: Twist) -> Pose:
    """Return e^V̂: R = e^ŵ and p = J(w) v, with the left Jacobian J of so(3).

    >>> exp(((1, 2, 3), (0, 0, 0))).p
    (1, 2, 3)
    """
    v, w = V
    return Pose(so3.exp(w), rotate(so3.left_jacobian(w), v))


def exp_screw(S: Twist, theta: Scalar) -> Pose:
    """Return e^(Ŝθ) of a unit twist, |w| = 1 or w = 0: the motion of a joint.

    R = 1 + s ŵ + (1 - c) ŵ² and p = (θ 1 + (1 - c) ŵ + (θ - s) ŵ²) v. No root of the angle
    appears; that w has length 1 is not checked.

    >>> from dalembert.expr import coordinates
    >>> (q,) = coordinates("q")
    >>> exp_screw(((0, -2, 0), (0, 0, 1)), q).p
    (2 (1 - cos(q)), -2 sin(q), 0)
    """
    v, w = S
    if all(is_zero(x) for x in w):
        return Pose(IDENTITY, scale(theta, v))
    s, c = sincos(theta)
    # with ŵ² v = (wᵀv) w - v:  p = s v + (1 - c) w × v + (θ - s) (wᵀv) w
    p = add(scale(s, v), scale(1 - c, cross(w, v)))
    pitch = dot(w, v)
    if not is_zero(pitch):
        p = add(p, scale((theta - s) * pitch, w))
    return Pose(axis_rotation(w, s, c), p)


def log(X: Pose) -> Twist:
    """Return the twist V with X = e^V̂ and |w| ≤ π: w = log R and v = J(w)⁻¹ p.

    >>> log(Pose(p=(1, 2, 3)))
    ((1, 2, 3), (0, 0, 0))
    """
    w = so3.log(X.R)
    return rotate(so3.left_jacobian_inverse(w), X.p), w


def adjoint(X_AB: Pose) -> Rows:
    """Return the 6 × 6 matrix Ad = [[R, p̂ R], [0, R]] with V_A = Ad V_B."""
    R, p = X_AB
    return _blocks(R, multiply(skew(p), R), NO_ROTATION, R)


def coadjoint(X_AB: Pose) -> Rows:
    """Return the 6 × 6 matrix Ad⁻ᵀ = [[R, 0], [p̂ R, R]] with F_A = Ad⁻ᵀ F_B."""
    R, p = X_AB
    return _blocks(R, NO_ROTATION, multiply(skew(p), R), R)


def transform_twist(X_AB: Pose, V_B: Twist) -> Twist:
    """Return V_A = Ad V_B = (R v + p × R w, R w).

    >>> transform_twist(Pose(p=(0, 1, 0)), ((0, 0, 0), (0, 0, 1)))
    ((1, 0, 0), (0, 0, 1))
    """
    R, p = X_AB
    v, w = V_B
    w = rotate(R, w)
    return add(rotate(R, v), cross(p, w)), w


def transform_twist_back(X_AB: Pose, V_A: Twist) -> Twist:
    """Return V_B = Ad⁻¹ V_A = (Rᵀ (v - p × w), Rᵀ w)."""
    R, p = X_AB
    v, w = V_A
    return unrotate(R, add(v, cross(w, p))), unrotate(R, w)


def transform_wrench(X_AB: Pose, F_B: Wrench) -> Wrench:
    """Return F_A = Ad⁻ᵀ F_B = (R f, R m + p × R f): the power wᵀm + vᵀf stays.

    >>> transform_wrench(Pose(p=(1, 0, 0)), ((0, 1, 0), (0, 0, 0)))
    ((0, 1, 0), (0, 0, 1))
    """
    R, p = X_AB
    f, m = F_B
    f = rotate(R, f)
    return f, add(rotate(R, m), cross(p, f))


def transform_wrench_back(X_AB: Pose, F_A: Wrench) -> Wrench:
    """Return F_B = Adᵀ F_A = (Rᵀ f, Rᵀ (m - p × f))."""
    R, p = X_AB
    f, m = F_A
    return unrotate(R, f), unrotate(R, add(m, cross(f, p)))


def ad(V: Twist) -> Rows:
    """Return the 6 × 6 matrix ad = [[ŵ, v̂], [0, ŵ]] with ad V₂ = [V, V₂]."""
    v, w = V
    return _blocks(skew(w), skew(v), NO_ROTATION, skew(w))


def bracket(V1: Twist, V2: Twist) -> Twist:
    """Return the Lie bracket [V₁, V₂] = (w₁ × v₂ + v₁ × w₂, w₁ × w₂), V̂₁V̂₂ - V̂₂V̂₁ as matrices.

    >>> bracket(((0, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 0, 0)))
    ((0, 1, 0), (0, 0, 0))
    """
    (v1, w1), (v2, w2) = V1, V2
    return add(cross(w1, v2), cross(v1, w2)), cross(w1, w2)


def cobracket(V: Twist, F: Wrench) -> Wrench:
    """Return -adᵀ F = (w × f, w × m + v × f): the rate of a wrench that moves along with V."""
    v, w = V
    f, m = F
    return cross(w, f), add(cross(w, m), cross(v, f))


def plus(a: Twist, b: Twist) -> Twist:
    """Return the sum of two twists, or of two wrenches."""
    return add(a[0], b[0]), add(a[1], b[1])


def times(k: Scalar, a: Twist) -> Twist:
    """Return a twist, or a wrench, k times."""
    return scale(k, a[0]), scale(k, a[1])


def power(V: Twist, F: Wrench) -> Scalar:
    """Return the power vᵀf + wᵀm (W)."""
    return dot(V[0], F[0]) + dot(V[1], F[1])


def to_screw(V: Twist) -> Screw:
    """Return the axis w, its point w × v / wᵀw nearest to the origin, and the pitch wᵀv / wᵀw.

    Raises:
        InvalidExpression: a twist that is zero, or an array in which only some rotate.

    >>> to_screw(((0, -2, 3), (0, 0, 1)))
    Screw(axis=(0, 0, 1), point=(2, 0, 0), pitch=3)
    """
    v, w = V
    if all(is_zero(x) for x in w):
        if all(is_zero(x) for x in v):
            raise InvalidExpression("expected a twist that moves, got zero: a screw needs a line")
        return Screw(v, ZERO, math.inf)
    ww = dot(w, w)
    if not is_symbolic(ww) and not isinstance(ww, int | float) and (ww == 0).any():
        raise InvalidExpression(
            "expected twists that all rotate, got an array with zero angular velocities: "
            "take the translations apart"
        )
    if is_zero(ww - 1):
        return Screw(w, cross(w, v), dot(w, v))
    return Screw(w, _divide(cross(w, v), ww), ratio(dot(w, v), ww))


def from_screw(screw: Screw) -> Twist:
    """Return the twist (point × axis + pitch axis, axis); (axis, 0) for an infinite pitch.

    >>> from_screw(Screw((0, 0, 1), (2, 0, 0), 3))
    ((0, -2, 3), (0, 0, 1))
    """
    axis, point, pitch = screw
    if isinstance(pitch, float) and math.isinf(pitch):
        return axis, ZERO
    return add(neg(cross(axis, point)), scale(pitch, axis)), axis


def _divide(a: Vec, k: Scalar) -> Vec:
    return ratio(a[0], k), ratio(a[1], k), ratio(a[2], k)


def _blocks(A: Mat, B: Mat, C: Mat, D: Mat) -> Rows:
    top = tuple((*a, *b) for a, b in zip(A, B, strict=True))
    return (*top, *((*c, *d) for c, d in zip(C, D, strict=True)))
