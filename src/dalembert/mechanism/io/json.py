"""Our own file format: JSON with exact numbers as text, and expressions in named parameters."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from dalembert.errors import DalembertError, InvalidMechanism
from dalembert.expr import Expr, as_expr, parameters, symbol_text
from dalembert.expr.parse import parse
from dalembert.expr.unparse import unparse
from dalembert.mechanism.mechanism import Coupling, Loop, Mechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import NUMBERS, Joint, JointKind, Limits, Mimic
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.spring import JointSpring, PointSpring, Spring
from dalembert.spatial.exact import exact
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose

FORMAT = "dalembert mechanism"
VERSION = 1
MAX_BYTES = 64 * 2**20
RESISTANCE = tuple(f.name for f in fields(Resistance))


def save_json(mechanism: Mechanism, path: str | os.PathLike[str] | None = None) -> str:
    """Return the mechanism as JSON text, written to ``path`` when one is given."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "name": mechanism.name,
        "parameters": [symbol_text(p) for p in mechanism.parameters],
        "gravity": _texts(mechanism.gravity),
        "links": [
            {
                "name": link.name,
                "inertia": _texts([link.inertia.m, *link.inertia.h, *link.inertia.I])
                if link.has_inertia
                else None,
            }
            for link in mechanism.links
        ],
        "joints": [_joint_data(joint) for joint in mechanism.joints],
        "frames": [_frame_data(frame) for frame in mechanism.frames],
        "loops": [
            {
                "name": loop.name,
                "kind": loop.kind,
                "first": _frame_data(loop.first),
                "second": _frame_data(loop.second),
            }
            for loop in mechanism.loops
        ],
        "couplings": [
            {
                "name": c.name,
                "joint": c.joint,
                "other": c.other,
                "coefficients": _texts(c.coefficients),
            }
            for c in mechanism.couplings
        ],
        "actuators": [_actuator_data(actuator) for actuator in mechanism.actuators],
        "springs": [_spring_data(spring) for spring in mechanism.springs],
    }
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text


def _text(x: Any) -> str:
    if isinstance(x, Expr):
        return unparse(x)
    return str(x if isinstance(x, int | Fraction) else as_expr(x).value)


def _texts(values: Sequence[Any]) -> list[str]:
    return [_text(x) for x in values]


def _keys(kind: type[Joint] | type[Actuator]) -> set[str]:
    """Return what a joint or actuator may hold in a file: its fields, its resistance among them."""
    return {f.name for f in fields(kind)} - {"resistance"} | set(RESISTANCE)


def _pose_data(X: Pose) -> dict[str, Any] | None:
    if X.is_identity:
        return None
    return {"R": [_texts(row) for row in X.R], "p": _texts(X.p)}


def _frame_data(frame: Frame) -> dict[str, Any]:
    return {"name": frame.name, "link": frame.link, "placement": _pose_data(frame.placement)}


def _joint_data(joint: Joint) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": joint.name,
        "kind": joint.kind.value,
        "parent": joint.parent,
        "child": joint.child,
        "axis": _texts(joint.axis),
        "placement": _pose_data(joint.placement),
        "after": _pose_data(joint.after),
        "limits": list(joint.limits) if joint.limits != Limits() else None,
        "mimic": [joint.mimic.joint, *_texts(joint.mimic[1:])] if joint.mimic else None,
    }
    own = {name: x for name, x in joint.numbers.items() if x != 0}
    data |= {name: _text(x) for name, x in (own | joint.resistance.given).items()}
    if joint.spins:
        data["spins"] = True
    return {key: value for key, value in data.items() if value is not None}


def _actuator_data(actuator: Actuator) -> dict[str, Any]:
    return {
        "name": actuator.name,
        "joint": actuator.joint,
        "gear_ratio": _text(actuator.gear_ratio),
        "rotor_inertia": _text(actuator.rotor_inertia),
        **{name: _text(x) for name, x in actuator.resistance.given.items()},
        "gyroscopic": actuator.gyroscopic,
        "host": actuator.host,
        "axis": None if actuator.axis is None else _texts(actuator.axis),
    }


def _spring_data(spring: Spring) -> dict[str, Any]:
    ends = spring[1:3]
    if isinstance(spring, PointSpring):
        ends = (_frame_data(spring.first), _frame_data(spring.second))
    return dict(zip(spring._fields, (spring.name, *ends, *_texts(spring[3:])), strict=True))


def load_json(source: str | bytes | os.PathLike[str]) -> Mechanism:
    """Read a mechanism from a JSON file, or from text that starts with ``{``."""
    name = "text"
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip()[:1] == "{"):
        data: Any = source
    else:
        name = os.fsdecode(source)
        data = _read(name)
    if len(data) > MAX_BYTES:
        raise InvalidMechanism(f"{name}: expected at most {MAX_BYTES // 2**20} MiB, got more")
    try:
        tree = json.loads(data, parse_constant=_refuse, parse_float=str)
        return _Reader(name, tree).mechanism()
    except (ValueError, RecursionError) as error:
        if isinstance(error, DalembertError):
            raise
        raise InvalidMechanism(
            f"{name}: expected a mechanism in JSON, got text that is not: {error}"
        ) from None


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidMechanism(
            f"{path}: expected a file to read: {error.strerror or error}"
        ) from None


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not a number")


class _Reader:
    """Turns the parsed tree into a mechanism; messages carry the path inside the file."""

    def __init__(self, file: str, data: Any) -> None:
        self.file, self.data = file, data
        header = data.get("format") if isinstance(data, dict) else None
        if header != FORMAT or data.get("version") != VERSION:
            self.fail("format", f"expected {FORMAT!r}, version {VERSION}, got {str(header)[:40]!r}")
        names = self.get(data, "parameters", list, "", [])
        self.symbols = parameters(" ".join(map(str, names))) if names else ()

    def fail(self, where: str, message: str) -> Any:
        raise InvalidMechanism(f"{self.file}: {where}: {message}")

    def get(self, data: Any, key: str, kind: type, where: str, default: Any = None) -> Any:
        if not isinstance(data, dict):
            return self.fail(where or "file", f"expected an object, got {type(data).__name__}")
        value = data.get(key, default)
        if value is None or not isinstance(value, kind):
            expected = {str: "text", list: "a list", dict: "an object"}[kind]
            self.fail(f"{where}/{key}", f"expected {expected}, got {str(value)[:40]!r}")
        return value

    def number(self, value: Any, where: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int):
            return self.fail(where, f"expected a number or an expression, got {str(value)[:40]!r}")
        try:
            return exact(parse(str(value), self.symbols))
        except DalembertError as error:
            return self.fail(where, str(error))

    def numbers(self, values: Any, size: int | None, where: str) -> tuple[Any, ...]:
        if not isinstance(values, list) or (size is not None and len(values) != size):
            self.fail(where, f"expected a list of {size or 'some'} numbers, got {str(values)[:40]}")
        return tuple(self.number(x, f"{where}/{i}") for i, x in enumerate(values))

    def pose(self, data: Any, where: str) -> Pose:
        if data is None:
            return Pose()
        rows = self.get(data, "R", list, where)
        if len(rows) != 3:
            self.fail(f"{where}/R", f"expected 3 rows, got {len(rows)}")
        R = tuple(self.numbers(row, 3, f"{where}/R/{i}") for i, row in enumerate(rows))
        return Pose(R, self.numbers(data.get("p"), 3, f"{where}/p"))  # type: ignore[arg-type]

    def frame(self, data: Any, where: str) -> Frame:
        name, link = self.get(data, "name", str, where), self.get(data, "link", str, where)
        return Frame(name, link, self.pose(data.get("placement"), f"{where}/placement"))

    def link(self, data: Any, where: str) -> Link:
        name = self.get(data, "name", str, where)
        values = data.get("inertia")
        if values is None:
            return Link(name)
        m, x, y, z, *I = self.numbers(values, 10, f"{where}/inertia")
        return Link(name, Inertia(m, (x, y, z), tuple(I)), True)  # type: ignore[arg-type]

    def resistance(self, data: Any, where: str) -> Resistance:
        """Read the numbers of a resistance, which stand beside those of its joint or actuator."""
        if isinstance(old := data.get("friction"), list):
            # the first four as a list: an actuator in files of older versions
            return Resistance(*self.numbers(old, 4, f"{where}/friction"))
        found = [name for name in RESISTANCE if name in data]
        return Resistance(**{name: self.number(data[name], f"{where}/{name}") for name in found})

    def joint(self, data: Any, where: str) -> Joint:
        self.require_known(data, _keys(Joint), where)
        kinds = [kind.value for kind in JointKind]
        kind = self.get(data, "kind", str, where)
        if kind not in kinds:
            self.fail(f"{where}/kind", f"expected one of {', '.join(kinds)}, got {kind[:40]!r}")
        extra: dict[str, Any] = {
            name: self.number(data[name], f"{where}/{name}") for name in NUMBERS if name in data
        }
        extra["resistance"] = self.resistance(data, where)
        if "mimic" in data:
            mimic = self.get(data, "mimic", list, where)
            numbers = self.numbers(mimic[1:], 2, f"{where}/mimic")
            extra["mimic"] = Mimic(str(mimic[0]), *numbers)
        if "limits" in data:
            limits = self.get(data, "limits", list, where)
            extra["limits"] = Limits(*(None if x is None else float(x) for x in limits[:4]))
        extra["spins"] = self.flag(data, "spins", where)
        return Joint(
            self.get(data, "name", str, where),
            JointKind(kind),
            self.get(data, "parent", str, where),
            self.get(data, "child", str, where),
            axis=self.numbers(data.get("axis", ["0", "0", "1"]), 3, f"{where}/axis"),  # type: ignore[arg-type]
            placement=self.pose(data.get("placement"), f"{where}/placement"),
            after=self.pose(data.get("after"), f"{where}/after"),
            **extra,
        )

    def coupling(self, data: Any, where: str) -> Coupling:
        other = data.get("other") if isinstance(data, Mapping) else None
        return Coupling(
            self.get(data, "name", str, where),
            self.get(data, "joint", str, where),
            None if other is None else str(other),
            self.numbers(self.get(data, "coefficients", list, where), None, where),
        )

    def loop(self, data: Any, where: str) -> Loop:
        kind = self.get(data, "kind", str, where)
        if kind not in ("point", "frame"):
            self.fail(f"{where}/kind", f"expected point or frame, got {kind[:40]!r}")
        first, second = (self.frame(data.get(k), f"{where}/{k}") for k in ("first", "second"))
        return Loop(self.get(data, "name", str, where), kind, first, second)

    def require_known(self, data: Any, known: Iterable[str], where: str) -> None:
        for key in data if isinstance(data, dict) else ():
            if key not in known:
                self.fail(f"{where}/{key}", f"expected one of {', '.join(sorted(known))}")

    def flag(self, data: Any, key: str, where: str) -> bool:
        value = data.get(key, False)
        if not isinstance(value, bool):
            self.fail(f"{where}/{key}", f"expected true or false, got {str(value)[:40]!r}")
        return value

    def actuator(self, data: Any, where: str) -> Actuator:
        name, joint = self.get(data, "name", str, where), self.get(data, "joint", str, where)
        self.require_known(data, _keys(Actuator), where)
        resistance = self.resistance(data, where)
        host, axis = data.get("host"), data.get("axis")
        return Actuator(
            name,
            joint,
            self.number(data.get("gear_ratio", "1"), f"{where}/gear_ratio"),
            self.number(data.get("rotor_inertia", "0"), f"{where}/rotor_inertia"),
            resistance,
            self.flag(data, "gyroscopic", where),
            None if host is None else str(host),
            None if axis is None else self.numbers(axis, 3, f"{where}/axis"),  # type: ignore[arg-type]
        )

    def spring(self, data: Any, where: str) -> Spring:
        name = self.get(data, "name", str, where)
        kind = PointSpring if "first" in data else JointSpring
        self.require_known(data, kind._fields, where)
        numbers = {
            key: self.number(data[key], f"{where}/{key}") for key in kind._fields[3:] if key in data
        }
        if kind is PointSpring:
            first, second = (self.frame(data.get(k), f"{where}/{k}") for k in ("first", "second"))
            return PointSpring(name, first, second, **numbers)
        joint, other = (self.get(data, k, str, where) for k in ("joint", "other"))
        return JointSpring(name, joint, other, **numbers)

    def mechanism(self) -> Mechanism:
        data = self.data

        def each(key: str, read: Any) -> tuple[Any, ...]:
            items = self.get(data, key, list, "", [])
            return tuple(read(item, f"{key}/{i}") for i, item in enumerate(items))

        links = each("links", self.link)
        if not links:
            self.fail("links", "expected at least the root link, got none")
        return Mechanism(
            self.get(data, "name", str, ""),
            links,
            each("joints", self.joint),
            self.numbers(data.get("gravity"), 3, "gravity"),  # type: ignore[arg-type]
            each("frames", self.frame),
            each("loops", self.loop),
            each("couplings", self.coupling),
            each("actuators", self.actuator),
            each("springs", self.spring),
        )
