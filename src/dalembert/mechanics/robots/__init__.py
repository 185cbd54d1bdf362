"""Exact equations, proofs and closed forms that a mechanism adds."""

from dalembert.mechanics.robots.maximal import MaximalForm
from dalembert.mechanics.robots.singularities import SingularFactor, Singularities

__all__ = ["MaximalForm", "SingularFactor", "Singularities"]
