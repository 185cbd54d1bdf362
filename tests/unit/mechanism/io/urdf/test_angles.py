"""Angles of few digits: as written with a note, or the multiple of π/4 that they stand for."""

from __future__ import annotations

import math

import pytest

import dalembert as da
from dalembert.mechanics.robots.right_angles import naming_rounded_angles

TEXT = """<robot name="r"><link name="w"/><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="w"/><child link="a"/>
<origin rpy="{} 0 0"/></joint></robot>"""
SDF = """<sdf version="1.7"><model name="m"><link name="a"><pose>0 0 0 {} 0 0</pose></link>
<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis>
</joint></model></sdf>"""


def cosine(text: str, **options: object) -> tuple[object, tuple[str, ...]]:
    """Return the entry cos(roll) of the joint's placement, and the notes."""
    robot = da.load(text, **options)  # type: ignore[arg-type]
    return robot.joints[0].placement.R[1][1], robot.notes


@pytest.mark.parametrize("angle", ["1.57", "1.571", "1.5708", "-1.57079", "1.57079632679", "4.712"])
def test_right_angles_of_few_digits(angle: str) -> None:
    for form in (TEXT, SDF):
        c, notes = cosine(form.format(angle))
        assert abs(float(c) - math.cos(float(angle))) < 1e-15  # type: ignore[arg-type]
        assert any("left as they are angles that are few digits" in note for note in notes)
        exact, notes = cosine(form.format(angle), repair={"angles"})
        assert exact == 0
        assert any("made exact angles that are few digits" in note for note in notes)


@pytest.mark.parametrize("angle", ["0", "1.5", "1.58", "0.79", "1.5707963267948966", "3"])
def test_other_angles_stay(angle: str) -> None:
    c, notes = cosine(TEXT.format(angle), repair={"angles"})
    assert not any("digits" in note for note in notes)
    assert abs(float(c) - math.cos(float(angle))) < 1e-15  # type: ignore[arg-type]


def test_half_right_angles() -> None:
    """0.785 is π/4 of three digits; 0.79 may be any number."""
    c, _ = cosine(TEXT.format("0.785"), repair=True)
    assert abs(float(c) - math.sqrt(0.5)) < 1e-15  # type: ignore[arg-type]


def test_shapes_are_repaired_too() -> None:
    """A visual is turned as its link is: with the same angle, exactly."""
    visual = '<visual><origin rpy="1.5708 0 0"/><geometry><sphere radius="1"/></geometry></visual>'
    text = TEXT.format("1.5708").replace("</inertial>", f"</inertial>{visual}")
    robot = da.load(text, repair={"angles"})
    assert robot.link("a").visuals[0].placement.R == robot.joints[0].placement.R
    (note,) = robot.notes
    assert note.startswith("made exact angles that are few digits of a multiple of π/4 (2 times,")
    assert note.endswith("first at line 2): joint 'j' at line 4")


ARM = (
    '<robot name="arm"><link name="l0"/>'
    + "".join(
        f'<link name="l{i}"><inertial><origin xyz="0.{i} 0.02 0.03"/><mass value="1.{i}"/>'
        '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>\n'
        f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/>'
        f'<axis xyz="0 0 1"/><origin xyz="0.1 0.2 0.{i}" rpy="1.5708 0 {{}}"/></joint>\n'
        for i in range(1, 11)
    )
    + "</robot>"
).replace("{}", "-1.5708")


def test_refusals_and_slow_proofs_name_joints_with_rounded_angles() -> None:
    """Ten joints with angles of few digits: their equations have a million terms and more."""
    robot = da.load(ARM)
    with (
        pytest.raises(da.TooLarge, match=r"joint 'j1' at line 2, .*repair=\{'angles'\}"),
        naming_rounded_angles(robot),
    ):
        raise da.TooLarge("expected less")
    (first, *_) = robot.prove()
    assert any("joint 'j1' at line 2" in note for note in first.notes)


def test_exact_angles_are_not_named() -> None:
    robot = da.load(ARM, repair={"angles"})
    assert "made exact" in robot.notes[0]
    with pytest.raises(da.TooLarge, match=r"^expected less$"), naming_rounded_angles(robot):
        raise da.TooLarge("expected less")
