"""Actuators: motors that drive joints through gears."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr.data import packable
from dalembert.mechanism.parts.joint import Joint
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.spatial.vectors import Vec


@packable
@dataclass(frozen=True)
class Actuator:
    """A motor on ``joint``, turning ``gear_ratio`` times as fast: θ̇ = r q̇.

    With ``others``, (joint, factor) each, it drives several joints at once, as through a
    differential or a tendon: θ̇ = r (q̇(joint) + Σ factor · q̇(other)). Then it has no rotor and no
    friction: these are armature and damping of a `JointSpring` over the same joints.

    The rotor's inertia J about its own axis gives T = ½ J r² q̇², and the motor's friction resists
    with r F(r q̇): viscous friction B_m reaches the joint as r² B_m.

    With ``gyroscopic`` the rotor is a body that turns about ``axis``, fixed in the link ``host``
    whose angular velocity is ω: T = ½ J (aᵀω + r q̇)² - ½ J (aᵀω)². What is subtracted belongs to
    the host, whose mass and inertia contain the rotor at rest. Without it the coupling J r q̇ aᵀω is
    neglected; on the root it vanishes. By default the host is the parent of the joint and the axis
    that of the joint.

    ``resistance`` is the damping and friction of the motor's own shaft; what resists behind the
    gear belongs to the `Joint`. ``effort`` is the largest torque of the shaft (N m, of a linear
    motor N), None where it is not known.
    """

    name: str
    joint: str
    gear_ratio: Any = 1
    rotor_inertia: Any = 0
    resistance: Resistance = field(default_factory=Resistance)
    gyroscopic: bool = False
    host: str | None = None
    axis: Vec | None = None
    effort: Any = None
    others: tuple[tuple[str, Any], ...] = ()

    @property
    def terms(self) -> tuple[tuple[str, Any], ...]:
        """All its joints, each with its factor behind the gear; that of the first is 1."""
        return ((self.joint, 1), *self.others)

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of its joints."""
        return tuple(joint for joint, _ in self.terms)

    @property
    def has_rotor(self) -> bool:
        """Tell whether the rotor has inertia."""
        x = self.rotor_inertia
        return not (isinstance(x, int | float | Fraction) and x == 0)

    @property
    def is_plain(self) -> bool:
        """Tell whether it only drives: no rotor, no friction."""
        return not self.has_rotor and self.resistance.is_none

    def map(self, f: Callable[[Any], Any]) -> Actuator:
        """Return the actuator with f applied to every number; no rotor stays no rotor."""
        return replace(
            self,
            gear_ratio=f(self.gear_ratio),
            rotor_inertia=f(self.rotor_inertia) if self.has_rotor else 0,
            resistance=self.resistance.map(f),
            others=tuple((joint, f(k)) for joint, k in self.others),
        )

    def check(self, joints: Mapping[str, Joint], links: Mapping[str, Link], where: str) -> None:
        """Refuse an actuator on no joint or no link, on joints of several speeds, and springs."""
        self.resistance.check(f"actuator {self.name!r}")
        if "stiffness" in self.resistance.forces:
            raise InvalidMechanism(
                f"expected damping and friction of actuator {self.name!r}, got stiffness: give it "
                "to the joint, or use with_elastic_joint"
            )
        for name in self.joints:
            joint = joints.get(name)
            if joint is None:
                raise UnknownName(
                    f"expected actuator {self.name!r} on a joint of {where}, got {name!r} "
                    f"({nearest(name, joints)})"
                )
            if not joint.is_scalar:
                raise InvalidMechanism(
                    f"expected actuator {self.name!r} on a joint with one velocity, got the "
                    f"{joint.kind.value} joint {name!r}: write it as several hinges or sliders"
                )
        if self.others and not self.is_plain:
            raise InvalidMechanism(
                f"expected actuator {self.name!r}, which drives several joints, without rotor and "
                "friction, got some: give them as armature and damping of a joint_spring over "
                "these joints"
            )
        if self.host is not None and self.host not in links:
            raise UnknownName(
                f"expected the rotor of actuator {self.name!r} on a link of {where}, got "
                f"{self.host!r} ({nearest(self.host, links)})"
            )
