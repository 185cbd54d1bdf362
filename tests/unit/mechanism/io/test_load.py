"""Files are read and written by their endings, from one table."""

from pathlib import Path

import pytest

import dalembert as da
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
    with pytest.raises(TypeError, match="missing_meshes"):
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
