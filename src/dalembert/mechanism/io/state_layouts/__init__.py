"""States in the layouts of MuJoCo and Pinocchio.

Ours, in the order of `Mechanism.joints`: one number for a scalar joint, a quaternion (w, x, y, z)
with the angular velocity in the body for a spherical one, position and quaternion with the twist
(linear, angular) in the body for a floating one. A mimic joint has no place; in both other engines
it has, and it gets the position that its relation demands.
"""

from dalembert.mechanism.io.state_layouts.mujoco import from_mujoco, to_mujoco
from dalembert.mechanism.io.state_layouts.pinocchio import from_pinocchio, to_pinocchio

__all__ = ["from_mujoco", "from_pinocchio", "to_mujoco", "to_pinocchio"]
