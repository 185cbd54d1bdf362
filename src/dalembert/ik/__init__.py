"""Inverse kinematics: configurations for targets, with the reason where none was found."""

from dalembert.ik.goal import Goal
from dalembert.ik.limits import Box, JointLimits, Limit
from dalembert.ik.methods.base import Iteration, Method, SearchResult, Stop
from dalembert.ik.methods.damped_least_squares import DampedLeastSquares
from dalembert.ik.methods.global_search import Global
from dalembert.ik.methods.newton_raphson import NewtonRaphson
from dalembert.ik.methods.pseudo_inverse import PseudoInverse
from dalembert.ik.methods.selectively_damped import SelectivelyDamped
from dalembert.ik.methods.transpose import Transpose
from dalembert.ik.objectives import Centring, Manipulability, Objective, Posture
from dalembert.ik.solution import History, Solution
from dalembert.ik.solve import solve_ik
from dalembert.ik.space import SearchSpace
from dalembert.ik.tasks.base import Task
from dalembert.ik.tasks.partial import AxisTask, LineTask, PlaneTask
from dalembert.ik.tasks.pose import OrientationTask, PoseTask, PositionTask

__all__ = [
    "AxisTask",
    "Box",
    "Centring",
    "DampedLeastSquares",
    "Global",
    "Goal",
    "History",
    "Iteration",
    "JointLimits",
    "Limit",
    "LineTask",
    "Manipulability",
    "Method",
    "NewtonRaphson",
    "Objective",
    "OrientationTask",
    "PlaneTask",
    "PoseTask",
    "PositionTask",
    "Posture",
    "PseudoInverse",
    "SearchResult",
    "SearchSpace",
    "SelectivelyDamped",
    "Solution",
    "Stop",
    "Task",
    "Transpose",
    "solve_ik",
]
