"""What MuJoCo's parser must not see: the table of numbers is its own, and nothing passes by it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.mjcf import compile as compiler
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.schema.numbers import held
from tests.effort import effort
from tests.figures import Figures
from tests.unit.mechanism.io.mjcf.every_element import EVERY, WITHOUT, mujoco, schema
from tests.unit.mechanism.io.mjcf.mjcf_models import hinge

ROOT = Path(__file__).parents[5]
UNBOUNDED = 50
"""More numbers than any attribute of a fixed length has."""


def closing(attributes: str) -> str:
    return hinge(outside=f'<equality><connect body1="b" {attributes}/></equality>')


# ---- one attribute


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (closing('anchor=""'), '<connect anchor="">: expected 3 numbers, got none: leave the'),
        (closing('anchor=" &#10; "'), "expected 3 numbers, got none: leave the attribute out"),
        (closing('anchor="1 2"'), "expected 3 numbers, got 2: correct anchor="),
        (closing('anchor="1 2 3 4"'), "expected 3 numbers, got 4: correct anchor="),
        (closing('anchor="1 x 3"'), "expected a decimal number, got 'x': write it like -0.25"),
        (closing('anchor="1 nan 3"'), "got 'nan': give a finite number"),
        (closing('anchor="0 1e400 0"'), "got '1e400': check its exponent"),
        (closing('anchor="1,5 0 0"'), "got '1,5': write 1.5 with a point"),
        (hinge(joint='group="1.5"'), "expected whole numbers between ±2147483647, got '1.5'"),
        (hinge(joint='group="9999999999"'), "expected whole numbers between ±2147483647"),
        (hinge(joint='solimplimit="1 2 3 4 5 6"'), "expected 1 to 5 numbers, got 6"),
        (hinge(joint='user=""'), "expected at least 1 number, got none"),
        (hinge(joint='class=" "'), "unknown default class"),
        (hinge(joint='limited=""'), "expected a value, got none"),
    ],
)
def test_a_wrong_attribute_is_refused_with_line_and_remedy(text: str, message: str) -> None:
    with pytest.raises(InvalidMechanism, match=r"^text:\d+: |^text: MuJoCo") as found:
        load_mjcf(text)
    assert message in str(found.value)
    assert load_mjcf(hinge()).nv == 1


def test_all_wrong_attributes_are_told_at_once() -> None:
    text = "<mujoco><option gravity='' wind='1'/><worldbody>\n<geom size='x'/></worldbody></mujoco>"
    with pytest.raises(InvalidMechanism) as found:
        load_mjcf(text)
    assert [x.split(" ")[1] + x.split(" ")[2][:4] for x in str(found.value).split("\n")] == [
        "<optiongrav",
        "<optionwind",
        "<geomsize",
    ]
    assert "text:2: <geom" in str(found.value)


def test_what_is_dropped_is_not_asked() -> None:
    assert load_mjcf(hinge(option='<size nstack="many"/>')).nv == 1


def test_a_mujoco_that_broke_down_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Caught an unknown exception!")

    broken = SimpleNamespace(**{x: getattr(mujoco, x) for x in dir(mujoco) if x[0] != "_"})
    broken.MjModel = SimpleNamespace(from_xml_string=fail)
    monkeypatch.setattr(compiler, "_BROKEN_BY", [])
    with monkeypatch.context() as patch:
        patch.setattr(compiler, "import_mujoco", lambda: broken)
        with pytest.raises(InvalidMechanism, match="unknown exception"):
            load_mjcf(hinge())
    with pytest.raises(InvalidMechanism, match=r"broke down on text in this process: start a new"):
        load_mjcf(hinge())


# ---- the table


def test_the_models_hold_every_element_of_the_schema() -> None:
    there = {e.tag for text in EVERY.values() for e in ElementTree.fromstring(text.strip()).iter()}
    assert {item.path[-1] for item in schema()} - there == WITHOUT
    for name, text in EVERY.items():
        assert load_mjcf(text).name == name


def parsed(text: str) -> str:
    """Return what MuJoCo's parser says to a model; nothing if it accepts it."""
    try:
        mujoco.MjSpec.from_string(text)
    except ValueError as error:
        return str(error)
    return ""


def with_value(text: str, k: int, attribute: str, value: str) -> str:
    root = ElementTree.fromstring(text.strip())
    list(root.iter())[k].set(attribute, value)
    return ElementTree.tostring(root, encoding="unicode")


class Place(NamedTuple):
    """An attribute of the schema, and an element of a model that may have it."""

    model: str
    element: int
    parent: str
    tag: str
    attribute: str


def attributes() -> list[Place]:
    """Return every attribute of the schema once, at an element of one of the models."""
    possible = {item.path[-2:]: item.attributes for item in schema() if len(item.path) > 1}
    found: dict[tuple[str, str, str], Place] = {}
    for name, text in EVERY.items():
        root = ElementTree.fromstring(text.strip())
        above = {child: parent.tag for parent in root.iter() for child in parent}
        for k, element in enumerate(root.iter()):
            parent, tag = above.get(element, ""), element.tag
            key = ("body" if parent == "worldbody" else parent, tag)
            for attribute in possible.get(key, ()):
                found.setdefault((*key, attribute), Place(name, k, parent, tag, attribute))
    return list(found.values())


def differences(place: Place) -> str:
    """Return how our table differs from MuJoCo's parser at a place; nothing if it does not."""
    attribute, ours = place.attribute, held(place.parent, place.tag, place.attribute)

    def answer(value: str) -> str:
        return parsed(with_value(EVERY[place.model], place.element, attribute, value))

    is_number = rf"(bad format in|problem reading) attribute '{attribute}'"
    if (ours is not None) != bool(re.search(is_number, answer("x y"))):
        return "" if attribute in CONDITIONAL.get(place.tag, ()) else f"{place}: {ours}"
    if ours is None:
        return ""
    wrong = rf"attribute '{attribute}' (does not have enough|has too much) data"
    most = UNBOUNDED if ours.most is None else ours.most
    allowed = {n: not re.search(wrong, answer("1 " * n)) for n in {ours.fewest, most}}
    allowed |= {n: not re.search(wrong, answer("1 " * n)) for n in (ours.fewest - 1, most + 1) if n}
    expected = {n: ours.fewest <= n <= most or ours.most is None for n in allowed}
    return f"{place}: {ours}, MuJoCo: {allowed}" if allowed != expected else ""


CONDITIONAL = {"mesh": ("params",), "inertial": ("fullinertia",)}
"""Attributes by element that MuJoCo reads only if others are there, or are not."""


def test_the_table_is_that_of_mujocos_parser(rng: np.random.Generator, figures: Figures) -> None:
    """It says of every attribute that MuJoCo's schema prints what MuJoCo's parser does with it."""
    places = attributes()
    assert len(places) > 1500
    some = rng.permutation(len(places))[: effort(400)]
    assert [x for k in some if (x := differences(places[k]))] == []
    figures.count("attributes compared with MuJoCo's parser", len(some))


# ---- all of them


def test_changed_attributes_give_a_mechanism_or_our_own_error(
    rng: np.random.Generator, figures: Figures
) -> None:
    """G2: in one process, since what one model breaks the next ones meet."""
    seed, count = int(rng.integers(2**31)), effort(1_500)
    command = [sys.executable, "-m", "tests.unit.mechanism.io.mjcf.fuzz_attributes"]
    done = subprocess.run(
        [*command, str(count), "--seed", str(seed)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    *_, last = done.stdout.splitlines() or [""]
    assert done.returncode == 0, f"seed {seed}: stopped at {last}\n{done.stderr[-2000:]}"
    found: dict[str, Any] = json.loads(last)
    for fault in ("foreign", "silent"):
        assert found.get(fault, 0) == 0, f"seed {seed}: {found['examples']}"
    assert found["read"] > count / 10
    for name in ("tried", "read", "refused"):
        figures.count(f"changed attributes {name}", found[name])
