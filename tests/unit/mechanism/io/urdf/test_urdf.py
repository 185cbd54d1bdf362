"""URDF that is right: read exactly, repaired on request, written and read again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.expr import parameters
from dalembert.mechanism import Builder, JointKind, Limits, Mechanism, Mimic, Resistance
from dalembert.mechanism.io.urdf.read import diagnose_urdf, load_urdf
from dalembert.mechanism.io.urdf.write import save_urdf
from dalembert.mechanism.io.urdf.write_shape import rpy_from_rotation
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.tree import Tree
from dalembert.spatial.exact import rotation_from_rpy
from dalembert.spatial.inertia.consistency import is_consistent
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from tests.cases import num_cases

# positions and rotations go through roll, pitch and yaw in doubles: a few roundings for each link
ROUNDING = 1e-14

UNIT = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
BODY = f'<inertial><mass value="1"/>{UNIT}</inertial>'
LIMIT = '<limit lower="-1" upper="2" effort="10" velocity="3"/>'


def two_links(joint: str, body: str = BODY, more: str = "") -> str:
    """Return a robot of two links with this joint (type and children) between them."""
    kind, _, children = joint.partition(" ")
    return f"""<robot name="r">
<link name="a"/>
<link name="b">{body}</link>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{children}</joint>
{more}</robot>"""


def poses(mechanism: Mechanism, q: Sequence[float]) -> dict[str, Pose]:
    tree = Tree.of(mechanism).map(float)
    X_W = forward_kinematics(tree, q)
    return {name: X_W[number] for name, number in tree.numbers.items()}


def test_numbers_are_exact() -> None:
    text = two_links(
        "revolute <origin xyz='0.1 -2e-3 .5'/><axis xyz='0 0 2'/>"
        "<dynamics damping='0.7' friction='1e-1'/>" + LIMIT,
        '<inertial><origin xyz="0 0 +0.1"/><mass value="1.5"/>'
        '<inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.4" iyz="0" izz="0.5"/></inertial>',
    )
    arm = load_urdf(text)
    joint = arm.joint("j")
    assert joint.placement.p == (Fraction(1, 10), Fraction(-1, 500), Fraction(1, 2))
    assert joint.resistance == Resistance(damping=Fraction(7, 10), friction=Fraction(1, 10))
    assert joint.axis == (0, 0, 1)
    assert joint.limits == Limits(-1.0, 2.0, 3.0, 10.0)
    tensor = (Fraction("0.315"), Fraction("0.415"), Fraction("0.5"), Fraction("0.01"), 0, 0)
    assert arm.link("b").inertia == Inertia(Fraction(3, 2), (0, 0, Fraction("0.15")), tensor)
    assert not arm.link("a").has_inertia
    assert arm.link("b").has_inertia
    assert arm.name == "r"
    assert arm.root == "a"


def test_a_turned_inertia_is_turned_exactly() -> None:
    body = (
        '<inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
    )
    found = load_urdf(two_links("continuous", body)).link("b").inertia
    # x and y exchange places; the mass adds 2 · 1² about y and z
    assert found == Inertia(2, (2, 0, 0), (2, 3, Fraction(9, 2), 0, 0, 0))


def test_quaternions_are_read() -> None:
    text = two_links("continuous <origin quat_xyzw='0 0 2 2'/>")
    assert load_urdf(text).joint("j").placement.R == ((0, -1, 0), (1, 0, 0), (0, 0, 1))


@pytest.mark.parametrize(
    ("joint", "kind", "nq", "nv"),
    [
        ("revolute " + LIMIT, JointKind.REVOLUTE, 1, 1),
        ("continuous ", JointKind.CONTINUOUS, 1, 1),
        ("prismatic " + LIMIT, JointKind.PRISMATIC, 1, 1),
        ("fixed ", JointKind.FIXED, 0, 0),
        ("floating ", JointKind.FLOATING, 7, 6),
    ],
)
def test_kinds(joint: str, kind: JointKind, nq: int, nv: int) -> None:
    arm = load_urdf(two_links(joint))
    assert arm.joint("j").kind is kind
    assert (arm.nq, arm.nv) == (nq, nv)
    if arm.joint("j").is_scalar:
        # the axis of the format when there is none
        assert arm.joint("j").axis == (1, 0, 0)


AXES = ["1 0 0", "0 1 0", "0 0 1", "-1 0 0", "0 -3 0", "0 0 -1", "1 2 3", "-1 1e-3 0"]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", ["continuous", "prismatic"])
def test_motion_is_about_the_axis(axis: str, kind: str) -> None:
    limit = LIMIT if kind == "prismatic" else ""
    text = two_links(f"{kind} <origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='{axis}'/>{limit}")
    a = np.array([float(k) for k in axis.split()])
    a /= np.linalg.norm(a)
    X = poses(load_urdf(text), [0.7])["b"]
    R0 = np.array(rotation_from_rpy(0.1, 0.2, 0.3), float)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    turn = np.eye(3) + np.sin(0.7) * K + (1 - np.cos(0.7)) * K @ K
    slides = kind == "prismatic"
    np.testing.assert_allclose(X.R, R0 if slides else R0 @ turn, atol=ROUNDING)
    np.testing.assert_allclose(
        X.p, np.array([1, 2, 3]) + (R0 @ a * 0.7 if slides else 0), atol=ROUNDING
    )


@pytest.mark.parametrize("axis", AXES)
def test_a_planar_joint_moves_across_its_axis(axis: str) -> None:
    arm = load_urdf(two_links(f"planar <origin xyz='1 2 3'/><axis xyz='{axis}'/>"))
    assert arm.nv == 3
    assert [joint.name for joint in arm.joints][2] == "j_turn"
    a = np.array([float(k) for k in axis.split()])
    a /= np.linalg.norm(a)
    x, y = (np.array(poses(arm, q)["b"].p) - [1, 2, 3] for q in ([1, 0, 0], [0, 1, 0]))
    np.testing.assert_allclose(np.cross(x, y), a, atol=ROUNDING)
    np.testing.assert_allclose([x @ x, y @ y, x @ y], [1, 1, 0], atol=ROUNDING)
    turned = poses(arm, [0.3, 0.4, 1.0])["b"]
    np.testing.assert_allclose(turned.p, 0.3 * x + 0.4 * y + [1, 2, 3], atol=ROUNDING)
    np.testing.assert_allclose(np.array(turned.R, float) @ a, a, atol=ROUNDING)
    assert np.trace(np.array(turned.R, float)) == pytest.approx(1 + 2 * np.cos(1.0))


def test_mimic_joints_follow() -> None:
    text = two_links(
        "continuous",
        more=f'<link name="c">{BODY}</link><joint name="k" type="continuous"><parent link="b"/>'
        '<child link="c"/><mimic joint="j" multiplier="-2" offset="0.1"/></joint>',
    )
    arm = load_urdf(text)
    assert arm.joint("k").mimic == Mimic("j", -2, Fraction(1, 10))
    assert arm.nv == 1


def test_the_root_comes_first_and_joints_stay_in_order() -> None:
    lines = [f'<link name="{name}">{BODY}</link>' for name in "dcbar"]
    joints = [("j1", "b", "c"), ("j2", "a", "b"), ("j3", "r", "a"), ("j4", "a", "d")]
    lines += [
        f'<joint name="{n}" type="continuous"><parent link="{p}"/><child link="{c}"/></joint>'
        for n, p, c in joints
    ]
    arm = load_urdf(f'<robot name="r">{"".join(lines)}</robot>')
    assert [link.name for link in arm.links] == ["r", "d", "c", "b", "a"]
    assert [joint.name for joint in arm.joints] == ["j3", "j2", "j1", "j4"]


def test_a_link_without_mass_may_stand_between() -> None:
    text = two_links(
        "continuous",
        "",
        f'<link name="c">{BODY}</link>'
        '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>',
    )
    assert load_urdf(text).nv == 1
    assert load_urdf(text.replace('"fixed"', '"continuous"')).nv == 2


def test_what_is_ignored_is_noted() -> None:
    text = two_links(
        "fixed <axis xyz='0 0 0'/><limit effort='1' velocity='1'/><calibration rising='0'/>"
        "<safety_controller k_velocity='1'/><mimic joint='x'/>",
        BODY + "<visual><geometry><mesh filename='../../x.stl'/></geometry></visual><collision/>",
        '<material name="m"/><gazebo/>\n<gazebo/><sensor:camera/><transmission name="t"/> stray\n',
    )
    assert set(load_urdf(text).notes) == {
        "ignored <gazebo> (2 times, first at line 5)",
        (
            "text:3: <collision> of link 'b': expected a <geometry> with one of box, sphere, "
            "cylinder, capsule, mesh, got none: the shape is left out"
        ),
        (
            "text:3: <mesh filename=\"../../x.stl\"> of link 'b': expected a path below the "
            "model's folder, got '../../x.stl', which leaves it: give root=, a folder that "
            "holds both"
        ),
        "ignored <sensor:camera> (at line 6)",
        "ignored <transmission> (at line 6)",
        "ignored text in <robot> (at line 6)",
        "ignored <safety_controller> (at line 4)",
        "ignored <calibration> (at line 4)",
        "ignored <limit> of a fixed joint (at line 4)",
        "ignored <mimic> of a fixed joint (at line 4)",
    }


def test_doubtful_numbers_are_noted() -> None:
    text = two_links(
        "revolute <origin rpy='0 90 0'/><axis xyz='0 0 2'/><limit effort='1' velocity='1'/>"
    )
    degrees, length, limits = load_urdf(text).notes
    assert "text:4: <origin rpy=\"0 90 0\"> of joint 'j'" in degrees
    assert "degrees" in degrees
    assert "length 1, got 2" in length
    assert limits == "ignored the default 0 of absent lower and upper of <limit> (at line 4)"
    assert load_urdf(text).joint("j").limits == Limits(None, None, 1.0, 1.0)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding: str) -> None:
    text = two_links("continuous").replace('name="j"', 'name="Gelenk Ö"')
    assert load_urdf(text.encode(encoding)).joints[0].name == "Gelenk Ö"


def test_a_declared_encoding_is_used() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>' + two_links("continuous")
    data = text.replace('name="j"', 'name="Ö"').encode("latin-1")
    assert load_urdf(data).joints[0].name == "Ö"
    # of a text that is decoded already it means nothing
    assert load_urdf(text.replace('name="j"', 'name="Ж"')).joints[0].name == "Ж"


# ---- repairs


def test_a_nonphysical_inertia_is_refused_repaired_or_kept() -> None:
    bad = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"/>'
    text = two_links("continuous", BODY.replace(UNIT, bad))
    with pytest.raises(InvalidMechanism, match="no body has this inertia"):
        load_urdf(text)
    for repair in (True, {"inertias"}, "inertias"):
        arm = load_urdf(text, repair=repair)
        assert is_consistent(arm.link("b").inertia)
        assert arm.link("b").inertia.m == 1
        (note,) = arm.notes
        assert note.startswith("text:3: <inertia> of link 'b': ")
        assert note.endswith(": repaired: the nearest consistent one")
    # kept as it is, also where other things may be repaired
    for repair in (False, True):
        arm = load_urdf(text, repair=repair, accept_nonphysical=True)
        assert arm.link("b").inertia.I == (1, 1, 3, 0, 0, 0)
        assert "kept as it is" in arm.notes[0]


def test_printed_digits_are_not_a_fault() -> None:
    # a plate, 2/3 rounded to six digits
    flat = '<inertia ixx="0.333333" ixy="0" ixz="0" iyy="0.333333" iyz="0" izz="0.666667"/>'
    text = two_links("continuous", BODY.replace(UNIT, flat))
    for repair in (False, True):
        arm = load_urdf(text, repair=repair)
        assert arm.link("b").inertia.I[2] == Fraction("0.666667")
        assert "within the rounding of printed digits" in arm.notes[0]
    with pytest.raises(InvalidMechanism, match="no body has this inertia"):
        load_urdf(text.replace("0.666667", "0.66675"))


def test_other_repairs() -> None:
    text = two_links("revolute", '<inertial><mass value="1"/><origin xyz="0 1 0"/></inertial>')
    text = text.replace(' name="r"', "").replace('<link name="a"/>', '<link name="a"/><mass/>')
    arm = load_urdf(text, repair=True)
    assert arm.name == "robot"
    assert arm.joint("j").limits == Limits()
    assert arm.link("b").inertia == Inertia(1, (0, 1, 0), (1, 0, 1, 0, 0, 0))
    assert [note.partition(": repaired: ")[2] for note in arm.notes] == [
        "named 'robot'",
        "ignored",
        "a point mass",
        "unlimited",
    ]
    # one by one
    for repairs in ({"names"}, {"elements"}, {"inertias"}, {"limits"}):
        errors = [d for d in diagnose_urdf(text, repair=repairs) if d.severity == "error"]
        assert len(errors) == 3


def test_a_robot_without_name_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "my arm.urdf"
    path.write_text(two_links("continuous").replace(' name="r"', ""), encoding="utf-8")
    assert load_urdf(path, repair={"names"}).name == "my arm"
    assert load_urdf(str(path), repair={"names"}).name == "my arm"


def test_a_singular_model_is_kept_on_request() -> None:
    other = '<joint name="k" type="continuous"><parent link="a"/><child link="c"/></joint>'
    text = two_links("continuous", "", f'<link name="c">{BODY}</link>{other}')
    assert "from link 'b' on" in load_urdf(text, repair=True).notes[0]
    arm = load_urdf(text, accept_nonphysical=True)
    assert "the mass matrix is singular" in arm.notes[0]


# ---- nothing else is opened or run

WATCH = """
import sys
from dalembert.mechanism.io.urdf.read import load_urdf
load_urdf(sys.argv[1])  # what is imported late is imported now
seen = []
def hook(event, args):
    if event in ("open", "exec", "compile", "import", "os.system", "subprocess.Popen",
                 "socket.connect", "os.listdir", "ctypes.dlopen"):
        seen.append((event, args[0]))
sys.addaudithook(hook)
load_urdf(sys.argv[1])
found = list(seen)
assert found == [("open", sys.argv[1])], found
"""


def test_only_the_file_itself_is_opened(tmp_path: Path) -> None:
    meshes = [
        *("../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "package://a/../../b.stl"),
        *("http://example.org/a.stl", "\\\\host\\share\\a.stl", "%2e%2e/a.stl", "a.stl", "~/a.stl"),
    ]
    shapes = "".join(
        f"<visual><geometry><mesh filename='{mesh}'/></geometry></visual>"
        f"<collision><geometry><mesh filename='{mesh}'/></geometry></collision>"
        for mesh in meshes
    )
    names = two_links("continuous", BODY + shapes, '<gazebo><plugin filename="evil.so"/></gazebo>')
    names = names.replace('name="j"', 'name=\'__import__("os").system("true")\'')
    path = tmp_path / "robot.urdf"
    path.write_text(names, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", WATCH, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# ---- writing


def assert_same(a: Mechanism, b: Mechanism, rng: np.random.Generator) -> None:
    """Check that b has the links and joints of a, perhaps with others between them."""
    assert a.nv == b.nv
    q = list(rng.uniform(-1, 1, a.nq))
    before, after = poses(a, q), poses(b, q)
    for link in a.links:
        np.testing.assert_allclose(before[link.name].R, after[link.name].R, atol=ROUNDING)
        np.testing.assert_allclose(before[link.name].p, after[link.name].p, atol=ROUNDING)
        ours, theirs = ([float(k) for k in _ten(m.link(link.name).inertia)] for m in (a, b))
        scale = max(map(abs, ours))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=ROUNDING * scale)
    for joint in a.joints:
        other = b.joint(joint.name)
        assert joint.limits == other.limits
        assert (joint.mimic is None) == (other.mimic is None)
        pair = (joint.resistance.numbers.values(), other.resistance.numbers.values())
        numbers = [*zip(*pair, strict=True)]
        if joint.mimic and other.mimic:
            assert joint.mimic.joint == other.mimic.joint
            numbers += zip(joint.mimic[1:], other.mimic[1:], strict=True)
        assert all(float(x) == float(y) for x, y in numbers)


def _ten(inertia: Inertia) -> list[Any]:
    return [inertia.m, *inertia.h, *inertia.I]


def random_arm(rng: np.random.Generator) -> Mechanism:
    arm = Builder('random <arm> & "more"', root="ground")
    parents = ["ground"]
    for i in range(8):
        kind = str(rng.choice(["revolute", "continuous", "prismatic", "fixed", "floating"]))
        if i == 7:
            kind = "continuous"
        L = rng.normal(size=(3, 3))
        S = L @ L.T
        I = np.trace(S) * np.eye(3) - S
        name = f"link ö {i}"
        arm.link(name, mass=rng.uniform(0.1, 5), com=list(rng.normal(size=3)),
                 inertia=[I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])  # fmt: skip
        options: dict[str, Any] = {}
        if kind in ("revolute", "prismatic") and rng.random() < 0.8:
            options["limits"] = Limits(*(float(k) for k in (-rng.random(), rng.random(), 2, 3)))
        if kind == "continuous" and i == 7 and any(j.is_scalar for j in arm.joints):
            master = next(j.name for j in arm.joints if j.is_scalar)
            options["mimic"] = (master, rng.normal(), rng.normal())
        if rng.random() < 0.4:
            offset = rng.normal(size=3) * rng.choice([0, 1])
            x, y, z = (Fraction(float(k)) for k in offset)
            options["after"] = Pose(rotation_from_rpy(*rng.normal(size=3)), (x, y, z))
        axis = [AXES[int(rng.integers(len(AXES)))], None][int(rng.random() < 0.3)]
        direction = [float(k) for k in axis.split()] if axis else list(rng.normal(size=3))
        arm.joint(kind, f"joint {i}", name, parent=str(rng.choice(parents)), axis=direction,
                  origin=list(rng.normal(size=3)), rpy=list(rng.uniform(-3, 3, 3)),
                  damping=rng.random(), friction=rng.random(), **options)  # fmt: skip
        parents.append(name)
    if rng.random() < 0.5:
        arm.frame("tool", parents[-1], origin=(1, 2, 3), rpy=(0.1, 0.2, 0.3))
    return arm.build()


def test_what_is_written_reads_the_same(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(30, scale)):
        arm = random_arm(rng)
        text = save_urdf(arm)
        again = load_urdf(text, repair={"limits"})
        assert again.name == arm.name
        assert_same(arm, again, rng)
        # once more: what URDF can say is written in the same words
        assert_same(again, load_urdf(save_urdf(again)), rng)
        for frame in arm.frames:
            assert frame.name in {link.name for link in again.links}


def test_short_decimals_stay_as_they_are() -> None:
    text = two_links("revolute <origin xyz='0.1 0.2 0.3'/>" + LIMIT, BODY.replace('"1"', '"0.1"'))
    arm = load_urdf(text)
    assert load_urdf(save_urdf(arm)) == arm
    assert 'mass value="0.1"' in save_urdf(arm)


def test_a_file_is_written(tmp_path: Path) -> None:
    arm = load_urdf(two_links("continuous").replace('name="j"', 'name="Ö"'))
    path = tmp_path / "arm.urdf"
    assert save_urdf(arm, path) == path.read_text(encoding="utf-8")
    assert load_urdf(path) == arm


def test_limits_that_are_absent_stay_absent() -> None:
    arm = Builder("r").link("a", mass=1, inertia=(1, 1, 1)).prismatic("j", "a").build()
    text = save_urdf(arm)
    assert load_urdf(text).joint("j").limits == Limits()
    arm = Builder("r").link("a", mass=1).prismatic("j", "a", limits=Limits(-1, 1)).build()
    assert load_urdf(save_urdf(arm)).joint("j").limits == Limits(-1, 1)
    arm = Builder("r").link("a", mass=1).prismatic("j", "a", limits=Limits(-1, None, 2)).build()
    assert load_urdf(save_urdf(arm)).joint("j").limits == Limits(-1, None, 2)


def one(kind: str = "continuous", **options: Any) -> Mechanism:
    return (
        Builder("r").link("a", mass=1, inertia=(1, 1, 1)).joint(kind, "j", "a", **options).build()
    )


(m,) = parameters("m")
UNSAYABLE: list[tuple[Mechanism, str]] = [
    (one("helical", pitch=1), "helical joint 'j'"),
    (one("spherical"), "spherical joint 'j'"),
    (one(armature=1), "armature = 1 of joint 'j'"),
    (one(stiffness=2), "stiffness = 2"),
    (Builder("r").link("a", mass=m).continuous("j", "a").build(), "the parameters m: bind"),
    (replace(one(), gravity=(0, 0, 0)), "gravity"),
    (Builder("r").link("a", mass=1).continuous("j", "a")
     .loop("ring", ("a", (1, 0, 0)), ("world", (1, 0, 0))).build(), "a tree without loops"),
    (Builder("r").link("a", mass=1).continuous("j", "a").link("b", mass=1).continuous("k", "b")
     .couple("gear", "j", "k", 2).build(), "a tree without couplings"),
    (Builder("r").link("a\0", mass=1).continuous("j", "a\0").build(), "names that XML can hold"),
    (Builder("r").link("a", mass=1).continuous("j", "a").frame("a", "a").build(), "rename it"),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["continuous", "prismatic"])
def test_reference_position_is_in_the_placement(kind: str, rng: np.random.Generator) -> None:
    """MJCF's ref: the joint is at rest where q is the reference."""
    mechanism = one(kind, reference=0.7, axis=(1, 2, 2), origin=(1, 2, 3), rpy=(0.1, 0.2, 0.3))
    found = load_urdf(save_urdf(mechanism))
    assert found.joint("j").reference == 0
    assert_same(mechanism, found, rng)


@pytest.mark.parametrize(("mechanism", "words"), UNSAYABLE)
def test_what_urdf_cannot_express_is_refused(mechanism: Mechanism, words: str) -> None:
    with pytest.raises(
        InvalidMechanism, match=r"expected .* to write (URDF|a file), got "
    ) as caught:
        save_urdf(mechanism)
    assert words in str(caught.value)


def test_roll_pitch_yaw_of_any_rotation(rng: np.random.Generator) -> None:
    right = np.pi / 2
    angles = [rng.uniform(-4, 4, 3) for _ in range(200)]
    # at and close to where roll and yaw turn about the same axis
    angles += [np.array([a, s * right + e, b]) for a in (0, 0.3) for b in (0, 1, -3)
               for s in (1, -1) for e in (0, 1e-9, 1e-16, -1e-7)]  # fmt: skip
    for roll, pitch, yaw in angles:
        R = rotation_from_rpy(roll, pitch, yaw)
        again = rotation_from_rpy(*rpy_from_rotation(R))
        np.testing.assert_allclose(
            np.array(again, float), np.array(R, float), rtol=0, atol=ROUNDING
        )


def test_limits_that_urdf_wants_are_noted(tmp_path: Path) -> None:
    """URDF has no word for a limit that is not there: every reader wants a number."""
    body = {"mass": 1, "inertia": (1, 1, 1)}

    def notes(kind: str, limits: Limits) -> tuple[str, ...]:
        builder = getattr(Builder("r").link("a", **body), kind)("j", "a", limits=limits)
        return da.save(builder.build(), tmp_path / "r.urdf")

    note = "limits that joints do not have are written as 1.8e308, since URDF wants numbers: 'j'"
    assert notes("revolute", Limits(-1, 1)) == (note,)
    assert notes("revolute", Limits(effort=3)) == (note,)
    assert notes("prismatic", Limits()) == (note,)
    assert notes("revolute", Limits()) == ()
    assert notes("revolute", Limits(-1, 1, 2, 3)) == ()
    assert notes("revolute", Limits(None, None, 2, 3)) == ()
