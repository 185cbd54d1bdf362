"""Differential inverse kinematics: velocities under limits, by a quadratic program each tick."""

from dalembert.ik.differential.ticks import DifferentialIK, Tick

__all__ = ["DifferentialIK", "Tick"]
