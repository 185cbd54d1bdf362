"""Motions planned into the reach of a regulator."""
