"""Motions of a compiled model near a point or a trajectory: equilibria, linear equations, modes."""
