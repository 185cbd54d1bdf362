"""A sphere beside another one, a capsule or a box."""

from __future__ import annotations

from dalembert.spatial.distance.closest import TINY, Closest, between_spheres
from dalembert.spatial.distance.segments import THIN
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import absolute, clamped, larger, smaller, square_root, step
from dalembert.spatial.vectors import Scalar, Vec, add, dot, rotate, scale, sub


def sphere_to_sphere(a: Vec, r_a: Scalar, b: Vec, r_b: Scalar) -> Closest:
    """Return the nearest points of two spheres, by their centres and radii.

    >>> sphere_to_sphere((0, 0, 0), 1.0, (0, 4, 3), 0.5).distance
    3.5
    """
    return between_spheres(a, r_a, b, r_b)


def sphere_to_capsule(centre: Vec, radius: Scalar, b: Vec, half: Vec, r_b: Scalar) -> Closest:
    """Return the nearest points of a sphere and of a capsule with middle b and half axis."""
    t = clamped(dot(sub(centre, b), half) / (dot(half, half) + THIN), -1, 1)
    return between_spheres(centre, radius, add(b, scale(t, half)), r_b)


def sphere_to_box(centre: Vec, radius: Scalar, X: Pose, size: Vec) -> Closest:
    """Return the nearest points of a sphere and of a box with whole edges ``size`` at the pose X.

    A centre inside leaves by the nearest face, of several the first. The distance is exact for
    both.

    >>> sphere_to_box((0.0, 0.0, 3.0), 1.0, Pose(), (2, 2, 2)).distance
    1.0
    """
    p = X.point_back(centre)
    half = tuple(edge / 2 for edge in size)
    # how far beyond each pair of faces, q = |p| - h
    q = [absolute(x) - h for x, h in zip(p, half, strict=True)]
    nearest = tuple(clamped(x, -h, h) for x, h in zip(p, half, strict=True))
    beyond = tuple(larger(k, 0) for k in q)
    outside = square_root(dot(beyond, beyond))  # type: ignore[arg-type]
    is_out = step(outside)
    # inside: 1 at the nearest face, else 0
    x = (1 - step(q[1] - q[0])) * (1 - step(q[2] - q[0]))
    y = step(q[1] - q[0]) * (1 - step(q[2] - q[1]))
    faces = (x, y, 1 - x - y)
    signs = tuple(2 * step(k) - 1 for k in p)
    out = [
        s * (b * is_out / (outside + TINY) + f * (1 - is_out))
        for s, b, f in zip(signs, beyond, faces, strict=True)
    ]
    surface = [
        is_out * n + (1 - is_out) * (k + f * (s * h - k))
        for n, k, f, s, h in zip(nearest, p, faces, signs, half, strict=True)
    ]
    distance = outside + smaller(larger(larger(q[0], q[1]), q[2]), 0)
    normal = rotate(X.R, (-out[0], -out[1], -out[2]))
    return Closest(
        distance - radius,
        add(centre, scale(radius, normal)),
        X.point((surface[0], surface[1], surface[2])),
        normal,
    )
