"""The picture of a system: its drawing, its bodies and what joins them, or gauges."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from dalembert.expr import as_expr
from dalembert.mechanics import System
from dalembert.model.pictures.gauges import gauges
from dalembert.model.pictures.samples import LEAST
from dalembert.model.pictures.shapes import shape_of
from dalembert.model.pictures.springs import springs
from dalembert.model.pictures.structure import Structure
from dalembert.picture.parts import Ground, Label, Line, Mass, Part, Pin, Spring, Support
from dalembert.picture.picture import Picture, Point

MAX_LABELS = 12
WALL = 0.35
"""Half the height of a wall that a spring is fixed to, as a share of the usual length."""


def picture_of_system(system: System, points: Mapping[str, Point] | None = None) -> Picture:
    """Return what a drawing of a system shows.

    That is the drawing that was written with it; else its points or bodies, with rods between those
    that keep their distance, springs where the potential energy has them, carts, wheels and boxes;
    else a gauge for each coordinate.

    Args:
        system: What is drawn.
        points: Points by name, drawn instead of the bodies.
    """
    if points:
        return _Drawing(system, dict(points), is_body=False).picture("its points")
    if system.drawing is not None:
        return system.drawing
    bodies: dict[str, Point] = {
        f"body {i}": tuple(body.r) for i, body in enumerate(system.bodies, 1)
    }
    if bodies:
        drawn = _Drawing(system, bodies, is_body=True)
        if drawn.is_seen:
            return drawn.picture("its bodies")
    return gauges(system)


class _Drawing:
    """Collects points and parts, from the back to the front."""

    def __init__(self, system: System, points: dict[str, Point], *, is_body: bool) -> None:
        self._system, self._is_body = system, is_body
        self._structure = Structure(system, points, is_body=is_body)
        self._points: dict[str, Point] = dict(self._structure.points)
        self._rods = self._structure.rods()
        self._springs = springs(system, self._structure)
        self._length = self._usual_length()
        shapes = [
            shape_of(system, self._structure, k, self._length)
            for k in range(len(points) if is_body else 0)
        ]
        self._shapes = [part for shape in shapes for part in shape.parts]
        for shape in shapes:
            self._points |= shape.points
        self._is_plain = [not shape.parts for shape in shapes]

    @property
    def is_seen(self) -> bool:
        """Whether anything moves: of a body that only turns its centre of mass shows nothing."""
        at = [self._structure.place(name) for name in self._structure.bodies]
        moves = len(at[0]) < LEAST or any(np.ptp(x, axis=0).max() > 0 for x in at)
        return bool(moves or self._shapes)

    def picture(self, source: str) -> Picture:
        """Return the picture."""
        joints = self._joints()
        lines = [*self._lines(), *(Line(pair) for pair in self._rods), *self._coils()]
        return Picture(self._points, (*lines, *self._shapes, *joints, *self._marks()), source)

    def _lines(self) -> list[Part]:
        """Return lines of varying length: what slides towards what it turns about."""
        joined = {frozenset((x.start, x.end)) for x in self._springs if isinstance(x.start, str)}
        pairs = [(c.name, body) for body, c in self._structure.centres.items() if not c.is_rigid]
        if not self._is_body and not self._rods:
            names = self._structure.bodies
            pairs += list(pairwise(names))
        return [Line(pair, style="edge") for pair in pairs if frozenset(pair) not in joined]

    def _coils(self) -> list[Part]:
        parts: list[Part] = []
        for i, spring in enumerate(self._springs, 1):
            if isinstance(spring.start, str):
                parts.append(Spring((spring.start, spring.end)))
                continue
            foot, up, down = f"wall {i}", f"wall {i} top", f"wall {i} bottom"
            assert spring.wall is not None
            side = np.array([0.0, 1.0, 0.0]) if spring.wall[1] == 0 else np.array([1.0, 0.0, 0.0])
            reach = WALL * self._length * side
            self._points[foot] = spring.start
            for name, sign in ((up, 1), (down, -1)):
                places = zip(spring.start, reach, strict=True)
                self._points[name] = tuple(as_expr(x) + sign * float(d) for x, d in places)
            parts += [Ground((down, up)), Spring((foot, spring.end))]
        return parts

    def _joints(self) -> list[Part]:
        parts: list[Part] = []
        for name in dict.fromkeys(c.name for c in self._structure.centres.values()):
            if name in self._structure.fixed:
                parts.append(Support((name,)))
            elif name not in self._structure.bodies or not self._has_mass(name):
                parts.append(Pin((name,)))
        return parts

    def _marks(self) -> list[Part]:
        """Return masses, those of carts and wheels aside, and their names."""
        names = self._structure.bodies
        parts: list[Part] = []
        for name in names:
            if self._has_mass(name):
                parts.append(Mass((name,)))
        if not self._is_body:
            shown = {name: name for name in names}
        else:
            shown = {name: f"m{k}" for k, name in enumerate(names, 1)}
        if 1 < len(shown) <= MAX_LABELS:
            parts += [Label((name,), text=subscripted(text)) for name, text in shown.items()]
        return parts

    def _has_mass(self, name: str) -> bool:
        """Tell whether a point is marked as a mass: a cart or a wheel shows itself."""
        if not self._is_body:
            return True
        k = self._structure.bodies.index(name)
        return self._is_plain[k] and self._system.bodies[k].mass != 0

    def _usual_length(self) -> float:
        """Return the length that things without one are drawn by, in m."""
        s = self._structure
        found = [float(np.median(s.distance(a, b))) for a, b in self._rods]
        found += [
            float(np.median(s.distance(x.start, x.end)))
            for x in self._springs
            if isinstance(x.start, str)
        ]
        usable = [x for x in found if np.isfinite(x) and x > 1e-9]
        return float(np.median(usable)) if usable else 1.0


_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def subscripted(name: str) -> str:
    """Return a letter with its number below the line.

    >>> subscripted("q12"), subscripted("tip")
    ('q₁₂', 'tip')
    """
    if len(name) > 1 and name[0].isalpha() and name[1:].isdigit():
        return name[0] + name[1:].translate(_SUBSCRIPTS)
    return name
