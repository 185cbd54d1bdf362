"""Other engines: what they make of the same file, link by link and torque by torque."""

from dalembert.model.engines.base import Body, Engine, Reading
from dalembert.model.engines.check import check_against
from dalembert.model.engines.compare import Comparison, Difference, compare_with

__all__ = ["Body", "Comparison", "Difference", "Engine", "Reading", "check_against", "compare_with"]
