"""Motions of limited jerk from any moving state, quickest and synchronised."""

from dalembert.control.references.jerk.limits import JerkLimits
from dalembert.control.references.jerk.motion import JerkLimited

__all__ = ["JerkLimited", "JerkLimits"]
