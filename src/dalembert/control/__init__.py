"""Reference motions and the laws that follow them."""

from dalembert.control.controllers.adaptive import Adaptive
from dalembert.control.controllers.any_robot import UnheldWarning
from dalembert.control.controllers.base import Controller
from dalembert.control.controllers.computed_torque import ComputedTorque
from dalembert.control.controllers.energy_shaping import EnergyShaping
from dalembert.control.controllers.gravity_compensation import GravityCompensation
from dalembert.control.controllers.impedance import Impedance
from dalembert.control.controllers.lqr import LQR
from dalembert.control.controllers.operational_space import OperationalSpace
from dalembert.control.controllers.passivity_based import PassivityBased
from dalembert.control.controllers.pd_gravity import PDGravity
from dalembert.control.controllers.saturated import Excess, Saturated, SaturationWarning
from dalembert.control.controllers.swing_up import SwingUp
from dalembert.control.planning.planned_motion import PlannedMotion, plan_to
from dalembert.control.references.base import Motion, Piecewise, Reference, Retimed
from dalembert.control.references.check import Exceeded, PathCheck, check_path
from dalembert.control.references.configuration_line import ConfigurationLine, configuration_line
from dalembert.control.references.consecutive import Consecutive
from dalembert.control.references.jerk import JerkLimited, JerkLimits
from dalembert.control.references.minimum_jerk import minimum_jerk
from dalembert.control.references.polynomials import cubic, line, trapezoidal, via_points
from dalembert.control.references.screw_path import (
    ScrewPath,
    StraightPath,
    screw_path,
    straight_path,
)
from dalembert.control.references.time_optimal import time_optimal
from dalembert.control.whole_body import BodyTick, SurfaceContact, WholeBody

__all__ = [
    "LQR",
    "Adaptive",
    "BodyTick",
    "ComputedTorque",
    "ConfigurationLine",
    "Consecutive",
    "Controller",
    "EnergyShaping",
    "Exceeded",
    "Excess",
    "GravityCompensation",
    "Impedance",
    "JerkLimited",
    "JerkLimits",
    "Motion",
    "OperationalSpace",
    "PDGravity",
    "PassivityBased",
    "PathCheck",
    "Piecewise",
    "PlannedMotion",
    "Reference",
    "Retimed",
    "Saturated",
    "SaturationWarning",
    "ScrewPath",
    "StraightPath",
    "SurfaceContact",
    "SwingUp",
    "UnheldWarning",
    "WholeBody",
    "check_path",
    "configuration_line",
    "cubic",
    "line",
    "minimum_jerk",
    "plan_to",
    "screw_path",
    "straight_path",
    "time_optimal",
    "trapezoidal",
    "via_points",
]
