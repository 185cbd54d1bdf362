"""Contacts between the links of a robot: spheres and capsules that meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.expr import as_expr
from dalembert.model.distances.pairs import ShapePair, shape_pairs
from dalembert.model.distances.solids import meet_in_a_point
from dalembert.simulation.geometry.kinematics import moving_links
from dalembert.simulation.geometry.rows import ContactPoint, check_coefficients, rows_of
from dalembert.simulation.laws.base import Row, SwitchingLaw
from dalembert.spatial.tangents import tangents
from dalembert.spatial.vectors import dot, sub

if TYPE_CHECKING:
    from dalembert.model import Model

SHOWN = 3
"""Pairs that a message names."""


@dataclass(frozen=True)
class SelfContact(SwitchingLaw):
    """Links of a mechanism that touch each other, with Coulomb friction.

    Spheres and capsules touch in the points that are nearest to each other, so do a sphere and a
    box or cylinder.
    Other shapes raise an error: name the pairs without them.

    Args:
        pairs: Pairs of names of links. Default: all links with collision shapes, but those that are
            welded to each other or that one joint joins.
        friction: Coefficient of friction of all contacts, from 0.
        restitution: e of all contacts, from 0 to 1.
        exclude: Pairs of links that do not touch, as an SRDF has them.

    >>> import dalembert as da
    >>> b = da.Builder("beads", gravity=(0, 0, 0))
    >>> b = b.link("a", mass=1).link("b", mass=1).shape("a", da.mechanism.Sphere(1))
    >>> b = b.shape("b", da.mechanism.Sphere(1))
    >>> b = b.prismatic("left", "a", axis="x").prismatic("right", "b", axis="x")
    >>> model = da.compile(b.build())
    >>> touch = da.simulation.SelfContact(pairs=[("a", "b")])
    >>> motion = da.simulate(model, [0, 3], [0, -1], 2, events=[touch])
    >>> [round(event[0], 9) for event in motion.events], motion.qd[-1].tolist()
    ([1.0], [-0.5, 0.0])
    """

    pairs: Sequence[tuple[str, str]] | None = None
    friction: float = 0.8
    restitution: float = 0.0
    exclude: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        check_coefficients(self.friction, self.restitution, "SelfContact")
        # a value: what is made of it is kept by its hash
        for name in ("pairs", "exclude"):
            value = getattr(self, name)
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(map(tuple, value)))

    def points(self, model: Model) -> list[ContactPoint]:
        """Return the nearest points of all pairs of shapes, as they move against each other.

        Raises:
            InvalidMechanism: a pair has other shapes, or there is none.
            UnknownName: there is no such link.
        """
        chosen = shape_pairs(model.mechanism, self.pairs, self.exclude)
        _check(chosen, model)
        names = _names(chosen, model)
        found = model.expressions("distances", model.symbols.q, pairs=chosen)
        gaps, first, second, normals, slopes = found
        links = moving_links(model, (name for pair in chosen for name in (pair.first, pair.second)))
        points = []
        for k, pair in enumerate(chosen):
            n = tuple(normals[k])
            here = links[pair.first].velocity(tuple(first[k]))
            there = links[pair.second].velocity(tuple(second[k]))
            apart = sub(there, here)
            u = [as_expr(dot(axis, apart)) for axis in tangents(n)]
            rate = sum((a * v for a, v in zip(slopes[k], model.symbols.qd, strict=True)), start=0)
            if rate == 0:
                raise EvaluationError(
                    f"expected links that move against each other in SelfContact, got {names[k]}"
                )
            points.append(ContactPoint(names[k], as_expr(gaps[k]), (u[0], u[1], as_expr(rate))))
        return points

    def rows(self, model: Model) -> list[Row]:
        return rows_of(self.points(model), self.friction, self.restitution)


def _check(pairs: Sequence[ShapePair], model: Model) -> None:
    """Raise unless all shapes touch in one point, at a distance that is exact.

    A capsule about a box would touch in the air, and edges and faces touch in more than a point.
    """
    links = {link.name: link for link in model.mechanism.links}
    rough = []
    for pair in pairs:
        shapes = [
            links[name].collisions[k].geometry
            for name, k in ((pair.first, pair.first_shape), (pair.second, pair.second_shape))
        ]
        if not pair.is_exact or not meet_in_a_point(*shapes):
            a, b = (type(shape).__name__.lower() for shape in shapes)
            rough.append(f"{a} of {pair.first!r} and {b} of {pair.second!r}")
    if rough:
        more = f", and {len(rough) - SHOWN} more" if len(rough) > SHOWN else ""
        raise InvalidMechanism(
            f"expected two capsules, or a sphere and another shape, for SelfContact, got "
            f"{'; '.join(rough[:SHOWN])}{more}: name other pairs= or exclude= these"
        )


def _names(pairs: Sequence[ShapePair], model: Model) -> list[str]:
    """Return a name for each pair, no two the same."""
    count = {link.name: len(link.collisions) for link in model.mechanism.links}

    def title(link: str, k: int) -> str:
        return f"{link} {k + 1}" if count[link] > 1 else link

    return [f"{title(p.first, p.first_shape)} and {title(p.second, p.second_shape)}" for p in pairs]
