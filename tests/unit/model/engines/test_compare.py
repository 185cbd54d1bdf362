"""What other engines made of a file: damaged readings are found, named and explained."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import dalembert as da
from dalembert.mechanism.io.json import save_json
from dalembert.model.engines import compare_with

ROBOT = """<?xml version="1.0"?>
<robot name="arm">
<link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0 0.2" rpy="0.4 0.2 0"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="fore"><inertial><origin xyz="0 0 0.1"/><mass value="1.5"/>
  <inertia ixx="0.05" iyy="0.06" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="finger"><inertial><mass value="0.2"/>
  <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><axis xyz="0 1 0"/>
  <parent link="base"/><child link="upper"/></joint>
<joint name="elbow" type="continuous"><origin xyz="0 0 0.5" rpy="0 0 0.3"/><axis xyz="1 0 0"/>
  <parent link="upper"/><child link="fore"/></joint>
<joint name="mount" type="fixed"><origin xyz="0 0 0.4"/>
  <parent link="fore"/><child link="tool"/></joint>
<joint name="grip" type="continuous"><origin xyz="0 0.1 0.4"/><axis xyz="0 0 1"/>
  <parent link="fore"/><child link="finger"/>{mimic}</joint>
</robot>"""
PLAIN = ROBOT.replace("{mimic}", "")
FOLLOWING = ROBOT.replace("{mimic}", '<mimic joint="elbow" multiplier="0.5"/>')
# MuJoCo makes an inertia of the shapes of a link that gives none
SHAPELESS = (
    PLAIN.replace("<collision>", "<!--")
    .replace("</collision>", "-->")
    .replace('<!--<geometry><box size="0.1 0.1 0.1"/></geometry>-->', "")
)
ENGINES = ["pinocchio", "mujoco"]

DAMAGE = [
    # what the engine reads in the place of what stands in the file, and what is found
    ('rpy="0.4 0.2 0"', "", "upper", "inertia", "rotated inertia"),
    ('xyz="0.1 0 0.2" ', "", "upper", "centre of mass", "dropped origin of the inertia"),
    ('<mass value="1.5"/>', '<mass value="1.4"/>', "fore", "mass", ""),
    ('izz="0.03"', 'izz="0.04"', "fore", "inertia", ""),
    ('<origin xyz="0 0 0.5" rpy="0 0 0.3"/>', "", "fore", "place", "origin of joint 'elbow'"),
    ('rpy="0 0 0.3"/><axis', "/><axis", "fore", "place", "origin of joint 'elbow'"),
    ('<axis xyz="1 0 0"/>', '<axis xyz="-1 0 0"/>', "fore", "place", "axis, sign"),
    ('name="elbow"', 'name="elbo"', "elbow", "joint", "the joint is lost"),
]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_is_read_alike_agrees(engine: str) -> None:
    pytest.importorskip(engine)
    found = compare_with(engine, SHAPELESS, da.load(SHAPELESS))
    assert found.ok, str(found)
    assert found.torques == 15
    assert str(found).startswith(f"{engine} agrees: ")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("old", "new", "place", "what", "reason"), DAMAGE)
def test_a_damaged_reading_is_explained(
    old: str, new: str, place: str, what: str, reason: str, engine: str
) -> None:
    pytest.importorskip(engine)
    assert SHAPELESS.count(old) == 1
    found = compare_with(engine, SHAPELESS.replace(old, new), da.load(SHAPELESS))
    assert not found.ok
    first = found.differences[0]
    assert (first.place, first.what) == (place, what), str(found)
    assert reason in first.reason
    if what == "joint":
        assert found.torque is None
    else:
        assert found.torque is not None
        assert place in found.torque.reason


def test_a_lost_mimic_is_found() -> None:
    pytest.importorskip("pinocchio")
    text = FOLLOWING.replace(
        '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>', ""
    )
    found = compare_with("pinocchio", text, da.load(text))
    (lost,) = found.differences
    assert (lost.place, lost.what, lost.ours) == ("grip", "mimic", "follows elbow")
    assert "mimic=True" in lost.reason
    # the torque of the master is the same all the same
    assert found.torque is None
    pytest.importorskip("mujoco")
    assert compare_with("mujoco", text, da.load(text)).ok


def test_masses_that_mujoco_makes_of_shapes_are_found() -> None:
    pytest.importorskip("mujoco")
    found = compare_with("mujoco", PLAIN, da.load(PLAIN))
    mass = found.differences[0]
    # by hand: a cube of 0.1 m of 1000 kg/m³, MuJoCo's default, is 1 kg
    assert (mass.place, mass.what, mass.ours, mass.theirs) == ("fore", "mass", "1.5", "2.5")
    assert mass.reason == "inertia made of the shapes of 'tool'"
    assert found.torque is not None


def test_a_refusal_has_the_words_of_the_engine() -> None:
    pytest.importorskip("mujoco")
    wrong = SHAPELESS.replace('ixx="0.05"', 'ixx="0.5"')
    found = compare_with("mujoco", wrong, da.load(wrong, accept_nonphysical=True))
    assert "A + B >= C" in found.refusal
    assert not found.ok


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(da.UnknownName, match="did you mean mujoco"):
        compare_with("mujocco", PLAIN, da.load(PLAIN))


ZOO = os.environ.get("DALEMBERT_ZOO")
# of the zoo, without damage: robots whose files both engines read as we do
AGREED = [
    "ur5e/ur5e.urdf",
    "g1/g1_29dof_rev_1_0.urdf",
    "iiwa14/iiwa14_primitive_collision.urdf",
    "simple_humanoid/simple_humanoid.urdf",
]


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to compare with")
@pytest.mark.parametrize("name", AGREED)
@pytest.mark.parametrize("engine", ENGINES)
def test_real_robots_agree(name: str, engine: str) -> None:
    pytest.importorskip(engine)
    path = Path(ZOO or "") / name
    if not path.exists():
        pytest.skip(f"the zoo has no {name}")
    robot = da.load(path, repair={"limits", "names", "elements"})
    assert compare_with(engine, path.read_text(encoding="utf-8"), robot).ok


def test_xacro_files_are_compared_as_what_they_expand_to(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    pytest.importorskip("mujoco")
    head = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'
    text = SHAPELESS.replace("<robot", head).replace('value="1.5"', 'value="${1 + 0.5}"')
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(text)
    (found,) = da.check_against(path, "mujoco", xacro=True)
    assert found.ok, str(found)
    assert (found.engine, found.torques) == ("mujoco", 15)
    with pytest.raises(da.InvalidMechanism, match="load it with xacro=True"):
        da.check_against(path, "mujoco")
    with pytest.raises(da.UnknownName, match="expected engines of pinocchio, mujoco"):
        da.check_against(SHAPELESS, "drake")
    (tmp_path / "arm.json").write_text(save_json(da.load(SHAPELESS)))
    with pytest.raises(da.InvalidMechanism, match=r"a \.urdf or \.xacro file to compare"):
        da.check_against(tmp_path / "arm.json", "mujoco")
