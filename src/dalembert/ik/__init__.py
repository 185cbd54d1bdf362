"""Inverse kinematics: configurations for targets, with the reason where none was found."""

from dalembert.ik.differential import DifferentialIK, Tick
from dalembert.ik.goal import Goal
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
from dalembert.quadratic import Daqp, Program, Solver
from dalembert.tasks import (
    AxisTask,
    Box,
    CenterOfMassTask,
    Clearance,
    FrameTask,
    JointLimits,
    JointTask,
    Limit,
    LineTask,
    MomentumTask,
    OrientationTask,
    PlaneTask,
    PoseTask,
    PositionTask,
    PostureTask,
    RelativePoseTask,
    Task,
)

__all__ = [
    "AxisTask",
    "Box",
    "CenterOfMassTask",
    "Centring",
    "Clearance",
    "DampedLeastSquares",
    "Daqp",
    "DifferentialIK",
    "FrameTask",
    "Global",
    "Goal",
    "History",
    "Iteration",
    "JointLimits",
    "JointTask",
    "Limit",
    "LineTask",
    "Manipulability",
    "Method",
    "MomentumTask",
    "NewtonRaphson",
    "Objective",
    "OrientationTask",
    "PlaneTask",
    "PoseTask",
    "PositionTask",
    "Posture",
    "PostureTask",
    "Program",
    "PseudoInverse",
    "RelativePoseTask",
    "SearchResult",
    "SearchSpace",
    "SelectivelyDamped",
    "Solution",
    "Solver",
    "Stop",
    "Task",
    "Tick",
    "Transpose",
    "solve_ik",
]
