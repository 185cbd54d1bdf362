"""Statics by virtual work: equilibrium, reactions, and forces along and across the motions."""
