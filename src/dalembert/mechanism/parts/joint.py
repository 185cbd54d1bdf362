"""Joints: how a child link moves against its parent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr
from dalembert.expr.data import packable
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.spatial.exact import exact_vector, rotation_to_axis
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Vec
from dalembert.types import Scalar


@packable
class JointKind(Enum):
    """The elementary joints; universal and planar joints are chains of them."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    HELICAL = "helical"
    SPHERICAL = "spherical"
    FLOATING = "floating"


SIZES = {
    JointKind.FIXED: (0, 0),
    JointKind.SPHERICAL: (4, 3),
    JointKind.FLOATING: (7, 6),
}

NEUTRAL = {JointKind.SPHERICAL: (1, 0, 0, 0), JointKind.FLOATING: (0, 0, 0, 1, 0, 0, 0)}
"""The neutral positions of joints with a rotation; of others they are zeros."""


@packable
class Limits(NamedTuple):
    """Bounds of a scalar joint; None where there is none.

    Positions are in rad or m, ``velocity`` in rad/s or m/s, ``effort`` in N m or N.
    """

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@packable
class Mimic(NamedTuple):
    """q = multiplier · q(joint) + offset."""

    joint: str
    multiplier: Any = 1
    offset: Any = 0

    def map(self, f: Callable[[Any], Any]) -> Mimic:
        """Return the relation with f applied to every number."""
        return Mimic(self.joint, f(self.multiplier), f(self.offset))


_NUMBER = {"is_number": True}
"""Marks the fields of a joint that hold a number of any arithmetic."""


@packable
@dataclass(frozen=True)
class Joint:
    """A joint between two links.

    The child's frame is X_PC = placement · motion(q) · after: ``placement`` X_PJ fixes the joint
    frame in the parent, the motion is about or along ``axis``, ``after`` X_JC fixes the child's
    frame behind the joint. A scalar joint turns by q and slides by pitch · q.

    ``armature`` is added to the mass matrix on the diagonal (reflected rotor inertia), a mimic
    joint's by its multiplier squared; T = ½ armature vᵀv, so that behind a floating joint its
    momentum turns with the body, as MuJoCo's does and Pinocchio's does not.

    ``resistance`` is the joint's own spring, damper and friction. MJCF's reference position is
    subtracted: the motion is that of q - ``reference``. A joint that ``spins`` carries a rotor,
    symmetric about the axis: its frame does not turn, so that no angle enters the equations.
    A ``passive`` joint is not driven, also where the mechanism has no actuators.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    placement: Pose = field(default_factory=Pose)
    axis: Vec = (0, 0, 1)
    after: Pose = field(default_factory=Pose)
    pitch: Any = field(default=0, metadata=_NUMBER)
    limits: Limits = field(default_factory=Limits)
    mimic: Mimic | None = None
    armature: Any = field(default=0, metadata=_NUMBER)
    resistance: Resistance = field(default_factory=Resistance)
    reference: Any = field(default=0, metadata=_NUMBER)
    spins: bool = False
    passive: bool = False

    @property
    def is_scalar(self) -> bool:
        """Tell whether one number describes the joint."""
        return self.kind not in SIZES

    @property
    def nq(self) -> int:
        """Length of its part of q; zero for a mimic joint, whose position another one sets."""
        return 0 if self.mimic else SIZES.get(self.kind, (1, 1))[0]

    @property
    def nv(self) -> int:
        """Length of its part of the velocity."""
        return 0 if self.mimic else SIZES.get(self.kind, (1, 1))[1]

    @property
    def neutral(self) -> tuple[int, ...]:
        """The position of zeros, without rotation."""
        return NEUTRAL.get(self.kind, (0,) * self.nq)

    @property
    def turn(self) -> int:
        """1 when the joint turns by q, 0 when it only slides."""
        return 0 if self.kind is JointKind.PRISMATIC else 1

    @property
    def slide(self) -> int | Fraction | Expr:
        """How far the joint slides along its axis for each unit of q."""
        if self.kind is JointKind.PRISMATIC:
            return 1
        return self.pitch if self.kind is JointKind.HELICAL else 0

    @property
    def numbers(self) -> dict[str, Any]:
        """The joint's own numbers by name: pitch, armature, reference; all are 0 by default."""
        return {name: getattr(self, name) for name in NUMBERS}

    def map(self, f: Callable[[Any], Any]) -> Joint:
        """Return the joint with f applied to every number."""
        return replace(
            self,
            placement=self.placement.map(f),
            after=self.after.map(f),
            resistance=self.resistance.map(f),
            mimic=self.mimic and self.mimic.map(f),
            **{name: f(x) for name, x in self.numbers.items()},
        )


# the joint's own numbers: the fields marked so
NUMBERS = tuple(f.name for f in fields(Joint) if f.metadata.get("is_number"))


def unit_axis(
    axis: Sequence[Scalar], placement: Pose, after: Pose, where: str
) -> tuple[Vec, Pose, Pose]:
    """Return an equivalent joint whose axis is exactly a unit vector.

    A skew axis becomes z of a turned joint frame: placement · R, after ← Rᵀ · after. The turn is
    exactly orthogonal, so identities hold exactly.
    """
    v = exact_vector(axis)
    if v == ZERO:
        raise InvalidMechanism(
            f"expected an axis with a direction for {where}, got (0, 0, 0): give the axis of motion"
        )
    nonzero = [i for i in range(3) if v[i] != 0]
    if len(nonzero) == 1:
        i = nonzero[0]
        sign = 1 if v[i] > 0 else -1
        unit = tuple(sign if j == i else 0 for j in range(3))
        return unit, placement, after  # type: ignore[return-value]
    if not any(isinstance(k, Expr) for k in v):
        # the direction alone counts: a double need not hold its length
        longest = max(abs(k) for k in v)
        v = tuple(Fraction(k) / longest for k in v)  # type: ignore[assignment]
    turn = Pose(rotation_to_axis([float(k) for k in v]), ZERO)
    return (0, 0, 1), placement @ turn, turn.inverse() @ after
