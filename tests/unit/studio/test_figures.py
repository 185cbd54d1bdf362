"""What is drawn: shapes, rods, ellipsoids and arrows at the right places."""

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.parts.shape import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from dalembert.spatial import rotation_x, rotation_y, rotation_z
from dalembert.studio.panels.control import torque_bars
from dalembert.studio.panels.equations import table
from dalembert.studio.panels.reach import rotation
from dalembert.studio.scene.overlays import loop_forces, scaled
from dalembert.studio.state import State
from dalembert.studio.terms import Term
from tests.unit.studio.recorded import Recorded

pytest.importorskip("trimesh", reason="trimesh draws the shapes of the studio")
from dalembert.picture import Line, Spring
from dalembert.studio.scene.geometry import quaternion, triangles
from dalembert.studio.scene.pieces import Place, piece, rigid_motion


def matrix_of(wxyz: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion, by its definition."""
    w, x, y, z = wxyz
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


@pytest.mark.parametrize(
    ("geometry", "extents"),
    [
        (Box((1, 2, 3)), (1, 2, 3)),
        (Sphere(2), (4, 4, 4)),
        (Cylinder(1, 3), (2, 2, 3)),
        (Capsule(1, 3), (2, 2, 5)),
        (Ellipsoid((1, 2, 3)), (2, 4, 6)),
    ],
)
def test_shapes_have_their_size_and_their_middle_at_the_origin(geometry, extents) -> None:
    mesh = triangles(geometry)
    assert mesh is not None
    assert np.allclose(mesh.extents, extents, rtol=0.02)
    assert np.allclose(mesh.bounds.mean(axis=0), 0, atol=1e-9)


def test_meshes_are_read_where_they_were_found(tmp_path) -> None:
    import trimesh

    path = tmp_path / "a.stl"
    trimesh.creation.box(extents=(1, 1, 1)).export(path)
    assert triangles(Mesh("a.stl")) is None
    mesh = triangles(Mesh("a.stl", (1, 2, 3), str(path)))
    assert mesh is not None
    assert np.allclose(mesh.extents, (1, 2, 3))
    for name, data in (("b.stl", b"solid\x00"), ("b.obj", b"f 1 2 9"), ("b.dae", b"<x/>")):
        (tmp_path / name).write_bytes(data)
        assert triangles(Mesh(name, path=str(tmp_path / name))) is None


def test_quaternions_turn_as_their_matrices(rng) -> None:
    turns = [
        rotation_z(float(x)) @ rotation_y(float(y)) @ rotation_x(float(z))
        for x, y, z in rng.uniform(-3.2, 3.2, (50, 3))
    ]
    turns += [rotation_x(np.pi), rotation_y(np.pi), rotation_z(np.pi)]
    for turn in turns:
        R = np.array([[float(turn[i, j]) for j in range(3)] for i in range(3)])
        assert np.allclose(rotation(quaternion(R)), R, atol=1e-12)


def test_rods_and_springs_lie_between_their_ends(rng) -> None:
    scene = Recorded()
    for part in (Line(("a", "b")), Spring(("a", "b"))):
        ends = rng.normal(size=(2, 3))
        made = piece(part, Place(scene, "/x", None, None), ends, 1.0)  # type: ignore[arg-type]
        assert made is not None
        made.show(ends)
        (handle,) = made.handles
        turned = matrix_of(handle.wxyz) @ [0, 0, handle.scale[2]]
        start = handle.position - turned / 2 if isinstance(part, Line) else handle.position
        np.testing.assert_allclose([start, start + turned], ends, atol=1e-12)


def test_stiff_parts_turn_with_their_points(rng) -> None:
    start = rng.normal(size=(4, 3))
    R, p = rotation_x(0.3) @ rotation_z(1.1), rng.normal(size=3)
    R = np.array([[float(x) for x in row] for row in R.rows])
    found, moved = rigid_motion(start, start @ R.T + p)
    np.testing.assert_allclose(found, R, atol=1e-12)
    np.testing.assert_allclose(moved, p, atol=1e-12)


def test_flat_and_endless_ellipsoids_can_be_shown() -> None:
    assert np.allclose(scaled(np.array([2.0, 1.0, 0.0]), 1.0), [1, 0.5, 1e-3])
    assert np.isfinite(scaled(np.array([np.inf, 1.0, 0.0]), 1.0)).all()
    assert np.isfinite(scaled(np.zeros(3), 1.0)).all()


def test_force_of_a_loop_carries_the_weight() -> None:
    # 2 kg on a vertical slider, pinned to the world: the pin pushes with m g = 20 N upwards
    held = (
        da.Builder("held", gravity=(0, -10, 0))
        .link("a", mass=2, inertia=(1, 1, 1))
        .prismatic("up", "a", axis="y")
        .loop("pin", ("a", (0, 0, 0)), ("world", (0, 0.5, 0)))
        .build()
    )
    model = da.compile(held)
    state = State(model, np.array([0.5]))
    (at, force) = loop_forces(model, state.moment)[0]
    assert np.allclose(at, [0, 0.5, 0])
    assert np.allclose(force, [0, 20, 0])
    state.close()


def test_names_and_formulas_are_text() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    assert "<img" not in table([Term(hostile, hostile, 1.0, True)], hostile)
    assert "<img" not in torque_bars((hostile,), np.ones(1), np.ones(1))


def test_bars_are_of_the_bound() -> None:
    text = torque_bars(("a", "b"), np.array([5.0, -20.0]), np.array([10.0, 10.0]))
    assert "width:50px" in text
    # beyond its bound: full, and in another colour
    assert "width:100px;background:#c44e52" in text
