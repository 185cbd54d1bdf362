"""Two boxes, by their corners, edges and faces.

Apart, the nearest points of two boxes are a corner and a point of the other box, or inner points
of two edges. The normal of two such edges is the product of their directions, and each edge is the
one of its box that is farthest along it. Overlapping, the boxes leave each other soonest along one
of 15 axes: the normals of faces, and the products of edges (S. Gottschalk et al., SIGGRAPH 1996).
"""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from dalembert.spatial.distance.closest import TINY, Closest
from dalembert.spatial.distance.segments import nearest_on_segments
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import absolute, clamped, larger, square_root, step
from dalembert.spatial.vectors import Scalar, Vec, add, cross, dot, rotate, scale, sub

PARALLEL = 1e-12
"""Square of the sine of an angle below which edges are parallel and have no common normal."""

LEVEL = 1e-13
"""Volume of three unit vectors below which they lie in a plane: it is rounding."""

TOUCHING = 1e-18
"""Gap, as part of the length that is far, below which the axis is a better normal than the line
between the nearest points: 1e-12 of the boxes."""

FAR = 1e6
"""Added to a length, as a multiple of both boxes' sizes, where a candidate does not count."""

Candidate: TypeAlias = tuple[Scalar, Vec, Vec]
"""A number that shall be small, with two vectors that belong to it."""


def capsule_to_box(X: Pose, radius: Scalar, length: Scalar, Y: Pose, size: Vec) -> Closest:
    """Return the nearest points of a capsule along z at the pose X, and of a box at the pose Y.

    The axis of the capsule is a box without width.

    >>> capsule_to_box(Pose(), 1.0, 2.0, Pose(p=(0, 0, 5.0)), (2, 2, 2)).distance
    2.0
    """
    distance, first, second, normal = box_to_box(X, (0, 0, length), Y, size)
    return Closest(distance - radius, add(first, scale(radius, normal)), second, normal)


def box_to_box(X: Pose, size: Vec, Y: Pose, other: Vec) -> Closest:
    """Return the nearest points of two boxes with whole edges at the poses X and Y.

    >>> box_to_box(Pose(), (2, 2, 2), Pose(p=(3.0, 0, 0)), (2, 2, 2)).distance
    1.0
    """
    # all in the axes of the first box, B the second, with half edges a and b
    X_AB = X.inverse() @ Y
    a, b = _half(size), _half(other)
    axes = _columns(X_AB)
    t = X_AB.p
    far = FAR * (_sum(a) + _sum(b) + square_root(dot(t, t)))
    corners = _nearest_corner(t, axes, a, b)
    back = X_AB.inverse()
    # corners of the first box, as the second sees them
    squared, inside, corner = _nearest_corner(back.p, _columns(back), b, a)
    apart = [corners, (squared, X_AB.point(corner), X_AB.point(inside))]
    overlaps = [*_faces(t, axes, a, b), *_faces_of_second(t, axes, a, b)]
    for i, j in product(range(3), repeat=2):
        edges, along = _edges(i, j, t, axes, a, b, far)
        apart.append(edges)
        overlaps.append(along)
    # the least overlap along an axis, with that axis, and the points that touch along it
    depth, n, deepest = _least(overlaps)
    squared, first, second = _least(apart)
    is_apart = step(-depth - TOUCHING * far)
    length = square_root(squared * is_apart)
    line = scale(1 / (length + TINY), sub(second, first))
    normal = rotate(X.R, _mixed(is_apart, line, n))
    distance = is_apart * length - (1 - is_apart) * depth
    on_second = X.point(_mixed(is_apart, second, deepest))
    return Closest(distance, sub(on_second, scale(distance, normal)), on_second, normal)


def _half(size: Vec) -> Vec:
    x, y, z = size
    return 0.5 * x, 0.5 * y, 0.5 * z


def _columns(X: Pose) -> tuple[Vec, Vec, Vec]:
    x, y, z = zip(*X.R, strict=True)
    return x, y, z


def _sum(v: Vec) -> Scalar:
    return v[0] + v[1] + v[2]


def _nearest_corner(t: Vec, axes: tuple[Vec, Vec, Vec], a: Vec, b: Vec) -> Candidate:
    """Return the corner of a box at t that is nearest to the box a about the origin.

    Behind its squared distance stand the nearest point of that box, and the corner.
    """
    best: tuple[Scalar, Vec] | None = None
    edges = [scale(h, axis) for h, axis in zip(b, axes, strict=True)]
    for x, y, z in product((-1, 1), repeat=3):
        corner = add(add(t, scale(x, edges[0])), add(scale(y, edges[1]), scale(z, edges[2])))
        beyond = [larger(absolute(p) - h, 0) for p, h in zip(corner, a, strict=True)]
        squared = dot((beyond[0], beyond[1], beyond[2]), (beyond[0], beyond[1], beyond[2]))
        if best is None:
            best = squared, corner
        else:
            m = step(best[0] - squared)
            best = m * squared + (1 - m) * best[0], _mixed(m, corner, best[1])
    assert best is not None
    squared, corner = best
    x, y, z = (clamped(p, -h, h) for p, h in zip(corner, a, strict=True))
    return squared, (x, y, z), corner


def _faces(t: Vec, axes: tuple[Vec, Vec, Vec], a: Vec, b: Vec) -> list[Candidate]:
    """Return the overlaps along the axes of the first box."""
    found: list[Candidate] = []
    for i in range(3):
        reach = _sum(tuple(h * absolute(axis[i]) for h, axis in zip(b, axes, strict=True)))  # type: ignore[arg-type]
        side = 2 * step(t[i]) - 1
        x, y, z = (side * int(k == i) for k in range(3))
        # the corner of the second that is deepest in the first
        deepest = t
        for h, axis in zip(b, axes, strict=True):
            deepest = sub(deepest, scale(side * (2 * step(axis[i]) - 1) * h, axis))
        found.append((a[i] + reach - absolute(t[i]), (x, y, z), deepest))
    return found


def _faces_of_second(t: Vec, axes: tuple[Vec, Vec, Vec], a: Vec, b: Vec) -> list[Candidate]:
    """Return the overlaps along the axes of the second box."""
    found: list[Candidate] = []
    for h, axis in zip(b, axes, strict=True):
        along = dot(t, axis)
        side = 2 * step(along) - 1
        reach = _sum(tuple(k * absolute(x) for k, x in zip(a, axis, strict=True)))  # type: ignore[arg-type]
        depth = h + reach - absolute(along)
        n = scale(side, axis)
        # the corner of the first that is deepest in the second, moved to its surface
        x, y, z = ((2 * step(c) - 1) * k for c, k in zip(n, a, strict=True))
        found.append((depth, n, sub((x, y, z), scale(depth, n))))
    return found


def _edges(
    i: int, j: int, t: Vec, axes: tuple[Vec, Vec, Vec], a: Vec, b: Vec, far: Scalar
) -> tuple[Candidate, Candidate]:
    """Return the nearest points of an edge along axis i of the first box and one along j of the
    second, and the overlap along their common normal."""
    u: Vec = (int(i == 0), int(i == 1), int(i == 2))
    product_of_axes = cross(u, axes[j])
    sine = dot(product_of_axes, product_of_axes)
    crosses = step(sine - PARALLEL)
    # unit length to the last digit, and finite where the edges are parallel
    length = square_root(crosses * sine + (1 - crosses))
    along = dot(t, product_of_axes)
    n = scale((2 * step(along) - 1) / length, product_of_axes)
    reach = absolute(along) / -length
    # the edge of each box that is farthest along n; first of the second, as far as n tells
    leans = [dot(n, axis) for axis in axes]
    q = t
    for k in range(3):
        if k != j:
            q = sub(q, scale((2 * step(leans[k]) - 1) * b[k], axes[k]))
            reach = reach + b[k] * absolute(leans[k])
    p: Vec = (0, 0, 0)
    for k in range(3):
        if k != i:
            e: Vec = (int(k == 0), int(k == 1), int(k == 2))
            # (q + r w)_k = ±a_k, and there the smaller |(q + r w)_i|
            w_i, w_k = axes[j][i], axes[j][k]
            side = _side(n[k] * length, n[k], (q[k] * w_i - q[i] * w_k) * w_i)
            p = add(p, scale(side * a[k], e))
            reach = reach + a[k] * absolute(n[k])
    q, seen = t, [dot(sub(p, t), axis) for axis in axes]
    for k in range(3):
        if k != j:
            u_j, u_k = axes[j][i], axes[k][i]
            side = _side(leans[k] * length, -leans[k], (seen[k] * u_j - seen[j] * u_k) * u_j)
            q = add(q, scale(side * b[k], axes[k]))
    v, w = scale(a[i], u), scale(b[j], axes[j])
    s, r = nearest_on_segments(p, v, q, w)
    first, second = add(p, scale(s, v)), add(q, scale(r, w))
    way = sub(second, first)
    skipped = (1 - crosses) * far
    return (dot(way, way) + skipped * far, first, second), (reach + skipped, n, second)


def _side(tilt: Scalar, by_normal: Scalar, by_crossing: Scalar) -> Scalar:
    """Return on which side of its box an edge lies, 1 or -1.

    It is the side of the normal. Where the normal is that of a face, both sides are equally far
    along it, and the edge is taken that the other one crosses.
    """
    is_face = step(LEVEL - absolute(tilt))
    return 2 * step(is_face * by_crossing + (1 - is_face) * by_normal) - 1


def _least(candidates: list[Candidate]) -> Candidate:
    """Return the candidate with the least number; of several the first."""
    best = candidates[0]
    for found in candidates[1:]:
        m = step(best[0] - found[0])
        best = (
            m * found[0] + (1 - m) * best[0],
            _mixed(m, found[1], best[1]),
            _mixed(m, found[2], best[2]),
        )
    return best


def _mixed(m: Scalar, a: Vec, b: Vec) -> Vec:
    """Return a where m is 1, b where it is 0."""
    x, y, z = (m * p + (1 - m) * q for p, q in zip(a, b, strict=True))
    return x, y, z
