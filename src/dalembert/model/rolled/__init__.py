"""Recursions along long chains as loops in machine code: their code is that of one link."""

from dalembert.model.rolled.rolled_closures import RolledClosures

__all__ = ["RolledClosures"]
