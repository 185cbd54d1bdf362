"""Bad robot files: a person sees file, line, reason and remedy; no command shows a traceback."""

import os
from pathlib import Path

import pytest

HEAD = '<robot name="r">\n<link name="a"/>\n'
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
BODY = f'<link name="b">{INERTIAL}</link>\n'
JOINT = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>\n'
END = "</robot>\n"


def link(inertial: str) -> str:
    return f'{HEAD}<link name="b"><inertial>{inertial}</inertial></link>\n{JOINT}{END}'


def joint(inside: str, kind: str = "continuous") -> str:
    text = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint>\n'
    return HEAD + BODY + text + END


# file, line of the fault, what is said and what is advised
BAD: dict[str, tuple[str, int, str, str]] = {
    "empty": ("", 1, "got nothing", "empty"),
    "no XML": ("mass: 1\n", 1, "well-formed XML", "<robot"),
    "cut off": (HEAD + BODY[:-20], 3, "end of the file", "get it whole"),
    "another root": ("<mujoco/>", 1, "expected the root <robot>", "MJCF"),
    "an entity": (f"<!DOCTYPE r>\n{HEAD}{END}", 1, "document type", "remove"),
    "a comma": (link(f'<mass value="1,5"/>{INERTIA}'), 3, "decimal number", "1.5"),
    "a mass below zero": (link(f'<mass value="-1"/>{INERTIA}'), 3, "positive mass", "kilograms"),
    "a mass that is no number": (link(f'<mass value="nan"/>{INERTIA}'), 3, "'nan'", "finite"),
    "an infinite mass": (link(f'<mass value="1e999"/>{INERTIA}'), 3, "1e999", "exponent"),
    "no mass": (link(INERTIA), 3, "expected a <mass>", "add"),
    "no inertia": (link('<mass value="1"/>'), 3, "expected an <inertia>", "repair"),
    "two numbers": (joint('<axis xyz="0 1"/>'), 4, "expected 3 numbers", "write"),
    "no direction": (joint('<axis xyz="0 0 0"/>'), 4, "a direction", "0 0 1"),
    "no limits": (joint("", "revolute"), 4, "expected a <limit>", "add <limit"),
    "no such joint": (joint("", "helical"), 4, "'helical'", "revolute"),
    "a follower of itself": (joint('<mimic joint="j"/>'), 4, "another joint", "drives"),
    "a follower of nobody": (joint('<mimic joint="x"/>'), 4, "a joint of this file", "known"),
    "no child": (HEAD + JOINT + END, 3, "a link of this file", "known: a"),
    "two roots": (f'{HEAD}{BODY}<link name="c"/>\n{JOINT}{END}', 4, "one link without", "join"),
    "one name twice": (f'{HEAD}<link name="a"/>\n{END}', 3, "distinct link names", "rename"),
}


def checked(run, path: Path) -> str:
    status, text = run("check", path)
    assert status == 1, text
    return text


@pytest.mark.parametrize("fault", BAD)
def test_a_person_sees_file_line_reason_and_remedy(run, tmp_path: Path, fault: str) -> None:
    text, line, reason, remedy = BAD[fault]
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    rows = [x for x in checked(run, path).splitlines() if x.startswith("error")]
    (row,) = [x for x in rows if reason in x]
    assert f"{path}:{line} " in row
    assert remedy in row.split(reason)[-1]


@pytest.mark.parametrize("command", ["show", "derive", "prove", "report", "simulate", "bench"])
def test_other_commands_refuse_them_in_a_sentence(run, tmp_path: Path, command: str) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(BAD["a comma"][0], encoding="utf-8")
    status, text = run(command, path)
    assert status == 2
    assert f"{path}:3" in text
    assert "1.5" in text


FOLDER = os.environ.get("DALEMBERT_BAD_URDF", "")
"""A folder of files, good and bad, that are not part of the repository."""


def test_a_folder_of_bad_files(run) -> None:
    if not FOLDER:
        pytest.skip("DALEMBERT_BAD_URDF names no folder")
    paths = sorted(Path(FOLDER).glob("*.urdf"))
    assert paths
    for path in paths:
        status, text = run("check", path)
        rows = [x for x in text.splitlines() if x.startswith("error")]
        assert (status == 1) == bool(rows), path
        # where, what and what to do: no column is empty
        assert all(len([c for c in row.split("  ") if c.strip()]) == 4 for row in rows), rows
        assert all(f"{path}:" in row for row in rows)
