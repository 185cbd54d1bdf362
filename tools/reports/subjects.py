"""What reports are written about: the worked examples, an arm of two joints and a quadruped."""

from __future__ import annotations

from dalembert.cli.find import examples, find, needs_count
from dalembert.mechanics import System
from dalembert.mechanism import Builder, Mechanism

MORE = {"planar_arm_nr_2": "planar_arm_nr:2"}
THIGH = SHANK = 0.21
"""Lengths of the legs in m."""


def names() -> list[str]:
    """Return the names of all subjects."""
    return [*examples(), *MORE, "quadruped"]


def subject(name: str) -> Mechanism | System:
    """Return a subject by its name, or what a FILE of the command line describes."""
    if name == "quadruped":
        return quadruped()
    text = MORE.get(name, name)
    if text in examples() and needs_count(text):
        text += ":3"
    return find(text).description


def quadruped() -> Mechanism:
    """Return a trunk that floats on four legs of three joints each; links are uniform."""
    builder = Builder("quadruped").link("trunk", mass=6.0, inertia=(0.02, 0.06, 0.07))
    builder.floating("float", "trunk")
    for leg, x, y in (("FL", 1, 1), ("FR", 1, -1), ("RL", -1, 1), ("RR", -1, -1)):
        builder.link(f"{leg}_hip", mass=0.6, inertia=(5e-4, 7e-4, 5e-4))
        _rod(builder, f"{leg}_thigh", 0.9, THIGH)
        _rod(builder, f"{leg}_shank", 0.2, SHANK)
        place = (0.18 * x, 0.05 * y, 0)
        builder.revolute(f"{leg}_abduction", f"{leg}_hip", parent="trunk", axis="x", origin=place)
        place = (0, 0.08 * y, 0)
        builder.revolute(
            f"{leg}_swing", f"{leg}_thigh", parent=f"{leg}_hip", axis="y", origin=place
        )
        place = (0, 0, -THIGH)
        builder.revolute(
            f"{leg}_knee", f"{leg}_shank", parent=f"{leg}_thigh", axis="y", origin=place
        )
        builder.frame(f"{leg}_foot", f"{leg}_shank", origin=(0, 0, -SHANK))
    return builder.build()


def _rod(builder: Builder, name: str, m: float, length: float) -> None:
    across = m * length**2 / 12
    builder.link(name, mass=m, com=(0, 0, -length / 2), inertia=(across, across, 1e-5))
