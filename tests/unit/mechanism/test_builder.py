"""The builder: every method, and every error it can give."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidExpression, InvalidMechanism
from dalembert.mechanism import Builder, JointKind, Limits, Mechanism, Mimic
from dalembert.mechanism.mechanism import STANDARD_GRAVITY
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.tree import Tree
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, multiply, transpose

ROUNDING = 1e-14


def body() -> dict[str, Any]:
    return {"mass": 1, "com": (0.1, 0, 0), "inertia": (1, 2, 3)}


def test_joints_follow_each_other_by_default() -> None:
    arm = Builder("arm").link("a").link("b").revolute("j1", "a").revolute("j2", "b").build()
    assert [joint.parent for joint in arm.joints] == ["world", "a"]
    tree = (
        Builder("tree", root="base")
        .link("a")
        .link("b")
        .revolute("j1", "a")
        .revolute("j2", "b", parent="base")
        .build()
    )
    assert [joint.parent for joint in tree.joints] == ["base", "base"]


def test_gravity() -> None:
    assert Builder("a").build().gravity == STANDARD_GRAVITY == (0, 0, Fraction(-981, 100))
    assert Builder("a", gravity=(0, -9.8, 0)).build().gravity == (0, Fraction(-49, 5), 0)


def test_every_scalar_joint() -> None:
    arm = (
        Builder("arm")
        .link("a", **body())
        .link("b", **body())
        .link("c", **body())
        .link("d", **body())
        .link("e", **body())
        .fixed("weld", "a")
        .revolute("hinge", "b", axis="-x", limits=(-1, 2), damping=0.5, armature=0.25)
        .continuous("wheel", "c", axis="y")
        .prismatic("slide", "d", axis=(0, 0, -3), friction=0.1)
        .helical("screw", "e", pitch=0.01, stiffness=2, rest=0.1)
        .build()
    )
    assert [joint.kind.value for joint in arm.joints] == [
        "fixed",
        "revolute",
        "continuous",
        "prismatic",
        "helical",
    ]
    hinge, slide, screw = arm.joint("hinge"), arm.joint("slide"), arm.joint("screw")
    assert hinge.axis == (-1, 0, 0)
    assert hinge.limits == Limits(-1, 2)
    assert (hinge.resistance.damping, hinge.armature) == (Fraction(1, 2), Fraction(1, 4))
    # along a coordinate axis only the direction counts
    assert slide.axis == (0, 0, -1)
    assert (slide.turn, slide.slide, hinge.turn, hinge.slide) == (0, 1, 1, 0)
    assert (screw.turn, screw.slide, screw.resistance.rest) == (
        1,
        Fraction(1, 100),
        Fraction(1, 10),
    )
    assert (arm.nq, arm.nv) == (4, 4)


def test_joints_of_several_freedoms() -> None:
    arm = (
        Builder("arm")
        .link("a", **body())
        .link("b", **body())
        .link("c", **body())
        .link("d", **body())
        .floating("free", "a")
        .spherical("ball", "b")
        .universal("cross", "c", axes=("x", "z"))
        .planar("table", "d", axis="y")
        .build()
    )
    assert (arm.nq, arm.nv) == (7 + 4 + 2 + 3, 6 + 3 + 2 + 3)
    assert [joint.name for joint in arm.joints[2:]] == [
        "cross_1",
        "cross_2",
        "table_z",
        "table_x",
        "table_turn",
    ]
    assert arm.joint("table_turn").kind is JointKind.CONTINUOUS
    assert arm.joint("table_turn").axis == (0, 1, 0)
    assert arm.link("cross_cross").is_massless
    assert not arm.joint("free").is_scalar


def test_a_planar_joint_moves_across_its_axis() -> None:
    arm = Builder("arm").link("a", **body()).planar("p", "a", axis="x", origin=(1, 2, 3)).build()
    X = forward_kinematics(Tree.of(arm), [0.5, 0.25, 0.3])[-1]
    assert np.array(X.p, dtype=float) == pytest.approx([1, 2.5, 3.25])
    assert X.R[0] == (1, 0, 0)
    assert float(X.R[2][1]) == pytest.approx(np.sin(0.3))


def test_a_skew_axis_turns_the_joint_frame(rng: np.random.Generator) -> None:
    """The axis becomes z of a turned frame; the pose is that of Rodrigues about the axis."""
    from scipy.linalg import expm

    for axis in rng.normal(size=(5, 3)):
        arm = (
            Builder("arm")
            .link("a", **body())
            .revolute("j", "a", axis=tuple(axis), origin=(0.1, 0.2, 0.3), rpy=(0.4, 0.5, 0.6))
            .build()
        )
        joint = arm.joint("j")
        assert joint.axis == (0, 0, 1)
        R = joint.placement.R
        assert multiply(R, transpose(R)) == IDENTITY
        zero, turned = (forward_kinematics(Tree.of(arm), [q])[-1] for q in (0, 0.7))
        u = 0.7 * axis / np.linalg.norm(axis)
        hat = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        expected = np.array(zero.R, dtype=float) @ expm(hat)
        assert np.array(turned.R, dtype=float) == pytest.approx(expected, abs=ROUNDING)
        assert zero.p == (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10))


def test_placement_and_after() -> None:
    X = Pose(p=(1, 2, 3))
    arm = Builder("arm").link("a").revolute("j", "a", placement=X, after=Pose(p=(0, 0, 1))).build()
    assert arm.joint("j").placement == X
    assert forward_kinematics(Tree.of(arm), [0])[-1].p == (1, 2, 4)


def test_mimic_loops_frames_and_couplings() -> None:
    arm = (
        Builder("arm")
        .link("a", **body())
        .link("b", **body())
        .revolute("j1", "a")
        .revolute("j2", "b", mimic=("j1", -0.5, 0.25))
        .frame("tool", "b", origin=(1, 0, 0))
        .loop("ring", ("a", (1, 0, 0)), ("b", (0, 1, 0)), kind="frame")
        .couple("gear", "j1", "j1", 2, 0.5)
        .build()
    )
    assert arm.joint("j2").mimic == Mimic("j1", Fraction(-1, 2), Fraction(1, 4))
    assert arm.joint("j2").nv == 0
    assert arm.frame("tool").placement.p == (1, 0, 0)
    assert arm.frame("b").link == "b"
    (loop,) = arm.loops
    assert (loop.kind, loop.first.link, loop.second.placement.p) == ("frame", "a", (0, 1, 0))
    assert arm.couplings[0].law.coefficients(1) == (Fraction(1, 2), 2)
    same = Builder("arm").link("a").link("b").revolute("j1", "a").revolute("j2", "b", mimic=("j1",))
    assert same.build().joint("j2").mimic == Mimic("j1", 1, 0)


def test_symbols_stay() -> None:
    m, l, r = da.parameters("m l r")
    arm = (
        Builder("arm")
        .link("a", mass=m, com=(l, 0, 0))
        .revolute("j", "a", origin=(r, 0, 0), armature=m * r**2)
        .build()
    )
    assert arm.parameters == (l, m, r)
    # without a moment of inertia the link is a point mass
    assert arm.link("a").inertia.about_com()[0][0] == 0


def build(change: Any) -> Mechanism:
    return change(Builder("arm").link("a", **body())).build()


ERRORS = {
    "axis zero": (
        lambda b: b.revolute("j", "a", axis=(0, 0, 0)),
        r"expected an axis with a direction for joint 'j', got \(0, 0, 0\): give the axis",
    ),
    "axis name": (
        lambda b: b.revolute("j", "a", axis="w"),
        "expected an axis x, y, z, -x, -y, -z or three numbers for joint 'j', got 'w'",
    ),
    "planar axis": (
        lambda b: b.planar("j", "a", axis="-z"),
        "expected axis x, y or z for planar joint 'j', got '-z'",
    ),
    "loop kind": (
        lambda b: b.loop("l", ("a", (0, 0, 0)), ("world", (0, 0, 0)), kind="weld"),
        "expected loop kind 'point' or 'frame', got 'weld'",
    ),
    "inertia of four numbers": (
        lambda b: b.link("b", mass=1, inertia=(1, 2, 3, 4)),
        "expected 3 or 6 numbers for the inertia of link 'b', got 4",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case: str) -> None:
    change, message = ERRORS[case]
    with pytest.raises(InvalidMechanism, match=message):
        build(change)


def test_numbers_are_checked() -> None:
    with pytest.raises(InvalidExpression, match="expected a number or an expression, got 'heavy'"):
        Builder("arm").link("a", mass="heavy")  # type: ignore[arg-type]
    with pytest.raises(InvalidExpression, match="expected three components, got 2"):
        Builder("arm").link("a").revolute("j", "a", origin=(1, 2))
    with pytest.raises(InvalidExpression, match="expected three components, got 4"):
        Builder("arm", gravity=(0, 0, 0, 1))


def test_links_with_and_without_inertia() -> None:
    arm = Builder("arm").link("a", mass=0).link("b").fixed("f", "a").fixed("g", "b").build()
    assert arm.link("a").has_inertia
    assert arm.link("a").is_massless
    assert not arm.link("b").has_inertia
    six = Builder("arm").link("a", mass=1, inertia=(4, 5, 6, 0.1, 0.2, 0.3))
    assert (4, 5, 6, Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)) == six.links[1].inertia.I
