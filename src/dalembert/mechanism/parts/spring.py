"""Springs and dampers that are not a joint's own: between points, joints, or frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr.data import packable
from dalembert.mechanism.parts.joint import Joint
from dalembert.mechanism.parts.law import Law
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.spatial.scalar import is_zero


@packable
class PointSpring(NamedTuple):
    """A spring and damper between the origins of two frames, at distance l.

    With the extension x = l - rest_length: V = ½ stiffness x² + potential(x), Rayleigh's function
    R = ½ damping ẋ² + dissipation(x, ẋ), and with an inertia of its own, as of the motor that winds
    a tendon, T = ½ armature ẋ².
    """

    name: str
    first: Frame
    second: Frame
    stiffness: Any = 0
    rest_length: Any = 0
    damping: Any = 0
    armature: Any = 0
    potential: Law | None = None
    dissipation: Law | None = None

    @property
    def numbers(self) -> tuple[Any, ...]:
        """Stiffness, rest length, damping and armature."""
        return self[3:7]

    @property
    def is_damped(self) -> bool:
        """Whether a force follows from a rate."""
        return not is_zero(self.damping) or self.dissipation is not None

    def map(self, f: Callable[[Any], Any]) -> PointSpring:
        """Return the spring with f applied to every number."""
        stiffness, rest_length, damping, armature = (f(x) for x in self.numbers)
        numbers = (stiffness, rest_length, damping, armature)
        laws = _mapped_laws(self, f)
        return PointSpring(self.name, self.first.map(f), self.second.map(f), *numbers, *laws)

    def check(self, joints: Mapping[str, Joint], links: Mapping[str, Link], where: str) -> None:
        """Refuse a spring on no link."""
        _check_links(self.name, (self.first, self.second), links, where)


@packable
class Bushing(NamedTuple):
    """A soft mounting between two frames: energies of three displacements and three turns.

    x = (R₁ᵀ (p₂ - p₁), 2 sin(θ/2) n): where the second frame is in the axes of the first (m), and
    how it is turned, by the angle θ about n. Up to third order in θ that is the rotation vector
    (rad); only at half a turn it has no rate. V = potential(x), R = dissipation(x, ẋ).
    """

    name: str
    first: Frame
    second: Frame
    potential: Law | None = None
    dissipation: Law | None = None

    @property
    def numbers(self) -> tuple[Any, ...]:
        """None beside those in the laws."""
        return ()

    @property
    def armature(self) -> int:
        """Bushings have no inertia."""
        return 0

    @property
    def is_damped(self) -> bool:
        """Whether a force follows from a rate."""
        return self.dissipation is not None

    def map(self, f: Callable[[Any], Any]) -> Bushing:
        """Return the bushing with f applied to every number."""
        laws = _mapped_laws(self, f)
        return Bushing(self.name, self.first.map(f), self.second.map(f), *laws)

    def check(self, joints: Mapping[str, Joint], links: Mapping[str, Link], where: str) -> None:
        """Refuse a bushing on no link."""
        _check_links(self.name, (self.first, self.second), links, where)


@packable
class JointSpring(NamedTuple):
    """A spring and damper over joints: a shaft, the teeth of a drive, a tendon; or on one alone.

    With x = Σ factor · q(joint) - rest over its ``terms``, (joint, factor) each:
    V = ½ stiffness x² + potential(x), R = ½ damping ẋ² + dissipation(x, ẋ) and T = ½ armature ẋ².
    """

    name: str
    terms: tuple[tuple[str, Any], ...]
    stiffness: Any = 0
    rest: Any = 0
    damping: Any = 0
    armature: Any = 0
    potential: Law | None = None
    dissipation: Law | None = None

    @property
    def numbers(self) -> tuple[Any, ...]:
        """Stiffness, rest, damping and armature."""
        return self[2:6]

    @property
    def is_damped(self) -> bool:
        """Whether a force follows from a rate."""
        return not is_zero(self.damping) or self.dissipation is not None

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of its joints."""
        return tuple(joint for joint, _ in self.terms)

    def map(self, f: Callable[[Any], Any]) -> JointSpring:
        """Return the spring with f applied to every number."""
        terms = tuple((joint, f(k)) for joint, k in self.terms)
        stiffness, rest, damping, armature = (f(x) for x in self.numbers)
        numbers = (stiffness, rest, damping, armature)
        return JointSpring(self.name, terms, *numbers, *_mapped_laws(self, f))

    def check(self, joints: Mapping[str, Joint], links: Mapping[str, Link], where: str) -> None:
        """Refuse a spring over no joints, unknown ones, or such without a single position."""
        if not self.terms:
            raise InvalidMechanism(f"expected joints of spring {self.name!r}, got none")
        for end in self.joints:
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


Fastened = PointSpring | Bushing
"""What joins two frames."""

Spring = PointSpring | JointSpring | Bushing


def _mapped_laws(spring: Spring, f: Callable[[Any], Any]) -> tuple[Law | None, Law | None]:
    potential, dissipation = spring.potential, spring.dissipation
    return potential and potential.map(f), dissipation and dissipation.map(f)


def _check_links(
    name: str, ends: tuple[Frame, Frame], links: Mapping[str, Link], where: str
) -> None:
    for end in (frame.link for frame in ends):
        if end not in links:
            raise UnknownName(
                f"expected spring {name!r} between links of {where}, got {end!r} "
                f"({nearest(end, links)})"
            )
