"""Inertia of the solid inside a closed surface of triangles.

By the divergence theorem the integrals over the solid are sums over the tetrahedra from one apex to
each triangle, with the sign of det(a, b, c): triangles are wound counter-clockwise seen from
outside.

Reference: F. Tonon, Explicit exact formulas for the 3-D tetrahedron inertia tensor in terms of its
vertex coordinates, Journal of Mathematics and Statistics 1 (2005) 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import index

from dalembert.errors import InvalidExpression
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_positive, is_symbolic
from dalembert.spatial.vectors import Scalar, add, cross, dot, ratio

# rounding of a sum of determinants, relative to the cube of the extent: a flat mesh has no more
FLAT = 1e-14


def mesh_inertia(
    vertices: Iterable[Iterable[Scalar]],
    triangles: Iterable[Iterable[int]],
    density: Scalar,
) -> Inertia:
    """Return the inertia, about the origin, of the solid inside a closed mesh.

    With D = det(a, b, c) and s = a + b + c, a tetrahedron 0abc has the volume D/6, the first
    moment D s / 24 and the second moments D (s sᵀ + a aᵀ + b bᵀ + c cᵀ) / 120.

    Args:
        vertices: n points (m), of any scalar; whole numbers and fractions give exact results.
        triangles: three indices each, counter-clockwise seen from outside.
        density: of the solid (kg/m³).

    Raises:
        InvalidExpression: a mesh that is open, wound inconsistently or inside out, or flat.

    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> mesh_inertia(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], 6).com()
    (Fraction(1, 4), Fraction(1, 4), Fraction(1, 4))
    """
    points = [_point(n, vertex) for n, vertex in enumerate(vertices)]
    faces = [_face(n, face, len(points)) for n, face in enumerate(triangles)]
    _check_closed(faces)
    if not is_positive(density):
        raise InvalidExpression(f"expected a positive density, got {density}")
    if any(isinstance(x, float) for point in points for x in point) and not any(
        is_symbolic(*point) for point in points
    ):
        return _float_inertia(points, faces, density)
    total = _moments(points[faces[0][0]], points[faces[0][1]], points[faces[0][2]])
    for a, b, c in faces[1:]:
        moments = _moments(points[a], points[b], points[c])
        total = tuple(x + y for x, y in zip(total, moments, strict=True))
    if not is_symbolic(total[0]):
        _check_volume(total[0], 0)
    return _inertia(total, density)


def _float_inertia(
    points: list[tuple[Scalar, ...]], faces: list[tuple[int, int, int]], density: Scalar
) -> Inertia:
    """Do all triangles at once, from an apex amid them: far from the origin digits would cancel."""
    import numpy as np

    V = np.array(points, dtype=float)
    if not np.isfinite(V).all():
        raise InvalidExpression("expected vertices with finite coordinates, got inf or nan")
    used = V[np.array(faces)]
    apex = used.reshape(-1, 3).mean(axis=0)
    a, b, c = (tuple((used[:, n] - apex).T) for n in range(3))
    total = [float(np.sum(x)) for x in _moments(a, b, c)]
    extent = float(np.ptp(used.reshape(-1, 3), axis=0).max())
    _check_volume(total[0], FLAT * extent**3)
    x, y, z = apex.tolist()
    return _inertia(total, density).moved(Pose(p=(x, y, z)))


def _moments(a: Scalar, b: Scalar, c: Scalar) -> tuple[Scalar, ...]:
    """Return 6 ∫dV, 24 ∫r dV and 120 ∫r rᵀ dV (xx, yy, zz, xy, xz, yz) of a tetrahedron 0abc."""
    D = dot(a, cross(b, c))
    s = add(add(a, b), c)

    def second(i: int, j: int) -> Scalar:
        return D * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j])

    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return (D, D * s[0], D * s[1], D * s[2], *(second(i, j) for i, j in pairs))


def _inertia(moments: Sequence[Scalar], density: Scalar) -> Inertia:
    D, hx, hy, hz, *second = (density * x for x in moments)
    xx, yy, zz, xy, xz, yz = (ratio(x, 120) for x in second)
    # I = tr(Σ) 1 - Σ
    return Inertia(
        ratio(D, 6),
        (ratio(hx, 24), ratio(hy, 24), ratio(hz, 24)),
        (yy + zz, xx + zz, xx + yy, -xy, -xz, -yz),
    )


def _point(n: int, vertex: Iterable[Scalar]) -> tuple[Scalar, ...]:
    # numbers of NumPy become Python's: whole ones do not overflow, and stay exact
    point = tuple(x.item() if hasattr(x, "item") else x for x in vertex)
    if len(point) != 3:
        raise InvalidExpression(f"expected three coordinates of vertex {n}, got {len(point)}")
    return point


def _face(n: int, face: Iterable[int], count: int) -> tuple[int, int, int]:
    corners = tuple(index(k) for k in face)
    if len(corners) != 3:
        raise InvalidExpression(
            f"expected triangles, got {len(corners)} corners in face {n}: split it into triangles"
        )
    if len(set(corners)) != 3:
        raise InvalidExpression(
            f"expected three different corners, got {corners} in triangle {n}: remove it"
        )
    for k in corners:
        if not 0 <= k < count:
            raise InvalidExpression(
                f"expected a vertex from 0 to {count - 1}, got {k} in triangle {n}"
            )
    return corners


def _check_closed(faces: list[tuple[int, int, int]]) -> None:
    """Raise unless every edge occurs twice, once in each direction."""
    if not faces:
        raise InvalidExpression("expected a closed mesh, got no triangles")
    edges = Counter(edge for a, b, c in faces for edge in ((a, b), (b, c), (c, a)))
    opened = [(a, b) for a, b in edges if edges[a, b] == 1 and not edges[b, a]]
    twisted = [(a, b) for a, b in edges if edges[a, b] == 2 and not edges[b, a]]
    shared = [(a, b) for a, b in edges if edges[a, b] + edges[b, a] > 2]
    if opened:
        raise InvalidExpression(
            f"expected a closed mesh, got {len(opened)} edges with one triangle only, the first "
            f"between vertices {opened[0][0]} and {opened[0][1]}: fill the holes, and merge "
            "vertices at the same place"
        )
    if twisted:
        raise InvalidExpression(
            f"expected triangles wound alike, got {len(twisted)} edges that both of their "
            f"triangles pass in the same direction, the first from vertex {twisted[0][0]} to "
            f"{twisted[0][1]}: reverse one of the two triangles"
        )
    if shared:
        a, b = shared[0]
        raise InvalidExpression(
            f"expected two triangles at every edge, got {edges[a, b]} in one direction and "
            f"{edges[b, a]} in the other between vertices {a} and {b}: remove triangles given "
            "twice, or give each solid its own vertices"
        )


def _check_volume(D: Scalar, flat: Scalar) -> None:
    """Raise unless six times the volume is positive."""
    if abs(D) <= flat:
        raise InvalidExpression(
            "expected a mesh that encloses a volume, got a flat one: give the inertia of a thin "
            "body directly, or give it a thickness"
        )
    if D < 0:
        raise InvalidExpression(
            f"expected triangles counter-clockwise seen from outside, got the volume {D / 6}: "
            "reverse the order of all triangles"
        )
