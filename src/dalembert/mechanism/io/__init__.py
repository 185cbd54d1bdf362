"""Readers and writers of the files that describe mechanisms."""

from dalembert.mechanism.io.dh import DHRow, from_dh
from dalembert.mechanism.io.diagnosis import Diagnosis
from dalembert.mechanism.io.json_format import load_json, save_json
from dalembert.mechanism.io.load import load
from dalembert.mechanism.io.mjcf import load_mjcf
from dalembert.mechanism.io.mjcf_writer import save_mjcf
from dalembert.mechanism.io.screws import from_screws
from dalembert.mechanism.io.urdf import diagnose_urdf, load_urdf
from dalembert.mechanism.io.urdf_writer import save_urdf

__all__ = [
    "DHRow",
    "Diagnosis",
    "diagnose_urdf",
    "from_dh",
    "from_screws",
    "load",
    "load_json",
    "load_mjcf",
    "load_urdf",
    "save_json",
    "save_mjcf",
    "save_urdf",
]
