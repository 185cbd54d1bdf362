"""How the points of a system hang together: what turns about what, rods and sliding lines.

A point p that turns by an angle a about a centre is opposite to itself half a turn later, so the
centre is (p(a) + p(a + π))/2. It is one if the distance from it stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import PI, Expr, as_expr
from dalembert.mechanics import Body, System
from dalembert.model.pictures.samples import LEAST, SAME, Samples, agree, angles, is_constant
from dalembert.picture.picture import Point, in_space

if TYPE_CHECKING:
    from dalembert.types import Array

IS_BODY, IS_FIXED, IS_CARRIED = 30, 20, 10
"""How good a centre is at a fixed distance: another body, one that no coordinate moves, another."""
SLIDES = 1
"""How good a centre is from which the distance changes."""


class Centre(NamedTuple):
    """What a point turns about: the name of that point, and whether the distance stays."""

    name: str
    is_rigid: bool


class Structure:
    """The points of a system and the pairs that keep their distance.

    Attributes:
        points: Bodies in their order, then the centres that they turn about.
        centres: What a body turns about, by the name of the body.
        fixed: Names of centres that stay where they are.
    """

    def __init__(self, system: System, points: dict[str, Point], *, is_body: bool) -> None:
        self.samples = Samples(system)
        self.points: dict[str, tuple[Expr, ...]] = {}
        self._places: dict[str, Array] = {}
        self.centres: dict[str, Centre] = {}
        self.fixed: list[str] = []
        for name, place in points.items():
            self._add(name, in_space(place, name))
        self.bodies = list(points)
        turned = angles(system)
        for k, name in enumerate(self.bodies):
            self._find_centre(name, turned)
            if name not in self.centres:
                self._find_pivot(name, system.bodies[k] if is_body else None)

    def place(self, name: str) -> Array:
        """Return the places of a point, ``(count, 3)``."""
        return self._places[name]

    def distance(self, a: str, b: str) -> Array:
        """Return the distances of two points, ``(count,)``."""
        return np.linalg.norm(self._places[a] - self._places[b], axis=-1)

    def is_rigid(self, a: str, b: str) -> bool:
        """Tell whether two points keep a distance that is not zero."""
        d = self.distance(a, b)
        return is_constant(d) and float(d[0]) > 1e-9

    def rods(self) -> list[tuple[str, str]]:
        """Return pairs of points that rods join: none that others join already."""
        pairs = [(c.name, body) for body, c in self.centres.items() if c.is_rigid]
        group = {name: {name} for name in self.points}

        def join(a: str, b: str) -> None:
            whole = group[a] | group[b]
            for name in whole:
                group[name] = whole

        for a, b in pairs:
            join(a, b)
        joined = self._links(pairs)
        for a, b in joined:
            join(a, b)
        pairs += joined
        for j, b in enumerate(self.bodies):
            for a in self.bodies[:j]:
                if b not in group[a] and self.is_rigid(a, b):
                    pairs.append((a, b))
                    join(a, b)
        return list(dict.fromkeys(pairs))

    def _links(self, known: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return rods to centres that are no bodies, from the body that carries them.

        The far end of a link is where the next one turns about: it keeps its distance from the
        body and from what the body turns about.
        """
        found = []
        carried = [c.name for c in self.centres.values() if c.name not in self.bodies]
        for name in dict.fromkeys(carried):
            if name in self.fixed:
                continue
            for body in self.bodies:
                ends = [x for x in (body, *self._rigid_centre(body)) if self.is_rigid(x, name)]
                is_own = (name, body) in known
                if not is_own and len(ends) == 1 + len(self._rigid_centre(body)):
                    far = max(ends, key=lambda x: float(self.distance(x, name)[0]))
                    found.append((far, name))
                    break
        return found

    def _rigid_centre(self, body: str) -> list[str]:
        centre = self.centres.get(body)
        return [centre.name] if centre is not None and centre.is_rigid else []

    def _add(self, name: str, place: tuple[Expr, ...]) -> None:
        self.points[name] = place
        self._places[name] = self.samples.of(place)

    def _find_centre(self, name: str, turned: Sequence[Expr]) -> None:
        p = self.points[name]
        tried = [
            tuple((x + x.subs({a: a + PI})) / 2 for x in p)
            for a in turned
            if any(a in x.symbols for x in p)
        ]
        scored = [(*self._score(name, place), place) for place in tried]
        best = max(scored, key=lambda item: item[0], default=(0, False, ()))
        if best[0] <= 0:
            return
        _, is_rigid, place = best
        self.centres[name] = Centre(self._named(place), is_rigid)

    def _find_pivot(self, name: str, body: Body | None) -> None:
        """Find what stays where it is by constraints: a pivot of a body, or a centre of a circle.

        Of a planar body it is the point b with p + R b = c in all configurations, of a particle the
        middle c of a sphere with |p - c| = r.
        """
        p = self._places[name]
        if len(p) < LEAST or not np.isfinite(p).all():
            return
        if body is not None and isinstance(body.orientation, Expr):
            phi = self.samples.of([body.orientation])[:, 0]
            c, s, one, zero = np.cos(phi), np.sin(phi), np.ones_like(phi), np.zeros_like(phi)
            # p = c - R b in the unknowns c and b
            rows = np.stack([[one, zero, -c, s], [zero, one, -s, -c]], axis=1).T.reshape(-1, 4)
            known, least = p[:, :2].reshape(-1), 4
        else:
            # p·p = 2 c·p + r² - c·c
            rows = np.concatenate([2 * p, np.ones((len(p), 1))], axis=1)
            known, least = (p * p).sum(axis=1), 3
        found, _, rank, _ = np.linalg.lstsq(rows, known, rcond=1e-9)
        if rank < least or np.abs(rows @ found - known).max() > SAME:
            return
        centre = [*found[:2], 0.0] if least == 4 else found[:3].tolist()
        if np.linalg.norm(p[0] - centre) > SAME:
            place = tuple(as_expr(float(x)) for x in np.round(centre, 12))
            self.centres[name] = Centre(self._named(place), True)

    def _score(self, name: str, place: tuple[Expr, ...]) -> tuple[int, bool]:
        """Return how good a centre is, 0 for none, and whether the distance stays."""
        at, own = self.samples.of(place), self._places[name]
        if len(at) < LEAST or not np.isfinite(at).all():
            return 0, False
        d = np.linalg.norm(own - at, axis=-1)
        is_rigid = is_constant(d)
        if is_rigid and d[0] < 1e-9:
            return 0, False
        others = [x for x in self.points if x != name]
        is_known = any(agree(at, self._places[x]) for x in others)
        stays = self.samples.is_still(place)
        if not is_rigid:
            return (SLIDES if is_known or stays else 0), False
        if is_known:
            return IS_BODY, True
        if stays:
            return IS_FIXED, True
        held = [np.linalg.norm(self._places[x] - at, axis=-1) for x in others]
        count = sum(map(is_constant, held))
        return (IS_CARRIED + count if count else 0), True

    def _named(self, place: tuple[Expr, ...]) -> str:
        at = self.samples.of(place)
        for name, known in self._places.items():
            if agree(at, known):
                return name
        name = f"pivot {len(self.points) - len(self.bodies) + 1}"
        self._add(name, place)
        if is_constant(at):
            self.fixed.append(name)
        return name
