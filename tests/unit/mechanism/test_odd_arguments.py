"""Whatever a person gives to the builder and to mechanisms: a mechanism, or one of our errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.mechanism.io.json import load_json
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.spatial.pose import Pose
from tests.figures import Figures

(m,) = da.parameters("m")
ODD: list[Any] = [
    *(None, True, 3, -1, 2.5, math.nan, math.inf, 1j, object(), print),
    *("x", "", "abc", b"x", "\ud800", "🙂", "x" * 5000),
    *([], [1], [1, 2], (1, 2, 3, 4), ["a", "b", "c"], [None] * 3, [math.nan] * 3, [[1]], {}),
    *({"a": 1}, np.array(3.0), np.array([1.0, 2.0, 3.0]), np.zeros((3, 3)), np.array(["a"])),
    *(m, da.Matrix([[1, 2, 3]]), Pose(), 10**400, [10**400] * 3),
]


def two() -> da.Builder:
    return (
        da.Builder("b")
        .link("a", mass=1, inertia=(1, 1, 1))
        .revolute("j", "a")
        .link("c", mass=1, inertia=(1, 1, 1))
        .revolute("k", "c")
    )


Call = Callable[[Any], Any]
CALLS: dict[str, Call] = {
    "name": lambda x: da.Builder(x).build(),
    "root": lambda x: da.Builder("a", root=x).build(),
    "gravity": lambda x: da.Builder("a", gravity=x).build(),
    "link": lambda x: da.Builder("a").link(x).build(),
    "kind": lambda x: two().link("z").joint(x, "y", "z").build(),
    "joint": lambda x: two().link("z").revolute(x, "z").build(),
    "child": lambda x: two().link("z").revolute("y", x).build(),
    "pitch": lambda x: two().link("z").helical("y", "z", pitch=x).build(),
    "axes": lambda x: two().link("z").universal("y", "z", axes=x).build(),
    "plane": lambda x: two().link("z").planar("y", "z", axis=x).build(),
    "one link": lambda x: two().build().link(x),
    "one joint": lambda x: two().build().joint(x),
    "one frame": lambda x: two().build().frame(x),
    "values": lambda x: two().build().bind(x),
    "payload": lambda x: two().build().with_payload(x, mass=1),
    "elastic": lambda x: two().build().with_elastic_joint(x, stiffness=1),
    "stiffness": lambda x: (
        two().actuator("f", "j", rotor_inertia=1).build().with_elastic_joint("j", stiffness=x)
    ),
    "sequence": lambda x: two().build().with_euler_angles(x),
    "rows": lambda x: da.Mechanism.from_dh(x),
    "row": lambda x: da.Mechanism.from_dh([x]),
    "length": lambda x: da.Mechanism.from_dh([(x, 0, 0, 0)]),
    "twist": lambda x: da.Mechanism.from_dh([(0, x, 0, 0)]),
    "links": lambda x: da.Mechanism.from_dh([(1, 0, 0, 0)], links=x),
    "limits": lambda x: da.Mechanism.from_dh([(1, 0, 0, 0)], limits=x),
    "screws": lambda x: da.Mechanism.from_screws(x, [Pose()]),
    "screw": lambda x: da.Mechanism.from_screws([x], [Pose()]),
    "home": lambda x: da.Mechanism.from_screws([((0, 0, 0), (0, 0, 1))], x),
    "load": da.load,
    "load json": load_json,
    "load urdf": load_urdf,
    "load mjcf": load_mjcf,
    "repair": lambda x: load_urdf("<robot/>", repair=x),
    "jail": lambda x: load_mjcf("<mujoco/>", root=x),
    "save what": lambda x: da.save(x, "never.json"),
    "trajectory": da.Trajectory.load,
    "text": lambda x: da.parse(x, [m]),
    "symbols": lambda x: da.parse("m", x),
}
JOINT = ["parent", "origin", "rpy", "placement", "after", "axis", "limits", "mimic", "armature"]
JOINT += ["reference", "damping", "friction", "stribeck", "stribeck_velocity", "stiffness", "rest"]
METHODS: dict[str, tuple[dict[str, Any], Callable[..., Any]]] = {
    "link": (
        {"name": "z", "mass": 1, "com": (0, 0, 0), "inertia": (1, 1, 1)},
        lambda **x: two().link(**x).revolute("y", "z").build(),
    ),
    "payload": (
        {"mass": 1, "com": (0, 0, 0), "inertia": (1, 1, 1)},
        lambda **x: two().build().with_payload("a", **x),
    ),
    "joint": (
        dict.fromkeys(JOINT),
        lambda **x: two().link("z").revolute("y", "z", **x).build(),
    ),
    "frame": (
        {"name": "f", "link": "a", "origin": (0, 0, 0), "rpy": (0, 0, 0)},
        lambda **x: two().frame(**x).build(),
    ),
    "loop": (
        {"name": "f", "first": ("a", (1, 0, 0)), "second": ("world", (1, 0, 0)), "kind": "point"},
        lambda **x: two().loop(**x).build(),
    ),
    "couple": (
        {"name": "f", "joint": "j", "other": "k", "ratio": 1, "offset": 0},
        lambda **x: two().couple(**x).build(),
    ),
    "actuator": (
        {"name": "f", "joint": "j", "gear_ratio": 1, "rotor_inertia": 1, "gyroscopic": False,
         "host": None, "axis": None, "damping": 0},
        lambda **x: two().actuator(**x).build().with_rotors(),
    ),
    "spring": (
        {"name": "f", "first": ("a", (1, 0, 0)), "second": ("c", (1, 0, 0)), "stiffness": 1,
         "rest_length": 0, "damping": 0},
        lambda **x: two().spring(**x).build(),
    ),
    "joint spring": (
        {"name": "f", "joint": "j", "other": "k", "stiffness": 1, "ratio": 1, "rest": 0,
         "damping": 0},
        lambda **x: two().joint_spring(**x).build(),
    ),
}  # fmt: skip


def one_of(method: str, name: str) -> Call:
    given, call = METHODS[method]
    sound = {} if method == "joint" else given
    return lambda x: call(**{**sound, name: x})


for _method, (_given, _) in METHODS.items():
    CALLS |= {f"{_method}: {_name}": one_of(_method, _name) for _name in _given}


@pytest.mark.parametrize("name", CALLS)
def test_an_odd_argument_gives_one_of_our_errors(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figures: Figures
) -> None:
    monkeypatch.chdir(tmp_path)
    for odd in ODD:
        try:
            CALLS[name](odd)
        except DalembertError as error:
            assert str(error).startswith(("expected", "text")) or "expected" in str(error)  # noqa: PT017
        figures.count("odd arguments")
    assert list(tmp_path.iterdir()) == []
