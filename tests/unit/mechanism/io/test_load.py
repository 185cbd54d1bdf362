"""Files are read and written by their endings, from one table."""

import io
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.json import save_json
from dalembert.mechanism.io.load import FORMATS, Format


def arm() -> da.Mechanism:
    rod = da.Builder("arm").link("rod", mass=1, com=(0, 0, 0.5), inertia=(1, 1, 1))
    return rod.revolute("hinge", "rod", axis="y").build()


@pytest.mark.parametrize("ending", FORMATS)
def test_every_ending_has_a_reader_and_a_writer(ending: str, tmp_path: Path) -> None:
    if ending in (".xml", ".mjcf"):
        pytest.importorskip("mujoco")
    path = tmp_path / f"arm{ending.upper()}"
    da.save(arm(), path)
    assert [joint.name for joint in da.load(path).joints] == ["hinge"]


def test_xml_file_of_a_robot_is_urdf(tmp_path: Path) -> None:
    da.save(arm(), tmp_path / "arm.urdf")
    path = (tmp_path / "arm.urdf").rename(tmp_path / "arm.xml")
    assert da.load(path, repair=True).links == arm().links


def test_option_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    da.save(arm(), path)
    with pytest.raises(da.errors.UnknownName, match="missing_meshes"):
        da.load(path, missing_meshes=True)


def test_new_format_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    names = Format(lambda path: arm(), lambda mechanism, path: written.append(mechanism.name))
    monkeypatch.setitem(FORMATS, ".arm", names)
    assert da.load(tmp_path / "any.arm") == arm()
    da.save(arm(), tmp_path / "any.arm")
    assert written == ["arm"]
    with pytest.raises(da.InvalidMechanism, match=r"\.json or \.arm file, got \.stl"):
        da.load(tmp_path / "any.stl")


TEXTS = {
    "urdf": (
        '<?xml version="1.0"?>\n<!-- <mujoco> in a comment -->\n'
        '<robot name="pole"><link name="base"/><link name="rod"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="continuous"><axis xyz="0 1 0"/><parent link="base"/>'
        '<child link="rod"/></joint></robot>'
    ),
    "mjcf": (
        '<!-- <robot> in a comment --><mujoco model="pole"><worldbody><body name="rod">'
        '<joint name="hinge"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        "</body></worldbody></mujoco>"
    ),
}


@pytest.mark.parametrize("name", ["urdf", "mjcf", "json"])
def test_text_bytes_and_open_files(name: str, tmp_path: Path) -> None:
    """As ROS has it in robot_description: the text itself."""
    text = TEXTS.get(name) or save_json(da.load(TEXTS["urdf"]))
    from_text = da.load(text)
    assert from_text.joint("hinge").nv == 1
    path = tmp_path / "robot.txt"
    path.write_text(text, encoding="utf-8")
    assert da.load(text.encode()) == from_text
    assert da.load(io.StringIO(text)) == from_text
    with path.open("rb") as file:
        assert da.load(file) == from_text
    with path.open(encoding="utf-8") as file:
        assert da.load(file) == from_text


def test_text_in_another_encoding() -> None:
    text = TEXTS["urdf"].replace('"1.0"?', '"1.0" encoding="utf-16"?')
    assert da.load(text.encode("utf-16")) == da.load(TEXTS["urdf"])


@pytest.mark.parametrize("text", ["<html><body/></html>", b"", b"\x7fELF", "<", "< >"])
def test_text_of_something_else_is_refused(text: Any) -> None:
    with pytest.raises(InvalidMechanism, match=r"expected the text of a URDF \(<robot>\)"):
        da.load(text)


def test_an_open_file_without_end_is_refused() -> None:
    class Endless:
        def read(self, size: int = -1, /) -> bytes:
            assert 0 < size < 10**9
            return b" " * size

    with pytest.raises(InvalidMechanism, match="expected an open file with at most 64 MiB"):
        da.load(Endless())
