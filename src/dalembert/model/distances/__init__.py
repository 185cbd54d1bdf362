"""Distances between the collision shapes of a mechanism's links."""

from dalembert.model.distances.pairs import ShapePair
from dalembert.model.distances.result import Distances

__all__ = ["Distances", "ShapePair"]
