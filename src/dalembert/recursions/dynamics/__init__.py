"""Inverse and forward dynamics, mass matrix, Coriolis matrix, momentum."""
