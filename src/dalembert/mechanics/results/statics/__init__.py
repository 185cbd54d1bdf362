"""Statics by virtual work: equilibrium, reactions, and forces along and across the motions."""

from dalembert.mechanics.results.statics.force_split import ForceSplit
from dalembert.mechanics.results.statics.statics import Reaction, Statics

__all__ = ["ForceSplit", "Reaction", "Statics"]
