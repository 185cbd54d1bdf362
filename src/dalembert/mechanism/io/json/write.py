"""Write a mechanism as JSON: everything it has, numbers exact."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, symbol_text, time
from dalembert.expr.rational import as_rational
from dalembert.expr.unparse import unparse
from dalembert.files import write_whole
from dalembert.mechanism.io.json.layout import BUSHING, ENDS, FORMAT, MAX_DIGITS, VERSION
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import Joint, Limits
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.shape import Mesh, Shape
from dalembert.mechanism.parts.spring import Bushing, JointSpring, Spring
from dalembert.spatial.pose import Pose


def save_json(mechanism: Mechanism, path: str | os.PathLike[str] | None = None) -> str:
    """Return the mechanism as JSON text, written to ``path`` when one is given.

    Raises:
        InvalidMechanism: a number of more than `MAX_DIGITS` digits, or a parameter that is called
            as the time is.
        TooLarge: an expression that is too long for one text.
        FileError: the file cannot be written; an old one is unchanged.
    """
    names = [symbol_text(p) for p in mechanism.parameters]
    if mechanism.is_timed and symbol_text(time) in names:
        raise InvalidMechanism(
            f"expected parameters with other names than the time to write JSON, got "
            f"{symbol_text(time)!r} in {mechanism.name}: bind it to a symbol of another name"
        )
    data = {
        "format": FORMAT,
        "version": VERSION,
        "name": mechanism.name,
        "parameters": names,
        "gravity": _texts(mechanism.gravity),
        "links": [_link_data(link) for link in mechanism.links],
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
                "others": list(c.others),
                "law": _text(c.law.expression),
            }
            for c in mechanism.couplings
        ],
        "actuators": [_actuator_data(actuator) for actuator in mechanism.actuators],
        "springs": [_spring_data(spring) for spring in mechanism.springs],
        "keyframes": [
            {"name": x.name, "positions": {joint: _texts(at) for joint, at in x.positions}}
            for x in mechanism.keyframes
        ],
    }
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if path is not None:
        write_whole(path, text.encode())
    return text


def _text(x: Any) -> str:
    if isinstance(x, Expr):
        return unparse(x)
    value = Fraction(x) if isinstance(x, int | Fraction) else as_rational(x)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 3 * MAX_DIGITS:
        raise InvalidMechanism(
            f"expected numbers of at most {MAX_DIGITS} digits to write JSON, got a longer one: "
            "round it"
        )
    return str(value)


def _texts(values: Sequence[Any]) -> list[str]:
    return [_text(x) for x in values]


def _pose_data(X: Pose) -> dict[str, Any] | None:
    if X.is_identity:
        return None
    return {"R": [_texts(row) for row in X.R], "p": _texts(X.p)}


def _frame_data(frame: Frame) -> dict[str, Any]:
    return {"name": frame.name, "link": frame.link, "placement": _pose_data(frame.placement)}


def _link_data(link: Link) -> dict[str, Any]:
    numbers = _texts([link.inertia.m, *link.inertia.h, *link.inertia.I])
    data: dict[str, Any] = {"name": link.name, "inertia": numbers if link.has_inertia else None}
    for key, shapes in (("visuals", link.visuals), ("collisions", link.collisions)):
        if shapes:
            data[key] = [_shape_data(shape) for shape in shapes]
    return data


def _shape_data(shape: Shape) -> dict[str, Any]:
    """Return a shape: the kind of its geometry, and the numbers of that by their names."""
    geometry = shape.geometry
    own: dict[str, Any] = {"kind": type(geometry).__name__.lower()}
    if isinstance(geometry, Mesh):
        own["file"] = geometry.file
    own |= {
        name: _texts(x) if isinstance(x, tuple) else _text(x)
        for name, x in geometry.numbers.items()
    }
    data = {
        "geometry": own,
        "placement": _pose_data(shape.placement),
        "colour": None if shape.colour is None else [float(x) for x in shape.colour],
        "name": shape.name or None,
    }
    return {key: value for key, value in data.items() if value is not None}


def _joint_data(joint: Joint) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": joint.name,
        "kind": joint.kind.value,
        "parent": joint.parent,
        "child": joint.child,
        "axis": _texts(joint.axis),
        "placement": _pose_data(joint.placement),
        "after": _pose_data(joint.after),
        "limits": _limits(joint.limits) if joint.limits != Limits() else None,
        "mimic": [joint.mimic.joint, *_texts(joint.mimic[1:])] if joint.mimic else None,
    }
    own = {name: x for name, x in joint.numbers.items() if x != 0}
    data |= {name: _text(x) for name, x in (own | joint.resistance.given).items()}
    data |= {key: True for key in ("spins", "passive") if getattr(joint, key)}
    return {key: value for key, value in data.items() if value is not None}


def _limits(limits: Limits) -> list[float | None]:
    return [None if x is None else float(x) for x in limits]


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
        **({} if actuator.effort is None else {"effort": _text(actuator.effort)}),
        **({"others": {j: _text(k) for j, k in actuator.others}} if actuator.others else {}),
    }


def _spring_data(spring: Spring) -> dict[str, Any]:
    data: dict[str, Any] = {"name": spring.name}
    if isinstance(spring, Bushing):
        data["kind"] = BUSHING
    if isinstance(spring, JointSpring):
        data |= {"terms": {joint: _text(k) for joint, k in spring.terms}}
    else:
        data |= {"first": _frame_data(spring.first), "second": _frame_data(spring.second)}
    names = [x for x in spring._fields if x not in (*ENDS, "potential", "dissipation")]
    data |= dict(zip(names, _texts(spring.numbers), strict=True))
    laws = {"potential": spring.potential, "dissipation": spring.dissipation}
    return data | {key: _text(law.expression) for key, law in laws.items() if law is not None}
