"""Xacro files are programs: refused, unless somebody says that they are to be trusted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, MissingDependency

ROBOT = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="side" default="left"/>
<xacro:property name="length" value="0.5"/>
<xacro:macro name="rod" params="name m">
  <link name="${name}"><inertial><origin xyz="0 0 ${length / 2}"/><mass value="${2 * m}"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="meshes/a.stl"/></geometry></visual></link>
</xacro:macro>
<link name="base"/><xacro:rod name="$(arg side)_rod" m="3"/>
<joint name="j" type="continuous"><parent link="base"/><child link="$(arg side)_rod"/></joint>
</robot>"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "r.urdf.xacro"
    file.write_text(ROBOT, encoding="utf-8")
    return file


def test_it_is_refused_without_trust(path: Path) -> None:
    with pytest.raises(InvalidMechanism, match="load it with xacro=True if you trust"):
        da.load(path)
    with pytest.raises(InvalidMechanism, match="expected a model, got a xacro file"):
        da.load(path, xacro=False)


def test_it_is_run_with_trust(path: Path) -> None:
    pytest.importorskip("xacro", reason="the xacro package is not installed")
    left, right = da.load(path, xacro=True), da.load(path, xacro={"side": "right"})
    assert left.link("left_rod").inertia.m == 6
    assert [float(x) for x in right.link("right_rod").inertia.com()] == [0, 0, 0.25]
    (path.parent / "meshes").mkdir()
    (path.parent / "meshes" / "a.stl").write_text("solid", encoding="utf-8")
    mesh = da.load(path, xacro=True, packages={}).link("left_rod").visuals[0].geometry
    assert mesh.path == str(path.parent / "meshes" / "a.stl")  # type: ignore[attr-defined]


@pytest.mark.parametrize("wrong", ["<robot>", "<robot><a>${1/0}</a></robot>", "<html/>", ""])
def test_what_xacro_refuses_is_our_error(wrong: str, path: Path) -> None:
    pytest.importorskip("xacro", reason="the xacro package is not installed")
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(InvalidMechanism, match=r"expected|xacro refuses the file"):
        da.load(path, xacro=True)


def test_without_the_package(path: Path, absent: Callable[[str], None]) -> None:
    absent("xacro")
    with pytest.raises(MissingDependency, match="pip install xacro"):
        da.load(path, xacro=True)


ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="name" default="arm"/>
<xacro:include filename="$(find arm_description)/urdf/rod.xacro"/>
<link name="base"/><xacro:rod name="$(arg name)_rod"/>
<joint name="j" type="continuous"><parent link="base"/><child link="$(arg name)_rod"/></joint>
</robot>"""
ROD = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="rod" params="name"><link name="${name}">
  <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="file://$(find arm_description)/meshes/a.stl"/></geometry>
  </visual></link></xacro:macro></robot>"""
MANIFEST = "<?xml version='1.0'?><package format='3'><name>{}</name></package>"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two packages side by side: one describes the robot, the other includes its parts."""
    pytest.importorskip("xacro", reason="the xacro package is not installed")
    parts, cell = tmp_path / "src" / "arm_description", tmp_path / "src" / "cell"
    for folder in (parts / "urdf", parts / "meshes", cell / "robots"):
        folder.mkdir(parents=True)
    (parts / "urdf" / "rod.xacro").write_text(ROD, encoding="utf-8")
    (parts / "meshes" / "a.stl").write_text("solid", encoding="utf-8")
    (parts / "package.xml").write_text(MANIFEST.format("arm_description"), encoding="utf-8")
    (cell / "package.xml").write_text(MANIFEST.format("cell"), encoding="utf-8")
    (cell / "robots" / "arm.urdf.xacro").write_text(ARM, encoding="utf-8")
    return tmp_path / "src"


def test_packages_are_found_without_ros(workspace: Path) -> None:
    path = workspace / "cell" / "robots" / "arm.urdf.xacro"
    before = set(sys.modules)
    arm = da.load(path, xacro={"name": "ur5e"})
    assert arm.link("ur5e_rod").inertia.m == 2
    # meshes stay names in their package until somebody asks for them
    mesh = arm.link("ur5e_rod").visuals[0].geometry
    assert mesh.file == "package://arm_description/meshes/a.stl"  # type: ignore[attr-defined]
    assert not {x for x in set(sys.modules) - before if x.startswith("ament")}
    found = da.load(path, xacro=True, packages={}).link("arm_rod").visuals[0].geometry
    assert found.path == str(  # type: ignore[attr-defined]
        workspace / "arm_description" / "meshes" / "a.stl"
    )


def test_folders_that_are_given_go_first(workspace: Path) -> None:
    path = workspace / "cell" / "robots" / "arm.urdf.xacro"
    other = workspace.parent / "elsewhere"
    (workspace / "arm_description").rename(other)
    with pytest.raises(InvalidMechanism, match=r"package 'arm_description' in packages="):
        da.load(path, xacro=True)
    with pytest.raises(InvalidMechanism, match="did you mean arm_descriptions"):
        da.load(path, xacro=True, packages={"arm_descriptions": other})
    arm = da.load(path, xacro=True, packages={"arm_description": other})
    mesh = arm.link("arm_rod").visuals[0].geometry
    assert mesh.path == str(other / "meshes" / "a.stl")  # type: ignore[attr-defined]


def test_a_manifest_of_another_name_is_not_the_package(workspace: Path) -> None:
    (workspace / "arm_description" / "package.xml").write_text(
        MANIFEST.format("other"), encoding="utf-8"
    )
    with pytest.raises(InvalidMechanism, match=r"found no package\.xml of that name"):
        da.load(workspace / "cell" / "robots" / "arm.urdf.xacro", xacro=True)


@pytest.mark.parametrize("name", ["../etc", "a/b", "", "a" * 300])
def test_odd_names_of_packages_open_nothing(name: str, workspace: Path) -> None:
    path = workspace / "cell" / "robots" / "arm.urdf.xacro"
    path.write_text(ARM.replace("arm_description", name or "''"), encoding="utf-8")
    with pytest.raises(InvalidMechanism, match="xacro refuses the file"):
        da.load(path, xacro=True)
