"""Identification: masses, inertias and friction of a robot from measured motions."""

from dalembert.identification.identify import identify
from dalembert.identification.result import Identification
from dalembert.identification.samples import Samples, filtered

__all__ = ["Identification", "Samples", "filtered", "identify"]
