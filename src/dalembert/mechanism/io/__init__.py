"""Readers and writers of the files that describe mechanisms."""

from dalembert.mechanism.io.load import load, save

__all__ = ["load", "save"]
