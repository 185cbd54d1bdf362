"""Robots of the zoo dropped on their feet: they come to rest, whoever shares a load with whom."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.drops import ROBOTS, drop

ZOO = os.environ.get("DALEMBERT_ZOO")
pytestmark = pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no robots to drop")

DEPTH = 1e-12
"""Metres: rounding of poses of half a metre."""

ENERGY = 1e-11
"""Of the energy that is lost."""


def test_a_quadruped_lands_on_all_feet_at_once() -> None:
    """Its hips are rows that forces hardly tell apart, until 0.88 s; then it all but rests."""
    robot = next(robot for robot in ROBOTS if robot.name == "Unitree Go1")
    motion, _, depth = drop(robot, Path(str(ZOO)), 0.0, 1.0)
    assert motion.ok, motion.status
    assert depth < DEPTH
    assert motion.energy_error < ENERGY * np.ptp(motion.energy.total)
    assert np.abs(motion.qd[-1]).max() < 1e-2 * np.abs(motion.qd).max()
