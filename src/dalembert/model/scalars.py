"""Symbols and functions for whoever writes iterations over a model."""

from dalembert.expr import Expr, as_expr, parameters, sign, sqrt, substitute

__all__ = ["Expr", "as_expr", "parameters", "sign", "sqrt", "substitute"]
