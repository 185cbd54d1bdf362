"""Our own format: exact, symbolic, strict."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.expr.unparse import unparse
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.reader import parse
from tests.figures import Figures

m, l, g = da.parameters("m l g")


def arm() -> da.Mechanism:
    return (
        da.Builder("arm", gravity=(0, 0, -g))
        .link("rod", mass=m, com=(l / 2, 0, 0), inertia=(0, m * l**2 / 12, m * l**2 / 12))
        .revolute("hinge", "rod", axis=(1, 2, 3), damping=0.1, limits=(-1, 1))
        .link("slider", mass=1.25, inertia=(0.1, 0.2, 0.25, 0, 0.01, 0))
        .prismatic("slide", "slider", origin=(l, 0, 0), rpy=(0.1, 0.2, 0.3), mimic=("hinge", 2, l))
        .link("ball", mass=0.1)
        .spherical("socket", "ball", armature=0)
        .frame("tip", "slider", origin=(0, 0, 0.1))
        .loop("close", ("slider", (0, 0, 0)), ("world", (1, 0, 0)))
        .build()
    )


def test_round_trip_is_exact() -> None:
    assert load_json(save_json(arm())) == arm()


def test_files_by_their_ending(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    da.save(arm(), path)
    assert da.load(path) == arm()
    with pytest.raises(da.InvalidMechanism, match=r"expected a \.urdf"):
        da.load(tmp_path / "arm.stl")
    with pytest.raises(da.InvalidMechanism, match="expand it to URDF first"):
        da.load(tmp_path / "arm.xacro")
    with pytest.raises(da.InvalidMechanism, match=r"ends in \.urdf"):
        da.save(arm(), tmp_path / "arm")
    with pytest.raises(da.InvalidMechanism, match="expected a file to read"):
        da.load(tmp_path / "missing.json")


def altered(change: Any) -> str:
    data = json.loads(save_json(arm()))
    change(data)
    return json.dumps(data)


WRONG = {
    "version": (lambda d: d.update(version=99), "format: expected"),
    "format": (lambda d: d.pop("format"), "format: expected"),
    "no links": (lambda d: d.update(links=[]), "at least the root link"),
    "links no list": (lambda d: d.update(links={}), "/links: expected a list"),
    "nine numbers": (lambda d: d["links"][1].update(inertia=["1"] * 9), "links/1/inertia"),
    "a number as null": (lambda d: d["gravity"].__setitem__(0, None), "gravity/0"),
    "code": (lambda d: d["gravity"].__setitem__(0, "__import__('os')"), "gravity/0"),
    "unknown symbol": (lambda d: d["gravity"].__setitem__(0, "h"), "gravity/0: expected a known"),
    "kind": (lambda d: d["joints"][0].update(kind="hinge"), "joints/0/kind: expected one of"),
    "misspelt key": (lambda d: d["joints"][0].update(dampnig="1"), "did you mean damping?"),
    "two rows": (lambda d: d["joints"][1]["placement"]["R"].pop(), "placement/R: expected 3 rows"),
    "dangling": (lambda d: d["joints"][0].update(child="rodd"), "got 'rodd'"),
    "loop kind": (lambda d: d["loops"][0].update(kind="knot"), "loops/0/kind"),
    "bomb": (lambda d: d["gravity"].__setitem__(0, "9^9^9^9"), "gravity/0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_refused_with_the_place(name: str, figures: Figures) -> None:
    """G1."""
    figures.count("wrong files refused")
    change, words = WRONG[name]
    with pytest.raises(da.DalembertError, match=r".*") as caught:
        load_json(altered(change))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["{", '{"a": NaN}', '{"a": ' + "[" * 100_000, "{}", '{"a": 1e999}']
)
def test_text_that_is_no_mechanism(text: str) -> None:
    with pytest.raises(da.InvalidMechanism):
        load_json(text)


def test_moments_that_no_double_holds_are_refused() -> None:
    """Each number is a double; h hᵀ / m about the centre of mass is not."""
    body = da.Builder("body").link("rod", mass=1, com=(0.1, 0, 0), inertia=(1, 1, 1))
    data = json.loads(save_json(body.revolute("hinge", "rod").build()))
    data["links"][1]["inertia"][1] = "1" + "0" * 300
    with pytest.raises(da.InvalidMechanism, match="about the centre of mass up to 1e308, got larg"):
        load_json(json.dumps(data))


def test_mutated_files_raise_only_our_errors(draw: random.Random) -> None:
    text = save_json(arm())
    for _ in range(300):
        i, j = sorted((draw.randrange(len(text)), draw.randrange(len(text))))
        if j - i > 40:
            j = i + draw.randrange(40)
        broken = "{" + text[1:i] + draw.choice(["", "null", '"', "[]", "1e5"]) + text[j:]
        try:
            load_json(broken)
        except da.DalembertError:
            continue


def test_unparse_is_read_back_to_the_same_node() -> None:
    x, y = da.coordinates("x y")
    for e in (
        -x,
        x - y * 2 / 3,
        da.sin(x + y) ** 3 / (1 - x),
        -(x**2) * da.sqrt(y) + da.pi,
        da.atan2(x, -y) * abs(x),
        (x.dot + y.ddot) ** 2,
    ):
        assert parse(unparse(e), [x, y]) is e
