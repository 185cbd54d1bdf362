"""Names that would move a terminal, numbers that are none, places that cannot be written."""

from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.output import visible

# clears the screen, writes over the line, sets the title, turns the direction of writing
HOSTILE = "arm\x1b[2J\r\x1b]0;owned\x07\u202e\u200b"


def robot(name: str) -> da.Mechanism:
    link = "l" + name
    return da.Builder(name).link(link, mass=1, inertia=(1, 1, 1)).revolute("j" + name, link).build()


@pytest.mark.parametrize("command", ["show", "check", "simulate", "analyse", "prove", "derive"])
def test_names_in_a_file_move_no_cursor(run, tmp_path: Path, command: str) -> None:
    path = tmp_path / "a.json"
    da.save(robot(HOSTILE), path)
    options = {"simulate": ("-t", "0.01"), "analyse": ("--samples", "10")}.get(command, ())
    status, text = run(command, path, *options)
    assert status == 0
    assert not {"\x1b", "\r", "\x07", "\u202e", "\u200b"} & set(text)


def test_names_in_errors_move_no_cursor(run, tmp_path: Path) -> None:
    path = tmp_path / f"{HOSTILE.replace('/', '')}.urdf"
    path.write_text(f"<robot name='{HOSTILE[3:4]}'/>")
    for arguments in (("check", path), ("show", path), ("show", HOSTILE), ("derive", HOSTILE)):
        status, text = run(*arguments)
        assert status in (1, 2)
        assert "\x1b" not in text


def test_markup_of_rich_is_text(run, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    da.save(robot("[bold red]x[/] :smile: [link=http://a]"), path)
    assert "[bold red]x[/] :smile: [link=http://a]" in run("show", path)[1]


def test_visible_keeps_what_is_written() -> None:
    assert visible("q̈₁ = τ₁ → ∂L/∂q\n\tΥ") == "q̈₁ = τ₁ → ∂L/∂q\n\tΥ"
    assert visible("a\x00b\x9bc") == "a\\x00b\\x9bc"


@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", "ur5e", "--q", "1,2"),
        ("simulate", "ur5e", "--q", "joint9=1"),
        ("simulate", "ur5e", "--q", "joint1=__import__('os')"),
        ("simulate", "ur5e", "--q", "joint1=1,joint1=2"),
        ("simulate", "ur5e", "-t", "nan"),
        ("simulate", "ur5e", "-t", "-1"),
        ("simulate", "ur5e", "-t", "0.01", "--controller", "pd", "--stiffness", "nan"),
        ("simulate", "ur5e", "-t", "0.01", "--controller", "pd", "--torque", "1,1,1,1,1,1"),
        ("simulate", "four_bar", "-p", "nothing=1"),
        ("simulate", "four_bar", "-p", "m1"),
        ("ik", "ur5e", "--position", "1,2"),
        ("ik", "ur5e", "--position", "1,2,log(0)"),
        ("ik", "ur5e", "--position", "1,2,3", "--frame", "nowhere"),
        ("ik", "rp_arm", "--position", "1,2,3"),
        ("show", "planar_chain"),
        ("show", "planar_chain:0"),
        ("show", "planar_chain:99999999999999"),
        ("show", "ur5e:3"),
        ("show", "robot.xacro"),
        ("show", "/dev/null"),
        ("show", "/dev/zero"),
        ("show", "ur5e", "--allow", "nonsense"),
        ("derive", "particle", "-o", "a.docx"),
        ("derive", "particle", "-f", "klingon"),
        ("convert", "ur5e", "a.step"),
        ("convert", "rp_arm", "a.json"),
        ("codegen", "rp_arm", "-l", "rolled_c"),
        ("prove",),
        ("dance",),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    run, arguments, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, text = run(*arguments)
    assert status == 2, text
    assert "fault of dalembert" not in text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("derive", "particle", "-o"),
        ("convert", "ur5e"),
        ("codegen", "ur5e", "-o"),
        ("simulate", "ur5e", "-t", "0.001", "-o"),
    ],
)
def test_folders_that_do_not_exist(run, arguments, tmp_path: Path) -> None:
    place = tmp_path / "none" / ("" if arguments[0] == "codegen" else "a.json")
    place = place.with_suffix(".csv") if arguments[0] == "simulate" else place
    place = place.with_suffix(".txt") if arguments[0] == "derive" else place
    status, text = run(*arguments, place)
    assert status == 2
    assert "No such file or directory" in text
    assert not list(tmp_path.iterdir())


def test_repair_is_for_urdf(run, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    da.save(robot("arm"), path)
    status, text = run("show", path, "--allow", "repair")
    assert (status, "expected --allow repair with a file ending .urdf" in text) == (2, True)
