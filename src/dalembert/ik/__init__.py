"""Inverse kinematics that says why it failed."""

from dalembert.ik.damped_least_squares import DampedLeastSquares
from dalembert.ik.global_search import Global
from dalembert.ik.limits import Box, JointLimits, Limit
from dalembert.ik.method import Iteration, Method
from dalembert.ik.newton_raphson import NewtonRaphson
from dalembert.ik.objective import Centring, Manipulability, Objective, Posture
from dalembert.ik.partial import Axis, PointOnLine, PointOnPlane
from dalembert.ik.pose import Orientation, Pose, Position
from dalembert.ik.pseudo_inverse import PseudoInverse
from dalembert.ik.selectively_damped import SelectivelyDamped
from dalembert.ik.solution import History, Solution
from dalembert.ik.solve import solve_ik
from dalembert.ik.task import Task
from dalembert.ik.transpose import Transpose

__all__ = [
    "Axis",
    "Box",
    "Centring",
    "DampedLeastSquares",
    "Global",
    "History",
    "Iteration",
    "JointLimits",
    "Limit",
    "Manipulability",
    "Method",
    "NewtonRaphson",
    "Objective",
    "Orientation",
    "PointOnLine",
    "PointOnPlane",
    "Pose",
    "Position",
    "Posture",
    "PseudoInverse",
    "SelectivelyDamped",
    "Solution",
    "Task",
    "Transpose",
    "solve_ik",
]
