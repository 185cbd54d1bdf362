"""Tendons of MJCF as springs, dampers and armature: the same forces as MuJoCo's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import JointSpring, PointSpring
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree
from tests.unit.mechanism.io.mjcf.mjcf_models import mujoco, mujoco_dynamics

ROUNDING = 1e-12

ARM = """<mujoco><worldbody><site name="wall" pos="1 0.5 0.2"/>
  <body name="a"><joint name="x" axis="0 1 0" stiffness="2" springref="30" damping="0.1"/>
    <inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/><site name="on_a" pos="0.2 0.1 0"/>
    <body name="b" pos="0.4 0 0"><joint name="y" axis="1 1 0" ref="20"/>
      <inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/><site name="on_b" pos="0 0.1 0.3"/>
      <site name="also_b" pos="0.3 0 0"/>
      <body name="c" pos="0.3 0 0"><joint name="z" type="slide" axis="0 0 1"/>
        <inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/></body>
  </body></body></worldbody><tendon>{}</tendon>{}</mujoco>"""

CARRIED = {
    "of one joint": """<fixed name="t" stiffness="3" springlength="0.4" damping="0.5"
      armature="0.3"><joint joint="x" coef="-2"/></fixed>""",
    "of one joint with another spring": """<fixed name="t" stiffness="3" springlength="0.4">
      <joint joint="x" coef="1.5"/></fixed><fixed name="u" damping="2"><joint joint="x" coef="3"/>
      </fixed><fixed name="v" stiffness="1" springlength="0.1"><joint joint="x" coef="1"/>
      </fixed>""",
    "of two joints": """<fixed name="t" stiffness="3" springlength="0.4" damping="0.5">
      <joint joint="y" coef="2"/><joint joint="z" coef="-0.5"/></fixed>""",
    "of three joints": """<fixed name="t" stiffness="3" springlength="0.4" damping="0.5"
      armature="2"><joint joint="y" coef="2"/><joint joint="z" coef="-0.5"/>
      <joint joint="x" coef="0.3"/></fixed>""",
    "between points": """<spatial name="t" stiffness="4" springlength="0.2" damping="0.5">
      <site site="wall"/><site site="on_b"/></spatial>""",
    "of two joints, with inertia": """<fixed name="t" damping="0.5" armature="2">
      <joint joint="y" coef="2"/><joint joint="z" coef="-0.5"/></fixed>""",
    "between points, with inertia": """<spatial name="t" stiffness="4" springlength="0.2"
      armature="3"><site site="wall"/><site site="on_b"/></spatial>""",
    "inertia alone": """<spatial name="t" armature="3"><site site="on_a"/><site site="on_b"/>
      </spatial><fixed name="u" armature="2"><joint joint="x" coef="3"/></fixed>""",
    "between points, resting at the start": """<spatial name="t" stiffness="4">
      <site site="on_a"/><site site="on_b"/></spatial>""",
}


def compare(mechanism: da.Mechanism, model: object, rng: np.random.Generator) -> None:
    """Check M, the bias and the passive forces at random states."""
    tree = Tree.of(mechanism).map(float)
    for _ in range(3):
        q, v = rng.uniform(-1, 1, 3), rng.normal(size=3)
        theirs = mujoco_dynamics(model, q, v)
        ours = np.array(passive_forces(tree, q.tolist(), v.tolist()), float)
        np.testing.assert_allclose(ours, theirs.passive, atol=ROUNDING * 100)
        M = np.array(mass_matrix(tree, q.tolist()), float)
        np.testing.assert_allclose(M, theirs.M, atol=ROUNDING)
        h = inverse_dynamics(tree, q.tolist(), v.tolist(), [0.0] * 3)
        np.testing.assert_allclose(np.array(h, float), theirs.h, atol=ROUNDING * 100)


@pytest.mark.parametrize("case", CARRIED)
def test_forces_are_those_of_mujoco(case: str, rng: np.random.Generator) -> None:
    text = ARM.format(CARRIED[case], "")
    found = load_mjcf(text)
    assert not [note for note in found.notes if "tendon" in note]
    compare(found, mujoco.MjModel.from_xml_string(text), rng)
    # and what we write of it
    again = save_mjcf(found)
    compare(found, mujoco.MjModel.from_xml_string(again), rng)
    compare(load_mjcf(again), mujoco.MjModel.from_xml_string(text), rng)


def test_springs_by_name() -> None:
    found = load_mjcf(
        ARM.format(CARRIED["of two joints"] + CARRIED["between points"].replace('"t"', '"s"'), "")
    )
    joints, points = found.springs
    assert isinstance(joints, JointSpring)
    (y, a), (z, b) = joints.terms
    assert (y, z, a, joints.stiffness, joints.damping) == ("y", "z", 2, 3, 0.5)
    assert (float(b), float(joints.rest)) == (-0.5, 0.4)
    assert isinstance(points, PointSpring)
    assert (points.first.link, points.second.link, points.stiffness) == ("world", "b", 4)


@pytest.mark.parametrize(
    ("tendon", "note"),
    [
        ("""<spatial name="t" armature="2"><site site="wall"/><site site="on_a"/>
         <site site="on_b"/></spatial>""",
         "armature of tendons t is not carried: the mass matrix lacks"),
        ("""<fixed name="t" stiffness="1" springlength="0 1"><joint joint="x" coef="1"/></fixed>""",
         "springs of tendons t are not carried"),
        ("""<spatial name="t" damping="1"><site site="wall"/><site site="on_a"/>
         <site site="on_b"/></spatial>""", "damping of tendons t are not carried"),
        ("""<fixed name="t" frictionloss="1"><joint joint="x" coef="1"/></fixed>""",
         "friction of tendons t are not carried"),
    ],
)  # fmt: skip
def test_what_is_not_carried_is_noted(tendon: str, note: str) -> None:
    assert any(note in line for line in load_mjcf(ARM.format(tendon, "")).notes)


def test_armature_between_branches_is_whole() -> None:
    """T = ½ 3 (q̇₁ + 2 q̇₂)²: MuJoCo's sparse M has no place for the 6 between two branches."""
    body = """<body><joint name="{}" axis="0 1 0"/><inertial pos="0 0 0" mass="1"
        diaginertia="1 1 1"/></body>"""
    text = f"""<mujoco><worldbody>{body.format("x")}{body.format("y")}</worldbody><tendon>
        <fixed name="t" armature="3"><joint joint="x" coef="1"/><joint joint="y" coef="2"/></fixed>
        </tendon></mujoco>"""
    found = load_mjcf(text)
    M = np.array(mass_matrix(Tree.of(found).map(float), [0.0, 0.0]), float)
    assert np.array_equal(M, [[4, 6], [6, 13]])
    theirs = mujoco_dynamics(mujoco.MjModel.from_xml_string(text), np.zeros(2), np.zeros(2))
    assert np.array_equal(theirs.M, [[4, 0], [0, 13]])
    assert any("armature of tendons t ties branches" in note for note in found.notes)
    for case in ("of two joints, with inertia", "between points, with inertia"):
        assert not any("branches" in x for x in load_mjcf(ARM.format(CARRIED[case], "")).notes)


def test_springs_of_any_sign_are_written(rng: np.random.Generator, tmp_path: Path) -> None:
    """A rest position may be negative; a spring that pushes is none of MuJoCo's."""
    base = load_mjcf(ARM.format(CARRIED["of two joints"], ""))
    (spring,) = base.springs
    assert isinstance(spring, JointSpring)
    for rest in (-0.7, 0, 1):
        changed = replace(base, springs=(spring._replace(rest=rest),))
        compare(changed, mujoco.MjModel.from_xml_string(save_mjcf(changed)), rng)
    pushing = replace(base, springs=(spring._replace(stiffness=-1),))
    with pytest.raises(da.InvalidMechanism, match="springs that push"):
        da.save(pushing, tmp_path / "m.xml")
    (note,) = da.save(pushing, tmp_path / "m.xml", drop=True)
    assert note == "spring 't' is not written: MuJoCo has none that push"


def test_effort_limits_of_joints() -> None:
    """MuJoCo bounds the actuator forces on a joint: our limit of effort, read and written."""
    text = ARM.replace('name="z"', 'name="z" actuatorfrcrange="-3 5"').format("", "")
    found = load_mjcf(text.replace("<tendon></tendon>", ""))
    assert found.joint("z").limits.effort == 5
    assert found.joint("x").limits.effort is None
    assert load_mjcf(save_mjcf(found)).joint("z").limits.effort == 5


def test_limits_that_mjcf_lacks_are_noted(tmp_path: Path) -> None:
    body = {"mass": 1, "inertia": (1, 1, 1)}
    builder = da.Builder("m").link("a", **body).revolute("j", "a", limits=(None, 1, 2, 3))  # type: ignore[arg-type]
    assert da.save(builder.build(), tmp_path / "m.xml") == (
        "limits of speed are not written: MJCF has none",
        "the limit of joint 'j' is not written: MJCF has two or none",
    )
    builder = da.Builder("m").link("a", **body).revolute("j", "a", limits=(1, 1, None, 0))  # type: ignore[arg-type]
    (note,) = da.save(builder.build(), tmp_path / "m.xml")
    assert note == "limits of joint 'j' without room are not written: MuJoCo refuses"
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).nv == 1
