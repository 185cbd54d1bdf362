"""Which pairs of collision shapes a distance is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.mechanism import JointKind, Mechanism
from dalembert.mechanism.parts.shape import Mesh
from dalembert.model.distances.solids import corners_of, has_formula, pill_about

LinkPair = tuple[str, str]


class ShapePair(NamedTuple):
    """Two collision shapes, by their links and their numbers there.

    Attributes:
        first, first_shape: A link, and which of its collision shapes.
        second, second_shape: Another one.
        is_exact: Whether d is that of the shapes, and not of capsules about them.
        by_engine: Whether MuJoCo computes it.
    """

    first: str
    first_shape: int
    second: str
    second_shape: int
    is_exact: bool
    by_engine: bool = False

    @property
    def ends(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Link and number of each shape."""
        return (self.first, self.first_shape), (self.second, self.second_shape)

    @property
    def name(self) -> str:
        """How conditions and errors call the distance."""
        return f"distance of {self.first} and {self.second}"


def shape_pairs(
    mechanism: Mechanism,
    pairs: Iterable[LinkPair] | None = None,
    exclude: Iterable[LinkPair] = (),
    *,
    has_engine: bool = False,
) -> tuple[ShapePair, ...]:
    """Return the pairs of shapes of pairs of links, in the order of the links.

    Without ``pairs`` they are all links with collision shapes, but those that are welded to each
    other, that a joint joins, or that ``exclude`` names.

    Raises:
        UnknownName: there is no such link.
        InvalidMechanism: a link of a pair has no shapes, or a mesh; or there is no pair.
    """
    links = {link.name: link for link in mechanism.links}
    left_out = {frozenset(_known(pair, links)) for pair in exclude}
    if pairs is None:
        chosen: list[LinkPair] = [
            pair for pair in _apart(mechanism) if frozenset(pair) not in left_out
        ]
    else:
        chosen = [_known(pair, links) for pair in pairs]
        chosen = [pair for pair in chosen if frozenset(pair) not in left_out]
    found: list[ShapePair] = []
    for first, second in chosen:
        shapes = links[first].collisions, links[second].collisions
        for name, own in zip((first, second), shapes, strict=True):
            if not own:
                raise InvalidMechanism(f"expected collision shapes of link {name!r}, got none")
        for i, k in product(*(range(len(own)) for own in shapes)):
            exact = has_formula(shapes[0][i].geometry, shapes[1][k].geometry)
            for name, shape in ((first, shapes[0][i]), (second, shapes[1][k])):
                if isinstance(shape.geometry, Mesh):
                    corners_of(shape.geometry, f"link {name!r}")
                elif not exact and not has_engine:
                    pill_about(shape.geometry, f"link {name!r}")
            found.append(
                ShapePair(first, i, second, k, exact or has_engine, has_engine and not exact)
            )
    if not found:
        raise InvalidMechanism(
            f"expected pairs of links of {mechanism.name} with collision shapes that can touch, "
            "got none: give links shapes, or name pairs="
        )
    return tuple(found)


def _known(pair: LinkPair, links: dict[str, object] | dict) -> LinkPair:  # type: ignore[type-arg]
    try:
        first, second = pair
    except (TypeError, ValueError):
        raise InvalidMechanism(
            f"expected pairs of names of links, got {pair!r:.60}: write (('arm', 'base'),)"
        ) from None
    for name in (first, second):
        if name not in links:
            raise UnknownName(f"expected a link, got {name!r:.60} ({nearest(str(name), links)})")
    if first == second:
        raise InvalidMechanism(f"expected two different links, got {first!r} twice")
    return first, second


def _apart(mechanism: Mechanism) -> Iterator[LinkPair]:
    """Yield pairs of links with shapes on bodies that no single joint joins."""
    body = {mechanism.root: mechanism.root}
    neighbours: set[frozenset[str]] = set()
    for joint in mechanism.joints:
        at = body[joint.parent]
        body[joint.child] = at if joint.kind is JointKind.FIXED else joint.child
        neighbours.add(frozenset((at, body[joint.child])))
    shaped = [link.name for link in mechanism.links if link.collisions]
    for i, first in enumerate(shaped):
        for second in shaped[i + 1 :]:
            ends = frozenset((body[first], body[second]))
            if len(ends) == 2 and ends not in neighbours:
                yield first, second
