"""`dalembert view`: opens, says where, closes; meshes are found below a folder."""

from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.files.meshes import with_meshes
from dalembert.mechanism.parts.shape import Mesh

pytest.importorskip("viser", reason="viser serves the studio")

ROBOT = """<robot name="r"><link name="base"><visual><geometry>
<mesh filename="package://arm/meshes/a.stl"/></geometry></visual></link>
<link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="rod"/></joint></robot>"""


def test_view_says_where_and_closes(answer) -> None:
    status, data = answer("view", "ur5e", "--no-browser", "--seconds", 0)
    assert status == 0
    assert data["url"].startswith("http://127.0.0.1:")
    assert data["url"].endswith("/")
    assert data["closed"] is True


def test_a_motion_and_its_ghost(answer, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    assert answer("simulate", "ur5e", "-t", 0.01, "-o", path)[0] == 0
    shown = ("view", "ur5e", "--no-browser", "--seconds", 0, "--motion", path, "--ghost", path)
    assert answer(*shown)[0] == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--q", "1"),
        ("--motion", "none.csv"),
        ("--meshes", "none"),
        ("--port", "70000"),
    ],
)
def test_what_cannot_be_shown(run, options: tuple[str, ...]) -> None:
    assert run("view", "ur5e", "--no-browser", "--seconds", 0, *options)[0] == 2


def test_a_port_that_is_taken_is_said(run) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, text = run("view", "ur5e", "--no-browser", "--seconds", 0, "--port", port)
    assert (status, "expected a free port" in text) == (2, True)


@pytest.mark.parametrize("place", ["meshes", "arm/meshes"])
def test_meshes_are_found_below_their_folder(tmp_path: Path, place: str) -> None:
    folder = tmp_path / place
    folder.mkdir(parents=True)
    (folder / "a.stl").write_bytes(b"")
    found = with_meshes(da.load(ROBOT), tmp_path)
    assert isinstance(found, da.Mechanism)
    mesh = found.links[0].visuals[0].geometry
    assert isinstance(mesh, Mesh)
    assert mesh.path is not None
    assert Path(mesh.path).samefile(folder / "a.stl")


def test_a_mesh_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    robot = da.load(ROBOT.replace("meshes/a", "../../secret"))
    (tmp_path / "secret.stl").write_bytes(b"")
    inside = tmp_path / "inside"
    inside.mkdir()
    with pytest.raises(da.InvalidMechanism):
        with_meshes(robot, inside)


def test_completion_is_offered(run) -> None:
    status, text = run("--help")
    assert status == 0
    assert "--install-completion" in text
