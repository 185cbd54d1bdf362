"""SDF: read from hand-written models with known dynamics, written and read again."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Box, Ellipsoid, JointKind, Mesh, Shape
from dalembert.mechanism.io.sdf.read import load_sdf
from dalembert.mechanism.io.sdf.write import save_sdf
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.tree import Tree
from tests.random_mechanisms import random_mechanism, random_state
from tests.unit.mechanism.io.sdf.sdf_models import SPELLINGS, UPPER, model

# rotations go through angles and products of doubles
ROUNDING = 1e-12
BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def hinge(joint: str, more: str = "", *, parent: str = "world") -> str:
    """Return a model of one link on a joint."""
    return model(
        f"<link name='a'>{BODY}</link><joint name='j' {joint}><parent>{parent}</parent>"
        f"<child>a</child>{more}</joint>"
    )


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_double_pendulum_in_every_spelling(spelling: str) -> None:
    """M and gravity by hand: planar, l₁ = 1, c₁ = 1/2, c₂ = 1/4, absolute angles q₁, q₁ + q₂."""
    arm = load_sdf(SPELLINGS[spelling])
    tree = Tree.of(arm).map(float)
    q1, q2 = q = [0.3, -0.8]
    m1, m2, l1, c1, c2, I1, I2, g = 2, 1, 1, 0.5, 0.25, 0.3, 0.1, 9.81
    k = m2 * l1 * c2 * math.cos(q2)
    M22 = I2 + m2 * c2**2
    M11 = I1 + m1 * c1**2 + m2 * l1**2 + M22 + 2 * k
    M = [[M11, M22 + k], [M22 + k, M22]]
    np.testing.assert_allclose(mass_matrix(tree, q), M, rtol=ROUNDING)
    low = m2 * g * c2 * math.sin(q1 + q2)
    rest = [(m1 * c1 + m2 * l1) * g * math.sin(q1) + low, low]
    np.testing.assert_allclose(inverse_dynamics(tree, q, [0, 0], [0, 0]), rest, rtol=ROUNDING)


def test_axis_limits_dynamics_and_mimic() -> None:
    found = load_sdf(
        model(
            f"<link name='a'>{BODY}</link><link name='b'>{BODY}</link>"
            "<joint name='lead' type='prismatic'><parent>world</parent><child>a</child><axis>"
            "<xyz>0 0 2</xyz><limit><lower>-1</lower><upper>2.5</upper><effort>7</effort>"
            "<velocity>-1</velocity></limit><dynamics><damping>0.5</damping><friction>0.25"
            "</friction><spring_reference>0.1</spring_reference><spring_stiffness>3"
            "</spring_stiffness></dynamics></axis></joint>"
            "<joint name='follow' type='continuous'><parent>a</parent><child>b</child><axis>"
            "<limit><lower>-inf</lower><upper>1e16</upper></limit><mimic joint='lead' axis='axis'>"
            "<multiplier>2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic>"
            "</axis></joint>"
        )
    )
    lead, follow = found.joint("lead"), found.joint("follow")
    assert lead.limits == (-1, 2.5, None, 7)
    assert {k: float(x) for k, x in lead.resistance.given.items()} == {
        "damping": 0.5,
        "friction": 0.25,
        "stiffness": 3,
        "rest": 0.1,
    }
    assert follow.limits == (None, None, None, None)
    # 2 (q - 0.1) + 0.3
    assert follow.mimic is not None
    assert (follow.mimic.multiplier, float(follow.mimic.offset)) == (2, 0.1)


def test_joint_types() -> None:
    kinds = {
        "type='fixed'": (JointKind.FIXED, 0),
        "type='ball'": (JointKind.SPHERICAL, 3),
        "type='prismatic'": (JointKind.PRISMATIC, 1),
        "type='continuous'": (JointKind.CONTINUOUS, 1),
    }
    for joint, (kind, nv) in kinds.items():
        axis = "" if nv != 1 else "<axis><xyz>0 1 0</xyz></axis>"
        more = f"<pose>0 0 1 0 0 0</pose>{axis}"
        found = load_sdf(hinge(joint, more))
        assert (found.joint("j").kind, found.nv) == (kind, nv)
    cross = load_sdf(hinge("type='universal'", "<axis/><axis2><xyz>1 0 0</xyz></axis2>"))
    assert [j.name for j in cross.joints] == ["j_1", "j_2"]
    assert [j.axis for j in cross.joints] == [(0, 0, 1), (1, 0, 0)]


def test_screws() -> None:
    """Metres for each turn, right-handed; of old radians for each metre, left-handed."""
    new = load_sdf(hinge("type='screw'", "<screw_thread_pitch>0.5</screw_thread_pitch><axis/>"))
    assert float(new.joint("j").pitch) == pytest.approx(0.5 / (2 * math.pi), rel=1e-15)
    old = load_sdf(hinge("type='screw'", "<thread_pitch>-20</thread_pitch><axis/>"))
    assert float(old.joint("j").pitch) == 0.05


def test_what_nothing_holds_floats() -> None:
    """As in Gazebo and Drake; a static model stands."""
    free = load_sdf(model(f"<pose>1 2 3 0 0 0</pose><link name='a'>{BODY}</link>"))
    assert free.joint("floating_base").kind is JointKind.FLOATING
    assert free.joint("floating_base").placement.p == (1, 2, 3)
    two = load_sdf(model(f"<link name='a'>{BODY}</link><link name='b'>{BODY}</link>"))
    assert two.nv == 12
    still = load_sdf(model(f"<static>true</static><link name='a'>{BODY}</link>"))
    assert (still.nv, still.root) == (0, "a")
    lone = load_sdf(
        model(f"<pose>1 2 3 0 0 0</pose><static>1</static><link name='a'>{BODY}</link>")
    )
    assert (lone.nv, lone.root) == (0, "world")


def test_worlds_and_gravity() -> None:
    one = f"<model name='m'><link name='a'>{BODY}</link></model>"
    world = "<sdf version='1.9'><world name='w'>{}" + one + "<light name='sun'/></world></sdf>"
    found = load_sdf(world.format("<gravity>0 0 -1.6</gravity>"))
    assert [float(x) for x in found.gravity] == [0, 0, -1.6]
    assert "ignored <light> of <world> (at line 1)" in found.notes
    # the default of the format; a model without a world has the usual one
    assert float(load_sdf(world.format("")).gravity[2]) == -9.8
    assert float(load_sdf(f"<sdf version='1.9'>{one}</sdf>").gravity[2]) == -9.81


def test_default_inertia_is_noted() -> None:
    found = load_sdf(model("<link name='a'/>"))
    assert found.link("a").inertia.m == 1
    assert any("SDF gives the link 1 kg" in note for note in found.notes)


def test_shapes() -> None:
    found = load_sdf(
        model(
            f"<link name='a'>{BODY}<visual name='case'><pose>1 0 0 0 0 0</pose><geometry><box>"
            "<size>1 2 3</size></box></geometry><material><diffuse>1 0 0 1</diffuse></material>"
            "</visual><visual name='bad'><geometry><plane/></geometry></visual>"
            "<collision name='c'><geometry><mesh><uri>model://r/a.stl</uri><scale>1 1 -1</scale>"
            "</mesh></geometry></collision></link>"
        )
    )
    (visual,), (collision,) = found.link("a").visuals, found.link("a").collisions
    assert (visual.geometry, visual.placement.p) == (Box((1, 2, 3)), (1, 0, 0))
    assert (visual.colour, visual.name) == ((1.0, 0.0, 0.0, 1.0), "case")
    assert collision.geometry == Mesh("model://r/a.stl", (1, 1, -1))
    assert any("got <plane>: the shape is left out" in note for note in found.notes)


FOUR_BAR = model(
    "".join(
        f"<link name='{name}'><pose>{pose}</pose>{BODY}</link>"
        for name, pose in (("a", "0 0 0 0 0 0"), ("b", "0 0 1 0 0 0"), ("c", "2 0 0 0 0 0"))
    )
    + "<joint name='ja' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 1 0"
    "</xyz></axis></joint><joint name='jb' type='revolute'><parent>a</parent><child>b</child>"
    "<axis><xyz>0 1 0</xyz></axis></joint><joint name='jc' type='revolute'><parent>world</parent>"
    "<child>c</child><axis><xyz>0 1 0</xyz></axis></joint>"
    "<joint name='close' type='{}'><pose relative_to='c'>0 0 1 0 0 0</pose>"
    "<parent>b</parent><child>c</child>{}</joint>"
)


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_joint_that_closes_a_ring_is_a_loop(kind: str) -> None:
    """A parallelogram: one degree of freedom."""
    axis = "<axis><xyz>0 1 0</xyz></axis>" if kind == "revolute" else ""
    found = load_sdf(FOUR_BAR.format(kind, axis))
    assert found.nv == 3
    assert found.degrees_of_freedom == 1
    assert [loop.name for loop in found.loops][:1] == ["close"]
    # written as joints again
    again = load_sdf(save_sdf(found))
    assert again.degrees_of_freedom == 1
    assert len(again.loops) == len(found.loops)


def test_a_fixed_ring_is_a_weld() -> None:
    found = load_sdf(FOUR_BAR.format("fixed", ""))
    assert [loop.kind for loop in found.loops] == ["frame"]
    assert found.degrees_of_freedom == 0


# ---- writing


def assert_same_motion(one: da.Mechanism, two: da.Mechanism, rng: np.random.Generator) -> None:
    """Check M and τ of the same state, joints matched by name."""
    (q, v), a = random_state(rng, one), rng.normal(size=one.nv)

    def by_name(values: np.ndarray, size: str) -> dict[str, np.ndarray]:
        found, at = {}, 0
        for joint in one.moving_joints:
            found[joint.name] = values[at : at + getattr(joint, size)]
            at += getattr(joint, size)
        return found

    def ordered(values: np.ndarray, size: str) -> list[float]:
        named = by_name(values, size)
        free = [x.name for x in one.moving_joints if x.kind is JointKind.FLOATING]
        names = [x.name if x.name in named else free[0] for x in two.moving_joints]
        return [float(x) for name in names for x in named[name]]

    ours = np.array(inverse_dynamics(Tree.of(one).map(float), list(q), list(v), list(a)), float)
    state = ordered(q, "nq"), ordered(v, "nv"), ordered(a, "nv")
    theirs = np.array(inverse_dynamics(Tree.of(two).map(float), *state), float)
    np.testing.assert_allclose(ordered(ours, "nv"), theirs, atol=ROUNDING * abs(ours).max())


KINDS = ("fixed", "revolute", "continuous", "prismatic", "helical", "universal", "spherical")


@pytest.mark.parametrize("case", range(6))
def test_random_mechanisms_read_the_same(case: int, rng: np.random.Generator) -> None:
    mechanism = random_mechanism(rng, 5, kinds=KINDS, armature=0, damping=0)
    again = load_sdf(save_sdf(mechanism))
    assert again.gravity == mechanism.gravity
    assert_same_motion(mechanism, again, rng)


def test_floating_bases_and_fixed_roots(rng: np.random.Generator, tmp_path: Path) -> None:
    arm = da.textbook.robots.ur5e()
    # the root is the mechanism's own again
    again = load_sdf(save_sdf(arm))
    assert [link.name for link in again.links] == [link.name for link in arm.links]
    assert [frame.name for frame in again.frames] == [frame.name for frame in arm.frames]
    assert_same_motion(arm, again, rng)
    floating = arm.with_floating_base("free")
    da.save(floating, tmp_path / "arm.sdf")
    assert_same_motion(floating, da.load(tmp_path / "arm.sdf"), rng)


def test_shapes_are_written(rng: np.random.Generator) -> None:
    pendulum = load_sdf(SPELLINGS["1.6"])
    shapes = (
        Shape(Box((1, 2, 3)), colour=(0.0, 1.0, 0.0, 0.5), name="one"),
        Shape(Ellipsoid((1, 2, 3)), name="two"),
        Shape(Mesh("package://a/b.dae", (1, 1, -1)), name="three"),
    )
    links = (pendulum.links[0], replace(pendulum.links[1], visuals=shapes), pendulum.links[2])
    found = load_sdf(save_sdf(replace(pendulum, links=links)))
    assert found.link("upper").visuals == shapes


def test_names_that_sdf_takes_for_others(tmp_path: Path, rng: np.random.Generator) -> None:
    nested = load_sdf(SPELLINGS["a model in a model"])
    with pytest.raises(InvalidMechanism, match="expected names that SDF can hold"):
        save_sdf(nested)
    notes = da.save(nested, tmp_path / "p.sdf")
    assert (
        "link 'leg::lower' is written as 'leg.lower_link': which stands for a nested model" in notes
    )
    assert_same_motion(nested, da.load(tmp_path / "p.sdf"), rng)
    same = da.Builder("m").link("a", mass=1, inertia=(1, 1, 1)).revolute("a", "a").build()
    (note,) = da.save(same, tmp_path / "m.sdf")
    assert note == "joint 'a' is written as 'a_joint': which two parts have"


def base(**options: Any) -> da.Builder:
    body = {"mass": 1, "inertia": (1, 1, 1)}
    builder = da.Builder("m").link("a", **body).revolute("j", "a", **options)
    return builder.link("b", **body).revolute("k", "b", origin=(1, 0, 0))


UNSAYABLE = {
    "armature of joint 'j'": base(armature=1),
    "stribeck of joint 'j'": base(stribeck=1),
    "'gear'": base().couple("gear", "j", "k", 2),
    "'motor'": base().actuator("motor", "j"),
    "'cord'": base().spring("cord", ("a", (0, 0, 0)), ("world", (0, 0, 0)), stiffness=1),
    "'ring'": base().loop("ring", ("b", (0, 1, 0)), ("world", (5, 0, 0))),
}


@pytest.mark.parametrize("words", UNSAYABLE)
def test_what_sdf_cannot_express(words: str, tmp_path: Path) -> None:
    mechanism = UNSAYABLE[words].build()
    with pytest.raises(InvalidMechanism, match=r"expected .* to write SDF, got .*") as caught:
        save_sdf(mechanism)
    assert words in str(caught.value)
    (note,) = da.save(mechanism, tmp_path / "m.sdf", drop=True)
    assert words.split()[0].strip("'") in note
    assert da.load(tmp_path / "m.sdf").nv == 2


# ---- included models


def test_includes_are_below_given_folders(tmp_path: Path) -> None:
    (tmp_path / "arm").mkdir()
    inner = model(f"<link name='upper'>{UPPER}</link>", name="arm")
    (tmp_path / "arm" / "model.sdf").write_text(inner, encoding="utf-8")
    text = model(
        "<include><uri>{}</uri><name>right</name><pose>0 0 1 0 0 0</pose></include>"
        "<joint name='j' type='revolute'><parent>world</parent><child>right::upper</child><axis/>"
        "</joint>"
    )
    packages = {"arm": tmp_path / "arm"}
    found = load_sdf(text.format("model://arm"), packages=packages)
    assert found.joint("j").child == "right::upper"
    assert found.joint("j").placement.p == (0, 0, 1)
    assert load_sdf(text.format("model://arm/model.sdf"), packages=packages) == found
    assert load_sdf(text.format("arm"), root=tmp_path) == found
    for uri in ("model://arm", "arm", "file:///etc/passwd"):
        with pytest.raises(InvalidMechanism, match="expected a model in one file"):
            load_sdf(text.format(uri))
    for uri in ("../arm", "model://arm/../x.sdf", "/etc/passwd", "http://x.org/a", "model://leg"):
        with pytest.raises(InvalidMechanism, match=r"text:2: <include>: .*expected"):
            load_sdf(text.format(uri), root=tmp_path / "arm", packages=packages)
