"""The differential equation of a model with its forces and initial state."""
