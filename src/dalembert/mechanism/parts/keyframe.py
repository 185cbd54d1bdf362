"""Keyframes: configurations with a name, such as "home"."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr.data import packable
from dalembert.mechanism.parts.joint import Joint
from dalembert.mechanism.parts.link import Link
from dalembert.types import Scalar


@packable
class Keyframe(NamedTuple):
    """A named configuration: the positions of joints, in rad and m, by the joints' names.

    Joints that it does not name are neutral: zero, without rotation.
    """

    name: str
    positions: tuple[tuple[str, tuple[Scalar, ...]], ...] = ()

    def map(self, f: Callable[[Any], Any]) -> Keyframe:
        """Return the keyframe with f applied to every number."""
        return self.at(lambda joint, values: tuple(f(x) for x in values))

    def at(self, change: Callable[[str, tuple[Any, ...]], tuple[Any, ...]]) -> Keyframe:
        """Return the keyframe with other positions, from the joints' names and the old ones."""
        return self._replace(positions=tuple((j, change(j, x)) for j, x in self.positions))

    def without(self, joints: Collection[str]) -> Keyframe:
        """Return the keyframe without the positions of these joints."""
        return self._replace(positions=tuple(x for x in self.positions if x[0] not in joints))

    def configuration(self, joints: Iterable[Joint]) -> tuple[Scalar, ...]:
        """Return q of joints in their order."""
        known = dict(self.positions)
        return tuple(x for j in joints if j.nq for x in known.get(j.name, j.neutral))

    def check(self, joints: Mapping[str, Joint], links: Mapping[str, Link], where: str) -> None:
        """Refuse positions of joints that have none of their own, and of another size."""
        seen: set[str] = set()
        for name, values in self.positions:
            joint = joints.get(name)
            if joint is None or not joint.nq or name in seen:
                own = [j.name for j in joints.values() if j.nq]
                raise UnknownName(
                    f"expected positions of moving joints of {where} in keyframe {self.name!r}, "
                    f"once each, got {name!r:.60} ({nearest(str(name), own)})"
                )
            seen.add(name)
            if len(values) != joint.nq:
                raise InvalidMechanism(
                    f"expected {joint.nq} numbers for joint {name!r} in keyframe {self.name!r}, "
                    f"got {len(values)}"
                )
