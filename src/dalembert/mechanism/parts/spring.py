"""Springs and dampers that are not a joint's own: between two points, or between two joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr.data import packable
from dalembert.mechanism.parts.joint import Joint
from dalembert.mechanism.parts.link import Frame, Link


@packable
class PointSpring(NamedTuple):
    """A spring and damper between the origins of two frames, at distance l.

    V = ½ stiffness (l - rest_length)², Rayleigh's function R = ½ damping l̇², and with an inertia of
    its own, as of the motor that winds a tendon, T = ½ armature l̇².
    """

    name: str
    first: Frame
    second: Frame
    stiffness: Any = 0
    rest_length: Any = 0
    damping: Any = 0
    armature: Any = 0

    def map(self, f: Callable[[Any], Any]) -> PointSpring:
        """Return the spring with f applied to every number."""
        return PointSpring(
            self.name, self.first.map(f), self.second.map(f), *(f(x) for x in self[3:])
        )

    def check(self, joints: Mapping[str, Joint], links: Mapping[str, Link], where: str) -> None:
        """Refuse a spring on no link."""
        for end in (self.first.link, self.second.link):
            if end not in links:
                raise UnknownName(
                    f"expected spring {self.name!r} between links of {where}, got {end!r} "
                    f"({nearest(end, links)})"
                )


@packable
class JointSpring(NamedTuple):
    """A spring and damper between two joints: a shaft, or the teeth of a drive.

    With x = q(joint) - ratio · q(other) - rest: V = ½ stiffness x², R = ½ damping ẋ² and
    T = ½ armature ẋ².
    """

    name: str
    joint: str
    other: str
    stiffness: Any = 0
    ratio: Any = 1
    rest: Any = 0
    damping: Any = 0
    armature: Any = 0

    def map(self, f: Callable[[Any], Any]) -> JointSpring:
        """Return the spring with f applied to every number."""
        return JointSpring(*self[:3], *(f(x) for x in self[3:]))

    def check(self, joints: Mapping[str, Joint], links: Mapping[str, Link], where: str) -> None:
        """Refuse a spring between joints that are unknown or have no single position."""
        for end in (self.joint, self.other):
            if end not in joints:
                raise UnknownName(
                    f"expected spring {self.name!r} between joints of {where}, got {end!r} "
                    f"({nearest(end, joints)})"
                )
            if not joints[end].is_scalar:
                raise InvalidMechanism(
                    f"expected spring {self.name!r} between joints with one position, got the "
                    f"{joints[end].kind.value} joint {end!r}"
                )


Spring = PointSpring | JointSpring
