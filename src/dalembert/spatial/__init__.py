"""Rotations and the inertia of solids."""

from dalembert.spatial.rotation import angular_velocity, rotation_x, rotation_y, rotation_z, skew
from dalembert.spatial.solids import block_inertia, inertia_from_moments

__all__ = [
    "angular_velocity",
    "block_inertia",
    "inertia_from_moments",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "skew",
]
