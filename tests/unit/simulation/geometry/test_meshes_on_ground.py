"""Meshes on the ground: they touch with the corners of their hulls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import Ground, simulate
from tests.unit.mechanism.io.test_mesh_vertices import CUBE, write_obj

G = 9.81


def robot(folder: Path, name: str) -> da.Model:
    """Return the model of a free body of 1 kg with a mesh."""
    mesh = da.mechanism.Mesh(name, path=str(folder / name))
    b = da.Builder("body", gravity=(0, 0, -G)).link("body", mass=1, inertia=(0.02, 0.02, 0.02))
    return da.compile(b.shape("body", mesh, name="shell").floating("free", "body").build())


def test_a_mesh_of_a_box_slides_as_a_box(tmp_path: Path) -> None:
    # points inside are no corners
    write_obj(tmp_path / "box.obj", np.vstack([CUBE * [0.2, 0.1, 0.05], [[0, 0, 0], [0.1, 0, 0]]]))
    model = robot(tmp_path, "box.obj")
    ground = Ground(0.3)
    assert len(ground.contacts(model)) == 8
    start, v = [0, 0, 0.05, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]
    motion = simulate(model, start, v, 0.5, events=[ground])
    assert motion.q[-1, :3] == pytest.approx([1 / (2 * 0.3 * G), 0, 0.05], abs=1e-9)


def test_many_corners_are_cut_with_a_warning(tmp_path: Path, rng: np.random.Generator) -> None:
    points = rng.normal(size=(300, 3))
    ball = 0.1 * points / np.linalg.norm(points, axis=1, keepdims=True)
    write_obj(tmp_path / "ball.obj", ball)
    model = robot(tmp_path, "ball.obj")
    with pytest.warns(UserWarning, match=r"1 meshes touch with 40 corners.* at body shell"):
        contacts = Ground(mesh_points=40).contacts(model)
    assert len(contacts) == 40
    q = model.symbols.q
    gaps = model.compile([x.gap for x in contacts], {"q": q})
    for _ in range(5):
        turned = model.random_configuration(rng)
        turned[:3] = [0, 0, 1]
        # in all directions the corners that are left reach nearly as far as the ball
        assert 0.9 <= gaps(turned).min() < 0.92


def test_without_a_file_the_message_names_the_shape(tmp_path: Path) -> None:
    b = da.Builder("body").link("body", mass=1, inertia=(1, 1, 1))
    b.shape("body", da.mechanism.Mesh("arm.stl"), name="shell").floating("free", "body")
    with pytest.raises(da.errors.InvalidMechanism, match=r"known at body shell, got 'arm\.stl'"):
        Ground().contacts(da.compile(b.build()))
