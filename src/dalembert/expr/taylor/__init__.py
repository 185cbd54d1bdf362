"""Taylor polynomials of expressions."""

from dalembert.expr.taylor.taylor import taylor

__all__ = ["taylor"]
