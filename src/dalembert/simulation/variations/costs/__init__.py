"""Costs of a motion and their gradients."""
