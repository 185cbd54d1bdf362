"""Saving with drop=True: everything that is left out has a note, and the rest is unchanged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.rotation import quaternion

mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

BODY = {"mass": 1, "com": (0, 0, 1), "inertia": (1, 1, 1)}


def robot() -> da.Mechanism:
    return (
        da.Builder("robot", gravity=(0, 0, -1.6))
        .link("a", **BODY)
        .revolute("j1", "a", axis="y", armature=0.5, stribeck=0.2, friction=0.1)
        .link("b", **BODY)
        .revolute("j2", "b", axis="y", origin=(1, 0, 0), stiffness=3, damping=0.5)
        .frame("tip", "b", origin=(0, 0, 2))
        .loop("ring", ("b", (1, 0, 0)), ("world", (1, 0, 0)))
        .couple("gear", "j1", "j2", 2)
        .actuator("motor", "j2", gear_ratio=-4, rotor_inertia=0.25, damping=0.5, friction=0.1)
        .spring("cord", ("b", (0, 0, 0)), ("world", (0, 0, 0)), stiffness=1)
        .build()
    )


def test_urdf(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    with pytest.raises(InvalidMechanism, match="expected a tree without loops"):
        da.save(robot(), path)
    assert not path.exists()
    notes = da.save(robot(), path, drop=True)
    words = ("'ring'", "'gear'", "'motor'", "'cord'", "gravity (0, 0, -1.6)", "stribeck")
    words += ("armature of joint 'j1'", "stiffness of joint 'j2'")
    assert len(notes) == len(words)
    for word in words:
        assert sum(word in note for note in notes) == 1, word
    found = da.load(path)
    assert [joint.name for joint in found.moving_joints] == ["j1", "j2"]
    assert found.joint("j1").resistance.given == {"friction": robot()["j1"].resistance.friction}


def test_mjcf(tmp_path: Path) -> None:
    """The motor becomes armature r² J, damping r² B and friction |r| F: the same dynamics."""
    path = tmp_path / "robot.xml"
    with pytest.raises(InvalidMechanism, match="expected no motors with rotors or friction"):
        da.save(robot(), path)
    notes = da.save(robot(), path, drop=True)
    assert len(notes) == 2
    found = da.load(path)
    assert float(found.joint("j2").armature) == 4.0
    assert float(found.joint("j2").resistance.damping) == 8.5
    assert float(found.joint("j2").resistance.friction) == pytest.approx(0.4)
    ours, theirs = (Tree.of(x).map(float) for x in (robot(), found))
    q, v = [0.3, -0.2], [0.0, 1.0]
    assert np.allclose(mass_matrix(ours, q), mass_matrix(theirs, q), rtol=1e-12)
    assert np.allclose(passive_forces(ours, q, v), passive_forces(theirs, q, v), rtol=1e-12)


def test_inertias_that_mujoco_refuses(tmp_path: Path) -> None:
    """They are refused here, by the name of the link, and repaired with a note on demand."""
    bad = da.Builder("bad").link("a", mass=1, inertia=(1, 1, 3)).revolute("j", "a")
    mechanism = bad.build(accept_nonphysical=True)
    path = tmp_path / "bad.xml"
    with pytest.raises(InvalidMechanism, match="expected an inertia of link 'a' that MuJoCo"):
        da.save(mechanism, path)
    notes = da.save(mechanism, path, drop=True)
    assert notes == ("the inertia of link 'a', which no body has, is changed",)
    assert mujoco.MjModel.from_xml_path(str(path)).nv == 1


def test_inertias_that_only_just_are_those_of_bodies(tmp_path: Path) -> None:
    """Two masses on a line turn about it without inertia: rounding must not make it negative."""
    rods = [(-0.0002, 0.0001, 0.0011), (0.3, -0.7, 0.9), (1e-3, 2e-3, -7e-3)]
    for com in rods:
        point = da.Builder("rod").link("base", mass=1, inertia=(1, 1, 1)).revolute("j", "base")
        point.link("a", mass=0.018, com=com).fixed("weld", "a")
        da.save(point.build().with_payload("a", mass=0.5), tmp_path / "rod.xml")
        assert mujoco.MjModel.from_xml_path(str(tmp_path / "rod.xml")).nv == 1


def test_inertia_without_mass(tmp_path: Path) -> None:
    builder = da.Builder("m", root="base").link("a", **BODY).revolute("j", "a")
    mechanism = builder.build()
    root = da.Link("base", Inertia(0, (0, 0, 0), (1, 1, 1, 0, 0, 0)), True)
    mechanism = replace(mechanism, links=(root, *mechanism.links[1:]), accept_nonphysical=True)
    with pytest.raises(InvalidMechanism, match="with a mass, got a moment of inertia without one"):
        da.save(mechanism, tmp_path / "m.xml")
    notes = da.save(mechanism, tmp_path / "m.xml", drop=True)
    assert notes == ("the inertia of link 'base', which has no mass, is not written",)


def test_nothing_is_dropped_without_need(tmp_path: Path) -> None:
    arm = da.textbook.robots.ur5e()
    for ending in ("xml", "json"):
        assert da.save(arm, tmp_path / f"arm.{ending}", drop=True) == ()
    # URDF wants limits of speed and effort
    bounded = [
        replace(x, limits=x.limits._replace(velocity=3, effort=100)) if x.is_scalar else x
        for x in arm.joints
    ]
    assert da.save(replace(arm, joints=tuple(bounded)), tmp_path / "arm.urdf", drop=True) == ()
    assert da.save(robot(), tmp_path / "robot.json", drop=True) == ()
    assert da.load(tmp_path / "robot.json") == robot()


def test_joints_that_urdf_lacks_are_refused_all_the_same(tmp_path: Path) -> None:
    screw = da.Builder("screw").link("a", **BODY).helical("j", "a", pitch=0.1).build()
    with pytest.raises(InvalidMechanism, match="helical joint 'j'"):
        da.save(screw, tmp_path / "screw.urdf", drop=True)


def test_ball_joints_are_hinges_in_urdf(tmp_path: Path) -> None:
    """R = R_z R_y R_x, at the same place, with the same kinetic energy."""
    ball = (
        da.Builder("ball")
        .link("a", **BODY)
        .spherical("j", "a", origin=(1, 2, 3), rpy=(0.3, 0, 0), damping=0.1)
        .keyframe("home", {"j": (1, 0, 0, 0)})
        .build()
    )
    path = tmp_path / "ball.urdf"
    with pytest.raises(InvalidMechanism, match="spherical joint 'j'"):
        da.save(ball, path)
    assert set(da.save(ball, path, drop=True)) == {
        "ball joint 'j' is written as three hinges, z, y and x, without its damping: URDF has none",
        "keyframe 'home' is not written: URDF has none",
    }
    hinges = da.compile(da.load(path), "numpy")
    angles, rates = np.array([0.4, -0.7, 0.2]), np.array([1.0, 0.5, -0.3])
    half = angles / 2
    turns = [(np.cos(h), *(np.sin(h) * e)) for h, e in zip(half, np.eye(3)[::-1], strict=True)]
    q: Any = (1.0, 0.0, 0.0, 0.0)
    for turn in turns:
        q = quaternion.product(q, turn)
    model = da.compile(ball, "numpy")
    pose = model.forward_kinematics(q, "a")
    assert np.abs(hinges.forward_kinematics(angles, "a") - pose).max() < 1e-14
    # the angular velocity in the link, and so the energy
    omega = pose[:3, :3].T @ hinges.jacobian(angles, "a")[3:] @ rates
    T = float(model.kinetic_energy(q, omega))
    assert abs(float(hinges.kinetic_energy(angles, rates)) - T) < 1e-14 * T


def test_what_depends_on_the_time(tmp_path: Path) -> None:
    """Files of numbers refuse it, JSON holds it; a drive is dropped with a note."""
    swing = da.sin(da.time)
    builders = [
        da.Builder("m", gravity=(0, 0, swing)).link("a", **BODY).revolute("j", "a"),
        da.Builder("m").link("a", **BODY).revolute("j", "a", damping=2 + swing),
        da.Builder("m").link("a", **BODY).revolute("j", "a").drive("d", "j", swing),
    ]
    for builder in builders:
        mechanism = builder.build()
        for ending in ("urdf", "xml", "sdf"):
            with pytest.raises(InvalidMechanism, match="expected"):
                da.save(mechanism, tmp_path / f"m.{ending}")
        da.save(mechanism, tmp_path / "m.json")
        assert da.load(tmp_path / "m.json") == mechanism
    for ending in ("urdf", "xml", "sdf"):
        (note,) = da.save(builders[2].build(), tmp_path / f"m.{ending}", drop=True)
        assert "'d' is not written" in note
