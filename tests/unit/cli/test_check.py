"""`dalembert check`: file, line, reason and remedy; and which exit status."""

from pathlib import Path

import pytest

GOOD = """<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><mass value="2"/>
    <inertia ixx="0.2" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><axis xyz="0 1 0"/>
    <parent link="base"/><child link="rod"/></joint>
</robot>
"""


def written(folder: Path, text: str | bytes, name: str = "arm.urdf") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_good_file(answer, tmp_path: Path) -> None:
    status, data = answer("check", written(tmp_path, GOOD))
    assert (status, data) == (0, {"findings": [], "errors": 0})


def test_every_error_has_its_line_and_a_remedy(answer, tmp_path: Path) -> None:
    bad = GOOD.replace('"2"', '"-2"').replace('link="base"/', 'link="bass"/')
    status, data = answer("check", written(tmp_path, bad))
    assert status == 1
    assert data["errors"] == 2
    found = {x["line"]: x for x in data["findings"]}
    assert sorted(found) == [3, 6]
    assert "positive mass" in found[3]["message"]
    assert "base" in found[6]["remedy"]


def test_a_person_sees_file_line_and_remedy(run, tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace('"2"', '"2,5"'))
    status, text = run("check", path)
    assert status == 1
    assert f"{path}:3" in text
    assert "write 2.5 with a point" in text
    assert "1 error, 0 other findings" in text


def test_repair_turns_an_error_into_a_note(answer, run, tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("continuous", "revolute"))
    assert answer("check", path)[0] == 1
    assert "on the command line: --allow repair" in run("check", path)[1]
    status, data = answer("check", path, "--allow", "repair")
    assert status == 0
    assert any("repaired" in str(x) for x in data["findings"])


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("a.urdf", b"\x7fELF\x00\x01", 1, "binary"),
        ("a.urdf", "", 1, "nothing"),
        ("a.urdf", GOOD[:200], 5, "end of the file"),
        ("a.json", "{]", 0, "JSON"),
        ("a.json", b"\x00" * 100, 0, ""),
        ("a.xml", "<mujoco", 1, ""),
        ("a.toml", 'coordinates = ["q"]\nT = "q.dot^"', 2, "expected a number"),
        ("a.toml", "coordinates = [", 1, "TOML"),
    ],
)
def test_bad_files_of_every_format(answer, tmp_path: Path, name, text, line, said) -> None:
    status, data = answer("check", written(tmp_path, text, name))
    assert status == 1
    first = data["findings"][0]
    assert first["severity"] == "error"
    assert first["line"] == line
    assert said in first["message"]


def test_what_is_no_file_cannot_be_checked(answer, tmp_path: Path) -> None:
    for name in (tmp_path, tmp_path / "none.json", "no_such_example", "\x00.json", ""):
        status, data = answer("check", name)
        assert status == 2, name
        assert "error" in data


def test_missing_urdf_is_an_error_with_its_name(run, tmp_path: Path) -> None:
    status, text = run("check", tmp_path / "none.urdf")
    assert status in (1, 2)
    assert "none.urdf" in text
    assert "No such file" in text


@pytest.mark.parametrize(
    ("name", "said", "remedy"),
    [
        ("../../../etc/passwd", "which leaves it", "give root="),
        ("file:///etc/passwd", "relative path", "are not followed"),
        ("/etc/passwd", "relative path", "are not followed"),
        ("package://arm/../../etc/passwd", "which leaves it", "give root="),
        ("C:\\\\a.stl", "relative path", "are not followed"),
    ],
)
def test_names_of_meshes_are_examined(answer, tmp_path: Path, name, said, remedy) -> None:
    mesh = f'<visual><geometry>\n<mesh filename="{name}"/></geometry></visual></link>'
    text = GOOD.replace("</inertial></link>", "</inertial>" + mesh)
    status, data = answer("check", written(tmp_path, text))
    assert (status, data["errors"]) == (0, 0)
    (found,) = data["findings"]
    assert (found["severity"], found["line"]) == ("warning", 5)
    assert said in found["message"]
    assert remedy in found["remedy"]


@pytest.mark.parametrize("name", ["meshes/a.stl", "package://arm/meshes/a.stl", "a b/ü.obj"])
def test_ordinary_names_of_meshes_are_no_finding(answer, tmp_path: Path, name: str) -> None:
    mesh = f'<visual><geometry><mesh filename="{name}"/></geometry></visual></link>'
    text = GOOD.replace("</inertial></link>", "</inertial>" + mesh)
    assert answer("check", written(tmp_path, text)) == (0, {"findings": [], "errors": 0})


def test_other_engines_are_asked(run, answer, tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    path = written(tmp_path, GOOD)
    status, data = answer("check", path, "--against", "pinocchio,mujoco")
    assert status == 0
    assert data["pinocchio"]["ok"]
    assert data["mujoco"]["torques"] == 5
    follower = GOOD.replace(
        "</robot>",
        '<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link><joint name="k" type="continuous"><parent '
        'link="rod"/><child link="b"/><mimic joint="hinge"/></joint></robot>',
    )
    status, text = run("check", written(tmp_path, follower), "--against", "pinocchio")
    assert status == 1
    assert "k: mimic follows hinge here, moves freely there: lost mimic" in text
    status, text = run("check", path, "--against", "bullet")
    assert status == 2
    assert "expected engines of pinocchio, mujoco" in text
