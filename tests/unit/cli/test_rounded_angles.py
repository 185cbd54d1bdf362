"""Equations of a file with rpy="1.5708 0 0": of right angles, with a note, or as it is written."""

import re
from pathlib import Path

import pytest

from dalembert.mechanism import Mechanism
from dalembert.mechanism.io import load

ARM = """<robot name="arm"><link name="base"/>
<link name="l1"><inertial><origin xyz="0.1 0 0.02"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l2"><inertial><origin xyz="0.1 0.01 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/>
</joint><joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><axis xyz="0 0 1"/>
<origin rpy="1.5708 0 0" xyz="0 0 0.3"/></joint></robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def number_of_terms(mechanism: Mechanism) -> int:
    return sum(len(x) for x in mechanism.equations().forms.M)


def test_equations_have_right_angles_unless_asked(answer, arm: Path) -> None:
    status, data = answer("derive", arm)
    assert status == 0
    (note,) = data["notes"]
    assert "joint 'j2' at line 8" in note
    assert "--as-written" in note
    assert "10⁻" not in data["equations"]
    status, data = answer("derive", arm, "--as-written")
    assert (status, "notes" in data) == (0, False)
    assert "10⁻" in data["equations"]
    assert "≈" in data["equations"]


def test_a_person_reads_the_note_beside_the_answer(run, arm: Path) -> None:
    for command in (["derive", arm], ["prove", arm]):
        status, text = run(*command)
        assert status == 0
        assert len(re.findall("^note: made exact angles", text, re.MULTILINE)) == 1
    assert "note" not in run("derive", arm, "--as-written")[1]
    assert "note" not in run("derive", "rp_arm")[1]


def test_code_and_equations_of_a_call_have_the_same_numbers(answer, arm: Path) -> None:
    """M₁₂ of two crossed axes is a number times s₂, exactly: the C code has no other terms."""
    _, data = answer("derive", arm, "-f", "c")
    _, written = answer("derive", arm, "-f", "c", "--as-written")
    assert len(data["document"]) < len(written["document"])


def test_a_report_says_how_angles_were_read(answer, arm: Path, tmp_path: Path) -> None:
    page = tmp_path / "arm.md"
    assert answer("report", arm, "-o", page, "-t", 0.1)[0] == 0
    assert "Made exact angles" in page.read_text(encoding="utf-8")
    assert answer("report", arm, "-o", page, "-t", 0.1, "--as-written")[0] == 0
    assert "Rounded right angles make many times as many terms (joint 'j2' at line 8)" in (
        page.read_text(encoding="utf-8")
    )


def test_a_model_keeps_the_digits_of_the_file(arm: Path) -> None:
    """`load` and kernels agree with other engines, which know no right angles either."""
    assert number_of_terms(load(str(arm))) > number_of_terms(load(str(arm), repair={"angles"}))


def test_equations_that_are_too_large_are_printed_by_their_recursions(
    answer, run, arm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalembert.ring.budget.MAX_BYTES_HELD", 0)
    monkeypatch.setattr("dalembert.ring.elements.element.MIN_HELD_TERMS", 5)
    status, data = answer("derive", arm, "--as-written")
    assert status == 0
    (note,) = data["notes"]
    assert note.startswith("expected")
    assert "joint 'j2' at line 8" in note
    assert note.endswith("as the recursions compute them")
    assert "M₁₂ q̈₂ + h₁ = τ₁" in data["equations"]
    assert answer("derive", arm, "--as-written", "-f", "latex")[1]["document"].startswith(r"\begin")
    status, text = run("derive", arm, "--as-written", "-f", "c")
    assert status == 2
    assert "dalembert codegen" in text


def test_floating_joints_are_written_as_scalar_ones(answer, tmp_path: Path) -> None:
    path = tmp_path / "free.urdf"
    inertial = ARM.partition("<inertial>")[2].partition("</inertial>")[0]
    path.write_text(
        f'<robot name="free"><link name="w"/><link name="b"><inertial>{inertial}</inertial></link>'
        '<joint name="loose" type="floating"><parent link="w"/><child link="b"/></joint></robot>'
    )
    status, data = answer("derive", path)
    assert (status, data["notes"]) == (
        0,
        ["wrote the joint 'loose' as sliders and hinges (zyx angles)"],
    )
    assert "q̈₆" in data["equations"]
