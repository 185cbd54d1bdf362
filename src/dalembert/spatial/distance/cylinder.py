"""A sphere beside a cylinder."""

from __future__ import annotations

from dalembert.spatial.distance.closest import TINY, Closest
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import absolute, larger, smaller, square_root, step
from dalembert.spatial.vectors import Scalar, Vec, add, ratio, rotate, scale


def sphere_to_cylinder(centre: Vec, radius: Scalar, X: Pose, r: Scalar, length: Scalar) -> Closest:
    """Return the nearest points of a sphere and of a cylinder along z at the pose X.

    Args:
        centre: Of the sphere, (3,).
        radius: Of the sphere, in m.
        X: Middle and axes of the cylinder.
        r: Radius of the cylinder, in m.
        length: Whole length of the cylinder, in m.

    A centre inside leaves by the nearer of side and end. The distance is exact for both.

    >>> sphere_to_cylinder((0.0, 0.0, 3.0), 1.0, Pose(), 1.0, 2.0).distance
    1.0
    """
    x, y, z = X.point_back(centre)
    across = square_root(x * x + y * y)
    half = ratio(length, 2)
    # how far beyond the side and the ends
    side, end = across - r, absolute(z) - half
    over_side, over_end = larger(side, 0), larger(end, 0)
    outside = square_root(over_side * over_side + over_end * over_end)
    is_out = step(outside)
    by_side = step(side - end)
    # (ρ, z) of the normal out of the cylinder
    out_side = is_out * over_side / (outside + TINY) + (1 - is_out) * by_side
    out_end = is_out * over_end / (outside + TINY) + (1 - is_out) * (1 - by_side)
    up = 2 * step(z) - 1
    ux, uy = x / (across + TINY), y / (across + TINY)
    out = (out_side * ux, out_side * uy, out_end * up)
    distance = outside + smaller(larger(side, end), 0)
    normal = scale(-1, rotate(X.R, out))
    return Closest(
        distance - radius,
        add(centre, scale(radius, normal)),
        add(centre, scale(distance, normal)),
        normal,
    )
