"""Build a mechanism link by link, joint by joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.mechanism.builder_arguments import (
    Axis,
    Point,
    direction_of,
    ends_of,
    kind_of,
    limits_of,
    mimic_of,
    placement_of,
    terms_of,
)
from dalembert.mechanism.builder_beam import BeamLink
from dalembert.mechanism.builder_connections import Connections
from dalembert.mechanism.given import items
from dalembert.mechanism.mechanism import STANDARD_GRAVITY, Loop, Mechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import NUMBERS, Joint, JointKind, Limits, Mimic, unit_axis
from dalembert.mechanism.parts.keyframe import Keyframe
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.shape import Colour, Geometry, Shape
from dalembert.mechanism.parts.shape_functions import ShapeFunction
from dalembert.spatial.exact import exact, exact_vector
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ratio
from dalembert.types import Scalar


class JointOptions(TypedDict, total=False):
    """Keywords of a joint, in metres, radians, kilograms and newtons.

    ``origin`` and ``rpy`` (roll, pitch, yaw), or ``placement``, are the joint frame in the parent,
    ``after`` is the child's frame behind the joint. ``limits`` are (lower, upper), ``mimic`` is
    (joint, multiplier, offset). ``armature``, ``reference`` and ``passive`` are those of `Joint`,
    the other numbers those of `Resistance`.
    """

    parent: str | None
    origin: Sequence[Scalar]
    rpy: Sequence[float]
    placement: Pose | None
    after: Pose
    axis: Axis
    limits: tuple[float, float] | Limits | None
    mimic: tuple[str, *tuple[Scalar, ...]] | Mimic | None
    armature: Scalar
    reference: Scalar
    damping: Scalar
    friction: Scalar
    stribeck: Scalar
    stribeck_velocity: Scalar
    stiffness: Scalar
    rest: Scalar
    passive: bool


class Builder(Connections):
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
    pendulum: 2 links, 1 degree of freedom
      world → rod  revolute hinge  v[0]
    """

    def __init__(self, name: str, *, root: str = "world", gravity: Sequence[Scalar] | None = None):
        super().__init__()
        self.name = name
        self.links: list[Link] = [Link(root)]
        self.joints: list[Joint] = []
        self.frames: list[Frame] = []
        self.loops: list[Loop] = []
        self.actuators: list[Actuator] = []
        self.keyframes: list[Keyframe] = []
        # the link that the next joint hangs on, where it is not that of the last joint
        self._next_parent: str | None = None
        # by their roots the ends of beams
        self._tips: dict[str, str] = {}
        self.gravity = STANDARD_GRAVITY if gravity is None else exact_vector(gravity)

    def link(
        self,
        name: str,
        *,
        mass: Scalar | None = None,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Scalar] | None = None,
    ) -> Builder:
        """Add a link; see `Link.of`."""
        self.links.append(Link.of(name, mass=mass, com=com, inertia=inertia))
        return self

    def beam(
        self,
        name: str,
        *,
        mass: Scalar,
        length: Scalar,
        stiffness: Scalar | Sequence[Scalar],
        modes: int | Sequence[int] = 2,
        damping: Scalar = 0,
        shapes: Sequence[ShapeFunction] | None = None,
        foreshortening: bool = True,
    ) -> Builder:
        """Add a slender link that bends (Euler and Bernoulli), with exact integrals over shapes.

        It lies along x of its frame, with its root at the origin, where the joint before it holds
        it, and its tip at ``<name>_tip``, a link on which the next joint goes by default. Its
        deflection along y is Σ ηᵢ φᵢ(x/l), along z Σ ζᵢ φᵢ(x/l); the coordinates are sliders
        ``<name>_y1``, …, ``<name>_z1``, … (m). The tip also turns by w'. Deflections are small:
        the inertia of cross-sections, twist, shear and stretching are left out.

        Args:
            name: Of the link at the root.
            mass: Of the whole beam in kg.
            length: l in m.
            stiffness: EI in N m², or that along y and along z.
            modes: How many shapes, along y, or along y and along z.
            damping: Time constant of the material in s (Kelvin and Voigt): R is this times the
                strain energy of the rates.
            shapes: φᵢ as functions of s, polynomials. Unless given s², s² (3 - 2 s), and then such
                that leave the tip at its place, each with a strain energy for itself.
            foreshortening: Whether a deflection draws points back by ½ ∫w'² dx, by sliders
                ``<name>_x1``, … along x, each with a coupling. Without it an open chain stays one,
                but only for slow turns and small loads: a fast turn then softens the beam where
                it should stiffen it, and no beam buckles.

        >>> import dalembert as da
        >>> m, l, EI = da.parameters("m l EI")
        >>> beam = da.Builder("beam", gravity=(0, 0, 0))
        >>> beam = beam.beam("rod", mass=m, length=l, stiffness=EI, modes=1, foreshortening=False)
        >>> print(beam.fixed("wall", "rod").build().equations())
        m q̈₁/5 + 4 EI q₁/l³ = 0
        """
        before = self._last_link
        beam = BeamLink.of(name, mass, length, stiffness, modes, damping, shapes, foreshortening)
        beam.build(self)
        self._tips[name], self._next_parent = beam.tip, before
        return self

    def joint(
        self,
        kind: JointKind | str,
        name: str,
        child: str,
        *,
        pitch: Scalar = 0,
        **options: Unpack[JointOptions],
    ) -> Builder:
        """Add a joint between ``parent`` (by default the link that was joined last) and ``child``.

        The options are those of `JointOptions`.

        Raises:
            UnknownName: an option that a joint does not have.
        """
        where = f"joint {name!r:.60}"
        kind = kind_of(kind, where)
        given: dict[str, Any] = {"pitch": pitch, **options}
        parent = given.pop("parent", None)
        origin, rpy = given.pop("origin", (0, 0, 0)), given.pop("rpy", (0, 0, 0))
        at, after = given.pop("placement", None), given.pop("after", Pose())
        if at is None:
            at = placement_of(origin, rpy, where)
        axis = direction_of(given.pop("axis", "z"), where)
        axis, at, after = unit_axis(axis, at, after, where)
        limits, mimic = given.pop("limits", None), given.pop("mimic", None)
        numbers = {key: exact(given.pop(key)) for key in NUMBERS if key in given}
        self.joints.append(
            Joint(
                name,
                kind,
                self._last_link if parent is None else parent,
                child,
                placement=at,
                axis=axis,
                after=after,
                limits=limits_of(limits, where),
                mimic=mimic_of(mimic, where),
                passive=given.pop("passive", False),
                resistance=Resistance.of(where, given),
                **numbers,
            )
        )
        self._next_parent = None
        return self

    @property
    def _last_link(self) -> str:
        if self._next_parent is not None:
            return self._next_parent
        last = self.joints[-1].child if self.joints else self.links[0].name
        return self._tips.get(last, last)

    def fixed(self, name: str, child: str, **options: Unpack[JointOptions]) -> Builder:
        """Weld a link."""
        return self.joint(JointKind.FIXED, name, child, **options)

    def revolute(self, name: str, child: str, **options: Unpack[JointOptions]) -> Builder:
        """Add a hinge."""
        return self.joint(JointKind.REVOLUTE, name, child, **options)

    def continuous(self, name: str, child: str, **options: Unpack[JointOptions]) -> Builder:
        """Add a hinge without limits."""
        return self.joint(JointKind.CONTINUOUS, name, child, **options)

    def prismatic(self, name: str, child: str, **options: Unpack[JointOptions]) -> Builder:
        """Add a slider."""
        return self.joint(JointKind.PRISMATIC, name, child, **options)

    def helical(
        self, name: str, child: str, *, pitch: Scalar, **options: Unpack[JointOptions]
    ) -> Builder:
        """Add a screw that slides by ``pitch`` (m) for each radian."""
        return self.joint(JointKind.HELICAL, name, child, pitch=pitch, **options)

    def spherical(self, name: str, child: str, **options: Unpack[JointOptions]) -> Builder:
        """Add a ball joint: a quaternion (w, x, y, z), body-fixed angular velocity."""
        return self.joint(JointKind.SPHERICAL, name, child, **options)

    def floating(self, name: str, child: str, **options: Unpack[JointOptions]) -> Builder:
        """Add six freedoms: position and quaternion, body-fixed twist (linear, angular)."""
        return self.joint(JointKind.FLOATING, name, child, **options)

    def universal(
        self,
        name: str,
        child: str,
        *,
        axes: tuple[Axis, Axis] = ("x", "y"),
        **options: Unpack[JointOptions],
    ) -> Builder:
        """Add two hinges with crossing axes; the link between them has no mass."""
        middle = f"{name}_cross"
        first, second = items(axes, [2], "two axes", f"universal joint {name!r}")
        self.link(middle)
        options["axis"] = first
        self.revolute(f"{name}_1", middle, **options)
        return self.revolute(f"{name}_2", child, parent=middle, axis=second)

    def planar(self, name: str, child: str, **options: Unpack[JointOptions]) -> Builder:
        """Add two sliders and a hinge: motion in the plane across ``axis``, then about it."""
        order = {"x": "yzx", "y": "zxy", "z": "xyz"}
        axis = options.pop("axis", "z")
        if not isinstance(axis, str) or axis not in order:
            raise InvalidMechanism(
                f"expected axis x, y or z for planar joint {name!r}, got {axis!r}"
            )
        first, second, normal = order[axis]
        self.link(f"{name}_slide1").link(f"{name}_slide2")
        options["axis"] = first
        self.prismatic(f"{name}_{first}", f"{name}_slide1", **options)
        self.prismatic(f"{name}_{second}", f"{name}_slide2", parent=f"{name}_slide1", axis=second)
        return self.continuous(f"{name}_turn", child, parent=f"{name}_slide2", axis=normal)

    def frame(
        self,
        name: str,
        link: str,
        *,
        origin: Sequence[Scalar] = (0, 0, 0),
        rpy: Sequence[float] = (0, 0, 0),
    ) -> Builder:
        """Name a frame fixed to a link."""
        self.frames.append(Frame(name, link, placement_of(origin, rpy, f"frame {name!r:.60}")))
        return self

    def shape(
        self,
        link: str,
        geometry: Geometry,
        *,
        origin: Sequence[Scalar] = (0, 0, 0),
        rpy: Sequence[float] = (0, 0, 0),
        colour: Colour | None = None,
        name: str = "",
        visual: bool = True,
        collision: bool = True,
    ) -> Builder:
        """Give a link a shape, to look at, to touch, or both; see `Shape`.

        >>> from dalembert.mechanism import Box
        >>> arm = Builder("arm").link("rod", mass=1).revolute("hinge", "rod")
        >>> len(arm.shape("rod", Box((1, 0.1, 0.1)), origin=(0.5, 0, 0)).build().links[1].visuals)
        1
        """
        new = Shape(geometry, placement_of(origin, rpy, f"a shape of {link!r:.60}"), colour, name)
        names = [x.name for x in self.links]
        if link not in names:
            raise UnknownName(
                f"expected a link of {self.name} for a shape, got {link!r:.60} "
                f"({nearest(str(link), names)})"
            )
        own = self.links[names.index(link)]
        self.links[names.index(link)] = replace(
            own,
            visuals=(*own.visuals, *([new] if visual else [])),
            collisions=(*own.collisions, *([new] if collision else [])),
        )
        return self

    def loop(
        self,
        name: str,
        first: Point,
        second: Point,
        *,
        kind: str = "point",
    ) -> Builder:
        """Close a loop: a point of one link stays at a point of another, (link, point) each.

        The coordinates of the points may be expressions of ``da.time``.
        """
        if not isinstance(kind, str) or kind not in ("point", "frame"):
            raise InvalidMechanism(f"expected loop kind 'point' or 'frame', got {kind!r:.60}")
        self.loops.append(Loop(name, kind, *ends_of(name, first, second)))
        return self

    def close(
        self, kind: str, name: str, first: Point, second: Point, **options: Unpack[JointOptions]
    ) -> Builder:
        """Close a loop by a joint of any kind between two links, (link, point) each.

        The joint is on the first link, with its axes there and coordinates of its own; what it
        moves has no mass and is welded to the second link, whose axes agree with those of the first
        where the joint is at zero.

        Args:
            kind: revolute, continuous, prismatic, helical, cylindrical, universal, planar,
                spherical or fixed.
            name: Of the joint and of the loop; those of a joint with several coordinates are
                ``<name>_1`` and so on.
            first: The link that carries the joint.
            second: The link that is welded to its end.
            options: Those of the joint, as ``axis`` or ``damping``; ``pitch`` of a helical one. A
                spherical and a fixed one have none.

        Raises:
            InvalidMechanism: there is no such kind, or it takes no options.

        >>> import dalembert as da
        >>> bar = da.Builder("bar").link("rod", mass=1, com=(1, 0, 0)).floating("free", "rod")
        >>> bar = bar.close("cylindrical", "guide", ("rod", (2, 0, 0)), ("world", (2, 0, 0)))
        >>> print(bar.build())
        bar: 4 links, 2 degrees of freedom: 8 velocities under 1 loop
          world → rod  floating free  v[0:6]
          rod → guide_slide  prismatic guide_1  v[6]
          guide_slide → guide_end  revolute guide_2  v[7]
        """
        before, end = self._last_link, f"{name}_end"
        link, point = items(first, [2], "a link and a point in its frame,", repr(name))
        if kind in ("spherical", "fixed"):
            if options:
                raise InvalidMechanism(
                    f"expected no options of the {kind} joint {name!r} that closes a loop, got "
                    f"{', '.join(options)}"
                )
            return self.loop(name, first, second, kind="point" if kind == "spherical" else "frame")
        options["parent"], options["origin"] = link, point
        self.link(end)
        if kind == "cylindrical":
            middle, axis = f"{name}_slide", options.get("axis", "z")
            self.link(middle).prismatic(f"{name}_1", middle, **options)
            self.revolute(f"{name}_2", end, parent=middle, axis=axis)
        elif kind == "universal":
            self.universal(name, end, **options)
        elif kind == "planar":
            self.planar(name, end, **options)
        else:
            self.joint(kind, name, end, **options)
        self.loop(name, (end, (0, 0, 0)), second, kind="frame")
        # the next joint goes on where the tree ended
        self._next_parent = before
        return self

    def actuator(
        self,
        name: str,
        joint: str | Mapping[str, Scalar],
        *,
        gear_ratio: Scalar = 1,
        rotor_inertia: Scalar = 0,
        gyroscopic: bool = False,
        host: str | None = None,
        axis: Axis | None = None,
        effort: Scalar | None = None,
        **resistance: Scalar,
    ) -> Builder:
        """Drive a joint by a motor; all its numbers are those of the motor's own shaft.

        Several joints, as through a differential or a tendon, are a mapping to their factors:
        the motor turns by gear_ratio · Σ factor · q(joint).

        ``damping``, ``friction``, ``stribeck`` and ``stribeck_velocity`` are those of `Resistance`;
        for the rest see `Actuator`. With ``gyroscopic`` the rotor turns in space, about ``axis`` of
        the link ``host``, by default about the joint's axis in its parent.
        """
        where = f"the rotor of {name!r}"
        (first, k), *others = terms_of(joint, f"actuator {name!r}").items()
        self.actuators.append(
            Actuator(
                name,
                first,
                exact(k * exact(gear_ratio)),
                exact(rotor_inertia),
                Resistance.of(f"actuator {name!r}", resistance),
                gyroscopic,
                host,
                None if axis is None else exact_vector(direction_of(axis, where)),
                None if effort is None else exact(effort),
                tuple((other, exact(ratio(x, k))) for other, x in others),
            )
        )
        return self

    def keyframe(self, name: str, positions: Mapping[str, Scalar | Sequence[Scalar]]) -> Builder:
        """Name a configuration by the positions of joints (rad, m); the others are neutral."""
        found = tuple(
            (joint, tuple(exact(x) for x in (x if isinstance(x, Sequence) else [x])))
            for joint, x in positions.items()
        )
        self.keyframes.append(Keyframe(name, found))
        return self

    def build(self, *, accept_nonphysical: bool = False) -> Mechanism:
        """Return the mechanism, checked; see `mechanism.physics` for what is refused.

        ``accept_nonphysical`` keeps inertias that no body has.

        Raises:
            InvalidMechanism: parts do not fit together, or nothing material has their numbers.
        """
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
            tuple(self.keyframes),
            accept_nonphysical=accept_nonphysical,
        )
