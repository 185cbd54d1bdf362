"""Two certificates of one system describe the same; a change of any number is found."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import dalembert as da
from dalembert.certificates import check
from dalembert.certificates.compare import differences
from tools.certificates.cases import textbook


def data_of(name: str) -> dict[str, Any]:
    return json.loads(textbook()[name]().text)


def test_another_program_of_the_same_functions() -> None:
    (x,) = da.coordinates("x")
    m, k = da.parameters("m k")

    def of(V: da.Expr) -> dict[str, Any]:
        system = da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=V)
        return dict(system.equations().certificate().data)

    first = of(k * (1 - da.cos(x)) / 2)
    same = of(k / 2 - k * da.cos(x) / 2)
    assert first["description"] != same["description"]
    assert differences(first, same) == []
    other = of(k * (1 - da.cos(x)) / 2 + x**2)
    (line,) = differences(first, other)
    assert line.startswith("potential: ")
    # x/x is 1, but not everywhere
    part = of(k * (1 - da.cos(x)) / 2 + k * x / x - k)
    assert differences(first, part) == ["defined where: everywhere, and now: x ≠ 0"]


def test_a_condition_more_is_a_difference() -> None:
    data = data_of("particle")
    program = data["description"]["program"]
    program += [["sym", "y"], ["sqrt", len(program)]]
    (line,) = differences(data_of("particle"), data)
    assert line == "defined where: everywhere, and now: y ≠ 0, y > 0"


@pytest.mark.parametrize("name", ["rp_arm", "ur5e", "rolling_disc", "bennett_linkage"])
def test_every_number_counts(name: str) -> None:
    data = data_of(name)
    numbers = [i for i, s in enumerate(data["description"]["program"]) if s[0] == "num"]
    for i in numbers:
        changed = data_of(name)
        step = changed["description"]["program"][i]
        step[1] = "7/5" if step[1] != "7/5" else "9"
        try:
            found = differences(data, changed)
        except check.Refused as refusal:
            # it is a part of an angle
            found = re.findall("angle", str(refusal))
        assert found


def test_names_and_trees_count() -> None:
    data = data_of("planar_3r")
    renamed = {**data, "coordinates": ["a", "b", "c"]}
    assert differences(data, renamed) == ["coordinates: q1, q2, q3, and now a, b, c"]
    swapped = {**data, "parameters": [*reversed(data["parameters"])]}
    assert differences(data, swapped) == []
    moved = data_of("planar_3r")
    moved["description"]["bodies"][2]["parent"] = 0
    assert differences(data, moved) == ["bodies 2 parent: 1, and now 0"]
    fewer = data_of("planar_3r")
    del fewer["description"]["bodies"][2]
    assert all("missing now" in line for line in differences(data, fewer))
