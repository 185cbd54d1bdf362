"""A small solver of quadratic programs in C, for microcontrollers."""

from dalembert.quadratic.embedded.text import QuadraticSizes, solver_text, workspace_fields

__all__ = ["QuadraticSizes", "solver_text", "workspace_fields"]
