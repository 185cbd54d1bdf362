"""Readers and writers of the files that describe mechanisms."""

from dalembert.mechanism.io.load import load, save
from dalembert.mechanism.io.srdf import Semantics, load_srdf

__all__ = ["Semantics", "load", "load_srdf", "save"]
