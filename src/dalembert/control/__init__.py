"""Reference motions and the laws that follow them."""

from dalembert.control.adaptive import Adaptive
from dalembert.control.computed_torque import ComputedTorque
from dalembert.control.controller import Controller
from dalembert.control.energy_shaping import EnergyShaping
from dalembert.control.gravity_compensation import GravityCompensation
from dalembert.control.impedance import Impedance
from dalembert.control.lqr import LQR
from dalembert.control.minimum_jerk import minimum_jerk
from dalembert.control.operational_space import OperationalSpace
from dalembert.control.passivity_based import PassivityBased
from dalembert.control.pd_gravity import PDGravity
from dalembert.control.references import (
    Reference,
    configuration_line,
    cubic,
    line,
    trapezoidal,
    via_points,
)
from dalembert.control.saturated import Saturated, SaturationWarning
from dalembert.control.screw_path import screw_path, straight_path
from dalembert.control.swing_up import SwingUp
from dalembert.control.time_optimal import time_optimal

__all__ = [
    "LQR",
    "Adaptive",
    "ComputedTorque",
    "Controller",
    "EnergyShaping",
    "GravityCompensation",
    "Impedance",
    "OperationalSpace",
    "PDGravity",
    "PassivityBased",
    "Reference",
    "Saturated",
    "SaturationWarning",
    "SwingUp",
    "configuration_line",
    "cubic",
    "line",
    "minimum_jerk",
    "screw_path",
    "straight_path",
    "time_optimal",
    "trapezoidal",
    "via_points",
]
