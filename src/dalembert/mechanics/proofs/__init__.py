"""Proofs of the properties of equations of motion."""
