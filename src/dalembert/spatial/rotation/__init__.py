"""Rotations: matrices, quaternions, Euler angles, axis and angle."""
