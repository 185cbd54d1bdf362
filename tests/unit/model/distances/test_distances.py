"""Distances of a robot's shapes: against MuJoCo, by differences, and by hand."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from dalembert.mechanism.io.mjcf.write import save_mjcf
from tests.cases import num_cases

ENGINE = 1e-6
"""Metres; MuJoCo finds the distances of boxes by iterations that end at this tolerance."""
FORMULA = 1e-14
"""Metres; spheres and capsules have formulas there too: rounding, 1.3e-15 in 600,000 pairs."""
ITERATED = 1e-10
"""Metres; what MuJoCo's iterations leave of a capsule beside a cylinder, 8e-12 in 100,000 pairs."""
STEP, SLOPE = 1e-6, 1e-7
"""A step of differences in rad and m, and the error that its square and rounding leave."""
SMOOTH = 1e-3
"""Metres; nearer to a change of the nearest points differences cross it."""

EXACT: dict[str, tuple[Any, Any]] = {
    "sphere, sphere": (Sphere(0.1), Sphere(0.15)),
    "sphere, capsule": (Sphere(0.1), Capsule(0.05, 0.3)),
    "capsule, sphere": (Capsule(0.05, 0.3), Sphere(0.1)),
    "capsule, capsule": (Capsule(0.05, 0.3), Capsule(0.08, 0.2)),
    "sphere, box": (Sphere(0.1), Box((0.2, 0.3, 0.1))),
    "box, sphere": (Box((0.2, 0.3, 0.1)), Sphere(0.1)),
    "box, box": (Box((0.2, 0.3, 0.1)), Box((0.1, 0.1, 0.3))),
    "capsule, box": (Capsule(0.05, 0.3), Box((0.2, 0.3, 0.1))),
    "cylinder, capsule": (Cylinder(0.1, 0.3), Capsule(0.05, 0.3)),
    "cylinder, sphere": (Cylinder(0.1, 0.3), Sphere(0.1)),
}
BY_ENGINE: dict[str, tuple[Any, Any]] = {
    "cylinder, box": (Cylinder(0.1, 0.3), Box((0.2, 0.3, 0.1))),
    "cylinder, cylinder": (Cylinder(0.1, 0.3), Cylinder(0.05, 0.4)),
    "ellipsoid, sphere": (Ellipsoid((0.2, 0.1, 0.05)), Sphere(0.1)),
    "ellipsoid, box": (Ellipsoid((0.05, 0.1, 0.2)), Box((0.2, 0.3, 0.1))),
}


def two_arms(first: Any, second: Any) -> da.Mechanism:
    """Return two arms of three joints each, with a shape on the last link of each."""
    robot = da.Builder("two arms")
    body = {"mass": 1, "inertia": (1, 1, 1)}
    for side, x, shape in (("left", -0.3, first), ("right", 0.3, second)):
        parent = "world"
        for k, axis in enumerate(("z", "y", "x")):
            name = f"{side}{k}"
            place = (x, 0, 0) if not k else (0.1, 0.05, 0.2)
            robot = robot.link(name, **body)
            robot = robot.revolute(f"{name}_joint", name, parent=parent, axis=axis, origin=place)
            parent = name
        robot = robot.shape(parent, shape, origin=(0.05, 0.02, 0.1), rpy=(0.3, 0.5, -0.2))
    return robot.build()


def engine_distances(robot: da.Mechanism, Q: np.ndarray) -> np.ndarray:
    mujoco = pytest.importorskip("mujoco")
    engine = mujoco.MjModel.from_xml_string(save_mjcf(robot))
    data = mujoco.MjData(engine)
    touching = [i for i in range(engine.ngeom) if engine.geom_contype[i]]
    found = []
    for q in Q:
        data.qpos[:] = q
        mujoco.mj_forward(engine, data)
        found.append(mujoco.mj_geomDistance(engine, data, *touching, 10.0, np.zeros(6)))
    return np.array(found)


@pytest.mark.parametrize("kinds", EXACT)
def test_distances_are_those_of_mujoco(kinds: str, rng: np.random.Generator, scale: float) -> None:
    robot = two_arms(*EXACT[kinds])
    model = da.compile(robot)
    Q = rng.uniform(-3, 3, (num_cases(60, scale), 6))
    found = model.distances(Q)
    assert found.distance.shape == (len(Q), 1)
    assert found.links == (("left2", "right2"),)
    assert found.pairs[0].is_exact
    theirs = engine_distances(robot, Q)
    # overlapping boxes aside, of which MuJoCo's depth is that of its contact
    apart = (theirs > 0) | ("box" not in kinds)
    assert apart.sum() > len(Q) / 2
    rounding = ITERATED if kinds == "cylinder, capsule" else FORMULA
    assert np.abs(found.distance[:, 0] - theirs)[apart].max() < rounding
    # the nearest points are on the normal, at that distance
    ends = found.first + found.distance[..., None] * found.normal
    assert np.abs(ends - found.second).max() < 1e-14


@pytest.mark.parametrize("kinds", BY_ENGINE)
def test_other_shapes_are_never_nearer_than_said(
    kinds: str, rng: np.random.Generator, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = two_arms(*BY_ENGINE[kinds])
    model = da.compile(robot)
    Q = rng.uniform(-3, 3, (num_cases(60, scale), 6))
    # as if MuJoCo were not there
    monkeypatch.setattr("dalembert.model.distances.call.find_engine", lambda: None)
    with pytest.warns(UserWarning, match="capsules about the shapes"):
        found = model.distances(Q)
    assert not found.pairs[0].is_exact
    theirs = engine_distances(robot, Q)
    apart = theirs > 0
    assert (found.distance[:, 0] <= theirs + ENGINE)[apart].all()


@pytest.mark.parametrize("kinds", EXACT)
def test_jacobians_are_derivatives(kinds: str, rng: np.random.Generator, scale: float) -> None:
    model = da.compile(two_arms(*EXACT[kinds]))
    Q = rng.uniform(-3, 3, (num_cases(40, scale), 6))
    check_jacobian(model, Q, STEP, SLOPE)


def check_jacobian(model: da.Model, Q: np.ndarray, step: float, tolerance: float) -> None:
    """Assert that Jacobians are those of differences where the nearest points do not jump."""
    J = model.distances(Q).jacobian[:, 0]
    assert J.shape == Q.shape
    steps = step * np.eye(6)
    ahead, behind = (
        np.stack([model.distances(Q + s * e).distance[:, 0] for e in steps], axis=-1)
        for s in (1, -1)
    )
    slope = (ahead - behind) / (2 * step)
    # second differences tell where the nearest points change their edge or face
    here = model.distances(Q).distance
    bent = np.abs(ahead + behind - 2 * here).max(axis=-1) > SMOOTH * step
    assert bent.mean() < 0.1
    assert np.abs(slope - J)[~bent].max() < tolerance


def test_neighbours_and_welded_links_are_left_out() -> None:
    ball = Sphere(0.1)
    robot = da.Builder("arm").shape("world", ball)
    parent = "world"
    for name in "abc":
        robot = robot.link(name, mass=1, inertia=(1, 1, 1))
        robot = robot.revolute(name, name, parent=parent, origin=(0.5, 0, 0)).shape(name, ball)
        parent = name
    robot = robot.link("tool").fixed("mount", "tool", parent="c", origin=(0.5, 0, 0))
    model = da.compile(robot.shape("tool", ball).build())
    q = np.zeros(3)
    pairs = {("world", "b"), ("world", "c"), ("world", "tool"), ("a", "c"), ("a", "tool")}
    assert set(model.distances(q).links) == pairs
    # by hand: centres at 0, 0.5, 1, 1.5, 2 m
    assert model.distances(q, [("world", "tool")]).distance[0] == pytest.approx(1.8, rel=1e-15)
    left_out = {("tool", "a"): "Never", ("world", "b"): ""}
    assert set(model.distances(q, exclude=left_out).links) == pairs - {
        ("a", "tool"),
        ("world", "b"),
    }
    assert model.distances(q).least == pytest.approx(0.8)
    assert str(model.distances(q)).splitlines()[1] == "  world, b: 0.8 m"


def test_what_has_no_distance_is_refused() -> None:
    arm = da.textbook.robots.ur5e()
    model = da.compile(arm)
    q = np.zeros(6)
    with pytest.raises(da.InvalidMechanism, match="collision shapes that can touch"):
        model.distances(q)
    with pytest.raises(da.InvalidMechanism, match="expected collision shapes of link 'link1'"):
        model.distances(q, [("link1", "link6")])
    with pytest.raises(da.UnknownName, match="did you mean link1"):
        model.distances(q, [("link1", "lnk1")])
    for wrong in (["link1"], [("link1", "link1")], [("link1", "link2", "link3")]):
        with pytest.raises(da.DalembertError):
            model.distances(q, wrong)  # type: ignore[arg-type]
    meshes = da.compile(two_arms(Mesh("a.stl"), Sphere(1)))
    with pytest.raises(da.InvalidMechanism, match="a mesh without its file at link 'left2'"):
        meshes.distances(q)


@pytest.mark.parametrize("kinds", BY_ENGINE)
def test_shapes_without_a_formula_are_those_of_mujoco(kinds: str, rng: np.random.Generator) -> None:
    pytest.importorskip("mujoco")
    robot = two_arms(*BY_ENGINE[kinds])
    model = da.compile(robot)
    Q = rng.uniform(-3, 3, (30, 6))
    found = model.distances(Q)
    assert found.pairs[0].by_engine
    theirs = engine_distances(robot, Q)
    assert np.abs(found.distance[:, 0] - theirs).max() < ENGINE
    check_jacobian(model, Q, 1e-5, 1e-3)
    # far away, spheres about the shapes are lower bounds
    rough = model.distances(Q, within=0.2).distance[:, 0]
    far = rough > 0.2
    assert far.any()
    assert (rough[far] <= theirs[far] + ENGINE).all()
    assert np.abs(rough - theirs)[~far].max() < ENGINE


def stl(points: np.ndarray) -> bytes:
    """Return the hull of points as a binary STL."""
    from scipy.spatial import ConvexHull

    corners = points[ConvexHull(points).simplices].astype("<f4")
    triangles = b"".join(bytes(12) + t.tobytes() + bytes(2) for t in corners)
    return bytes(80) + len(corners).to_bytes(4, "little") + triangles


@pytest.mark.parametrize("ending", ["stl", "obj"])
def test_meshes_are_their_convex_hulls(
    ending: str, tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mujoco")
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    points = corners * [0.1, 0.15, 0.05] + [0.02, -0.03, 0.01]
    if ending == "stl":
        (tmp_path / "part.stl").write_bytes(stl(points))
    else:
        lines = "\n".join("v " + " ".join(map(repr, map(float, p))) for p in points)
        (tmp_path / "part.obj").write_text(f"# a box\n{lines}\nf 1 2 3\n")
    mesh = Mesh(f"part.{ending}", (1, 1, 1), str(tmp_path / f"part.{ending}"))
    model = da.compile(two_arms(mesh, Sphere(0.05)))
    box = da.compile(two_arms(Box((0.2, 0.3, 0.1)), Sphere(0.05)))
    Q = rng.uniform(-3, 3, (20, 6))
    found = model.distances(Q).distance
    # the same box, whose middle is moved by hand
    X = box.forward_kinematics(Q, frame="left2") @ _shape_pose(0.02, -0.03, 0.01)
    centre = (box.forward_kinematics(Q, frame="right2") @ _shape_pose(0, 0, 0))[:, :3, 3]
    away = np.einsum("nij,ni->nj", X[:, :3, :3], centre - X[:, :3, 3])
    beyond = np.maximum(np.abs(away) - [0.1, 0.15, 0.05], 0)
    assert np.abs(found[:, 0] - (np.linalg.norm(beyond, axis=1) - 0.05)).max() < ENGINE
    # without MuJoCo it is a capsule about the corners
    monkeypatch.setattr("dalembert.model.distances.call.find_engine", lambda: None)
    with pytest.warns(UserWarning, match="MuJoCo 4 is not installed"):
        rough = da.compile(two_arms(mesh, Sphere(0.05))).distances(Q).distance
    assert (rough <= found + ENGINE).all()


def _shape_pose(x: float, y: float, z: float) -> np.ndarray:
    """Return where shapes of `two_arms` are on their links, and a point in them."""
    robot = two_arms(Sphere(1), Sphere(1))
    shape = next(link for link in robot.links if link.name == "left2").collisions[0]
    X = np.eye(4)
    X[:3, :3] = [[float(k) for k in row] for row in shape.placement.R]
    X[:3, 3] = [float(k) for k in shape.placement.p]
    Y = np.eye(4)
    Y[:3, 3] = x, y, z
    return X @ Y


def test_files_that_are_no_meshes_are_refused(tmp_path: Path) -> None:
    for name, data, words in (
        ("a.stl", b"solid nothing", "at least four corners"),
        ("a.obj", b"v 1 2 x", "cannot read the mesh 'a.obj'"),
        ("a.dae", b"<xml/>", "STL or OBJ files"),
    ):
        (tmp_path / name).write_bytes(data)
        model = da.compile(two_arms(Mesh(name, (1, 1, 1), str(tmp_path / name)), Sphere(1)))
        with pytest.raises(da.InvalidMechanism, match=words):
            model.distances(np.zeros(6))


def test_exact_pairs_raise_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.compile(two_arms(*EXACT["sphere, box"])).distances(np.zeros(6))
