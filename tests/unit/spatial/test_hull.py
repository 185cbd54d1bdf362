"""Hulls with few corners."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.errors import InvalidMechanism
from dalembert.spatial.hull import convex_hull

DIRECTIONS = 2000


def reach(points: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return how far points reach along unit vectors."""
    return (points @ along.T).max(axis=0)


def test_few_corners_stay(rng: np.random.Generator) -> None:
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)
    inside = rng.uniform(0.1, 0.9, (50, 3)) * [1, 2, 3]
    hull = convex_hull(np.vstack([inside, cube]), 32, "here")
    assert {tuple(x) for x in hull.corners} == {tuple(x) for x in cube}
    assert hull.depth == 0


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("most", [4, 20, 60])
def test_the_depth_bounds_what_is_left_out(
    most: int, scale: float, rng: np.random.Generator
) -> None:
    points = rng.normal(size=(300, 3))
    points *= scale * np.array([3, 1, 0.2]) / np.linalg.norm(points, axis=1, keepdims=True)
    hull = convex_hull(points, most, "here")
    assert len(hull.corners) <= most
    # the points are inside the hull, grown by the depth: along all directions
    along = rng.normal(size=(DIRECTIONS, 3))
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    missing = reach(points, along) - reach(hull.corners, along)
    assert 0.5 * hull.depth < missing.max() <= hull.depth * (1 + 1e-6)
    fine = convex_hull(points, most + 30, "here")
    assert fine.depth < hull.depth


def test_flat_bodies_are_refused() -> None:
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 0]])
    with pytest.raises(InvalidMechanism, match="volume at here"):
        convex_hull(flat, 10, "here")
