"""A system written down in TOML: energies, forces and constraints as text.

Texts are read by `reader.parse`: nothing in a file is executed. docs/command_line.md has the keys.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from dalembert.cli.subject import Subject
from dalembert.errors import DalembertError, InvalidSystem, nearest
from dalembert.expr import Expr, Scalar, coordinates, inputs, parameters, time
from dalembert.files import read_regular
from dalembert.mechanics import System
from dalembert.reader import parse

MAX_BYTES = 1 << 20
MAX_ENTRIES = 2000
"""Names, expressions and numbers in one list or table."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
ENERGIES = {"T": "kinetic", "V": "potential", "L": "lagrangian", "R": "dissipation"}
LISTS = ("constraints", "velocity_constraints")
KEYS = (
    *("name", "coordinates", "parameters", "inputs", "define", *ENERGIES, "forces", *LISTS),
    *("particles", "gravity", "points", "start"),
)


def read_lagrangian(path: str) -> Subject:
    """Return the system that a .toml file describes.

    Raises:
        FileError: the file cannot be read.
        InvalidSystem: it is wrong; the message begins with ``file:line:`` and the key.
    """
    reader = _Reader(path, read_regular(path, MAX_BYTES))
    return reader.subject()


class _Reader:
    """One file: its data, its lines, and the names that its expressions may use."""

    def __init__(self, path: str, raw: bytes) -> None:
        self.path = path
        try:
            self.text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            self.refuse(line, "", "expected text in UTF-8, got other bytes")
        try:
            self.data = tomllib.loads(self.text, parse_float=_decimal)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"line (\d+)", str(error))
            self.refuse(int(found[1]) if found else 1, "", f"expected TOML, got: {error}")
        except (DalembertError, ValueError, RecursionError) as error:
            self.refuse(1, "", f"expected TOML, got: {error}")
        for key in self.data:
            if key not in KEYS:
                self.wrong(key, f"expected a known key, got {key[:40]!r}: {nearest(key, KEYS)}")
        self.known: dict[str, Scalar] = {}

    # ---- errors

    def refuse(self, line: int, key: str, message: str) -> NoReturn:
        """Raise an error at a line."""
        where = f"{self.path}:{line}: " + (f"{key}: " if key else "")
        raise InvalidSystem(where + message)

    def wrong(self, key: str, message: str, inner: str = "") -> NoReturn:
        """Raise an error at the line of a key, or of a name inside the table of that key."""
        self.refuse(self.line_of(key, inner), f"{key}.{inner}" if inner else key, message)

    def line_of(self, key: str, inner: str = "") -> int:
        """Return the line where a key stands; 1 where it cannot be told."""
        line = _first(rf"\[*\s*\"?{re.escape(key)}\"?\s*[\]=.]", self.text, 0)
        if inner and (below := _first(rf"\"?{re.escape(inner)}\"?\s*=", self.text, line - 1)) > 0:
            return below
        return max(line, 1)

    # ---- the parts

    def subject(self) -> Subject:
        """Return all of it."""
        stem = os.path.splitext(os.path.basename(self.path))[0]
        name = self.value("name", str, "a text", stem)
        q = self.symbols("coordinates", coordinates)
        if not q:
            self.wrong("coordinates", 'expected at least one, got none: coordinates = ["q"]')
        values = self.parameters()
        self.symbols("inputs", inputs)
        self.known.setdefault("t", time)
        self.define()
        system = self.system(q)
        return Subject(
            name,
            system,
            values,
            *self.start(len(q)),
            self.points(),
        )

    def system(self, q: Sequence[Expr]) -> System:
        """Return the system of the energies, or of the particles."""
        energies: dict[str, Any] = {
            word: self.expression(key, self.data[key])
            for key, word in ENERGIES.items()
            if key in self.data
        }
        rest: dict[str, Any] = {
            **energies,
            **{key: self.expressions(key) for key in LISTS},
            "forces": self.forces(q),
            "coordinates": q,
        }
        particles = self.value("particles", list, "tables [[particles]]", [])
        try:
            if not particles:
                return System(**rest)
            for key in ("T", "L"):
                if key in self.data:
                    self.wrong(key, "expected no such energy beside particles: drop one")
            masses, positions = zip(*map(self.particle, particles), strict=True)
            gravity = self.expressions("gravity") or None
            return System.from_particles(masses, positions, gravity=gravity, **rest)
        except DalembertError as error:
            if str(error).startswith(f"{self.path}:"):
                raise
            self.refuse(1, "", str(error))

    def parameters(self) -> dict[Expr, Scalar]:
        """Return the parameters that have a value; all become names."""
        given = self.data.get("parameters", [])
        if not isinstance(given, dict):
            self.symbols("parameters", parameters)
            return {}
        self.bounded("parameters", given)
        found: dict[Expr, Scalar] = {}
        for name, value in given.items():
            x = self.symbol("parameters", name, parameters)
            if isinstance(value, bool) or not isinstance(value, int | Fraction):
                self.wrong("parameters", f"expected a number, got {str(value)[:40]!r}", name)
            found[x] = value
        return found

    def symbols(self, key: str, make: Callable[[str], Sequence[Expr]]) -> list[Expr]:
        """Return the symbols of a list of names."""
        return [self.symbol(key, name, make) for name in self.value(key, list, "a list", [])]

    def symbol(self, key: str, name: object, make: Callable[[str], Sequence[Expr]]) -> Expr:
        """Return the symbol of a new name."""
        if not isinstance(name, str) or not NAME.fullmatch(name):
            self.wrong(key, f"expected a name of letters and digits, got {str(name)[:40]!r}")
        if name in self.known:
            self.wrong(key, f"expected each name once, got {name!r} again: rename one")
        (x,) = make(name)
        self.known[name] = x
        return x

    def define(self) -> None:
        """Take the short names; each may use those before it."""
        given = self.value("define", dict, "a table", {})
        for name, text in given.items():
            if not NAME.fullmatch(name) or name in self.known:
                self.wrong("define", "expected a new name of letters and digits", name)
            self.known[name] = self.expression("define", text, name)

    def forces(self, q: Sequence[Expr]) -> list[Expr]:
        """Return one generalized force for each coordinate, given as a list or by name."""
        given = self.data.get("forces", [])
        if not isinstance(given, dict):
            return self.expressions("forces")
        names = [str(name) for name in self.data["coordinates"]]
        for name in given:
            if name not in names:
                self.wrong("forces", f"expected a coordinate: {nearest(name, names)}", name)
        return [self.expression("forces", given.get(name, 0), name) for name in names]

    def particle(self, given: object) -> tuple[Expr, list[Expr]]:
        """Return mass and position of a particle."""
        match given:
            case {"mass": mass, "position": list(position), **rest} if not rest:
                at = [self.expression("particles", x) for x in position]
                return self.expression("particles", mass), at
        self.wrong("particles", 'expected mass = "…" and position = ["…", "…"] in each')

    def points(self) -> dict[str, tuple[Expr, ...]]:
        """Return the positions to draw, each of two or three expressions."""
        found = {}
        for name, given in self.value("points", dict, "a table", {}).items():
            if not isinstance(given, list) or len(given) not in (2, 3):
                self.wrong("points", "expected two or three expressions", name)
            found[name] = tuple(self.expression("points", x, name) for x in given)
        return found

    def start(self, n: int) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
        """Return q and q̇ at the start."""
        given = self.value("start", dict, "a table", {})
        for key in given:
            if key not in ("q", "qd"):
                self.wrong("start", "expected q or qd", key)
        q, qd = (self.numbers("start", given[k], k, n) if k in given else None for k in ("q", "qd"))
        return q, qd

    # ---- values

    def value(self, key: str, kind: type, what: str, default: Any) -> Any:
        """Return the value of a key, of a kind and of bounded length."""
        found = self.data.get(key, default)
        if not isinstance(found, kind):
            self.wrong(key, f"expected {what}, got {str(found)[:40]!r}")
        return self.bounded(key, found)

    def bounded(self, key: str, found: Any) -> Any:
        """Return a list, table or text that is not too long."""
        if len(found) > MAX_ENTRIES:
            self.wrong(key, f"expected at most {MAX_ENTRIES} entries, got {len(found)}")
        return found

    def expressions(self, key: str) -> list[Expr]:
        """Return a list of expressions."""
        return [self.expression(key, x) for x in self.value(key, list, "a list", [])]

    def expression(self, key: str, given: object, inner: str = "") -> Expr:
        """Return the expression of a text or a number."""
        if isinstance(given, bool) or not isinstance(given, str | int | Fraction):
            self.wrong(key, f'expected an expression such as "m*x", got {str(given)[:40]!r}', inner)
        try:
            return parse(str(given), self.known)
        except DalembertError as error:
            self.wrong(key, str(error), inner)

    def numbers(self, key: str, given: object, inner: str, n: int) -> tuple[float, ...]:
        """Return n numbers."""
        if not isinstance(given, list) or len(given) != n:
            self.wrong(key, f"expected {n} numbers, one for each coordinate", inner)
        if any(isinstance(x, bool) or not isinstance(x, int | Fraction) for x in given):
            self.wrong(key, "expected numbers", inner)
        try:
            return tuple(float(x) for x in given)
        except OverflowError:
            self.wrong(key, "expected numbers within the range of floats", inner)


def _first(pattern: str, text: str, after: int) -> int:
    """Return the first line past ``after`` that begins with a pattern; 0 where none does."""
    lines: Mapping[int, str] = dict(enumerate(text.split("\n"), 1))
    start = re.compile(rf"\s*{pattern}")
    return next((k for k, line in lines.items() if k > after and start.match(line)), 0)


def _decimal(text: str) -> Fraction:
    """Return a number by its decimal meaning."""
    return parse(text.replace("_", ""), {}).value
