"""Delta robot, Bennett's linkage and pantograph: their geometry by hand."""

from __future__ import annotations

from fractions import Fraction
from math import pi

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import simulate
from dalembert.textbook.robots.spatial_loops import bennett_angles

robots = da.textbook.robots


def test_the_delta_robot_keeps_its_plate_level():
    model = da.compile(robots.delta_robot())
    home = model.configuration.neutral
    assert np.abs(model.constraint_error(home)).max() <= 1e-15
    assert np.linalg.matrix_rank(model.constraint_jacobian(home)) == 18
    motion = simulate(model, home, [0.3, -0.2, 0.1] + [0] * 18, 1.0, initial="project")
    assert motion.ok, motion.status
    # three parallelograms: the plate moves, and does not turn
    assert np.ptp(motion.q[:, :3], axis=0).min() > 0.005
    assert np.abs(motion.q[:, 4:7]).max() <= 1e-12


def test_the_delta_robot_closes_where_spheres_meet():
    """The plate's middle is where three spheres about the shifted elbows meet."""
    model = da.compile(robots.delta_robot())
    motion = simulate(
        model, model.configuration.neutral, [0, 0, 0.5] + [0] * 18, 0.3, initial="project"
    )
    plate = motion.frames()["plate"][-1][:3, 3]
    shoulders = [model.configuration.q_names.index(f"shoulder{i}") for i in (1, 2, 3)]
    for i, place in enumerate(shoulders):
        angle, arm = 2 * pi / 3 * i, motion.q[-1, place]
        # arms are 0.25 m long, 0.2 m out; the plate's joints 0.05 m out; rods are 0.5 m long
        out = 0.2 + 0.25 * np.cos(arm) - 0.05
        centre = np.array([out * np.cos(angle), out * np.sin(angle), -0.25 * np.sin(arm)])
        assert np.linalg.norm(plate - centre) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("first", [0.0, 0.3, 1.5, -2.0])
def test_bennetts_linkage_closes_at_its_angles(first: float):
    model = da.compile(robots.bennett_linkage())
    q = bennett_angles(first)
    assert np.abs(model.constraint_error(q)).max() <= 1e-14
    values = np.linalg.svd(model.constraint_jacobian(q), compute_uv=False)
    assert values[1] > 0.1
    assert values[2] <= 1e-14


def test_the_pantograph_is_a_parallelogram():
    model = da.compile(robots.pantograph())
    q = [0.4, 0.9, 0.9, pi - 0.9]
    assert np.abs(model.constraint_error(q)).max() <= 1e-15
    tracer, pen = (model.forward_kinematics(q, frame)[:3, 3] for frame in ("tracer", "pen"))
    assert np.abs(pen - 2 * tracer).max() <= 1e-15
    assert np.linalg.norm(tracer) == pytest.approx(2 * 0.3 * np.cos(0.45), abs=1e-14)


def test_the_pantograph_has_the_exact_inertias_of_rods():
    # m l²/3 about an end: 0.4 (0.6)²/3 and 0.2 (0.3)²/3
    links = robots.pantograph().links[1:]
    assert [link.inertia.I[2] for link in links] == [Fraction(6, 125)] * 2 + [Fraction(3, 500)] * 2
