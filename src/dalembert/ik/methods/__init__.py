"""Iterations that solve inverse kinematics."""
