"""The mirror image of a mechanism: a left arm from a right one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.law import EXTENSIONS
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.shape import Mesh, Shape
from dalembert.mechanism.parts.spring import Bushing, Fastened, JointSpring
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec, neg

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

Signs = tuple[int, int, int]
"""The diagonal of the reflection S = diag(±1): one entry is -1."""

PLANES: dict[str, Signs] = {"x": (-1, 1, 1), "y": (1, -1, 1), "z": (1, 1, -1)}


def mirrored(mechanism: Mechanism, normal: str = "y") -> Mechanism:
    """Return the mirror image of the mechanism in a plane through the root's origin.

    Every frame is mirrored in its own plane: X becomes S X S with S = diag(1, -1, 1) for y. A
    hinge turns about -S a and a slider moves along S a, so that equal positions of scalar joints
    are mirror images, and their torques are equal. Of a quaternion (w, r) the image is (w, -S r),
    of a body-fixed twist (v, ω) it is (S v, -S ω). Gravity becomes S g.

    Args:
        mechanism: What to mirror.
        normal: The axis across the plane: x, y or z of the root.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.ur5e()
    >>> arm.mirror().mirror() == arm
    True
    """
    if normal not in PLANES:
        raise InvalidMechanism(
            f"expected the normal x, y or z of a plane to mirror {mechanism.name} in, got "
            f"{normal!r}"
        )
    s = PLANES[normal]

    def frame(x: Frame) -> Frame:
        return x._replace(placement=_pose(x.placement, s))

    return replace(
        mechanism,
        links=tuple(_link(x, s) for x in mechanism.links),
        joints=tuple(_joint(x, s) for x in mechanism.joints),
        gravity=_vector(mechanism.gravity, s),
        frames=tuple(frame(x) for x in mechanism.frames),
        loops=tuple(
            x._replace(first=frame(x.first), second=frame(x.second)) for x in mechanism.loops
        ),
        actuators=tuple(_actuator(x, s) for x in mechanism.actuators),
        springs=tuple(
            x
            if isinstance(x, JointSpring)
            else _laws(x._replace(first=frame(x.first), second=frame(x.second)), s)
            for x in mechanism.springs
        ),
        keyframes=tuple(x.at(lambda _, values: _position(values, s)) for x in mechanism.keyframes),
    )


def _laws(spring: Fastened, s: Signs) -> Fastened:
    """Return a bushing whose laws see mirrored displacements S d and turns -S θ."""
    if not isinstance(spring, Bushing):
        return spring
    signs = (*s, *(-k for k in s))
    new = {x: k * x for x, k in zip(EXTENSIONS, signs, strict=False)}
    V, R = spring.potential, spring.dissipation
    return spring._replace(potential=V and V.replaced(new), dissipation=R and R.replaced(new))


def _vector(v: Vec, s: Signs) -> Vec:
    """Return S v."""
    return s[0] * v[0], s[1] * v[1], s[2] * v[2]


def _axis(a: Vec, s: Signs) -> Vec:
    """Return -S a: what an axis of rotation becomes."""
    return neg(_vector(a, s))


def _position(values: tuple[Any, ...], s: Signs) -> tuple[Any, ...]:
    """Return the position of the image: S p and (w, -S r); that of a scalar joint is the same."""
    if len(values) < 4:
        return values
    *p, w, x, y, z = values
    return (*(_vector((p[0], p[1], p[2]), s) if p else ()), w, *_axis((x, y, z), s))


def _pose(X: Pose, s: Signs) -> Pose:
    """Return S X S."""
    R = tuple(tuple(s[i] * s[j] * X.R[i][j] for j in range(3)) for i in range(3))
    return Pose(R, _vector(X.p, s))  # type: ignore[arg-type]


def _link(link: Link, s: Signs) -> Link:
    m, h, (xx, yy, zz, xy, xz, yz) = link.inertia
    I = (xx, yy, zz, s[0] * s[1] * xy, s[0] * s[2] * xz, s[1] * s[2] * yz)
    changed = link.with_shapes(lambda shape: _shape(shape, s))
    return replace(changed, inertia=Inertia(m, _vector(h, s), I))


def _shape(shape: Shape, s: Signs) -> Shape:
    """Return the mirror image; all geometries but meshes are their own in S."""
    geometry = shape.geometry
    if isinstance(geometry, Mesh):
        geometry = replace(geometry, scale=_vector(geometry.scale, s))
    return replace(shape, geometry=geometry, placement=_pose(shape.placement, s))


def _joint(joint: Joint, s: Signs) -> Joint:
    # a screw slides by pitch · q along S a = -(axis of its turn)
    slides = joint.kind is JointKind.PRISMATIC
    return replace(
        joint,
        placement=_pose(joint.placement, s),
        after=_pose(joint.after, s),
        axis=_vector(joint.axis, s) if slides else _axis(joint.axis, s),
        pitch=-joint.pitch,
    )


def _actuator(actuator: Actuator, s: Signs) -> Actuator:
    return replace(actuator, axis=actuator.axis and _axis(actuator.axis, s))
