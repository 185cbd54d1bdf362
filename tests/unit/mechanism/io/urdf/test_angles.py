"""Angles of few digits: as written with a note, or the multiple of π/4 that they stand for."""

from __future__ import annotations

import math

import pytest

import dalembert as da

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
    assert robot.notes == (
        "made exact angles that are few digits of a multiple of π/4 (2 times, first at line 2)",
    )
