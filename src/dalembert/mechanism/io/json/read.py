"""Read a mechanism from JSON: strictly, every message with the path inside the file."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection
from dataclasses import fields
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

from dalembert.errors import DalembertError, FileError, InvalidMechanism, nearest
from dalembert.expr import Expr, symbol_text, time
from dalembert.expr.graph import Kind
from dalembert.expr.symbols import symbol
from dalembert.files import parse_json, path_text, read_regular
from dalembert.mechanism.io.json import layout
from dalembert.mechanism.mechanism import Coupling, Loop, Mechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import NUMBERS, Joint, JointKind, Limits, Mimic
from dalembert.mechanism.parts.keyframe import Keyframe
from dalembert.mechanism.parts.law import EXTENSIONS, RATES, Law
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.shape import GEOMETRIES, Geometry, Shape
from dalembert.mechanism.parts.spring import Bushing, JointSpring, PointSpring, Spring
from dalembert.reader import parse
from dalembert.spatial.exact import exact
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.types import Scalar

Part = TypeVar("Part")

# what our writer makes of a number; other texts are expressions
_RATIONAL = re.compile(rf"(-?[0-9]{{1,{layout.MAX_DIGITS}}})(?:/([0-9]{{1,{layout.MAX_DIGITS}}}))?")
_WORDS = {str: "text", list: "a list", dict: "an object", bool: "true or false"}


def load_json(
    source: str | bytes | os.PathLike[str], *, accept_nonphysical: bool = False
) -> Mechanism:
    """Read a mechanism from a JSON file, or from text that starts with ``{``.

    ``accept_nonphysical`` keeps inertias that no body has, as in `load_urdf`.

    Raises:
        InvalidMechanism: the file is wrong; the message has the path inside it.
    """
    name = "text"
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip()[:1] == "{"):
        data = source
    else:
        name = path_text(source)
        try:
            data = read_regular(name, layout.MAX_BYTES)
        except FileError as error:
            raise InvalidMechanism(f"{name[:200]}: {error}") from None
    tree = _parsed(data, name)
    try:
        return _Reader(name, tree).mechanism(accept_nonphysical)
    except DalembertError as error:
        if isinstance(error, InvalidMechanism) and str(error).startswith(f"{name}: "):
            raise
        raise InvalidMechanism(f"{name}: {error}") from None


def _parsed(data: str | bytes, name: str) -> object:
    if len(data) > layout.MAX_BYTES:
        raise InvalidMechanism(
            f"{name}: expected at most {layout.MAX_BYTES >> 20} MiB, got more: a mechanism is not "
            "that long"
        )
    try:
        # numbers stay text: they are read exactly
        return parse_json(data, layout.MAX_VALUES, str)
    except ValueError as error:
        raise InvalidMechanism(
            f"{name}: expected a mechanism in JSON, got text that is not: {error}"
        ) from None


def _shown(value: object) -> str:
    """Return a value for messages; of what is large only its kind."""
    if isinstance(value, dict):
        return "an object"
    return f"{len(value)} values" if isinstance(value, list) else repr(value)[:60]


class _Reader:
    """Turns the parsed tree into a mechanism."""

    def __init__(self, file: str, data: Any) -> None:
        self.file, self.data = file, data
        header = data.get("format") if isinstance(data, dict) else None
        version = data.get("version") if isinstance(data, dict) else None
        if header != layout.FORMAT or type(version) is not int or version != layout.VERSION:
            self.fail(
                "format",
                f"expected {layout.FORMAT!r}, version {layout.VERSION}, got {_shown(header)}",
            )
        self.known(data, layout.FILE, "file")
        names = self.get(data, "parameters", list, "", [])
        self.symbols = self.parameters(names)

    def mechanism(self, accept_nonphysical: bool) -> Mechanism:
        data = self.data
        links = self.each("links", self.link)
        if not links:
            self.fail("links", "expected at least the root link, got none")
        return Mechanism(
            self.get(data, "name", str, ""),
            links,
            self.each("joints", self.joint),
            self.numbers(data.get("gravity"), 3, "gravity"),  # type: ignore[arg-type]
            self.each("frames", self.frame),
            self.each("loops", self.loop),
            self.each("couplings", self.coupling),
            self.each("actuators", self.actuator),
            self.each("springs", self.spring),
            self.each("keyframes", self.keyframe),
            accept_nonphysical=accept_nonphysical,
        )

    # ---- values

    def fail(self, where: str, message: str) -> NoReturn:
        raise InvalidMechanism(f"{self.file}: {where}: {message}")

    def get(self, data: Any, key: str, kind: type, where: str, default: Any = None) -> Any:
        """Return the value of a key, which must be of this kind."""
        if not isinstance(data, dict):
            self.fail(where or "file", f"expected an object, got {_shown(data)}")
        value = data.get(key, default)
        if not isinstance(value, kind):
            self.fail(f"{where}/{key}", f"expected {_WORDS[kind]}, got {_shown(value)}")
        return value

    def optional(self, data: Any, key: str, kind: type, where: str) -> Any:
        """Return the value of a key, None where there is none."""
        value = data.get(key)
        return None if value is None else self.get(data, key, kind, where)

    def known(self, data: Any, keys: Collection[str], where: str) -> None:
        """Refuse keys that mean nothing: they are misspelt."""
        if not isinstance(data, dict):
            self.fail(where, f"expected an object, got {_shown(data)}")
        for key in data:
            if key not in keys:
                advice = nearest(key[:40], sorted(keys))
                self.fail(where, f"expected a known key, got {_shown(key)} ({advice})")

    def parameters(self, names: list[Any]) -> tuple[Expr, ...]:
        for i, name in enumerate(names):
            if not isinstance(name, str):
                self.fail(f"parameters/{i}", f"expected a name, got {_shown(name)}")
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            self.fail("parameters", f"expected distinct names, got {twice[:40]!r} twice")
        known = [symbol(Kind.PARAMETER, name) for name in names]
        # t is the time unless a parameter has this name
        return tuple(known if symbol_text(time) in names else [*known, time])

    def number(self, value: Any, where: str) -> Scalar:
        if isinstance(value, bool) or not isinstance(value, str | int):
            self.fail(where, f"expected a number or an expression, got {_shown(value)}")
        if isinstance(value, int):
            return value
        if rational := _RATIONAL.fullmatch(value):
            numerator, denominator = rational.groups()
            if denominator is None:
                return int(numerator)
            if denominator.strip("0"):
                return exact(Fraction(int(numerator), int(denominator)))
        try:
            return exact(parse(value, self.symbols))
        except DalembertError as error:
            self.fail(where, str(error))

    def numbers(self, values: Any, size: int | None, where: str) -> tuple[Scalar, ...]:
        if not isinstance(values, list) or (size is not None and len(values) != size):
            self.fail(where, f"expected a list of {size or 'some'} numbers, got {_shown(values)}")
        return tuple(self.number(x, f"{where}/{i}") for i, x in enumerate(values))

    def bound(self, value: Any, where: str) -> float | None:
        """Read a limit: a number without symbols, or null where there is none."""
        if value is None:
            return None
        number = self.number(value, where)
        try:
            if isinstance(number, int | Fraction) and math.isfinite(float(number)):
                return float(number)
        except OverflowError:
            pass
        self.fail(where, f"expected a number that a double can hold, got {_shown(value)}")

    # ---- parts

    def each(self, key: str, read: Callable[[Any, str], Part]) -> tuple[Part, ...]:
        items = self.get(self.data, key, list, "", [])
        return tuple(read(item, f"{key}/{i}") for i, item in enumerate(items))

    def pose(self, data: Any, where: str) -> Pose:
        if data is None:
            return Pose()
        self.known(data, layout.POSE, where)
        rows = self.get(data, "R", list, where)
        if len(rows) != 3:
            self.fail(f"{where}/R", f"expected 3 rows, got {len(rows)}")
        R = tuple(self.numbers(row, 3, f"{where}/R/{i}") for i, row in enumerate(rows))
        return Pose(R, self.numbers(data.get("p"), 3, f"{where}/p"))  # type: ignore[arg-type]

    def frame(self, data: Any, where: str) -> Frame:
        self.known(data, layout.FRAME, where)
        name, link = self.get(data, "name", str, where), self.get(data, "link", str, where)
        return Frame(name, link, self.pose(data.get("placement"), f"{where}/placement"))

    def link(self, data: Any, where: str) -> Link:
        self.known(data, layout.LINK, where)
        name, values = self.get(data, "name", str, where), data.get("inertia")
        shapes: dict[str, Any] = {
            key: tuple(
                self.shape(shape, f"{where}/{key}/{i}")
                for i, shape in enumerate(self.get(data, key, list, where, []))
            )
            for key in ("visuals", "collisions")
        }
        if values is None:
            return Link(name, **shapes)
        m, x, y, z, *I = self.numbers(values, 10, f"{where}/inertia")
        return Link(name, Inertia(m, (x, y, z), tuple(I)), True, **shapes)  # type: ignore[arg-type]

    def shape(self, data: Any, where: str) -> Shape:
        self.known(data, layout.SHAPE, where)
        given = self.optional(data, "colour", list, where)
        colour: Any = given and tuple(self.bound(x, f"{where}/colour") for x in given)
        return Shape(
            self.geometry(self.get(data, "geometry", dict, where), f"{where}/geometry"),
            self.pose(data.get("placement"), f"{where}/placement"),
            colour,
            self.get(data, "name", str, where, ""),
        )

    def geometry(self, data: Any, where: str) -> Geometry:
        word = self.get(data, "kind", str, where)
        kind = GEOMETRIES.get(word)
        if kind is None:
            self.fail(
                f"{where}/kind", f"expected one of {', '.join(GEOMETRIES)}, got {word[:40]!r}"
            )
        names = [f.name for f in fields(kind) if f.compare]  # type: ignore[arg-type]
        self.known(data, ["kind", *names], where)
        found: dict[str, Any] = {}
        for name in names:
            if name == "file":
                found[name] = self.get(data, name, str, where)
            elif name in layout.VECTORS:
                found[name] = self.numbers(data.get(name), 3, f"{where}/{name}")
            else:
                found[name] = self.number(data.get(name), f"{where}/{name}")
        return kind(**found)

    def keyframe(self, data: Any, where: str) -> Keyframe:
        self.known(data, layout.KEYFRAME, where)
        positions = self.get(data, "positions", dict, where)
        found = tuple(
            (joint, self.numbers(x, None, f"{where}/positions/{joint[:40]}"))
            for joint, x in positions.items()
        )
        return Keyframe(self.get(data, "name", str, where), found)

    def resistance(self, data: Any, where: str) -> Resistance:
        """Read the numbers of a resistance, which stand beside those of its joint or actuator."""
        if isinstance(old := data.get("friction"), list):
            # the first four as a list: an actuator in files of older versions
            return Resistance(*self.numbers(old, 4, f"{where}/friction"))
        found = [name for name in layout.RESISTANCE if name in data]
        return Resistance(**{name: self.number(data[name], f"{where}/{name}") for name in found})

    def joint(self, data: Any, where: str) -> Joint:
        self.known(data, layout.JOINT, where)
        kinds = [kind.value for kind in JointKind]
        kind = self.get(data, "kind", str, where)
        if kind not in kinds:
            self.fail(f"{where}/kind", f"expected one of {', '.join(kinds)}, got {kind[:40]!r}")
        numbers: dict[str, Any] = {
            name: self.number(data[name], f"{where}/{name}") for name in NUMBERS if name in data
        }
        return Joint(
            self.get(data, "name", str, where),
            JointKind(kind),
            self.get(data, "parent", str, where),
            self.get(data, "child", str, where),
            axis=self.numbers(data.get("axis", ["0", "0", "1"]), 3, f"{where}/axis"),  # type: ignore[arg-type]
            placement=self.pose(data.get("placement"), f"{where}/placement"),
            after=self.pose(data.get("after"), f"{where}/after"),
            limits=self.limits(data, where),
            mimic=self.mimic(data, where),
            resistance=self.resistance(data, where),
            spins=self.get(data, "spins", bool, where, False),
            passive=self.get(data, "passive", bool, where, False),
            **numbers,
        )

    def limits(self, data: Any, where: str) -> Limits:
        values = self.optional(data, "limits", list, where) or []
        if len(values) > len(Limits._fields):
            expected = ", ".join(Limits._fields)
            self.fail(f"{where}/limits", f"expected {expected}, got {len(values)} values")
        return Limits(*(self.bound(x, f"{where}/limits/{i}") for i, x in enumerate(values)))

    def mimic(self, data: Any, where: str) -> Mimic | None:
        values = self.optional(data, "mimic", list, where)
        if values is None:
            return None
        if len(values) != 3 or not isinstance(values[0], str):
            got = _shown(values)
            self.fail(f"{where}/mimic", f"expected a joint, a multiplier and an offset, got {got}")
        return Mimic(values[0], *self.numbers(values[1:], 2, f"{where}/mimic"))

    def coupling(self, data: Any, where: str) -> Coupling:
        self.known(data, layout.COUPLING, where)
        name, joint = self.get(data, "name", str, where), self.get(data, "joint", str, where)
        if "coefficients" in data:
            # q(joint) = Σ cₖ q(other)ᵏ + profile(q(other))
            other = self.optional(data, "other", str, where)
            c = self.numbers(self.get(data, "coefficients", list, where), None, where)
            law, profile = Law.polynomial(c), self.law(data, "profile", 1, where)
            if profile is not None:
                whole = law.expression + profile.expression
                law = Law.from_expression(whole, EXTENSIONS[:1], where)
            return Coupling(name, joint, () if other is None else (other,), law)
        others = self.get(data, "others", list, where)
        if not all(isinstance(x, str) for x in others) or len(others) > len(EXTENSIONS):
            self.fail(f"{where}/others", f"expected names of joints, got {_shown(others)}")
        law = self.law(data, "law", len(others), where)
        if law is None:
            self.fail(where, "expected the law of a coupling, got none")
        return Coupling(name, joint, tuple(others), law)

    def law(self, data: Any, key: str, num_extensions: int, where: str) -> Law | None:
        """Read a function of extensions, then of their rates."""
        text = self.optional(data, key, str, where)
        if text is None:
            return None
        given = EXTENSIONS[:num_extensions]
        if key == "dissipation":
            given = (*given, *RATES[:num_extensions])
        try:
            return Law.from_expression(parse(text, (*self.symbols, *given)), given, where)
        except DalembertError as error:
            self.fail(f"{where}/{key}", str(error))

    def loop(self, data: Any, where: str) -> Loop:
        self.known(data, layout.LOOP, where)
        kind = self.get(data, "kind", str, where)
        if kind not in ("point", "frame"):
            self.fail(f"{where}/kind", f"expected point or frame, got {kind[:40]!r}")
        first, second = (self.frame(data.get(k), f"{where}/{k}") for k in ("first", "second"))
        return Loop(self.get(data, "name", str, where), kind, first, second)

    def actuator(self, data: Any, where: str) -> Actuator:
        self.known(data, layout.ACTUATOR, where)
        axis, effort = self.optional(data, "axis", list, where), data.get("effort")
        return Actuator(
            self.get(data, "name", str, where),
            self.get(data, "joint", str, where),
            self.number(data.get("gear_ratio", "1"), f"{where}/gear_ratio"),
            self.number(data.get("rotor_inertia", "0"), f"{where}/rotor_inertia"),
            self.resistance(data, where),
            self.get(data, "gyroscopic", bool, where, False),
            self.optional(data, "host", str, where),
            None if axis is None else self.numbers(axis, 3, f"{where}/axis"),  # type: ignore[arg-type]
            None if effort is None else self.number(effort, f"{where}/effort"),
            self.factors(data, "others", where) if "others" in data else (),
        )

    def factors(self, data: Any, key: str, where: str) -> tuple[tuple[str, Any], ...]:
        """Read numbers by joint."""
        found = self.get(data, key, dict, where)
        return tuple((x, self.number(k, f"{where}/{key}/{x:.40}")) for x, k in found.items())

    def terms(self, data: Any, where: str) -> tuple[tuple[str, Any], ...]:
        """Read the joints of a spring with their factors."""
        if "terms" in data:
            return self.factors(data, "terms", where)
        # q(joint) - ratio · q(other)
        joint, other = self.get(data, "joint", str, where), self.optional(data, "other", str, where)
        ratio = self.number(data.get("ratio", "1"), f"{where}/ratio")
        return ((joint, 1),) if other is None else ((joint, 1), (other, -ratio))

    def spring(self, data: Any, where: str) -> Spring:
        if not isinstance(data, dict):
            self.fail(where, f"expected an object, got {_shown(data)}")
        is_bushing = data.get("kind") == layout.BUSHING
        kind = Bushing if is_bushing else PointSpring if "first" in data else JointSpring
        more = ["kind"] if is_bushing else layout.TWO_JOINTS if kind is JointSpring else []
        self.known(data, [*kind._fields, *more], where)
        name = self.get(data, "name", str, where)
        laws = {
            key: self.law(data, key, 6 if is_bushing else 1, where)
            for key in ("potential", "dissipation")
        }
        numbers: dict[str, Any] = {
            key: self.number(data[key], f"{where}/{key}")
            for key in kind._fields
            if key in data and key not in laws and key not in layout.ENDS
        }
        if kind is JointSpring:
            return JointSpring(name, self.terms(data, where), **numbers, **laws)
        first, second = (self.frame(data.get(k), f"{where}/{k}") for k in ("first", "second"))
        return kind(name, first, second, **numbers, **laws)  # type: ignore[arg-type]
