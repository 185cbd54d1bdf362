"""SRDF: groups, postures, end effectors, virtual joints, and pairs that do not collide."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalembert as da

URDF = """<robot name="cell">
<link name="base"/><link name="upper"/><link name="fore"/><link name="palm"/><link name="left"/>
<link name="right"/>
{joints}
</robot>"""


def joint(name: str, parent: str, child: str, kind: str = "continuous", more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><axis xyz="0 0 1"/><parent link="{parent}"/>'
        f'<child link="{child}"/>{more}</joint>'
    )


LIMIT = '<limit lower="0" upper="0.04" effort="9" velocity="1"/>'
JOINTS = [
    joint("shoulder", "base", "upper"),
    joint("elbow", "upper", "fore"),
    joint("mount", "fore", "palm", "fixed"),
    joint("slide", "palm", "left", "prismatic", LIMIT),
    joint("follow", "palm", "right", "prismatic", LIMIT + '<mimic joint="slide"/>'),
]
SRDF = """<?xml version="1.0"?>
<robot name="cell">
  <group name="arm"><chain base_link="base" tip_link="palm"/></group>
  <group name="hand"><link name="right"/><joint name="slide"/><link name="base"/></group>
  <group name="all"><group name="hand"/><group name="arm"/></group>
  <group_state name="home" group="arm">
    <joint name="shoulder" value="0.5"/><joint name="elbow" value="-1e-1"/>
  </group_state>
  <group_state name="home" group="hand"><joint name="slide" value="0.01"/></group_state>
  <group_state name="open" group="hand">
    <joint name="slide" value="0.04"/><joint name="follow" value="0.04"/>
  </group_state>
  <end_effector name="tool" parent_link="palm" group="hand" parent_group="arm"/>
  <virtual_joint name="free" type="floating" parent_frame="odom" child_link="base"/>
  <passive_joint name="elbow"/>
  <disable_collisions link1="fore" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="left" link2="right" reason="Never"/>
  <disable_collisions link1="base" link2="upper"/>
  <enable_collisions link1="right" link2="left"/>
  <disable_collisions link1="camera" link2="upper" reason="Never"/>
</robot>"""


@pytest.fixture
def robot() -> da.Mechanism:
    return da.load(URDF.format(joints="".join(JOINTS)))


def test_groups_are_joints_in_the_order_of_the_robot(robot: da.Mechanism) -> None:
    said = da.load_srdf(SRDF, robot)
    assert said.groups == {
        "arm": ("shoulder", "elbow", "mount"),
        "hand": ("slide", "follow"),
        "all": ("shoulder", "elbow", "mount", "slide", "follow"),
    }
    assert said.disabled_collisions == {("upper", "fore"): "Adjacent", ("base", "upper"): ""}
    (effector,) = said.end_effectors
    assert (effector.name, effector.group, effector.parent_link, effector.parent_group) == (
        *("tool", "hand"),
        *("palm", "arm"),
    )
    assert said.passive_joints == ("elbow",)
    assert said.notes == (
        "ignored position of a joint that follows another (at line 11)",
        "ignored disable_collisions of unknown links (at line 20): camera at line 20",
    )
    assert str(said).splitlines()[2] == "  group hand: 2 joints; states home, open"


def test_postures_become_keyframes_and_the_base_is_free(robot: da.Mechanism) -> None:
    there = da.load_srdf(SRDF, robot).applied(robot)
    model = da.compile(there)
    # behind the seven numbers of the base: position and quaternion
    assert model.keyframe("arm/home")[7:].tolist() == [0.5, -0.1, 0.0]
    assert model.keyframe("hand/home")[7:].tolist() == [0.0, 0.0, 0.01]
    assert model.keyframe("open")[7:].tolist() == [0.0, 0.0, 0.04]
    assert there["elbow"].passive
    assert not there["shoulder"].passive
    assert there["free"].child == "base"


def test_a_planar_base_is_refused(robot: da.Mechanism) -> None:
    said = da.load_srdf(SRDF.replace("floating", "planar"), robot)
    with pytest.raises(da.InvalidMechanism, match="write the joint into the URDF"):
        said.applied(robot)


def test_a_file_is_read_as_its_text(robot: da.Mechanism, tmp_path: Path) -> None:
    path = tmp_path / "cell.srdf"
    path.write_text(SRDF, encoding="utf-8")
    assert da.load_srdf(path, robot).groups == da.load_srdf(SRDF, robot).groups


WRONG = [
    ('tip_link="palm"', 'tip_link="plam"', 3, "got 'plam': did you mean palm?"),
    ('base_link="base" tip_link="palm"', 'base_link="palm" tip_link="base"', 3, "exchange them"),
    ('<joint name="slide"/>', '<joint name="slid"/>', 4, "did you mean slide"),
    ('<group name="hand"/>', '<group name="all"/>', 5, "'all' in itself"),
    ('value="0.5"', 'value="0.5 1"', 7, "expected a number, got 2"),
    ('value="0.5"', "", 7, "expected a number, got nothing"),
    ('value="0.5"', 'value="0,5"', 7, "0,5"),
    ('group="arm">', 'group="arms">', 6, "expected a group of cell, got 'arms'"),
    ('type="floating"', 'type="round"', 14, "fixed, floating, planar"),
    ('name="open"', 'name="home"', 10, "expected one state 'home' of group 'hand', got two"),
    ('name="all"', 'name="arm"', 5, "expected distinct names of groups"),
    ('parent_link="palm"', 'parent_link="pal"', 13, "did you mean palm"),
    ("</robot>", "", 1, ""),
    ("<robot", "<sdf", 1, ""),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), WRONG)
def test_a_wrong_file_is_refused_with_its_line(
    old: str, new: str, line: int, words: str, robot: da.Mechanism
) -> None:
    with pytest.raises(da.InvalidMechanism) as caught:
        da.load_srdf(SRDF.replace(old, new, 1), robot)
    assert words in str(caught.value)
    assert f"text:{line}: " in str(caught.value) or not words


def test_what_is_odd_is_noted(robot: da.Mechanism) -> None:
    said = da.load_srdf(
        """<robot name="other"><group name="hand"><joint name="slide"/></group>
        <group_state name="wide" group="hand">
        <joint name="slide" value="0.05"/><joint name="elbow" value="1"/>
        </group_state></robot>""",
        robot,
    )
    notes = "\n".join(said.notes)
    assert "expected the robot 'cell', got 'other'" in notes
    assert "expected 'slide' within 0" in notes
    assert "position of a joint that is not in the group" in notes
    assert da.compile(said.applied(robot)).keyframe("wide").tolist() == [0.0, 0.0, 0.05]
