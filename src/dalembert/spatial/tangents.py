"""Two axes of a plane, over any scalar."""

from __future__ import annotations

from dalembert.spatial.scalar import step
from dalembert.spatial.vectors import Vec


def tangents(normal: Vec) -> tuple[Vec, Vec]:
    """Return two unit vectors that are perpendicular to a unit vector and each other.

    They follow the vector smoothly as long as its last entry keeps its sign. With the vector behind
    them they are right-handed.

    Reference: T. Duff et al., Building an orthonormal basis, revisited, JCGT 6, 2017.

    >>> tangents((0.0, 0.6, 0.8))[1]
    (-0.0, 0.8, -0.6)
    """
    x, y, z = normal
    side = 2 * step(z) - 1
    a = -1 / (side + z)
    b = x * y * a
    return (1 + side * x * x * a, side * b, -side * x), (b, side + y * y * a, -y)
