"""Rotations, poses, twists and the inertia of solids, over any scalar."""

from dalembert.spatial import euler, quaternion, se3, so3, solids
from dalembert.spatial.inertia import Inertia
from dalembert.spatial.mesh import mesh_inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.principal import Principal, principal
from dalembert.spatial.rotation import angular_velocity, rotation_x, rotation_y, rotation_z
from dalembert.spatial.solids import block_inertia, inertia_from_moments

__all__ = [
    "Inertia",
    "Pose",
    "Principal",
    "angular_velocity",
    "block_inertia",
    "euler",
    "inertia_from_moments",
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
