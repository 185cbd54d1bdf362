"""Keyframes: configurations with a name, in files, edits and models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.tree import Tree

BODY = {"mass": 1, "com": (0.1, 0.2, 0.3), "inertia": (1, 1, 1)}
HOME = {"base": (1, 2, 3, 0.5, 0.5, -0.5, 0.5), "ball": (0.6, 0, 0.8, 0), "slide": 0.25}
# through doubles and quaternions
ROUNDING = 1e-12


def robot() -> da.Mechanism:
    """Return two branches on a floating base, in another order than MuJoCo's."""
    return (
        da.Builder("r")
        .link("trunk", **BODY)
        .floating("base", "trunk", origin=(0.5, 0, 0), rpy=(0, 0, 0.3))
        .link("left", **BODY)
        .link("right", **BODY)
        .spherical("ball", "left", parent="trunk", origin=(0, 1, 0))
        .prismatic("slide", "right", parent="trunk", axis="y", reference=0.1)
        .link("tip", **BODY)
        .revolute("hinge", "tip", parent="left", origin=(0, 0, 1))
        .link("follower", **BODY)
        .revolute("mimic", "follower", parent="right", mimic=("slide", 2, 0.1))
        .keyframe("home", HOME)
        .keyframe("bent", {"hinge": -1})
        .build()
    )


def test_model_gives_configurations_by_name() -> None:
    model = da.compile(robot())
    q = model.keyframe("home")
    assert q.tolist() == [1, 2, 3, 0.5, 0.5, -0.5, 0.5, 0.6, 0, 0.8, 0, 0.25, 0]
    assert model.keyframe("bent").tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, -1]
    with pytest.raises(UnknownName, match=r"expected a keyframe of r, got 'hom' .*home"):
        model.keyframe("hom")
    again = robot().add_keyframe("again", q).keyframe("again")
    np.testing.assert_array_equal(np.array(again.configuration(robot().joints), float), q)


def test_json() -> None:
    assert load_json(save_json(robot())) == robot()


def test_mjcf_against_mujoco() -> None:
    """MuJoCo, put at the keyframe, has every body where we have it."""
    mujoco = pytest.importorskip("mujoco")
    mechanism = robot()
    m = mujoco.MjModel.from_xml_string(save_mjcf(mechanism))
    d = mujoco.MjData(m)
    model = da.compile(mechanism)
    tree = Tree.of(mechanism).map(float)
    found = load_mjcf(save_mjcf(mechanism))
    for name in ("home", "bent"):
        mujoco.mj_resetDataKeyframe(m, d, m.key(name).id)
        mujoco.mj_kinematics(m, d)
        poses = forward_kinematics(tree, model.keyframe(name).tolist())
        for node, X in zip(tree.nodes, poses[1:], strict=True):
            np.testing.assert_allclose(d.body(node.name).xpos, np.array(X.p, float), atol=ROUNDING)
        # and back: our q of the file is MuJoCo's qpos, by joint
        q = np.array(found.keyframe(name).configuration(found.joints), float)
        assert q.shape == d.qpos.shape
        for joint in ("ball", "slide", "hinge"):
            place = da.compile(found).joint(joint).q
            np.testing.assert_allclose(q[place], d.joint(joint).qpos, atol=ROUNDING)


def test_mjcf_velocities_and_controls_are_noted() -> None:
    pytest.importorskip("mujoco")
    found = load_mjcf(
        '<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
        '<keyframe><key qpos="2"/><key name="fast" qvel="3"/></keyframe></mujoco>'
    )
    assert [x.name for x in found.keyframes] == ["key0", "fast"]
    assert found.keyframe("key0").positions == (("j", (2,)),)
    assert "velocities of keyframes fast are not carried" in found.notes


def test_urdf_notes_what_it_lacks(tmp_path: Path) -> None:
    arm = da.textbook.robots.ur5e().add_keyframe("home", [0.1] * 6)
    notes = da.save(arm, tmp_path / "arm.urdf")
    assert "keyframe 'home' is not written: URDF has none" in notes


def test_edits() -> None:
    mechanism = robot()
    assert dict(mechanism.rename({"hinge": "elbow"}).keyframe("bent").positions) == {"elbow": (-1,)}
    locked = mechanism.lock("hinge", at={"hinge": -1})
    assert locked.keyframe("bent").positions == ()
    assert mechanism.remove("tip").keyframe("bent").positions == ()
    assert [x.name for x in mechanism.remove("home").keyframes] == ["bent"]
    both = mechanism.attach(mechanism.remove("trunk"), "tip", prefix="x_")
    assert [x.name for x in both.keyframes] == ["home", "bent", "x_home", "x_bent"]
    euler = mechanism.with_euler_angles()
    assert [x.name for x in euler.keyframes] == ["bent"]
    assert "keyframe 'home' left out: it has a rotation as a quaternion" in euler.notes


def test_mirror_image_of_a_configuration() -> None:
    """Every link of the image is at S X S."""
    mechanism = robot()
    image = mechanism.mirror("y")
    S = np.diag([1.0, -1.0, 1.0])
    ours, theirs = (
        forward_kinematics(Tree.of(x).map(float), da.compile(x).keyframe("home").tolist())
        for x in (mechanism, image)
    )
    for X, Y in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(S @ np.array(X.p, float), np.array(Y.p, float), atol=ROUNDING)
        turned = S @ np.array(X.R, float) @ S
        np.testing.assert_allclose(turned, np.array(Y.R, float), atol=ROUNDING)


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        ({"hing": 1}, "got 'hing' .*did you mean hinge"),
        ({"mimic": 1}, "expected positions of moving joints"),
        ({"ball": 1}, "expected 4 numbers for joint 'ball' in keyframe 'k', got 1"),
        ({"ball": (1, 1, 0, 0)}, "expected a quaternion of length 1"),
        ({"hinge": float("nan")}, "expected"),
    ],
)
def test_wrong_positions_are_refused(positions: dict[str, float], words: str) -> None:
    builder = da.Builder("r").link("a", **BODY).spherical("ball", "a")
    builder.link("b", **BODY).revolute("hinge", "b")
    builder.link("c", **BODY).revolute("mimic", "c", mimic=("hinge", 1))
    with pytest.raises((InvalidMechanism, UnknownName, da.InvalidExpression), match=words):
        builder.keyframe("k", positions).build()
