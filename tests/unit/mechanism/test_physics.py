"""The gate of physics: the same for the builder, for JSON, for MJCF, for payloads and values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, InvalidMechanism
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits, Mimic
from dalembert.mechanism.parts.link import Link
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from tests.effort import at_once
from tests.figures import Figures

m, l, a = da.parameters("m l a")


def sound() -> da.Builder:
    return (
        da.Builder("arm")
        .link("rod", mass=2, com=(0.5, 0, 0), inertia=(0, 0.2, 0.2))
        .revolute("hinge", "rod", axis="y", damping=0.1, limits=(-1, 1))
        .link("cart", mass=1, inertia=(1, 1, 1))
        .prismatic("slide", "cart", origin=(1, 0, 0), rpy=(0.1, 0.2, 0.3), mimic=("hinge", 2, 0.1))
        .link("tool", mass=1, inertia=(1, 1, 1))
        .continuous("wrist", "tool")
        .frame("tip", "tool", origin=(0, 0, 1))
        .loop("ring", ("rod", (1, 0, 0)), ("world", (1, 0, 0)))
        .couple("gear", "wrist", "hinge", 2)
        .actuator("motor", "hinge", gear_ratio=50, rotor_inertia=0.001, axis="z")
        .spring("rope", ("rod", (0, 0, 0)), ("tool", (0, 0, 1)), stiffness=5, damping=1)
        .joint_spring("shaft", "hinge", "wrist", stiffness=3, damping=1)
    )


def test_a_sound_mechanism_passes() -> None:
    assert load_json(save_json(sound().build())) == sound().build()


# ---- JSON: what a file may not say

Change = Callable[[Any], object]


def at(*path: Any, value: Any) -> Change:
    """Return a change of one value in the tree of a file."""

    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


BODY = ["2", "0", "0", "0"]
SKEW = [["1", "0", "0"], ["0", "1", "0"], ["0", "0.1", "1"]]
MIRROR = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "-1"]]
SYMBOLIC = [["cos(a)", "-sin(a)", "0"], ["sin(a)", "cos(a)", "0"], ["0", "0", "2"]]

UNPHYSICAL: dict[str, tuple[Change, str]] = {
    "negative mass": (
        at("links", 1, "inertia", 0, value="-2"),
        "expected mass that is not negative for link 'rod', got -2: give its magnitude",
    ),
    "mass as a constant expression": (
        at("links", 1, "inertia", 0, value="-sqrt(2)"),
        "mass that is not negative",
    ),
    "negative moment": (
        at("links", 1, "inertia", value=[*BODY, "1", "-1", "1", "0", "0", "0"]),
        "expected positive principal moments of inertia, got -1, 1, 1 for link 'rod'",
    ),
    "triangle inequality": (
        at("links", 1, "inertia", value=[*BODY, "1", "1", "2.1", "0", "0", "0"]),
        "sum of the others, got 1, 1, 2.1 for link 'rod': no body has this inertia",
    ),
    "products too large": (
        at("links", 1, "inertia", value=[*BODY, "1", "1", "1", "2", "0", "0"]),
        "principal moments",
    ),
    "too far for its inertia": (
        at("links", 1, "inertia", value=["2", "9", "0", "0", "1", "1", "1", "0", "0", "0"]),
        "principal moments",
    ),
    "a first moment without mass": (
        at("links", 1, "inertia", value=["0", "1", "0", "0", "1", "1", "1", "0", "0", "0"]),
        "expected a mass beside a first moment, got none for link 'rod'",
    ),
    "numbers beside symbols": (
        at("links", 1, "inertia", value=["m", "0", "0", "0", "-1", "m", "m", "0", "0", "0"]),
        "expected inertia xx that is not negative for link 'rod', got -1",
    ),
    "huge": (at("links", 1, "inertia", 0, value="1e309"), "expected a finite number"),
    "huge gravity": (at("gravity", 2, value="-1e309"), "gravity[2]"),
    "no rotation": (at("joints", 1, "placement", "R", value=SKEW), "expected a rotation matrix"),
    "a mirror": (at("joints", 1, "placement", "R", value=MIRROR), "off by 2"),
    "zero matrix": (at("joints", 1, "placement", "R", value=[["0"] * 3] * 3), "off by 1"),
    "a mirror behind": (
        at("joints", 0, "after", value={"R": MIRROR, "p": ["0", "0", "0"]}),
        "expected a rotation matrix for joint 'hinge'",
    ),
    "symbols that are no rotation": (
        at("joints", 1, "placement", "R", value=SYMBOLIC),
        "expected a rotation matrix for joint 'slide', got one that is off by",
    ),
    "a frame that is no rotation": (
        at("frames", 0, "placement", value={"R": SKEW, "p": ["0", "0", "0"]}),
        "frame 'tip'",
    ),
    "a loop that is no rotation": (
        at("loops", 0, "first", "placement", value={"R": SKEW, "p": ["0", "0", "0"]}),
        "frame 'ring_1'",
    ),
    "zero axis": (
        at("joints", 0, "axis", value=["0", "0", "0"]),
        "expected an axis of length 1 for joint 'hinge', got length 0",
    ),
    "long axis": (at("joints", 0, "axis", value=["0", "2", "0"]), "got length 2"),
    "symbolic axis": (at("joints", 0, "axis", value=["0", "a", "0"]), "an axis of length 1"),
    "negative damping": (
        at("joints", 0, "damping", value="-0.1"),
        "expected damping that is not negative for joint 'hinge', got -0.1",
    ),
    "negative friction": (at("joints", 0, "friction", value="-1"), "friction that is not"),
    "negative Stribeck": (at("joints", 0, "stribeck", value="-1"), "friction + stribeck"),
    "Stribeck velocity": (at("joints", 0, "stribeck_velocity", value="-1"), "stribeck_velocity"),
    "negative armature": (at("joints", 0, "armature", value="-1"), "armature that is not"),
    "limits exchanged": (
        at("joints", 0, "limits", value=[1, -1, None, None]),
        "expected lower ≤ upper limits for joint 'hinge', got 1 > -1",
    ),
    "negative velocity limit": (at("joints", 0, "limits", value=[-1, 1, -3]), "velocity limit"),
    "negative effort limit": (at("joints", 0, "limits", value=[-1, 1, 3, -1]), "effort limit"),
    "limit beyond doubles": (at("joints", 0, "limits", 1, value="1e400"), "a double can hold"),
    "symbolic limit": (at("joints", 0, "limits", 1, value="a"), "a double can hold"),
    "negative rotor": (
        at("actuators", 0, "rotor_inertia", value="-1"),
        "expected rotor_inertia that is not negative for actuator 'motor', got -1",
    ),
    "negative effort of a motor": (at("actuators", 0, "effort", value="-1"), "actuator 'motor'"),
    "rotor without direction": (
        at("actuators", 0, "axis", value=["0", "0", "0"]),
        "expected an axis with a direction for actuator 'motor'",
    ),
    "negative motor damping": (at("actuators", 0, "damping", value="-1"), "actuator 'motor'"),
    "negative damping of a spring": (at("springs", 0, "damping", value="-1"), "spring 'rope'"),
    "negative damping of a shaft": (at("springs", 1, "damping", value="-1"), "spring 'shaft'"),
    "huge coefficient": (
        at("couplings", 0, "law", value="1e309*extension1"),
        "coupling 'gear'",
    ),
    "huge multiplier": (at("joints", 1, "mimic", 1, value="1e309"), "multiplier"),
    "no real value": (at("gravity", 0, value="log(1/2) ^ (1/2)"), "gravity"),
}

WRONG: dict[str, tuple[Change, str]] = {
    "misspelt in the file": (at("gravty", value=["0"] * 3), "did you mean gravity"),
    "misspelt in a link": (at("links", 0, "inertial", value=None), "did you mean inertia?"),
    "misspelt in a frame": (at("frames", 0, "placment", value=None), "did you mean placement"),
    "misspelt in a pose": (at("joints", 1, "placement", "r", value=None), "known key, got 'r'"),
    "misspelt in a loop": (at("loops", 0, "frist", value=None), "did you mean first?"),
    "misspelt in a coupling": (at("couplings", 0, "ratio", value="1"), "known key, got 'ratio'"),
    "misspelt in a joint": (at("joints", 0, "dampnig", value="1"), "did you mean damping?"),
    "misspelt in an actuator": (at("actuators", 0, "gear", value="1"), "gear_ratio"),
    "misspelt in a spring": (at("springs", 0, "k", value="1"), "springs/0"),
    "version as truth": (at("version", value=True), "format: expected"),
    "version as text": (at("version", value="1"), "format: expected"),
    "links as text": (at("links", value="ab"), "/links: expected a list, got 'ab'"),
    "a link as a list": (at("links", 0, value=[]), "links/0: expected an object, got 0 values"),
    "a name as a number": (at("links", 1, "name", value=3), "links/1/name: expected text, got 3"),
    "a name as null": (at("joints", 0, "name", value=None), "joints/0/name: expected text"),
    "half a pair": (at("links", 2, "name", value="\ud800"), "names that are text"),
    "a long name": (at("links", 2, "name", value="n" * 3000), "at most 2000 characters"),
    "parent as a list": (at("joints", 0, "parent", value=["world"]), "joints/0/parent"),
    "parameters as text": (at("parameters", value="m"), "/parameters: expected a list"),
    "a parameter as a number": (at("parameters", value=[1]), "parameters/0: expected a name"),
    "two names in one": (at("parameters", value=["a b"]), "expected a symbol name"),
    "a parameter twice": (at("parameters", value=["m", "a", "m"]), "got 'm' twice"),
    "code for a parameter": (at("parameters", value=["os.system('x')"]), "a symbol name"),
    "a number as truth": (at("gravity", 0, value=True), "gravity/0: expected a number"),
    "a number as null": (at("gravity", 0, value=None), "gravity/0: expected a number"),
    "a number as a list": (at("gravity", 0, value=["1"]), "got 1 values"),
    "two numbers": (at("gravity", value=["0", "0"]), "expected a list of 3 numbers, got 2 values"),
    "division by zero": (at("gravity", 0, value="1/0"), "gravity/0: expected a nonzero denom"),
    "division by 000": (at("gravity", 0, value="1/000"), "gravity/0: expected a nonzero denom"),
    "not a number": (at("gravity", 0, value="nan"), "gravity/0: expected a known name"),
    "infinity": (at("gravity", 0, value="inf"), "gravity/0: expected a known name"),
    "too many digits": (at("gravity", 0, value="1" * 4001), "gravity/0: expected a number"),
    "four rows": (at("joints", 1, "placement", "R", value=[["0"] * 3] * 4), "expected 3 rows"),
    "no position": (at("joints", 1, "placement", "p", value=None), "a list of 3 numbers"),
    "a pose as a list": (at("joints", 1, "placement", value=[]), "expected an object"),
    "axis of two": (at("joints", 0, "axis", value=["0", "1"]), "joints/0/axis"),
    "axis as text": (at("joints", 0, "axis", value="y"), "joints/0/axis"),
    "mimic of one": (at("joints", 1, "mimic", value=["hinge"]), "a multiplier and an offset"),
    "mimic of a number": (at("joints", 1, "mimic", value=[1, "1", "0"]), "expected a joint"),
    "mimic of nobody": (at("joints", 1, "mimic", 0, value="hing"), "did you mean hinge?"),
    "mimic of itself": (at("joints", 1, "mimic", 0, value="slide"), "a ring through"),
    "five limits": (at("joints", 0, "limits", value=[1] * 5), "got 5 values"),
    "limits as text": (at("joints", 0, "limits", value="none"), "expected a list"),
    "a limit as text": (at("joints", 0, "limits", 0, value="nan"), "joints/0/limits/0"),
    "spins as text": (at("joints", 0, "spins", value="yes"), "expected true or false"),
    "spins as a number": (at("joints", 0, "spins", value=1), "expected true or false"),
    "spins with mass": (at("joints", 2, "spins", value=True), "inertia about the axis alone"),
    "a kind with another case": (at("joints", 0, "kind", value="Revolute"), "joints/0/kind"),
    "other as a number": (at("couplings", 0, "others", 0, value=2), "couplings/0/others"),
    "coupling of nobody": (at("couplings", 0, "others", 0, value="x"), "coupling 'gear'"),
    "coefficients as text": (at("couplings", 0, "coefficients", value="12"), "a list"),
    "frame of nobody": (at("frames", 0, "link", value="toll"), "did you mean tool?"),
    "loop of nobody": (at("loops", 0, "second", "link", value="x"), "expected frame 'ring_2'"),
    "a loop without an end": (at("loops", 0, "second", value=None), "loops/0/second"),
    "host as a number": (at("actuators", 0, "host", value=1), "actuators/0/host"),
    "host of nobody": (at("actuators", 0, "host", value="x"), "on a link of arm"),
    "no effort": (at("actuators", 0, "effort", value=False), "actuators/0/effort"),
    "empty effort": (at("actuators", 0, "effort", value=""), "actuators/0/effort"),
    "motor of nobody": (at("actuators", 0, "joint", value="x"), "on a joint of arm"),
    "a spring as text": (at("springs", 0, value="rope"), "springs/0: expected an object"),
    "a spring of nobody": (at("springs", 1, "terms", value={"x": "1"}), "between joints of arm"),
    "a point of nobody": (at("springs", 0, "first", "link", value="x"), "between links of arm"),
    "two links of a name": (at("links", 2, "name", value="rod"), "distinct link names"),
    "two joints of a name": (at("joints", 2, "name", value="hinge"), "distinct joint names"),
    "a ring of joints": (at("joints", 0, "parent", value="tool"), "a separate part or a ring"),
    "two parents": (at("joints", 2, "child", value="cart"), "one parent joint"),
    "the root as a child": (at("joints", 2, "child", value="world"), "to have no parent"),
}


def refusal(data: Any) -> str:
    with pytest.raises(InvalidMechanism) as caught:
        load_json(json.dumps(data))
    return str(caught.value)


@pytest.mark.parametrize("name", [*UNPHYSICAL, *WRONG])
def test_a_wrong_file_is_refused(name: str, figures: Figures) -> None:
    """G1: what was expected, what came, where, and a remedy; one line."""
    change, words = {**UNPHYSICAL, **WRONG}[name]
    data = json.loads(save_json(sound().build()))
    data["parameters"] = ["m", "a"]
    change(data)
    message = refusal(data)
    assert words in message
    assert message.startswith("text: ")
    assert "\n" not in message
    figures.count("wrong files refused")


TEXTS = {
    "a key twice": ('{"format": 1, "format": 2}', "the key 'format' twice"),
    "nan": ('{"a": NaN}', "NaN is not a number"),
    "infinity": ('{"a": -Infinity}', "-Infinity is not a number"),
    "deep lists": ('{"a": ' + "[" * 100_000, "too deep inside each other"),
    "deep objects": ('{"a":' * 100_000, "too deep inside each other"),
    "many values": ('{"a": [' + "{}," * 2_000_000 + "{}]}", "more than 2,000,000 values"),
    "long number": ('{"a": ' + "9" * 100_000 + "}", "got text that is not"),
    "a list": (b"[]", "format: expected"),
    "a text": (b'"dalembert mechanism"', "format: expected"),
    "nothing": (b"", "got text that is not"),
    "half": ('{"format": "dalembert mech', "got text that is not"),
    "binary": (bytes(range(256)), "got text that is not"),
    "other marks": ("{'format': 1}", "got text that is not"),
    "a comment": ('{"format": 1 /* one */}', "got text that is not"),
    "half a pair": (b'{"format": "\xed\xa0\x80"}', "format: expected"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_none_is_refused_at_once(name: str, figures: Figures) -> None:
    text, words = TEXTS[name]

    def refused() -> str:
        with pytest.raises(InvalidMechanism) as caught:
            load_json(text)
        return str(caught.value)

    assert words in at_once(refused)
    figures.count("wrong files refused")


def test_a_file_without_its_keys_is_refused() -> None:
    """Every key of the first three levels, one at a time: refused, or the file means the same."""
    data = json.loads(save_json(sound().build()))

    def paths(tree: Any, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        if not isinstance(tree, dict | list):
            return []
        keys = list(tree) if isinstance(tree, dict) else range(len(tree))
        found = [(*path, key) for key in keys]
        return found + [p for key in keys if len(path) < 4 for p in paths(tree[key], (*path, key))]

    tried = 0
    for path in paths(data, ()):
        broken = json.loads(json.dumps(data))
        target = broken
        for key in path[:-1]:
            target = target[key]
        del target[path[-1]]
        try:
            load_json(json.dumps(broken))
        except InvalidMechanism:
            tried += 1
    assert tried > 100


# ---- the builder, values and others


def one(**options: Any) -> da.Builder:
    return da.Builder("one").link("a", mass=1, inertia=(1, 1, 1)).revolute("j", "a", **options)


BUILT: dict[str, tuple[Callable[[], Any], str]] = {
    "mass": (lambda: da.Builder("r").link("a", mass=-1).revolute("j", "a").build(), "mass that"),
    "inertia": (
        lambda: da.Builder("r").link("a", mass=1, inertia=(0, 0, 1)).revolute("j", "a").build(),
        "also a body that moves in a plane has all three moments",
    ),
    "the root's mass": (lambda: replace(one().build(), links=(
        Link.of("world", mass=-1), *one().build().links[1:])), "link 'world'"),
    "nan": (lambda: da.Builder("r").link("a", mass=math.nan), "finite"),
    "infinity": (lambda: da.Builder("r").link("a", mass=math.inf), "finite"),
    "damping": (lambda: one(damping=-1).build(), "damping that is not negative"),
    "friction": (lambda: one(friction=-1).build(), "friction that is not negative"),
    "armature": (lambda: one(armature=-1).build(), "armature that is not negative"),
    "limits": (lambda: one(limits=(2, 1)).build(), "lower ≤ upper"),
    "infinite limits": (lambda: one(limits=(-math.inf, 1)).build(), "lower limit or None"),
    "nan limits": (lambda: one(limits=(math.nan, 1)).build(), "lower limit or None"),
    "placement": (lambda: one(placement=Pose(((2, 0, 0), (0, 1, 0), (0, 0, 1)))).build(),
                  "a rotation matrix for joint 'j'"),
    "axis": (lambda: one(axis=(0, 0, 0)), "with a direction"),
    "rotor": (lambda: one().actuator("m", "j", rotor_inertia=-1).build(), "rotor_inertia"),
    "spring": (lambda: one().spring("s", ("a", (0, 0, 1)), ("world", (0, 0, 0)), damping=-1)
               .build(), "spring 's'"),
    "elastic": (lambda: one(armature=1).build().with_elastic_joint("j", stiffness=1, damping=-1),
                "damping that is not negative for spring 'j_spring'"),
    "a value": (lambda: da.Builder("r").link("a", mass=m, inertia=(1, 1, 1)).revolute("j", "a")
                .build().bind({m: -1}), "mass that is not negative for link 'a', got -1"),
    "a value of an inertia": (lambda: da.Builder("r").link("a", mass=1, inertia=(0, 0, m))
                              .revolute("j", "a").build().bind({m: 2}), "got 0, 0, 2"),
    "a value of a model": (lambda: da.compile(da.Builder("r").link("a", mass=m).revolute(
        "j", "a", origin=(1, 0, 0)).build(), parameters={m: -1}), "mass that is not negative"),
    "by hand": (lambda: da.Mechanism("r", (Link("w"), Link("a")),
                (Joint("j", JointKind.REVOLUTE, "w", "a", axis=(0, 0, 3)),)), "length 3"),
    "limits by hand": (lambda: da.Mechanism("r", (Link("w"), Link("a")), (Joint(
        "j", JointKind.REVOLUTE, "w", "a", limits=Limits("1", 2)),)), "finite lower limit"),  # type: ignore[arg-type]
    "float nan by hand": (lambda: da.Mechanism("r", (Link("w"), Link(
        "a", Inertia(math.nan, (0, 0, 0), (0,) * 6), True)),  # type: ignore[arg-type]
        (Joint("j", JointKind.REVOLUTE, "w", "a"),)), "finite number for inertia of link 'a'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BUILT)
def test_what_is_built_passes_the_same_gate(name: str) -> None:
    build, words = BUILT[name]
    with pytest.raises(DalembertError, match=r"expected .*, got ") as caught:
        build()
    assert words in str(caught.value)


def test_mjcf_passes_the_same_gate() -> None:
    text = """<mujoco><worldbody><body><joint name="j" damping="-1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
    with pytest.raises(InvalidMechanism, match="damping that is not negative for joint 'j'"):
        load_mjcf(text)


def test_symbols_stay_allowed() -> None:
    arm = (
        da.Builder("arm")
        .link("rod", mass=m, com=(l, 0, 0), inertia=(0, 0, m * l**2))
        .revolute("hinge", "rod", damping=a, friction=-a, origin=(l, 0, 0))
        .build()
    )
    assert load_json(save_json(arm)) == arm
    turned = da.Mechanism.from_dh([(l, a, 0, 0), (l, da.pi / 3, 0, 0)])
    assert load_json(save_json(turned)) == turned
    # a root that has a value between 0 and 1 only
    R = ((a, -da.sqrt(1 - a**2), 0), (da.sqrt(1 - a**2), a, 0), (0, 0, 1))
    assert one(placement=Pose(R)).build().joint("j").placement.R == R


def test_a_motor_without_effort_is_not_one_without_bound() -> None:
    data = json.loads(save_json(sound().build()))
    data["actuators"][0]["effort"] = 0
    assert load_json(json.dumps(data)).actuators[0].effort == 0


def test_limits_of_any_number_are_written() -> None:
    arm = one(limits=(Fraction(-1, 4), np.float64(0.5), 3)).build()
    assert load_json(save_json(arm)).joint("j").limits == Limits(-0.25, 0.5, 3.0)


def test_printed_digits_are_forgiven() -> None:
    """A flat plate with six digits: 0.333333 + 0.333333 < 0.666667."""
    plate = da.Builder("r").link("a", mass=1, inertia=(0.333333, 0.333333, 0.666667))
    assert plate.revolute("j", "a").build().link("a").inertia.I[2] == Fraction(666667, 10**6)
    rounded = {"R": [["0.866025", "-0.5", "0"], ["0.5", "0.866025", "0"], ["0", "0", "1"]]}
    data = json.loads(save_json(one().build()))
    data["joints"][0]["placement"] = {**rounded, "p": ["0", "0", "0"]}
    assert load_json(json.dumps(data)).joint("j").placement.R[0][0] == Fraction(866025, 10**6)


def test_what_is_accepted_stays_accepted(tmp_path: Path) -> None:
    """The choice goes with the mechanism through values and loads, and is asked for in a file."""
    planar = da.Builder("r").link("a", mass=m, inertia=(0, 0, 1)).revolute("j", "a")
    arm = planar.build(accept_nonphysical=True).bind({m: 2})
    assert arm.with_payload("a", mass=1).link("a").inertia.m == 3
    da.save(arm, tmp_path / "a.json")
    with pytest.raises(InvalidMechanism, match="accept_nonphysical=True"):
        da.load(tmp_path / "a.json")
    again = da.load(tmp_path / "a.json", accept_nonphysical=True)
    assert again == arm
    with pytest.raises(InvalidMechanism, match="mass that is not negative"):
        da.Builder("r").link("a", mass=-1).revolute("j", "a").build(accept_nonphysical=True)
    text = """<robot name="r"><link name="w"/><link name="a"><inertial><mass value="1"/>
      <inertia ixx="0" iyy="0" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="w"/><child link="a"/><axis xyz="0 0 1"/>
      </joint></robot>"""
    assert load_urdf(text, accept_nonphysical=True).bind({}).link("a").inertia.I[2] == 1


def test_a_rotor_and_its_host_are_one_body() -> None:
    """The host of a gyroscopic rotor gives its moment away: alone neither of both is a body."""
    arm = (
        da.Builder("arm")
        .link("one", mass=1, inertia=(0, 0.01, 0.01))
        .revolute("j1", "one", axis="y")
        .link("two", mass=1, inertia=(1, 1, 1))
        .revolute("j2", "two", axis="z")
        .actuator("motor", "j2", gear_ratio=3, rotor_inertia=0.01, gyroscopic=True)
        .build()
    )
    assert arm.with_rotors().link("motor_rotor").inertia.I[2] == Fraction(1, 100)


def test_the_verdict_is_that_of_the_exact_pseudo_inertia(rng: np.random.Generator) -> None:
    """G7: on random inertias, half of them of no body; eigenvalues of J by NumPy decide."""
    wrong = 0
    for _ in range(300):
        points = rng.normal(size=(4, 3))
        second = points.T @ points * rng.uniform(0.1, 2)
        if rng.random() < 0.5:
            second -= rng.uniform(0.3, 3) * np.outer(points[0], points[0])
        I = np.trace(second) * np.eye(3) - second
        values = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        builder = da.Builder("r").link("a", mass=1, inertia=[float(x) for x in values])
        builder.revolute("j", "a")
        lowest = np.linalg.eigvalsh(second)[0] / np.abs(np.linalg.eigvalsh(second)).sum()
        if abs(lowest + 1e-5) < 1e-9:
            continue
        if lowest < -1e-5:
            wrong += 1
            with pytest.raises(InvalidMechanism, match="principal moment"):
                builder.build()
        else:
            builder.build()
    assert 60 < wrong < 240


def test_a_long_chain_of_mimics_is_checked_in_linear_time() -> None:
    n = 10_000
    links = (Link("l0"), *(Link(f"l{i}") for i in range(1, n)))
    joints = tuple(
        Joint(f"j{i}", JointKind.REVOLUTE, f"l{i - 1}", f"l{i}",
              mimic=Mimic(f"j{i + 1}") if i < n - 1 else None)
        for i in range(1, n)
    )  # fmt: skip
    chain = at_once(lambda: da.Mechanism("chain", links, joints))
    assert chain.nv == 1
    master, k, c = at_once(lambda: chain.master_of(chain.joint("j1")))
    assert (master.name, k, c) == (f"j{n - 1}", 1, 0)
