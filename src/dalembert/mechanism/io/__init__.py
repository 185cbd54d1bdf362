"""Readers and writers of the files that describe mechanisms."""

from dalembert.mechanism.io.diagnosis import Diagnosis
from dalembert.mechanism.io.urdf import diagnose_urdf, load_urdf
from dalembert.mechanism.io.urdf_writer import save_urdf

__all__ = ["Diagnosis", "diagnose_urdf", "load_urdf", "save_urdf"]
