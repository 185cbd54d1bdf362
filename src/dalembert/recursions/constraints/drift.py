"""What moves by itself: rates of numbers that depend on ``da.time``, and of points on a link."""

from __future__ import annotations

from dalembert.expr import ONE, Expr, tangent, time
from dalembert.spatial.vectors import Mat, Scalar, Vec, add, cross, rotate, scale


def time_rate(x: Scalar) -> Scalar:
    """Return ∂x/∂t: zero for everything but an expression of the time.

    >>> import dalembert as da
    >>> print(time_rate(da.sin(2 * da.time)), time_rate(3))
    2 cos(2 t) 0
    """
    return tangent([x], {time: ONE})[0] if isinstance(x, Expr) else 0


def point_drift(R: Mat, r: Vec) -> Vec:
    """Return R ṙ, the velocity in world axes of a point r(t) on a link that stands still."""
    x, y, z = r
    return rotate(R, (time_rate(x), time_rate(y), time_rate(z)))


def point_drift_bias(R: Mat, w: Vec, r: Vec) -> Vec:
    """Return R (2 ω × ṙ + r̈), what the motion of a point on its link adds to its acceleration.

    ``w`` is the angular velocity of the link in its own axes.
    """
    x, y, z = r
    rate = (time_rate(x), time_rate(y), time_rate(z))
    again = (time_rate(rate[0]), time_rate(rate[1]), time_rate(rate[2]))
    return rotate(R, add(scale(2, cross(w, rate)), again))
