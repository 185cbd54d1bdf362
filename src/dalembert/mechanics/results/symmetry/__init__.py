"""Symmetries of a Lagrangian: conserved quantities by Noether's theorem, Routh's reduction."""
