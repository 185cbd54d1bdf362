"""Motions near a point or near another motion: Taylor polynomials, linear equations, modes."""
