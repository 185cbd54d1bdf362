"""What the programs of a model must compute, from the equations of motion: never from programs."""

from dalembert.model.certificates.expected.base import Expected
from dalembert.model.certificates.expected.in_ring import InRing
from dalembert.model.certificates.expected.on_graph import OnGraph

__all__ = ["Expected", "InRing", "OnGraph"]
