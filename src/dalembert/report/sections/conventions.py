"""The conventions of a report."""

from __future__ import annotations

from dalembert.report.about import Subject
from dalembert.report.content import Remarks, Section
from dalembert.version import VERSION

CONVENTIONS = (
    "M q̈ + C q̇ + N = Υ + Aᵀλ: Aᵀλ is the force that the constraints exert on the mechanism.",
    "C is made of the Christoffel symbols of M, so that Ṁ - 2C is skew-symmetric.",
    "N holds gravity, springs and dissipation; Υ the applied forces.",
    "Units are those of the SI: metre, kilogram, second, radian.",
    "A twist is linear before angular, a wrench force before moment, a quaternion scalar first.",
)


def conventions(subject: Subject) -> Section:
    """Return the conventions, and which version wrote the report."""
    return Section("Conventions", [Remarks((*CONVENTIONS, f"Written by dalembert {VERSION}."))])
