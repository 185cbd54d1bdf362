"""Wrong URDF files: each is refused with its line, its element and what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.mechanism.io.urdf.read import diagnose_urdf, load_urdf
from tests.figures import Figures

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0.5 0"/>
      <mass value="2"/>
      <inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.3" iyz="0" izz="0.25"/>
    </inertial>
  </link>
  <link name="fore">
    <inertial>
      <origin xyz="0.2 0 0"/>
      <mass value="1.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <parent link="upper"/>
    <child link="fore"/>
    <axis xyz="1 0 0"/>
    <limit lower="0" upper="1" effort="20" velocity="1"/>
    <mimic joint="shoulder" multiplier="2" offset="0.1"/>
  </joint>
</robot>
"""
UPPER = '<inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.3" iyz="0" izz="0.25"/>'
FORE = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
SHOULDER = '<limit lower="-1" upper="2" effort="10" velocity="3"/>'
MIMIC = '<mimic joint="shoulder" multiplier="2" offset="0.1"/>'
BODY = f'<inertial><mass value="1"/>{FORE}</inertial>'


def tensor(xx: str, yy: str, zz: str, xy: str = "0", xz: str = "0", yz: str = "0") -> str:
    return f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/>'


# what is replaced in ARM, by what; the line of the error, its element, and words of the message
CASES: list[tuple[str, str, int, str, str]] = [
    # numbers
    ('value="2"', 'value="1,5"', 7, '<mass value="1,5"> of link', "write 1.5 with a point"),
    ('value="2"', 'value="nan"', 7, '<mass value="nan">', "finite"),
    ('value="2"', 'value="inf"', 7, '<mass value="inf">', "finite"),
    ('value="2"', 'value="-Infinity"', 7, "<mass", "finite"),
    ('value="2"', 'value=""', 7, '<mass value="">', "got nothing"),
    ('value="2"', 'value="  "', 7, "<mass", "got nothing"),
    ('value="2"', 'value="0x10"', 7, '<mass value="0x10">', "decimal number"),
    ('value="2"', 'value="1_000"', 7, '<mass value="1_000">', "decimal number"),
    ('value="2"', 'value="2kg"', 7, '<mass value="2kg">', "decimal number"),
    ('value="2"', 'value="two"', 7, '<mass value="two">', "decimal number"),
    ('value="2"', 'value="2 3"', 7, '<mass value="2 3">', "expected a number, got 2"),
    ('value="2"', 'value="1e999"', 7, '<mass value="1e999">', "check its exponent"),
    ('value="2"', 'value="1e-999999999"', 7, "<mass", "check its exponent"),
    ('value="2"', 'value="1e999999999999"', 7, "<mass", "check its exponent"),
    ('value="2"', f'value="{"3" * 101}"', 7, "<mass", "at most 100 digits"),
    ('value="2"', 'value="٣"', 7, "<mass", "decimal number"),
    ('value="2"', 'value="--2"', 7, "<mass", "decimal number"),
    ('value="2"', 'value="2."" "', 7, "", "well-formed"),
    ('value="2"', 'value="1e"', 7, "<mass", "decimal number"),
    ('value="2"', 'value="."', 7, "<mass", "decimal number"),
    ('value="2"', 'value="${mass}"', 7, "<mass", "xacro"),
    ('value="2"', 'value="$(arg m)"', 7, "<mass", "xacro"),
    ('value="2"', 'value="1&#160;0"', 7, "<mass", "decimal number"),
    ('xyz="0 0 0.1"', 'xyz="0, 0, 0.1"', 6, '<origin xyz="0, 0, 0.1"> of link', "by blanks"),
    ('xyz="0 0 0.1"', 'xyz="0;0;0.1"', 6, "<origin", "by blanks"),
    ('xyz="0 0 0.1"', 'xyz="0 0"', 6, '<origin xyz="0 0">', "expected 3 numbers, got 2"),
    ('xyz="0 0 0.1"', 'xyz=""', 6, '<origin xyz="">', "got nothing"),
    ('rpy="0 0.5 0"', 'rpy="0 0.5 0 0"', 6, "<origin rpy=", "expected 3 numbers, got 4"),
    ('rpy="0 0.5 0"', 'rpy="0 pi/2 0"', 6, "<origin rpy=", "decimal number"),
    ('rpy="0 0.5 0"', 'quat_xyzw="0 0 0 0"', 6, "<origin quat_xyzw=", "with a direction"),
    ('rpy="0 0.5 0"', 'quat_xyzw="0 0 1"', 6, "<origin quat_xyzw=", "expected 4 numbers"),
    ('rpy="0 0.5 0"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"', 6, "<origin quat_xyzw=", "got both"),
    # mass and inertia
    ('value="2"', 'value="-1"', 7, '<mass value="-1"> of link \'upper\'', "positive mass, got -1"),
    ('value="2"', 'value="-1e-9"', 7, "<mass", "positive mass"),
    ('value="2"', 'value="0"', 8, "<inertia> of link 'upper'", "positive mass beside this inertia"),
    ('<mass value="2"/>', "", 5, "<inertial> of link 'upper'", "expected a <mass>"),
    ('<mass value="2"/>', "<mass/>", 7, "<mass> of link 'upper'", "expected the attribute value"),
    ('<mass value="2"/>', "<mass>2</mass>", 7, "<mass>", "expected the attribute value"),
    ('<mass value="2"/>', '<mass value="2"/><mass value="3"/>', 7, "<mass", "expected one <mass>"),
    ('<mass value="2"/>', '<mass vale="2"/>', 7, "<mass", "expected the attribute value"),
    (UPPER, "", 5, "<inertial> of link 'upper'", "expected an <inertia>"),
    (UPPER, '<inertia ixx="1" iyy="1" izz="1"/>', 8, "<inertia>", "attribute ixy"),
    (UPPER, UPPER.replace("ixx", "ixX"), 8, "<inertia", "expected the attribute ixx"),
    (UPPER, UPPER.replace("iyz", "izy"), 8, "<inertia", "expected the attribute iyz"),
    (UPPER, UPPER.replace('ixx="0.2"', ""), 8, "<inertia>", "expected the attribute ixx"),
    (UPPER, tensor("0.1", "0.1", "0.1", xy="5"), 8, "<inertia>", "positive principal moments"),
    (UPPER, tensor("-0.1", "0.1", "0.1"), 8, "<inertia>", "positive principal moments"),
    (UPPER, tensor("1", "1", "2.1"), 8, "<inertia>", "above the sum of the others, got 1, 1, 2.1"),
    (UPPER, tensor("0", "0", "1"), 8, "<inertia>", "above the sum"),
    (UPPER, tensor("1", "1", "2.0001"), 8, "<inertia>", "accept_nonphysical"),
    (UPPER, tensor("1e-9", "1e-9", "3e-9"), 8, "<inertia>", "above the sum"),
    (UPPER, UPPER + UPPER, 8, "<inertia>", "expected one <inertia>"),
    # names
    ('<link name="fore">', "<link>", 11, "<link>", "expected the attribute name"),
    ('<link name="fore">', '<link name="">', 11, "<link", "an empty one"),
    ('<link name="fore">', '<link name="  ">', 11, "<link", "an empty one"),
    ('<link name="fore">', '<link name="upper">', 11, '<link name="upper">', "also at line 4"),
    ('<link name="fore">', f'<link name="{"n" * 1001}">', 11, "<link", "at most 1000 signs"),
    ('<link name="fore">', '<link Name="fore">', 11, "<link>", "expected the attribute name"),
    ('<robot name="arm">', "<robot>", 2, "<robot>", "expected the attribute name"),
    ('<robot name="arm">', '<robot name="">', 2, "<robot", "expected the attribute name"),
    ('name="elbow"', 'name="shoulder"', 26, '<joint name="shoulder">', "also at line 18"),
    ('name="elbow" ', "", 26, "<joint", "expected the attribute name"),
    # joints
    ('type="revolute"', 'type="helical"', 18, '<joint type="helical"> of joint', "one of revolute"),
    ('type="revolute"', 'type="Revolute"', 18, "<joint type=", "expected a joint type"),
    ('type="revolute"', 'type=""', 18, "<joint type=", "expected a joint type"),
    (' type="revolute"', "", 18, "<joint", "expected a joint type, got none"),
    ('type="revolute"', 'type="ball"', 18, '<joint type="ball">', "prismatic"),
    ('<parent link="base"/>', "", 18, '<joint name="shoulder">', "expected a <parent>"),
    ('<child link="upper"/>', "", 18, '<joint name="shoulder">', "expected a <child>"),
    ('<parent link="base"/>', "<parent/>", 19, "<parent> of joint 'shoulder'", "attribute link"),
    ('<parent link="base"/>', "<parent>base</parent>", 19, "<parent>", "attribute link"),
    ('<parent link="base"/>', '<parent name="base"/>', 19, "<parent", "attribute link"),
    ('<parent link="base"/>', '<parent link="bass"/>', 19, '<parent link="bass">', "mean base"),
    ('<child link="fore"/>', '<child link="hand"/>', 28, '<child link="hand">', "of this file"),
    ('<child link="fore"/>', '<child link="upper"/>', 28, "<child", "as parent and child"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', 22, "<axis", "an axis with a direction"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1"/>', 22, '<axis xyz="0 1">', "3 numbers, got 2"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0 0"/>', 22, "<axis", "3 numbers, got 4"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="y"/>', 22, "<axis", "decimal number"),
    ('<axis xyz="0 1 0"/>', "<axis/>", 22, "<axis>", "expected the attribute xyz"),
    ('<axis xyz="0 1 0"/>', '<axis zyx="0 1 0"/>', 22, "<axis", "expected the attribute xyz"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1 nan"/>', 22, "<axis", "finite"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><axis xyz="1 0 0"/>', 22, "<axis", "one <axis>"),
    ('<axis xyz="0 1 0"/>', '<axes xyz="0 1 0"/>', 22, "<axes>", "expected <axis>"),
    ('<axis xyz="0 1 0"/>', '<Axis xyz="0 1 0"/>', 22, "<Axis>", "expected <axis>"),
    ('<origin xyz="0 0 1" rpy="0 0 0"/>', '<origin xzy="0 0 1"/>', 21, "<origin", "attribute xyz"),
    ('<origin xyz="0 0 1" rpy="0 0 0"/>', '<orgin xyz="0 0 1"/>', 21, "<orgin>", "<origin>"),
    # limits
    (SHOULDER, "", 18, '<joint name="shoulder">', "expected a <limit> for a revolute joint"),
    (SHOULDER, "<limits/>", 23, "<limits>", "expected <limit>"),
    (SHOULDER, SHOULDER.replace("-1", "3"), 23, "<limit lower=", "lower ≤ upper, got 3 > 2"),
    (SHOULDER, SHOULDER.replace(' effort="10"', ""), 23, "<limit>", "the attribute effort"),
    (SHOULDER, SHOULDER.replace(' velocity="3"', ""), 23, "<limit>", "the attribute velocity"),
    (SHOULDER, SHOULDER.replace("10", "-10"), 23, '<limit effort="-10">', "not negative"),
    (SHOULDER, SHOULDER.replace('"3"', '"-3"'), 23, '<limit velocity="-3">', "not negative"),
    (SHOULDER, SHOULDER.replace("-1", "nan"), 23, '<limit lower="nan">', "finite"),
    (SHOULDER, SHOULDER.replace('"2"', '"1e400"'), 23, '<limit upper="1e400">', "exponent"),
    (SHOULDER, SHOULDER.replace("lower", "lowr"), 23, "<limit", "expected the attribute lower"),
    (SHOULDER, SHOULDER.replace(' upper="2"', "").replace("-1", "1"), 23, "<limit", "1 > 0"),
    (SHOULDER, SHOULDER + SHOULDER, 23, "<limit>", "expected one <limit>"),
    # dynamics and mimic
    ('damping="0.5"', 'damping="-0.5"', 24, '<dynamics damping="-0.5">', "not negative"),
    ('friction="0.1"', 'friction="-1"', 24, "<dynamics friction=", "not negative"),
    ('friction="0.1"', 'friction="x"', 24, "<dynamics friction=", "decimal number"),
    ('damping="0.5"', 'dampin="0.5"', 24, "<dynamics", "expected the attribute damping"),
    (MIMIC, '<mimic joint="wrist"/>', 31, '<mimic joint="wrist">', "a joint of this file"),
    (MIMIC, '<mimic joint="elbow"/>', 31, '<mimic joint="elbow">', "the joint itself"),
    (MIMIC, '<mimic multiplier="2"/>', 31, "<mimic>", "expected the attribute joint"),
    (MIMIC, '<mimic joint="shoulder" multiplier="a"/>', 31, "<mimic multiplier=", "decimal number"),
    (MIMIC, '<mimic joint="shoulder" offset=""/>', 31, "<mimic offset=", "got nothing"),
    (MIMIC, '<mimic joint="shoulder" multplier="2"/>', 31, "<mimic", "attribute multiplier"),
    ('<dynamics damping="0.5" friction="0.1"/>', '<mimic joint="elbow"/>', 24, "<mimic", "ring"),
    ('type="prismatic"', 'type="floating"', 31, "<mimic", "got a floating joint"),
    ('type="prismatic"', 'type="planar"', 31, "<mimic", "got a planar joint"),
    ('type="revolute"', 'type="fixed"', 31, "<mimic", "got the fixed joint 'shoulder'"),
    # elements in the wrong place
    ('<link name="base"/>', '<link name="base"><mass value="1"/></link>', 3, "<mass>", "no <mass>"),
    ('<link name="base"/>', f'<link name="base"/>{BODY}', 3, "<inertial>", "<inertial> in <robot>"),
    ('<link name="base"/>', '<link name="base"><joint name="j"/></link>', 3, "<joint", "no <j"),
    ('<link name="base"/>', '<Link name="base"/>', 3, '<Link name="base">', "expected <link>"),
    ('<link name="base"/>', '<xacro:arm/><link name="base"/>', 3, "<xacro:arm>", "xacro first"),
]  # fmt: skip


def edited(old: str, new: str) -> str:
    assert old in ARM
    return ARM.replace(old, new, 1)


@pytest.mark.parametrize(("old", "new", "line", "element", "words"), CASES)
def test_a_wrong_file_is_refused_with_place_and_remedy(
    tmp_path: Path,
    old: str,
    new: str,
    line: int,
    element: str,
    words: str,
    figures: Figures,
) -> None:
    """G1."""
    figures.count("wrong files refused")
    path = tmp_path / "arm.urdf"
    path.write_text(edited(old, new), encoding="utf-8")
    with pytest.raises(InvalidMechanism) as caught:
        load_urdf(path)
    first = str(caught.value).splitlines()
    assert any(
        message.startswith(f"{path}:{line}: {element}") and words in message for message in first
    ), str(caught.value)
    for message in first:
        # what was expected, what came, and what to do
        where, _, told = message.partition(": expected ")
        assert where.startswith(f"{path}:")
        assert ", got " in told
        assert told.rpartition(": ")[2].strip()


def test_the_table_is_long_enough() -> None:
    assert len(CASES) + len(WHOLE) + len(TREES) >= 140


WHOLE: list[tuple[str, str | bytes, int, str]] = [
    ("empty", b"", 1, "got nothing"),
    ("blank", b" \n\n ", 1, "got nothing"),
    ("text", b"hello world", 1, "no XML"),
    ("binary", bytes(range(256)), 1, "binary data"),
    ("zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00", 1, "binary data"),
    ("picture", b"\x89PNG\r\n\x1a\nabcdef", 1, "save the file as UTF-8"),
    ("json", b'{"robot": 1}', 1, "no XML"),
    ("only a declaration", b'<?xml version="1.0"?>', 1, "starts with <robot"),
    ("no links", '<robot name="r"/>', 1, "at least one <link>"),
    ("mjcf", "<mujoco><worldbody/></mujoco>", 1, "MJCF"),
    ("sdf", '<sdf version="1.9"/>', 1, "SDF"),
    ("wrong root", "<arm/>", 1, "outermost element is <robot>"),
    ("capital root", '<Robot name="r"/>', 1, "small letters"),
    ("cut in a tag", ARM[: ARM.index("ixy")], 8, "the file is cut off"),
    ("cut between tags", ARM[: ARM.index("<axis")], 22, "the file is cut off"),
    ("cut in a comment", ARM[: ARM.index("<axis")] + "<!-- ", 22, "the file is cut off"),
    ("mismatched", ARM.replace("</inertial>", "</inertia>", 1), 9, "in the order"),
    ("unclosed", ARM.replace('<mass value="2"/>', '<mass value="2">'), 9, "in the order"),
    ("no quotes", ARM.replace('value="2"', "value=2"), 7, "correct the XML"),
    ("repeated attribute", ARM.replace('value="2"', 'value="2" value="3"'), 7, "one of the two"),
    ("bare ampersand", ARM.replace('"fore"', '"a & b"'), 11, "correct the XML"),
    ("entity", ARM.replace('"fore"', '"&fore;"'), 11, "write its text"),
    ("control sign", ARM.replace('"fore"', '"a\x01b"'), 11, "correct the XML"),
    ("text behind", ARM + "<!-- --> more", 34, "remove what follows"),
    ("two roots", ARM + '<robot name="r"/>', 34, "remove what follows"),
    ("doctype", "<!DOCTYPE robot>\n" + ARM.partition("\n")[2], 1, "remove <!DOCTYPE"),
    (
        "file entity",
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<robot name="&x;"/>',
        1,
        "remove <!DOCTYPE",
    ),
    (
        "entity bomb",
        '<!DOCTYPE r [<!ENTITY a "1"><!ENTITY b "&a;&a;">]><robot name="&b;"/>',
        1,
        "remove <!DOCTYPE",
    ),
    ("parameter entity", '<!DOCTYPE r [<!ENTITY % p "x"> %p;]><robot/>', 1, "remove <!DOCTYPE"),
    ("latin-1 as utf-8", ARM.replace("fore", "för").encode("latin-1"), 11, "as UTF-8"),
    ("utf-32", ARM.encode("utf-32"), 1, "UTF-32"),
    (
        "unknown encoding",
        ARM.replace('"1.0"?', '"1.0" encoding="rot13"?').encode(),
        1,
        "encoding 'rot13'",
    ),
    ("odd utf-16", ARM.encode("utf-16")[:-1], 33, "as UTF-8"),
    ("nested", '<robot name="r">' + "<a>" * 300, 1, "at most 200 elements inside each other"),
    ("wide", '<robot name="r">' + "<a/>" * 100_001, 1, "at most 100000 elements"),
    ("long name", f'<robot name="r"><{"a" * 2000}/></robot>', 1, "name of an element"),
    ("long attribute", f'<robot name="r" {"a" * 2000}="1"/>', 1, "name of an attribute"),
    ("long value", f'<robot name="{"a" * 200_000}"/>', 1, "value of an attribute"),
    (
        "many attributes",
        "<robot " + " ".join(f'a{i}="1"' for i in range(100)) + "/>",
        1,
        "at most 64 attributes",
    ),
    ("half a pair", "<robot name='\ud800'/>", 1, "as UTF-8"),
]


@pytest.mark.parametrize(("what", "text", "line", "words"), WHOLE)
def test_what_is_no_urdf_is_refused(
    what: str, text: str | bytes, line: int, words: str, figures: Figures
) -> None:
    """G1."""
    figures.count("wrong files refused")
    with pytest.raises(InvalidMechanism) as caught:
        load_urdf(text)
    assert str(caught.value).startswith(f"text:{line}: "), str(caught.value)
    assert words in str(caught.value)


def robot(links: str, joints: str) -> str:
    """Return a robot: links by letter (capital: with inertia), joints as 'parent>child:type'."""
    lines = ['<robot name="r">']
    for name in links:
        body = BODY if name.isupper() else ""
        lines.append(f'<link name="{name}">{body}</link>')
    for i, text in enumerate(joints.split()):
        ends, _, kind = text.partition(":")
        parent, _, child = ends.partition(">")
        lines.append(
            f'<joint name="j{i}" type="{kind or "continuous"}"><parent link="{parent}"/>'
            f'<child link="{child}"/></joint>'
        )
    return "\n".join([*lines, "</robot>"])


TREES: list[tuple[str, str, int, str]] = [
    ("AB", "", 3, "got 2: 'A' (line 2), 'B' (line 3)"),
    ("ABC", "A>B", 4, "one link without a parent, got 2"),
    ("ABCDEFGHIJ", "A>B", 4, "and 1 more"),
    ("ABC", "A>B B>C C>B", 7, "one parent for link 'B', got joint 'j0' (line 5) too"),
    ("ABC", "A>C B>C", 6, "one parent for link 'C'"),
    ("AB", "A>B B>A", 4, "got the ring B → A → B"),
    ("ABC", "A>B B>C C>A", 0, "got the ring"),
    ("ABCD", "A>B C>D D>C", 0, "got the ring"),
    ("AB", "A>A", 4, "as parent and child"),
    ("A", "A>b", 3, "a link of this file, got 'b'"),
]


@pytest.mark.parametrize(("links", "joints", "line", "words"), TREES)
def test_links_that_form_no_tree_are_refused(
    links: str, joints: str, line: int, words: str, figures: Figures
) -> None:
    """G1."""
    figures.count("wrong files refused")
    with pytest.raises(InvalidMechanism) as caught:
        load_urdf(robot(links, joints))
    assert words in str(caught.value), str(caught.value)
    if line:
        assert f"text:{line}: " in str(caught.value), str(caught.value)


# links by letter (capital: with inertia), joints, the line and words of the note, and the links
# that the error of dynamics names
IDLE: list[tuple[str, str, int, str, str]] = [
    ("ab", "a>b", 2, "none in the whole file", "'b'"),
    ("Ab", "A>b", 4, "got no mass from link 'b' on", "'b'"),
    ("Abc", "A>b b>c:fixed", 5, "got no mass from link 'b' on", "'b', 'c'"),
    ("ABc", "A>B B>c:floating", 6, "got no mass from link 'c' on", "'c'"),
    ("Abc", "A>b b>c", 5, "load with massless=True", "'b', 'c'"),
    ("Ab", "A>b:floating", 4, "got no mass from link 'b' on", "'b'"),
    ("Ab", "A>b:planar", 4, "got no mass from link ", "'j0_slide1', 'j0_slide2', 'b'"),
]


@pytest.mark.parametrize(("links", "joints", "line", "words", "missing"), IDLE)
def test_joints_that_move_no_mass_have_kinematics_alone(
    links: str, joints: str, line: int, words: str, missing: str
) -> None:
    text = robot(links, joints)
    arm = load_urdf(text)
    assert any(words in note and note.startswith(f"text:{line}: ") for note in arm.notes), arm.notes
    model = da.compile(arm)
    last = arm.joints[-1].child
    assert model.forward_kinematics(model.neutral, last).shape == (4, 4)
    for function in ("mass_matrix", "gravity", "center_of_mass", "centroidal_map"):
        with pytest.raises(da.MissingInertia) as caught:
            getattr(model, function)(model.neutral)
        assert f"no mass is given for {missing}." in str(caught.value)
    for derive in (arm.equations, arm.system, arm.prove):
        with pytest.raises(da.MissingInertia):
            derive()
    # on purpose M may be singular, and is then what was asked for
    light = da.compile(da.load(text, massless=True))
    assert np.linalg.matrix_rank(light.mass_matrix(light.neutral)) < light.nv
    with pytest.raises(da.SingularSystem):
        light.forward_dynamics(light.neutral, np.zeros(light.nv), np.zeros(light.nv))


def test_a_payload_gives_a_robot_without_inertias_its_dynamics() -> None:
    arm = load_urdf(robot("Ab", "A>b"))
    body = {"mass": 2, "com": (0, 0.5, 0), "inertia": (0.1, 0.1, 0.1)}
    for heavy in (arm.with_payload("b", **body), arm.replace_inertia("b", **body)):
        # by hand: the axis of URDF is x unless written; 0.1 + 2 · 0.5²
        assert da.compile(heavy).mass_matrix([0.3]) == pytest.approx(0.6, rel=1e-15)


def test_a_point_mass_on_its_axis_cannot_turn() -> None:
    text = robot("AB", "A>B").replace(FORE, tensor("0", "0", "0"))
    (note,) = load_urdf(text).notes
    assert "no inertia about the joint's axis from link 'B' on" in note
    with pytest.raises(da.SingularSystem):
        da.compile(load_urdf(text)).forward_dynamics([0.0], [0.0], [0.0])
    # beside the axis it can
    off = text.replace("<mass", '<origin xyz="0 0.1 0"/><mass')
    assert not load_urdf(off).notes
    (note,) = load_urdf(off.replace("continuous", "floating")).notes
    assert "no inertia about the joint's axis" in note
    slider = text.replace("continuous", "prismatic").replace("</joint>", SHOULDER + "</joint>")
    assert not load_urdf(slider).notes


def test_a_follower_with_inertia_is_enough() -> None:
    text = robot("Abc", "A>b A>c").replace(
        '<child link="c"/>', '<child link="c"/><mimic joint="j0"/>'
    )
    assert "from link 'b' on" in load_urdf(text).notes[0]
    heavy = text.replace('<link name="c">', f'<link name="c">{BODY}')
    assert not any("from link" in note for note in load_urdf(heavy).notes)
    held = heavy.replace('joint="j0"', 'joint="j0" multiplier="0"')
    assert any("from link 'b' on" in note for note in load_urdf(held).notes)


def test_massless_links_within_a_chain_are_noted() -> None:
    (note,) = load_urdf(robot("AbC", "A>b b>C")).notes
    assert note == "taken as massless: moving links without inertia (at line 3): link 'b' at line 3"


def test_a_misspelt_element_is_named(tmp_path: Path) -> None:
    text = ARM.replace("<inertial>", "<inertail>").replace("</inertial>", "</inertail>")
    with pytest.raises(InvalidMechanism, match=r":5: <inertail> of link 'upper': .*<inertial>"):
        load_urdf(text)
    # told when it is ignored, and then nothing has inertia
    assert any("none in the whole file" in x for x in load_urdf(text, repair={"elements"}).notes)


def test_every_error_is_listed() -> None:
    text = ARM.replace('value="2"', 'value="-2"').replace("0 1 0", "0 0 0").replace("1.5", "1,5")
    with pytest.raises(InvalidMechanism) as caught:
        load_urdf(text)
    assert [message.split(":")[1] for message in str(caught.value).splitlines()] == [
        "7",
        "14",
        "22",
    ]


def test_endless_errors_are_counted() -> None:
    text = '<robot name="r">' + "<link/>\n" * 20_000 + "</robot>"
    with pytest.raises(InvalidMechanism) as caught:
        load_urdf(text)
    lines = str(caught.value).splitlines()
    assert len(lines) == 201
    assert lines[-1] == "text: 19800 more errors"


def test_diagnoses_are_data() -> None:
    (found,) = diagnose_urdf(ARM.replace('value="2"', 'value="-2"'))
    assert (found.severity, found.file, found.line) == ("error", "text", 7)
    assert (found.element, found.value) == ("<mass value=\"-2\"> of link 'upper'", "-2")
    assert str(found) == (
        "text:7: <mass value=\"-2\"> of link 'upper': expected a positive mass, got -2: "
        "give the mass in kilograms"
    )


def test_values_are_shown_short_and_on_one_line() -> None:
    text = ARM.replace('value="2"', f'value="a&#10;&#27;{"b" * 5000}"')
    (message,) = map(str, diagnose_urdf(text))
    assert len(message) < 400
    assert message.isprintable()


def test_an_unknown_repair_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean inertias"):
        load_urdf(ARM, repair={"inertia"})


@pytest.mark.parametrize("path", ["missing.urdf", "a\0b.urdf", "."])
def test_a_path_that_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidMechanism, match=r"expected a .*file.*, got .*path"):
        load_urdf(path)
