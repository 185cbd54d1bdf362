"""Build a mechanism link by link, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.mechanism import STANDARD_GRAVITY, Coupling, Loop, Mechanism
from dalembert.mechanism.parts.actuator import Actuator, Friction
from dalembert.mechanism.parts.frame import Frame
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits, Mimic, unit_axis
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.spring import JointSpring, PointSpring, Spring
from dalembert.spatial.exact import exact, exact_vector, rotation_from_rpy
from dalembert.spatial.pose import Pose

AXES = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "z": (0, 0, 1),
    "-x": (-1, 0, 0),
    "-y": (0, -1, 0),
    "-z": (0, 0, -1),
}


class Builder:
    """Collects links and joints; every method returns the builder, `build` the mechanism.

    >>> from dalembert.expr import parameters
    >>> m, l = parameters("m l")
    >>> arm = (
    ...     Builder("pendulum")
    ...     .link("rod", mass=m, com=(l / 2, 0, 0), inertia=(0, m * l**2 / 12, m * l**2 / 12))
    ...     .revolute("hinge", "rod", axis="y")
    ...     .build()
    ... )
    >>> print(arm)
    pendulum: 2 links, 1 degrees of freedom
      world → rod  revolute hinge  v[0]
    """

    def __init__(self, name: str, *, root: str = "world", gravity: Sequence[Any] | None = None):
        self.name = name
        self.links: list[Link] = [Link(root)]
        self.joints: list[Joint] = []
        self.frames: list[Frame] = []
        self.loops: list[Loop] = []
        self.couplings: list[Coupling] = []
        self.actuators: list[Actuator] = []
        self.springs: list[Spring] = []
        self.gravity = STANDARD_GRAVITY if gravity is None else exact_vector(gravity)

    def link(
        self,
        name: str,
        *,
        mass: Any = None,
        com: Sequence[Any] = (0, 0, 0),
        inertia: Sequence[Any] | None = None,
    ) -> Builder:
        """Add a link; see `Link.of`."""
        self.links.append(Link.of(name, mass=mass, com=com, inertia=inertia))
        return self

    def joint(
        self,
        kind: JointKind | str,
        name: str,
        child: str,
        *,
        parent: str | None = None,
        origin: Sequence[Any] = (0, 0, 0),
        rpy: Sequence[float] = (0, 0, 0),
        placement: Pose | None = None,
        axis: str | Sequence[Any] = "z",
        limits: tuple[float, float] | Limits | None = None,
        mimic: tuple[Any, ...] | Mimic | None = None,
        **options: Any,
    ) -> Builder:
        """Add a joint between ``parent`` (by default the link that was joined last) and ``child``.

        ``origin`` and ``rpy`` (or ``placement``) say where the joint frame is in the parent.
        """
        kind = JointKind(kind) if isinstance(kind, str) else kind
        at = (
            placement
            if placement is not None
            else Pose(rotation_from_rpy(*rpy), exact_vector(origin))
        )
        after = options.pop("after", Pose())
        direction: Any = AXES.get(axis) if isinstance(axis, str) else axis
        if direction is None:
            raise InvalidMechanism(
                f"expected an axis x, y, z, -x, -y, -z or three numbers for joint {name!r}, "
                f"got {axis!r}"
            )
        direction, at, after = unit_axis(direction, at, after, f"joint {name!r}")
        if limits is not None and not isinstance(limits, Limits):
            limits = Limits(*limits)
        if mimic is not None and not isinstance(mimic, Mimic):
            mimic = Mimic(mimic[0], *(exact(k) for k in mimic[1:]))
        numbers = {key: exact(value) for key, value in options.items()}
        self.joints.append(
            Joint(
                name,
                kind,
                parent or (self.joints[-1].child if self.joints else self.links[0].name),
                child,
                placement=at,
                axis=direction,
                after=after,
                limits=limits or Limits(),
                mimic=mimic,
                **numbers,
            )
        )
        return self

    def fixed(self, name: str, child: str, **options: Any) -> Builder:
        """Weld a link."""
        return self.joint(JointKind.FIXED, name, child, **options)

    def revolute(self, name: str, child: str, **options: Any) -> Builder:
        """Add a hinge."""
        return self.joint(JointKind.REVOLUTE, name, child, **options)

    def continuous(self, name: str, child: str, **options: Any) -> Builder:
        """Add a hinge without limits."""
        return self.joint(JointKind.CONTINUOUS, name, child, **options)

    def prismatic(self, name: str, child: str, **options: Any) -> Builder:
        """Add a slider."""
        return self.joint(JointKind.PRISMATIC, name, child, **options)

    def helical(self, name: str, child: str, *, pitch: Any, **options: Any) -> Builder:
        """Add a screw that slides by ``pitch`` for each radian."""
        return self.joint(JointKind.HELICAL, name, child, pitch=pitch, **options)

    def spherical(self, name: str, child: str, **options: Any) -> Builder:
        """Add a ball joint: a quaternion (w, x, y, z), body-fixed angular velocity."""
        return self.joint(JointKind.SPHERICAL, name, child, **options)

    def floating(self, name: str, child: str, **options: Any) -> Builder:
        """Add six freedoms: position and quaternion, body-fixed twist (linear, angular)."""
        return self.joint(JointKind.FLOATING, name, child, **options)

    def universal(
        self, name: str, child: str, *, axes: tuple[Any, Any] = ("x", "y"), **options: Any
    ) -> Builder:
        """Add two hinges with crossing axes; the link between them has no mass."""
        middle = f"{name}_cross"
        self.link(middle)
        self.revolute(f"{name}_1", middle, axis=axes[0], **options)
        return self.revolute(f"{name}_2", child, parent=middle, axis=axes[1])

    def planar(self, name: str, child: str, *, axis: Any = "z", **options: Any) -> Builder:
        """Add two sliders and a hinge: motion in the plane across ``axis``, then about it."""
        order = {"x": "yzx", "y": "zxy", "z": "xyz"}
        if axis not in order:
            raise InvalidMechanism(
                f"expected axis x, y or z for planar joint {name!r}, got {axis!r}"
            )
        first, second, normal = order[axis]
        self.link(f"{name}_slide1").link(f"{name}_slide2")
        self.prismatic(f"{name}_{first}", f"{name}_slide1", axis=first, **options)
        self.prismatic(f"{name}_{second}", f"{name}_slide2", parent=f"{name}_slide1", axis=second)
        return self.continuous(f"{name}_turn", child, parent=f"{name}_slide2", axis=normal)

    def frame(
        self,
        name: str,
        link: str,
        *,
        origin: Sequence[Any] = (0, 0, 0),
        rpy: Sequence[float] = (0, 0, 0),
    ) -> Builder:
        """Name a frame fixed to a link."""
        self.frames.append(Frame(name, link, Pose(rotation_from_rpy(*rpy), exact_vector(origin))))
        return self

    def loop(
        self,
        name: str,
        first: tuple[str, Sequence[Any]],
        second: tuple[str, Sequence[Any]],
        *,
        kind: str = "point",
    ) -> Builder:
        """Close a loop: a point of one link stays at a point of another, (link, point) each."""
        if kind not in ("point", "frame"):
            raise InvalidMechanism(f"expected loop kind 'point' or 'frame', got {kind!r}")
        self.loops.append(Loop(name, kind, *_ends(name, first, second)))
        return self

    def couple(self, name: str, joint: str, other: str, ratio: Any, offset: Any = 0) -> Builder:
        """Couple two joints as gears do: q(joint) = offset + ratio · q(other)."""
        self.couplings.append(Coupling(name, joint, other, (exact(offset), exact(ratio))))
        return self

    def actuator(
        self,
        name: str,
        joint: str,
        *,
        gear_ratio: Any = 1,
        rotor_inertia: Any = 0,
        damping: Any = 0,
        coulomb: Any = 0,
        stribeck: Any = 0,
        stribeck_velocity: Any = 1,
        gyroscopic: bool = False,
        host: str | None = None,
        axis: str | Sequence[Any] | None = None,
    ) -> Builder:
        """Drive a joint by a motor; all its numbers are those of the motor's own shaft.

        See `Actuator` and `Friction`. With ``gyroscopic`` the rotor turns in space, about ``axis``
        of the link ``host``, by default about the joint's axis in its parent.
        """
        numbers = (damping, coulomb, stribeck, stribeck_velocity)
        direction = AXES.get(axis) if isinstance(axis, str) else axis
        if axis is not None and direction is None:
            raise InvalidMechanism(
                f"expected an axis x, y, z, -x, -y, -z or three numbers for the rotor of {name!r}, "
                f"got {axis!r}"
            )
        self.actuators.append(
            Actuator(
                name,
                joint,
                exact(gear_ratio),
                exact(rotor_inertia),
                Friction(*(exact(x) for x in numbers)),
                gyroscopic,
                host,
                None if direction is None else exact_vector(direction),
            )
        )
        return self

    def spring(
        self,
        name: str,
        first: tuple[str, Sequence[Any]],
        second: tuple[str, Sequence[Any]],
        *,
        stiffness: Any = 0,
        rest_length: Any = 0,
        damping: Any = 0,
    ) -> Builder:
        """Put a spring and damper between two points, (link, point) each; see `PointSpring`."""
        numbers = (exact(stiffness), exact(rest_length), exact(damping))
        self.springs.append(PointSpring(name, *_ends(name, first, second), *numbers))
        return self

    def joint_spring(
        self,
        name: str,
        joint: str,
        other: str,
        *,
        stiffness: Any = 0,
        ratio: Any = 1,
        rest: Any = 0,
        damping: Any = 0,
    ) -> Builder:
        """Put a spring and damper between two joints; see `JointSpring`."""
        numbers = (exact(stiffness), exact(ratio), exact(rest), exact(damping))
        self.springs.append(JointSpring(name, joint, other, *numbers))
        return self

    def build(self) -> Mechanism:
        """Return the mechanism, checked."""
        return Mechanism(
            self.name,
            tuple(self.links),
            tuple(self.joints),
            self.gravity,
            tuple(self.frames),
            tuple(self.loops),
            tuple(self.couplings),
            tuple(self.actuators),
            tuple(self.springs),
        )


def _ends(
    name: str, first: tuple[str, Sequence[Any]], second: tuple[str, Sequence[Any]]
) -> tuple[Frame, Frame]:
    ends = (first, second)
    one, two = (
        Frame(f"{name}_{i}", link, Pose(p=exact_vector(point)))
        for i, (link, point) in enumerate(ends, 1)
    )
    return one, two
