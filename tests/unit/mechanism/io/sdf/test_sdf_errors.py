"""Wrong SDF files: each is refused with its line, its element and what to do."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert.errors import DalembertError, InvalidMechanism
from dalembert.mechanism.io.sdf.read import diagnose_sdf, load_sdf
from tests.cases import num_cases
from tests.unit.mechanism.io.sdf.sdf_models import SPELLINGS
from tests.unit.mechanism.io.urdf.test_urdf_fuzz import mutate_bytes

ARM = """<sdf version="1.11">
<model name="arm">
<link name="upper">
<pose>0 0 1 0 0 0</pose>
<inertial>
<mass>2</mass>
<inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.25</izz></inertia>
</inertial>
</link>
<frame name="tool" attached_to="upper">
<pose relative_to="upper">0 0 1 0 0 0</pose>
</frame>
<joint name="j" type="revolute">
<parent>world</parent>
<child>upper</child>
<axis>
<xyz>0 1 0</xyz>
<limit><lower>-1</lower><upper>2</upper></limit>
<dynamics><damping>1</damping></dynamics>
</axis>
</joint>
</model>
</sdf>"""

CASES: list[tuple[str, str, int, str, str]] = [
    ('version="1.11"', 'version="1.3"', 1, "<sdf", "expected SDF version 1.5 to 1.12, got '1.3'"),
    ('version="1.11"', "", 1, "<sdf", "got ''"),
    ("<mass>2</mass>", "<mass>two</mass>", 6, "<mass> of link 'upper'", "decimal number"),
    ("<mass>2</mass>", "<mass>1,5</mass>", 6, "<mass>", "write 1.5 with a point"),
    ("<mass>2</mass>", "<mass>nan</mass>", 6, "<mass>", "finite"),
    ("<mass>2</mass>", "<mass>2 3</mass>", 6, "<mass>", "expected a number in <mass>, got 2"),
    ("<mass>2</mass>", "<mass/>", 6, "<mass>", "expected text in <mass>, got none"),
    ("<mass>2</mass>", "<mass>-2</mass>", 6, "<mass>", "expected a positive mass, got -2"),
    ("<mass>2</mass>", "<mas>2</mas>", 6, "<mas> of link 'upper'", "expected <mass>, got <mas>"),
    ("<izz>0.25</izz>", "<izz>3</izz>", 7, "<inertia>", "no principal moment of inertia above"),
    ("<pose>0 0 1 0 0 0</pose>", "<pose>0 0 1</pose>", 4, "<pose>", "expected 6 numbers"),
    ("<pose>0 0 1 0 0 0", '<pose relative_to="upperr">0 0 1 0 0 0', 3, "<link", "did you mean"),
    (
        "<pose>0 0 1 0 0 0",
        '<pose relative_to="tool">0 0 1 0 0 0',
        3,
        "<link",
        "ring of relative_to",
    ),
    ("<pose>0 0 1 0 0 0", '<pose rotation_format="axis">0 0 1 0 0 0', 4, "<pose", "euler_rpy or"),
    ("<pose>0 0 1 0 0 0", '<pose frame="x">0 0 1 0 0 0', 4, "<pose", "got the attribute frame"),
    ('attached_to="upper"', 'attached_to="tool"', 10, "<frame", "ring of attached_to"),
    ('attached_to="upper"', 'attached_to="uper"', 10, "<frame", "did you mean upper"),
    ('type="revolute"', 'type="revolut"', 13, "<joint type=", "expected a joint type"),
    ('type="revolute"', 'type="gearbox"', 13, "<joint type=", "got 'gearbox'"),
    ('type="revolute"', 'type="universal"', 13, "<joint", "expected an <axis2> of this joint"),
    ("<child>upper</child>", "<child>uper</child>", 15, "<child> of joint 'j'", "did you mean"),
    ("<child>upper</child>", "<child>world</child>", 13, "<joint", "expected two different links"),
    ("<parent>world</parent>", "<parent>tool</parent>", 13, "<joint", "two different links"),
    ("<child>upper</child>", "", 13, "<joint", "expected a <parent> and a <child>"),
    ("<xyz>0 1 0</xyz>", "<xyz>0 0 0</xyz>", 17, "<xyz>", "an axis with a direction, got zero"),
    ("<xyz>", '<xyz expressed_in="x">', 16, "<axis>", "expected a link, joint or frame"),
    ("<upper>2</upper>", "<upper>-2</upper>", 18, "<limit>", "expected lower ≤ upper"),
    ("<damping>1<", "<damping>-1<", 19, "<damping>", "expected damping that is not negative"),
    ("</axis>", "<mimic joint='k'/></axis>", 2, "<model", "to mimic a scalar joint"),
    ('link name="upper"', "link", 3, "<link>", "expected the attribute name, got none"),
    ('frame name="tool"', 'frame name="upper"', 10, "<frame", "expected distinct names"),
    (
        "<inertial>",
        "<gravity>false</gravity><inertial>",
        5,
        "<gravity>",
        "a link that gravity pulls",
    ),
    ("<inertial>", "<gravity>no</gravity><inertial>", 5, "<gravity>", "expected true or false"),
    ("</model>", '</model><model name="b"/>', 1, "<sdf", "expected one <model>, got 2"),
    ("</model>", "<include><uri>model://x</uri></include></model>", 22, "<include>", "in one file"),
    ('<model name="arm">', '<model name="arm" canonical_link="x">', 2, "<model", "canonical_link"),
]


@pytest.mark.parametrize(("old", "new", "line", "element", "words"), CASES)
def test_wrong_files(old: str, new: str, line: int, element: str, words: str) -> None:
    assert ARM.count(old) >= 1
    with pytest.raises(InvalidMechanism) as caught:
        load_sdf(ARM.replace(old, new, 1))
    lines = [x for x in str(caught.value).splitlines() if words in x]
    assert lines, str(caught.value)
    assert lines[0].startswith(f"text:{line}: {element}"), lines[0]


def test_all_errors_come_at_once() -> None:
    text = ARM.replace("<mass>2<", "<mass>-2<").replace('"revolute"', '"revolut"')
    assert [x.line for x in diagnose_sdf(text)] == [6, 13]


def test_other_files() -> None:
    for text, words in (
        ("<robot name='r'/>", "this is a URDF"),
        ("<mujoco/>", "this is an MJCF file"),
        ("<sdf version='1.9'/>", "expected one <model>, got 0"),
        ("<sdf version='1.9'><model name='m'/></sdf>", "expected at least one <link>"),
        ("<sdf version='1.9'>", "the file is cut off"),
        ("<!DOCTYPE x><sdf version='1.9'/>", "without a document type"),
    ):
        with pytest.raises(InvalidMechanism, match=words):
            load_sdf(text)


def test_models_inside_each_other_without_end() -> None:
    deep = '<model name="m"><link name="a"/>' * 60 + "</model>" * 60
    with pytest.raises(InvalidMechanism, match="at most 20 models inside each other"):
        load_sdf(f'<sdf version="1.9">{deep}</sdf>')


def test_mutated_files_give_a_mechanism_or_our_own_error(
    rng: np.random.Generator, scale: float
) -> None:
    draw = random.Random(int(rng.integers(2**32)))
    seeds = [ARM, *SPELLINGS.values()]
    for _ in range(num_cases(150, scale)):
        data = mutate_bytes(draw, draw.choice(seeds))
        try:
            load_sdf(data, repair=draw.random() < 0.5)
        except DalembertError:
            continue
