"""Variational integrators on the manifold of configurations."""
