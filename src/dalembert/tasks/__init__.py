"""What a robot shall reach and the bounds it keeps: below all that moves one."""

from dalembert.tasks.base import FrameTask, Task
from dalembert.tasks.center_of_mass import CenterOfMassTask
from dalembert.tasks.joint import JointTask, PostureTask
from dalembert.tasks.limits import Box, Clearance, JointLimits, Limit
from dalembert.tasks.momentum import MomentumTask
from dalembert.tasks.partial import AxisTask, LineTask, PlaneTask
from dalembert.tasks.pose import OrientationTask, PoseTask, PositionTask
from dalembert.tasks.relative import RelativePoseTask

__all__ = [
    "AxisTask",
    "Box",
    "CenterOfMassTask",
    "Clearance",
    "FrameTask",
    "JointLimits",
    "JointTask",
    "Limit",
    "LineTask",
    "MomentumTask",
    "OrientationTask",
    "PlaneTask",
    "PoseTask",
    "PositionTask",
    "PostureTask",
    "RelativePoseTask",
    "Task",
]
