"""Edits of a mechanism: what each keeps, drops with a note, and refuses."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, InvalidMechanism
from dalembert.mechanism import Builder, JointKind, Mechanism
from dalembert.mechanism.parts.law import Law

BODY = {"mass": 1, "inertia": (1, 1, 1)}


def hand() -> Mechanism:
    """Return two fingers on a base, with every kind of part."""
    return (
        Builder("hand")
        .link("palm", **BODY)
        .revolute("wrist", "palm", axis="z")
        .link("left", **BODY)
        .revolute("finger", "left", parent="palm", axis="y", origin=(1, 0, 0))
        .link("right", **BODY)
        .revolute("thumb", "right", parent="palm", axis="y", mimic=("finger", -1))
        .link("nail", **BODY)
        .revolute("tip_joint", "nail", parent="left", origin=(0, 0, 1))
        .frame("tip", "nail", origin=(0, 0, 0.5))
        .loop("ring", ("nail", (0, 0, 1)), ("world", (2, 0, 1)))
        .couple("gear", "tip_joint", "finger", 2)
        .actuator("motor", "finger", rotor_inertia=1)
        .joint_spring("band", "tip_joint", "wrist", stiffness=3)
        .spring("cord", ("nail", (0, 0, 0)), ("palm", (0, 0, 0)), stiffness=1)
        .build()
    )


def test_getitem_and_mass() -> None:
    assert hand()["finger"] == hand().joint("finger")
    assert hand().total_mass == 4
    (m,) = da.parameters("m")
    assert da.equal(hand().with_payload("palm", mass=m).total_mass, 4 + m)


def test_a_locked_joint_is_a_turned_frame() -> None:
    """By hand: a quarter turn about z takes x to y."""
    locked = hand().lock("wrist", at={"wrist": math.pi / 2})
    assert locked.joint("wrist").placement.point((1, 0, 0)) == (0, 1, 0)
    # the band's other end is at rest: ½ 3 (q - π/2)² on the tip
    own = locked.joint("tip_joint").resistance
    assert own.stiffness == 3
    assert float(own.rest) == math.pi / 2
    assert [spring.name for spring in locked.springs] == ["cord"]


def test_what_follows_and_drives_a_locked_joint() -> None:
    """The thumb is held at -q, the coupled tip at 2 q, and the motor has nothing to drive."""
    locked = hand().lock(["finger"], at={"finger": Fraction(1, 4)})
    assert locked.joint("thumb").kind is locked.joint("finger").kind is JointKind.FIXED
    assert locked.couplings[0][1:] == ("tip_joint", (), Law.polynomial([Fraction(1, 2)]))
    assert not locked.actuators
    assert locked.notes == ("actuator 'motor' left out: joint 'finger' is locked",)
    # from the other side: q(finger) = q(tip) / 2
    other = hand().lock("tip_joint", at={"tip_joint": 1})
    assert other.couplings[0][1:] == ("finger", (), Law.polynomial([Fraction(1, 2)]))
    both = hand().lock(["tip_joint", "finger"], at={"tip_joint": 1, "finger": 0.5})
    assert not both.couplings


def test_locking_at_a_symbol() -> None:
    (angle,) = da.parameters("alpha")
    arm = Builder("arm").link("a", **BODY).revolute("j", "a", axis="z").link("b", **BODY)
    arm = arm.revolute("k", "b", origin=(1, 0, 0)).build()
    locked = arm.lock("j", at={"j": angle})
    assert da.equal(locked.joint("j").placement.point((1, 0, 0))[0], da.cos(angle))


def test_reduce_keeps_names_as_frames() -> None:
    reduced = hand().lock("wrist").reduce()
    assert [link.name for link in reduced.links] == ["world", "left", "right", "nail"]
    assert reduced.frame("palm").link == "world"
    assert reduced.joint("finger").parent == "world"
    assert reduced.springs[0].second.link == "world"  # type: ignore[union-attr]
    assert reduced.total_mass == 4
    assert hand().reduce() == hand()


def test_rename_reaches_every_reference() -> None:
    new = hand().rename({"finger": "index", "nail": "claw"}, name="paw")
    assert new.name == "paw"
    assert new.joint("thumb").mimic is not None
    assert new.joint("thumb").mimic.joint == "index"  # type: ignore[union-attr]
    assert new.couplings[0].others[0] == new.actuators[0].joint == "index"
    assert new.frames[0].link == new.loops[0].first.link == "claw"
    back = new.rename({"index": "finger", "claw": "nail"}, name="hand")
    assert back == hand()
    assert all(link.name.startswith("l_") for link in hand().rename(prefix="l_").links)


def test_remove_takes_the_branch_and_notes_the_rest() -> None:
    less = hand().remove("nail")
    assert [link.name for link in less.links] == ["world", "palm", "left", "right"]
    assert [*less.frames, *less.loops, *less.couplings, *less.springs] == []
    assert len(less.notes) == 5
    assert hand().remove("ring", "gear").loops == ()
    assert hand().remove("tip_joint") == less


def test_a_floating_base_never_collides() -> None:
    free = hand().with_floating_base()
    assert (free.root, free.joints[0].name) == ("world_2", "floating_base")
    assert free.nv == hand().nv + 6
    other = hand().rename({"finger": "floating_base"}).with_floating_base()
    assert other.joints[0].name == "floating_base_2"
    assert hand().with_floating_base("root_joint").joints[0].name == "root_joint"


def test_frames_stand_on_frames() -> None:
    more = hand().add_frame("tcp", "tip", origin=(0, 0, 0.25), rpy=(0, 0, math.pi / 2))
    assert more.frame("tcp").placement.p == (0, 0, Fraction(3, 4))
    assert more.frame("tcp").link == "nail"


REFUSED: dict[str, tuple[Callable[[], Mechanism], str]] = {
    "lock a follower": (
        lambda: hand().lock("thumb"),
        "got 'thumb', which mimics 'finger': lock 'finger'",
    ),
    "lock nothing known": (lambda: hand().lock("fingr"), "did you mean finger"),
    "lock at a short q": (lambda: hand().lock("finger", at=[0.0]), "expected 3 positions"),
    "lock at another joint": (
        lambda: hand().lock("finger", at={"wrist": 1}),
        "expected positions of joints to lock, got one for 'wrist'",
    ),
    "lock against a coupling": (
        lambda: hand().lock(["finger", "tip_joint"], at={"finger": 1}),
        "expected joint 'tip_joint' locked at 2 as coupling 'gear' prescribes, got 0",
    ),
    "attach the same names": (
        lambda: hand().attach(hand(), "tip"),
        "got 'world', 'palm', 'left', 'right' in both: give a prefix=",
    ),
    "attach nowhere": (lambda: hand().attach(hand(), "top", prefix="b"), "did you mean tip"),
    "rename to a known name": (lambda: hand().rename({"left": "right"}), "got 'right' twice"),
    "rename nothing": (lambda: hand().rename({"lift": "x"}), "did you mean left"),
    "rename of no kind": (lambda: hand().rename({"left": "x"}, of="bodies"), "one of links"),
    "remove the root": (lambda: hand().remove("world"), "expected links other than the root"),
    "remove a master": (
        lambda: hand().remove("left"),
        "expected joint 'thumb' to go with 'finger'",
    ),
    "remove nothing": (lambda: hand().remove("lift"), "did you mean left"),
    "remove one of two": (
        lambda: hand().rename({"ring": "palm"}, of="loops").remove("palm"),
        "got 'palm' of links and loops: say which with of=",
    ),
    "a frame twice": (lambda: hand().add_frame("tip", "palm"), "a name that no frame or link"),
    "a frame named as a link": (lambda: hand().add_frame("palm", "left"), "no frame or link"),
    "a loop of another kind": (
        lambda: hand().add_loop("r", "tip", "palm", kind="line"),
        "expected loop kind 'point' or 'frame', got 'line'",
    ),
    "a loop in one link": (lambda: hand().add_loop("r", "tip", "nail"), "got 'nail' twice"),
    "a loop twice": (lambda: hand().add_loop("ring", "tip", "palm"), "a name that no loop"),
    "an inertia of no body": (
        lambda: hand().replace_inertia("palm", mass=1, inertia=(1, 1, 3)),
        "sum of the others",
    ),
    "an inertia of no link": (lambda: hand().replace_inertia("plam", mass=1), "did you mean palm"),
    "two floating bases": (
        lambda: hand().rename({"world": "w"}).with_floating_base().with_floating_base(),
        "joint 'floating_base' sets it free already",
    ),
    "a mirror in no plane": (lambda: hand().mirror("xy"), "expected the normal x, y or z"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    edit, words = REFUSED[case]
    with pytest.raises(DalembertError) as caught:
        edit()
    assert words in str(caught.value)


def welded_pair(gap: float = 0.0) -> Mechanism:
    """Return two links behind each other whose points a loop and a spring keep together."""
    builder = Builder("pair").link("a", **BODY).revolute("j1", "a")
    builder.link("b", **BODY).revolute("j2", "b", axis="x", origin=(1, 0, 0), rpy=(0.3, 0.2, 0.1))
    builder.spring("cord", ("a", (0, 0, 0)), ("b", (0, 0, 0)), stiffness=1)
    return builder.loop("ring", ("a", (1, 0, 0)), ("b", (0, 0, gap))).build()


def test_reduce_leaves_out_what_both_ends_of_are_on_one_link() -> None:
    found = welded_pair().lock("j2").reduce()
    assert (found.loops, found.springs) == ((), ())
    assert found.notes[-2:] == (
        "loop 'ring' left out: both ends are on link 'a'",
        "spring 'cord' left out: both ends are on link 'a'",
    )
    with pytest.raises(InvalidMechanism, match="expected loop 'ring' closed on link 'a', got ends"):
        welded_pair(gap=0.25).lock("j2").reduce()


def test_a_loop_between_links_that_do_not_move_against_each_other_takes_no_freedom() -> None:
    """Its rows are rounding alone: at a joint's own axis, and across a fixed joint."""
    builder = Builder("pair").link("a", **BODY).spherical("ball", "a", origin=(0.1, 0.2, 0.3))
    builder.link("b", **BODY).fixed("weld", "b", origin=(0.7, 0.3, 0.2), rpy=(0.3, 0.2, 0.1))
    mechanism = builder.build()
    X = mechanism.joint("weld").placement.inverse().map(float)
    tied = mechanism.add_loop("ring", ("a", (0.1, 0.5, 0.9)), ("b", X.point((0.1, 0.5, 0.9))))
    assert tied.degrees_of_freedom == 3


def test_a_placement_may_be_a_matrix() -> None:
    arm, hand = da.textbook.robots.ur5e(), da.textbook.robots.planar_arm_nr(2)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], (0.1, 0.2, 0.3)
    both = arm.attach(hand, "link6", prefix="hand_", placement=X)
    mount = both.joint("hand_world_mount").placement
    assert mount.R == ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    assert [float(x) for x in mount.p] == [0.1, 0.2, 0.3]
    assert arm.add_frame("tool", "link6", placement=X.tolist()).frame("tool").placement == mount
    for wrong in (np.eye(3), "here", [[1, 2], [3]], np.diag([1.0, 1, 2, 1]), X * np.nan):
        with pytest.raises(da.InvalidMechanism, match="placement="):
            arm.attach(hand, "link6", prefix="hand_", placement=wrong)


def test_singular_systems_name_the_joints() -> None:
    bare = da.Builder("arm").link("a", mass=1, inertia=(1, 1, 1)).revolute("first", "a")
    bare = bare.link("b", mass=0).revolute("idle", "b", origin=(1, 0, 0)).build()
    with pytest.raises(da.SingularSystem, match=r"got 'idle' that moves none"):
        da.compile(bare).forward_dynamics([0, 0], [0, 0], [0, 0])
