"""Worlds with several models: one by name, or all on one root."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da

INERTIAL = (
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
)
HINGE = (
    "<joint name='j' type='revolute'><parent>world</parent><child>a</child>"
    "<axis><xyz>0 0 1</xyz></axis></joint>"
)


def model(name: str, pose: str, more: str = HINGE) -> str:
    return f"<model name='{name}'><pose>{pose}</pose><link name='a'>{INERTIAL}</link>{more}</model>"


WORLD = (
    "<sdf version='1.9'><world name='cell'><gravity>0 0 -1.6</gravity>"
    + model("one", "1 0 0 0 0 0")
    + model("two", "0 2 0 0 0 0")
    + model("box", "0 0 3 0 0 0", "")
    + "</world></sdf>"
)


def test_one_of_several_is_chosen_by_name() -> None:
    two = da.load(WORLD, model="two")
    assert (two.name, two.nv) == ("two", 1)
    assert da.compile(two).forward_kinematics([0.0], "a")[:3, 3].tolist() == [0, 2, 0]


def test_all_stand_on_one_root() -> None:
    cell = da.load(WORLD, model="*")
    assert (cell.name, cell.root, cell.nv) == ("cell", "world", 8)
    assert [float(x) for x in cell.gravity] == [0, 0, -1.6]
    compiled = da.compile(cell)
    q = compiled.neutral
    names = ["one::a", "two::a", "box::a"]
    places = compiled.forward_kinematics(q, names)[:, :3, 3]
    assert places.tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
    # they do not act on each other: M of the forest has the masses of each
    assert np.allclose(np.diag(compiled.mass_matrix(q)), 1)


def test_without_a_choice_the_models_are_listed() -> None:
    for choice in ({}, {"model": "tree"}):
        with pytest.raises(da.InvalidMechanism) as caught:
            da.load(WORLD, **choice)  # type: ignore[arg-type]
        assert "got 3: 'one', 'two', 'box': choose one with model=" in str(caught.value)


def test_included_models_are_chosen_too(tmp_path: Path) -> None:
    folder = tmp_path / "arms" / "left"
    folder.mkdir(parents=True)
    text = f"<sdf version='1.9'>{model('arm', '0 0 0 0 0 0')}</sdf>"
    (folder / "model.sdf").write_text(text, encoding="utf-8")
    include = "<include><uri>model://arms/left</uri><name>third</name></include>"
    world = WORLD.replace("</world>", f"{include}</world>")
    found = da.load(world, model="third", packages={"arms": tmp_path / "arms"})
    assert (found.name, found.nv) == ("third", 1)
    assert da.load(world, model="*", packages={"arms": tmp_path / "arms"}).nv == 9


def test_urdf_may_hang_on_a_world_that_it_does_not_declare() -> None:
    body = (
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial>"
    )
    robot = da.load(
        f"<robot name='r'><link name='a'>{body}</link><joint name='w' type='continuous'>"
        "<parent link='world'/><child link='a'/></joint></robot>"
    )
    assert (robot.root, robot.nv) == ("world", 1)
    assert robot.notes == ("added link 'world', which the file does not have (at line 1)",)
