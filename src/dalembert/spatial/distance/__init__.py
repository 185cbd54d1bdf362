"""Signed distances of shapes, one file for each kind of pair, over any scalar.

Every function is free of branches: the same lines run on floats, on arrays and as compiled
expressions. Distances are negative where shapes overlap. Normals point from the first shape to the
second.
"""

from dalembert.spatial.distance.boxes import box_to_box, capsule_to_box
from dalembert.spatial.distance.capsule_cylinder import capsule_to_cylinder
from dalembert.spatial.distance.closest import Closest
from dalembert.spatial.distance.cylinder import sphere_to_cylinder
from dalembert.spatial.distance.lowest import (
    box_corners,
    lowest_of_ellipsoid,
    lowest_on_circle,
    rim_corners,
)
from dalembert.spatial.distance.plane import Plane, capsule_to_plane, sphere_to_plane
from dalembert.spatial.distance.segments import capsule_to_capsule, nearest_on_segments
from dalembert.spatial.distance.sphere import sphere_to_box, sphere_to_capsule, sphere_to_sphere

__all__ = [
    "Closest",
    "Plane",
    "box_corners",
    "box_to_box",
    "capsule_to_box",
    "capsule_to_capsule",
    "capsule_to_cylinder",
    "capsule_to_plane",
    "lowest_of_ellipsoid",
    "lowest_on_circle",
    "nearest_on_segments",
    "rim_corners",
    "sphere_to_box",
    "sphere_to_capsule",
    "sphere_to_cylinder",
    "sphere_to_plane",
    "sphere_to_sphere",
]
