"""Shapes of links: read, written, moved with their links; files of meshes only when asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.mechanism import Box, Capsule, Cylinder, Ellipsoid, Link, Mesh, Shape, Sphere
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.mechanism.io.meshes import locate_meshes
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.mechanism.io.urdf.write import save_urdf
from dalembert.recursions.kinematics import forward_kinematics, frame_pose
from dalembert.recursions.tree import Tree
from dalembert.spatial.exact import rotation_from_rpy
from dalembert.spatial.pose import Pose

# poses go through quaternions and angles of doubles
ROUNDING = 1e-12

BODY = (
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    "</inertial>"
)
TURNED = Pose(rotation_from_rpy(0.1, -0.2, 0.3), (1, 2, 3))
RED = (1.0, 0.0, 0.0, 1.0)
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SQUARE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 3 2\nf 2 3 4\n"


def urdf(shapes: str, above: str = "") -> str:
    return (
        f"<robot name='r'>{above}<link name='base'/><link name='a'>{BODY}{shapes}</link>"
        "<joint name='j' type='continuous'><origin xyz='0 0 1' rpy='0 0.3 0'/>"
        "<parent link='base'/><child link='a'/></joint></robot>"
    )


def robot() -> da.Mechanism:
    """Return two links with every kind of shape that needs no file."""
    body = {"mass": 1, "inertia": (1, 1, 1)}
    builder = da.Builder("r").link("a", **body).revolute("j1", "a", axis="y")
    builder.link("b", **body).revolute("j2", "b", axis="x", origin=(0.3, 0.1, 0), rpy=(0, 0.4, 0))
    mechanism = builder.build()
    one = Shape(Box((1, 0.5, 0.25)), TURNED, RED, "case")
    solids = [Sphere(0.1), Cylinder(0.1, 0.4), Capsule(0.2, 0.3), Ellipsoid((0.1, 0.2, 0.3))]
    others = tuple(Shape(x, Pose(p=(i, 0, 0))) for i, x in enumerate(solids))
    _, a, b = mechanism.links
    links = (mechanism.links[0], replace(a, visuals=(one,)), replace(b, collisions=others))
    return replace(mechanism, links=links)


def world_poses(mechanism: da.Mechanism, q: list[float]) -> list[tuple[Any, Any]]:
    """Return geometry and pose in the world of every shape, in order."""
    tree = Tree.of(mechanism).map(float)
    poses = forward_kinematics(tree, q)
    return [
        (shape.geometry, frame_pose(tree, poses, link.name) @ shape.placement.map(float))
        for link in mechanism.links
        for shape in link.shapes
    ]


def assert_same_places(one: da.Mechanism, other: da.Mechanism, q: list[float]) -> None:
    ours, theirs = world_poses(one, q), world_poses(other, q)
    assert [x for x, _ in ours] == [x for x, _ in theirs]
    for (_, X), (_, Y) in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(np.array(X.R, float), np.array(Y.R, float), atol=ROUNDING)
        np.testing.assert_allclose(np.array(X.p, float), np.array(Y.p, float), atol=ROUNDING)


# ---- URDF


def test_urdf_shapes() -> None:
    found = load_urdf(
        urdf(
            "<visual name='case'><origin xyz='1 2 3' rpy='0.1 -0.2 0.3'/>"
            "<geometry><box size='1 0.5 0.25'/></geometry><material name='red'/></visual>"
            "<visual><geometry><mesh filename='package://r/a.stl' scale='1 -1 1'/></geometry>"
            "<material name='own'><color rgba='0 1 0 0.5'/></material></visual>"
            "<collision><geometry><cylinder radius='0.1' length='2'/></geometry></collision>"
            "<collision><geometry><sphere radius='0.5'/></geometry></collision>",
            "<material name='red'><color rgba='1 0 0 1'/></material>",
        )
    ).link("a")
    assert found.visuals == (
        Shape(Box((1, 0.5, 0.25)), TURNED, RED, "case"),
        Shape(Mesh("package://r/a.stl", (1, -1, 1)), colour=(0.0, 1.0, 0.0, 0.5)),
    )
    assert found.collisions == (Shape(Cylinder(0.1, 2)), Shape(Sphere(0.5)))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("<geometry/>", "expected a <geometry> with one of box, sphere"),
        ("<geometry><torus/></geometry>", "got <torus>"),
        ("<geometry><box size='1 2'/></geometry>", "expected 3 numbers, got 2"),
        ("<geometry><sphere radius='-1'/></geometry>", "expected radius that is not negative"),
        ("<geometry><mesh/></geometry>", "expected the attribute filename, got none"),
        ("<geometry><sphere radius='nan'/></geometry>", "expected a decimal number, got 'nan'"),
    ],
)
def test_wrong_shapes_are_left_out_with_a_note(shape: str, expected: str) -> None:
    """No motion depends on them: the robot is read all the same."""
    found = load_urdf(urdf(f"<visual>{shape}</visual>"))
    assert found.link("a").visuals == ()
    (note,) = [note for note in found.notes if expected in note]
    assert note.startswith("text:1: ")
    assert note.endswith("the shape is left out")


def test_urdf_is_written_back() -> None:
    mechanism = robot()
    found = load_urdf(save_urdf(mechanism))
    assert [x for x, _ in world_poses(found, [0.3, 0.4])] == [
        Box((1, 0.5, 0.25)),
        Sphere(0.1),
        Cylinder(0.1, 0.4),
        # the capsule: a cylinder with a ball at each end
        *(Cylinder(0.2, 0.3), Sphere(0.2), Sphere(0.2)),
    ]
    assert found.link("a").visuals[0].colour == RED
    ends = [shape.placement.map(float).p for shape in found.link("b").collisions[3:]]
    assert ends == [(2, 0, -0.15), (2, 0, 0.15)]
    links = [
        link.with_shapes(lambda x: x if isinstance(x.geometry, Box) else None)
        for link in mechanism.links
    ]
    simple = replace(mechanism, links=tuple(links))
    assert_same_places(simple, load_urdf(save_urdf(simple)), [0.3, -0.7])


# ---- JSON


def test_json_holds_every_shape_exactly() -> None:
    mechanism = robot()
    mesh = Shape(Mesh("a b.stl", (1, -1, 1), path="somewhere"))
    links = (replace(mechanism.links[0], visuals=(mesh,)), *mechanism.links[1:])
    mechanism = replace(mechanism, links=links)
    text = save_json(mechanism)
    assert load_json(text) == mechanism
    # where a file was found is no part of the description
    assert "somewhere" not in text
    l = da.parameters("l")[0]
    named = replace(links[0], visuals=(Shape(Box((l, 1, 1)), Pose(p=(l / 2, 0, 0))),))
    symbolic = replace(mechanism, links=(named, *links[1:]))
    assert load_json(save_json(symbolic)) == symbolic
    assert symbolic.bind({l: 2}).links[0].visuals[0] == Shape(Box((2, 1, 1)), Pose(p=(1, 0, 0)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"kind": "box"', '"kind": "torus"'),
        ('"kind": "box"', '"kind": 3'),
        ('"size"', '"sizes"'),
        ('"colour": [', '"colour": [7, '),
        ('"radius": "1/10"', '"radius": "-1"'),
        ('"radius": "1/10"', '"radius": null'),
    ],
)
def test_wrong_shapes_in_json_are_refused(old: str, new: str) -> None:
    text = save_json(robot())
    assert old in text
    with pytest.raises(InvalidMechanism, match="expected"):
        load_json(text.replace(old, new, 1))


# ---- MJCF, against MuJoCo


def test_mjcf_geoms_are_where_mujoco_has_them() -> None:
    mujoco = pytest.importorskip("mujoco")
    mechanism = robot()
    q = [0.3, -0.7]
    m = mujoco.MjModel.from_xml_string(save_mjcf(mechanism))
    d = mujoco.MjData(m)
    d.qpos[:] = q
    mujoco.mj_kinematics(m, d)
    ours = world_poses(mechanism, q)
    assert m.ngeom == len(ours) == 5
    for i, (_, X) in enumerate(ours):
        np.testing.assert_allclose(d.geom_xpos[i], np.array(X.p, float), atol=ROUNDING)
        np.testing.assert_allclose(
            d.geom_xmat[i].reshape(3, 3), np.array(X.R, float), atol=ROUNDING
        )
    # half lengths
    np.testing.assert_allclose(m.geom_size[0], [0.5, 0.25, 0.125])
    np.testing.assert_allclose(m.geom_size[2][:2], [0.1, 0.2])
    # what only is seen touches nothing
    assert m.geom_contype.tolist() == m.geom_conaffinity.tolist() == [0, 1, 1, 1, 1]
    assert_same_places(mechanism, load_mjcf(save_mjcf(mechanism)), q)


MESHES = """<mujoco model="m"><compiler meshdir="parts"/><asset>
  <mesh name="big" file="t.obj" scale="1 2 -1"/><material name="blue" rgba="0 0 1 1"/>
  <mesh name="turned" file="t.obj" refpos="1 0 0"/>
  <mesh name="own" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  <mesh name="flat" file="f.obj" inertia="shell"/></asset>
  <worldbody><geom type="plane" size="1 1 1"/>
   <body name="b" pos="1 2 3"><joint name="j"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom type="mesh" mesh="big" pos="0.3 0.2 0.1" quat="0.5 0.5 -0.5 0.5" material="blue"/>
    <geom type="mesh" mesh="flat" contype="0" conaffinity="0" group="1" rgba="1 0 0 1"/>
    <geom type="mesh" mesh="turned"/><geom type="mesh" mesh="own"/>
    <geom size="0.1" group="4"/><geom size="0.2" group="4" contype="0" conaffinity="0"/>
  </body></worldbody></mujoco>"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "robot"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "t.obj").write_text(TETRAHEDRON, encoding="utf-8")
    (folder / "parts" / "f.obj").write_text(SQUARE, encoding="utf-8")
    path = folder / "m.xml"
    path.write_text(MESHES, encoding="utf-8")
    return path


def test_mjcf_meshes(model: Path) -> None:
    """MuJoCo moves a mesh to its centre and principal axes: the shape is where the file has it."""
    pytest.importorskip("mujoco")
    found = da.load(model)
    link = found.link("b")
    big, flat = link.visuals
    assert big.geometry == Mesh("parts/t.obj", (1, 2, -1))
    assert isinstance(big.geometry, Mesh)
    assert big.geometry.path == str(model.parent / "parts/t.obj")
    assert [float(x) for x in big.placement.p] == [0.3, 0.2, 0.1]
    # of the quaternion (1, 1, -1, 1) / 2
    expected = [[0, -1, 0], [0, 0, -1], [1, 0, 0]]
    np.testing.assert_allclose(np.array(big.placement.R, float), expected, atol=1e-9)
    assert big.colour == (0.0, 0.0, 1.0, 1.0)
    assert flat.colour == RED
    assert link.collisions == (big, Shape(Sphere(0.1)))
    for note in (
        "1 plane geom not carried",
        "1 mesh geom turned against the file: not carried",
        "1 mesh geom without a file: not carried",
        "1 geom neither seen nor touched: not carried",
    ):
        assert note in found.notes


def test_mjcf_with_meshes_is_written_where_they_are_found(model: Path, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    found = da.load(model)
    beside = tmp_path / "other.xml"
    assert da.save(found, beside) == ()
    # MuJoCo itself opens it, flat meshes too
    m = mujoco.MjModel.from_xml_path(str(beside))
    assert m.ngeom == 3
    assert m.nmesh == 2
    again = da.load(beside)
    big, other = again.link("b").visuals[0], found.link("b").visuals[0]
    assert big.geometry == Mesh("robot/parts/t.obj", (1, 2, -1))
    np.testing.assert_allclose(np.array(big.placement.p, float), np.array(other.placement.p, float))
    # a name alone leads nowhere: MuJoCo would refuse the file
    nameless = load_json(save_json(found))
    (note, _) = da.save(nameless, beside)
    assert note.startswith("mesh 'parts/t.obj' is not written: MuJoCo opens")
    assert mujoco.MjModel.from_xml_path(str(beside)).ngeom == 1
    # beside the file they are found by name
    assert da.save(nameless, model.with_name("again.xml")) == ()


def test_notes_on_what_a_format_lacks(tmp_path: Path) -> None:
    notes = da.save(robot(), tmp_path / "r.urdf")
    assert notes == (
        "capsules are written as a cylinder and two balls each: URDF has none ('b')",
        "ellipsoids are not written: URDF has none ('b')",
    )
    assert da.save(robot(), tmp_path / "r.json") == ()
    pytest.importorskip("mujoco")
    flat = robot().links[1].with_shapes(lambda x: replace(x, geometry=Box((1, 0, 1))))
    mechanism = replace(robot(), links=(robot().links[0], flat, robot().links[2]))
    (note,) = da.save(mechanism, tmp_path / "r.xml")
    assert note == "shapes with a size of zero are not written: MuJoCo refuses them"


# ---- files of meshes


def test_packages(tmp_path: Path) -> None:
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    stl = tmp_path / "arm" / "meshes" / "a.stl"
    stl.write_text("solid", encoding="utf-8")
    path = tmp_path / "r.urdf"
    shape = "<visual><geometry><mesh filename='{}'/></geometry></visual>"
    path.write_text(urdf(shape.format("package://arm/meshes/a.stl")), encoding="utf-8")

    def mesh(**options: Any) -> Mesh:
        found = da.load(path, **options).link("a").visuals[0].geometry
        assert isinstance(found, Mesh)
        return found

    assert mesh().path is None
    found = mesh(packages={"arm": tmp_path / "arm"})
    assert found.path == str(stl)
    assert found.file == "package://arm/meshes/a.stl"
    with pytest.raises(UnknownName, match="expected the folder of package 'arm' in packages="):
        mesh(packages={"leg": tmp_path})
    # plain names are below the folder of the file, or below root
    path.write_text(urdf(shape.format("arm/meshes/a.stl")), encoding="utf-8")
    assert mesh(packages={}).path == str(stl)
    path.write_text(urdf(shape.format("b.stl")), encoding="utf-8")
    assert "mesh 'b.stl' is not found" in da.load(path, packages={}).notes
    nested = tmp_path / "arm" / "r.urdf"
    nested.write_text(urdf(shape.format("../arm/meshes/a.stl")), encoding="utf-8")
    with pytest.raises(InvalidMechanism, match="leaves it: give root="):
        da.load(nested, packages={})
    assert da.load(nested, root=tmp_path).link("a").visuals[0].geometry.path  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name",
    [
        *("../a.stl", "/etc/passwd", "file:///etc/passwd", "package://arm/../../a.stl"),
        *("http://example.org/a.stl", "\\\\host\\a.stl", "%2e%2e/a.stl", "~/a.stl", "link.stl"),
        *("model://arm//etc/passwd", "folder"),
    ],
)
def test_no_way_out(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "a.stl").write_text("solid", encoding="utf-8")
    (folder / "link.stl").symlink_to(tmp_path / "a.stl")
    link = Link("a", visuals=(Shape(Mesh(name)),))
    mechanism = replace(robot(), links=(robot().links[0], link, robot().links[2]))
    with pytest.raises(InvalidMechanism, match="expected"):
        locate_meshes(mechanism, root=folder, packages={"arm": folder})


# ---- edits


def test_edits_keep_shapes_where_they_were() -> None:
    mechanism = robot()
    q = [0.3, -0.7]
    assert_same_places(mechanism, mechanism.rename(prefix="left_"), q)
    assert_same_places(mechanism, mechanism.with_payload("b", mass=2), q)
    assert mechanism.replace_inertia("b", mass=2).link("b").shapes == mechanism.link("b").shapes
    locked = mechanism.lock("j2", at={"j2": -0.7})
    assert_same_places(locked, locked.reduce(), q[:1])
    for (_, X), (_, Y) in zip(world_poses(mechanism, q), world_poses(locked, q[:1]), strict=True):
        np.testing.assert_allclose(np.array(X.p, float), np.array(Y.p, float), atol=ROUNDING)
    both = mechanism.attach(mechanism, "b", prefix="x_", placement=TURNED)
    state = [0.1, 0.2, *q]
    tree = Tree.of(both).map(float)
    X_WB = frame_pose(tree, forward_kinematics(tree, state), "x_world")
    own, carried = world_poses(both, state)[:5], world_poses(both, state)[5:]
    assert [x for x, _ in own] == [x for x, _ in carried]
    for (_, X), (_, Y) in zip(world_poses(mechanism, q), carried, strict=True):
        place = np.array((X_WB @ X).p, float)
        np.testing.assert_allclose(place, np.array(Y.p, float), atol=ROUNDING)


def test_mirror_images() -> None:
    """Corners of a box and the scale of a mesh: every point p goes to S p."""
    mechanism = robot()
    mesh = Shape(Mesh("a.stl", (1, 2, 3)), TURNED)
    links = (mechanism.links[0], replace(mechanism.links[1], visuals=(mesh,)), mechanism.links[2])
    mechanism = replace(mechanism, links=links)
    image = mechanism.mirror("y")
    S = np.diag([1.0, -1.0, 1.0])
    vertex = np.array([0.3, 0.5, 0.7])
    q = [0.4, -0.9]
    for (one, X), (other, Y) in zip(world_poses(mechanism, q), world_poses(image, q), strict=True):
        scales = [np.array(getattr(g, "scale", (1, 1, 1)), float) for g in (one, other)]
        # a solid that is symmetric in its own planes maps onto itself
        flips = np.ones(3) if isinstance(one, Mesh) else np.diag(S)
        p = np.array(X.R, float) @ (scales[0] * vertex) + np.array(X.p, float)
        r = np.array(Y.R, float) @ (scales[1] * flips * vertex) + np.array(Y.p, float)
        np.testing.assert_allclose(r, S @ p, atol=ROUNDING)
    assert image.mirror("y") == mechanism


def test_what_is_no_shape_is_refused() -> None:
    no: Any = Shape
    box: Any = Box
    for wrong in (no(3), no(box((1, 1))), no(Sphere(-1)), no(Sphere(1), colour=(2.0,) * 4)):
        with pytest.raises(InvalidMechanism, match="expected"):
            da.Mechanism("m", (Link("a", visuals=(wrong,)),), ())
