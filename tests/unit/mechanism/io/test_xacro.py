"""Xacro files are programs: refused, unless somebody says that they are to be trusted."""

from __future__ import annotations

import sys
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


def test_without_the_package(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(MissingDependency, match="pip install xacro"):
        da.load(path, xacro=True)
