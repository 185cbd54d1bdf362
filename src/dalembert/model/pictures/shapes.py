"""What bodies of a system look like: carts on rails, wheels, boxes of their inertia."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import DalembertError
from dalembert.expr import ZERO, Expr, Matrix, as_expr, cos, sin, sqrt
from dalembert.mechanics import Body, System
from dalembert.model.pictures.samples import SAME, is_constant
from dalembert.model.pictures.structure import Centre, Structure
from dalembert.picture.parts import Area, Disc, Line, Part, Rail
from dalembert.picture.picture import Point

if TYPE_CHECKING:
    from dalembert.types import Array

CART = (0.46, 0.24)
"""Width and height of a cart as shares of the usual length."""
SLIDER = (0.3, 0.16)
"""Width and height of a block that slides along a link as shares of the usual length."""
CORNERS = ((1, 1), (-1, 1), (-1, -1), (1, -1))
WHEEL = 0.055
"""Radius of the wheels of a cart as a share of the usual length."""
EDGES = [(a, b) for a, b in product(range(8), repeat=2) if a < b and (a ^ b) in (1, 2, 4)]
"""Edges of a box between corners whose bits are the signs."""


class Drawn(NamedTuple):
    """Further points and parts that show a body."""

    points: dict[str, Point]
    parts: tuple[Part, ...]


NOTHING = Drawn({}, ())


def shape_of(system: System, structure: Structure, k: int, length: float) -> Drawn:
    """Return how the body with a number is shown; nothing for a particle or a link.

    Args:
        system: With bodies.
        structure: How its points hang together.
        k: Number of the body.
        length: What is usual among its lengths, in m.
    """
    body, name = system.bodies[k], structure.bodies[k]
    if isinstance(body.orientation, Matrix):
        return _box(body, name, structure, length)
    if body.orientation is not None:
        link = _link(body, name, structure)
        if link is None:
            return _disc(system, body, name, structure)
        return NOTHING if link.is_rigid else _slider(body, name, structure, length)
    return _cart(system, name, structure, length) if name not in structure.centres else NOTHING


def _cart(system: System, name: str, structure: Structure, length: float) -> Drawn:
    """Return a block for what slides along a fixed line; a level line is a rail."""
    at = structure.place(name)
    if len(at) < 2 or not np.isfinite(at).all():
        return NOTHING
    _, sizes, ways = np.linalg.svd(at - at.mean(axis=0))
    if sizes[0] < 1e-9 or sizes[1] > SAME * sizes[0]:
        return NOTHING
    along = ways[0] * np.sign(ways[0][np.argmax(np.abs(ways[0]))])
    up = _up(system, structure)
    is_level = abs(float(along @ up)) < SAME
    if not is_level:
        up = _across(along)
    width, height = (x * length for x in CART)
    places = {
        f"{name} corner {i}": _moved(structure, name, s * width / 2 * along + t * height / 2 * up)
        for i, (s, t) in enumerate(CORNERS, 1)
    }
    parts: list[Part] = [Area(tuple(places))]
    if not is_level:
        return Drawn(places, tuple(parts))
    r = WHEEL * length
    for i, s in enumerate((-1, 1), 1):
        hub = 0.3 * s * width * along - (height / 2 + r) * up
        wheel = {
            f"{name} wheel {i}": _moved(structure, name, hub),
            f"{name} wheel {i} rim": _moved(structure, name, hub + r * along),
            f"{name} wheel {i} side": _moved(structure, name, hub + r * up),
        }
        places |= wheel
        parts.append(Disc(tuple(wheel), has_spoke=False))
    below = -(height / 2 + 2 * r) * up
    track = {
        f"{name} track": _moved(structure, name, below),
        f"{name} track ahead": _moved(structure, name, below + length * along),
    }
    return Drawn(places | track, (Rail(tuple(track)), *parts))


def _up(system: System, structure: Structure) -> Array:
    """Return the unit vector against gravity; y where there is none."""
    if system.gravity is not None:
        pull = structure.samples.of([*system.gravity, ZERO])[:1, :3]
        size = float(np.linalg.norm(pull))
        if size > 0:
            return -pull[0] / size
    return np.array([0.0, 1.0, 0.0])


def _across(along: Array) -> Array:
    found = np.array([-along[1], along[0], 0.0])
    size = float(np.linalg.norm(found))
    return found / size if size > 1e-9 else np.array([1.0, 0.0, 0.0])


def _moved(structure: Structure, name: str, offset: Array) -> Point:
    return tuple(x + float(d) for x, d in zip(structure.points[name], offset, strict=True))


def _link(body: Body, name: str, structure: Structure) -> Centre | None:
    """Return what a planar body turns about together with the line to it; None for a wheel."""
    centre = structure.centres.get(name)
    tried = [] if centre is None else [centre]
    tried += [Centre(x, False) for x in structure.fixed]
    angle = structure.samples.of([as_expr(body.orientation)])[:, 0]
    c, s = np.cos(angle), np.sin(angle)
    for found in tried:
        way = structure.place(found.name) - structure.place(name)
        length = np.linalg.norm(way, axis=-1)
        if len(length) == 0 or not length.min() > SAME:
            continue
        x, y, _ = (way / length[:, None]).T
        x, y = c * x + s * y, c * y - s * x
        # a line has no direction: what slides may pass the centre
        if is_constant(np.stack([x * x - y * y, 2 * x * y], axis=-1)):
            return found
    return None


def _slider(body: Body, name: str, structure: Structure, length: float) -> Drawn:
    """Return a block that slides along the line to what it turns about."""
    x, y, z = structure.points[name]
    angle = as_expr(body.orientation)
    width, height = (side * length / 2 for side in SLIDER)
    places: dict[str, Point] = {}
    for i, (s, t) in enumerate(CORNERS, 1):
        dx = s * width * cos(angle) - t * height * sin(angle)
        dy = s * width * sin(angle) + t * height * cos(angle)
        places[f"{name} corner {i}"] = (x + dx, y + dy, z)
    return Drawn(places, (Area(tuple(places)),))


def _disc(system: System, body: Body, name: str, structure: Structure) -> Drawn:
    """Return a disc: of the radius on which it rolls, else of its moment of inertia m r²/2."""
    angle = as_expr(body.orientation)
    r = _rolling_radius(system, name, angle, structure)
    if r is None:
        m, moment = as_expr(body.mass), as_expr(body.inertia)
        if m == 0:
            return NOTHING
        r = sqrt(2 * moment / m)
    x, y, z = structure.points[name]
    dx, dy = r * cos(angle), r * sin(angle)
    places: dict[str, Point] = {
        f"{name} rim": (x + dx, y + dy, z),
        f"{name} side": (x - dy, y + dx, z),
    }
    return Drawn(places, (Disc((name, *places)),))


def _rolling_radius(system: System, name: str, angle: Expr, structure: Structure) -> Expr | None:
    """Return the distance to the point about which a body turns at every moment, if it stays."""
    for q in system.coordinates:
        turn = angle.diff(q)
        if turn == 0:
            continue
        way = [x.diff(q) for x in structure.points[name]]
        others = [
            x.diff(p) for p in system.coordinates if p is not q for x in structure.points[name]
        ]
        others += [angle.diff(p) for p in system.coordinates if p is not q]
        if any(x != 0 for x in others) or all(x == 0 for x in way):
            continue
        try:
            r = sqrt(sum((x * x for x in way), as_expr(0))) / sqrt(turn * turn)
        except DalembertError:
            continue
        if is_constant(structure.samples.of([r])):
            return r
    return None


def _box(body: Body, name: str, structure: Structure, length: float) -> Drawn:
    """Return the edges of a box with the moments of inertia of a body in space."""
    assert isinstance(body.orientation, Matrix)
    assert isinstance(body.inertia, Matrix)
    half = _half_edges(body, structure, length)
    if half is None:
        return NOTHING
    p, R = structure.points[name], body.orientation
    places: dict[str, Point] = {}
    for k in range(8):
        own = [h if k >> i & 1 else -h for i, h in enumerate(half)]
        places[f"{name} corner {k + 1}"] = tuple(
            p[i] + sum((R[i, j] * own[j] for j in range(3)), as_expr(0)) for i in range(3)
        )
    names = list(places)
    faces = _FACES if min(half) > 0 else ()
    parts: list[Part] = [Area(tuple(names[k] for k in face)) for face in faces]
    parts += [Line((names[a], names[b]), style="edge") for a, b in EDGES]
    return Drawn(places, tuple(parts))


_FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))


def _half_edges(body: Body, structure: Structure, length: float) -> Sequence[float] | None:
    """Return half the edges in m; None where the inertia is that of no box.

    Of a box of mass m and edges 2a, 2b, 2c the moments are m (b² + c²)/3 and so on. What has a
    moment about one axis alone, as a shaft, is drawn as a plate, and what has no mass as large as
    is usual.
    """
    assert isinstance(body.inertia, Matrix)
    numbers = structure.samples.of([*(body.inertia[k, k] for k in range(3)), as_expr(body.mass)])
    if not len(numbers) or not np.isfinite(numbers).all():
        return None
    *moments, m = (float(x) for x in numbers[0])
    squares = np.array([sum(moments) / 2 - x for x in moments])
    if squares.max() <= 0:
        return None
    edges = np.sqrt(np.maximum(squares, 0.0) * 3)
    edges *= 1 / np.sqrt(m) if m > 0 else 0.5 * length / edges.max()
    return edges.tolist()
