"""Rotations, poses, twists and the inertia of solids, over any scalar."""

from dalembert.spatial import se3
from dalembert.spatial.inertia import solids
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.inertia.mesh import mesh_inertia
from dalembert.spatial.inertia.principal import Principal, principal
from dalembert.spatial.inertia.solids import block_inertia, inertia_from_moments
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import euler, quaternion, so3
from dalembert.spatial.rotation.axis_angle import (
    angular_velocity,
    rotation_x,
    rotation_y,
    rotation_z,
)
from dalembert.spatial.rotation.check import checked_rotation, is_rotation

__all__ = [
    "Inertia",
    "Pose",
    "Principal",
    "angular_velocity",
    "block_inertia",
    "checked_rotation",
    "euler",
    "inertia_from_moments",
    "is_rotation",
    "mesh_inertia",
    "principal",
    "quaternion",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "se3",
    "so3",
    "solids",
]
