"""Springs, dampers and friction of a joint or of a motor's shaft."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr.data import packable
from dalembert.spatial.exact import exact
from dalembert.spatial.scalar import is_zero
from dalembert.types import Scalar

# of numbers that shape a force and are none themselves
SHAPE = {"is_force": False}


@packable
@dataclass(frozen=True)
class Resistance:
    """The force against the motion of a joint or shaft at position q with velocity v.

    F(q, v) = stiffness · (q - rest) + damping · v
            + sign(v) · (friction + stribeck · exp(-(v / stribeck_velocity)²))

    Forces are in newtons, or newton metres about an axis; positions in metres or radians. F is
    linear in ``damping`` (viscous), ``friction`` (Coulomb), ``stribeck`` (what breaking away costs
    beyond ``friction``) and ``stiffness``; ``rest`` and ``stribeck_velocity`` have no effect
    without ``stiffness`` and ``stribeck``. Joints of several velocities resist each of them alike.

    >>> Resistance(damping=2, rest=1).forces
    ('damping',)
    """

    damping: Any = 0
    friction: Any = 0
    stribeck: Any = 0
    stribeck_velocity: Any = field(default=1, metadata=SHAPE)
    stiffness: Any = 0
    rest: Any = field(default=0, metadata=SHAPE)

    @classmethod
    def of(cls, where: str, numbers: Mapping[str, Scalar]) -> Resistance:
        """Return the resistance with these numbers, made exact; refuse unknown names."""
        known = [f.name for f in fields(cls)]
        for name in numbers:
            if name not in known:
                raise UnknownName(
                    f"expected numbers of {where}, got {name!r} ({nearest(name, known)})"
                )
        return cls(**{name: exact(value) for name, value in numbers.items()})

    @property
    def numbers(self) -> dict[str, Any]:
        """All numbers by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def given(self) -> dict[str, Any]:
        """The numbers that differ from their defaults, by name."""
        return {f.name: x for f in fields(self) if (x := getattr(self, f.name)) != f.default}

    @property
    def forces(self) -> tuple[str, ...]:
        """The names of the coefficients that are not zero: those that make a force."""
        coefficients = (f.name for f in fields(self) if f.metadata.get("is_force", True))
        return tuple(name for name in coefficients if not is_zero(getattr(self, name)))

    @property
    def is_none(self) -> bool:
        """Tell whether there is no force at all."""
        return not self.forces

    @property
    def is_frictionless(self) -> bool:
        """Tell whether there is at most a spring."""
        return set(self.forces) <= {"stiffness"}

    def map(self, f: Callable[[Any], Any]) -> Resistance:
        """Return the resistance with f applied to every number."""
        return Resistance(*map(f, self.numbers.values()))

    def check(self, where: str) -> None:
        """Refuse a Stribeck velocity of zero, by which one would divide."""
        if self.stribeck_velocity == 0:
            raise InvalidMechanism(
                f"expected a positive stribeck_velocity of {where}, got 0: leave it out when there "
                "is no Stribeck friction"
            )
