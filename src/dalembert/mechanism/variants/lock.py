"""A mechanism with some of its joints held where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr import Expr, as_expr, cos, free_symbols, sin, time
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.closure import Coupling
from dalembert.mechanism.parts.joint import NEUTRAL, Joint, JointKind
from dalembert.mechanism.parts.law import EXTENSIONS, Law
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.spring import JointSpring, Spring
from dalembert.spatial.exact import exact, rotation_about, rotation_from_quaternion
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.axis_angle import axis_rotation
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import IDENTITY, ZERO, ratio, scale
from dalembert.types import Scalar

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism
    from dalembert.types import ArrayLike

CLOSED_TOLERANCE = 1e-9  # rad or m: what rounding leaves of a coupling between locked joints

Held = Mapping[str, tuple[Any, ...]]
"""The positions of the joints that are held, by name."""


def locked(
    mechanism: Mechanism,
    joints: str | Iterable[str],
    *,
    at: ArrayLike | Mapping[str, Scalar | Sequence[Scalar]] | None = None,
) -> Mechanism:
    """Return the mechanism with joints that no longer move: they become fixed joints.

    Joints that follow them are held too. Actuators of held joints are left out with a note; a
    coupling or spring between a held joint and one that moves acts on the latter alone. `reduce`
    joins the links that no longer move against each other.

    Args:
        mechanism: What to change.
        joints: A name, or several.
        at: Where to hold them: a configuration of the mechanism, ``(nq,)`` in rad and m, or
            positions by joint name; the neutral position (zeros, no rotation) unless given.

    >>> import dalembert as da
    >>> arm = da.textbook.robots.planar_arm_nr(3).lock("joint2", at={"joint2": 0.5})
    >>> arm.nv, arm.joint("joint2").kind.value
    (2, 'fixed')

    Raises:
        UnknownName: there is no such joint.
        InvalidMechanism: a joint follows another, a position does not fit, or a coupling cannot
            be satisfied.
    """
    held = _held(mechanism, [joints] if isinstance(joints, str) else list(joints), at)
    left_out = [a for a in mechanism.actuators if {*a.joints} <= {*held}]
    springs, moved = _springs(mechanism.springs, held)
    return replace(
        mechanism,
        joints=tuple(
            _fixed(joint, held[joint.name])
            if joint.name in held
            else _sprung(joint, moved.get(joint.name, ()))
            for joint in mechanism.joints
        ),
        couplings=tuple(c for x in mechanism.couplings for c in _coupling(x, held)),
        actuators=tuple(_driving(a, held) for a in mechanism.actuators if a not in left_out),
        springs=springs,
        keyframes=tuple(x.without(held) for x in mechanism.keyframes),
        notes=(
            *mechanism.notes,
            *(f"actuator {a.name!r} left out: joint {a.joint!r} is locked" for a in left_out),
        ),
    )


def _held(
    mechanism: Mechanism,
    names: Sequence[str],
    at: ArrayLike | Mapping[str, Scalar | Sequence[Scalar]] | None,
) -> Held:
    """Return the positions of the joints to hold, and of those that follow them."""
    for name in names:
        joint = mechanism.joint(name)
        if joint.mimic:
            raise InvalidMechanism(
                f"expected joints with positions of their own to lock, got {name!r}, which mimics "
                f"{joint.mimic.joint!r}: lock {mechanism.master_of(joint)[0].name!r}"
            )
    given = positions_of(mechanism, names, at)
    held: dict[str, tuple[Any, ...]] = {}
    for joint in mechanism.joints:
        master, k, c = mechanism.master_of(joint)
        if master.name not in names or joint.kind is JointKind.FIXED:
            continue
        values = given[master.name]
        held[joint.name] = (k * values[0] + c,) if joint.mimic else values
    return held


def positions_of(
    mechanism: Mechanism,
    names: Sequence[str],
    at: ArrayLike | Mapping[str, Scalar | Sequence[Scalar]] | None,
) -> dict[str, tuple[Any, ...]]:
    """Return the positions of joints by name, from a configuration or from a mapping.

    Of ``names`` only; the other joints are neutral.
    """
    found: dict[str, tuple[Any, ...]] = {j.name: j.neutral for j in mechanism.moving_joints}
    if isinstance(at, Mapping):
        for name, value in at.items():
            if name not in names:
                raise UnknownName(
                    f"expected positions of joints to lock, got one for {name!r} "
                    f"({nearest(str(name), names)})"
                )
            listed = value if isinstance(value, Sequence) else [value]
            found[name] = _exact(listed, mechanism.joint(name))
    elif at is not None:
        values: Sequence[Any] = list(at)  # type: ignore[arg-type]
        if len(values) != mechanism.nq:
            raise InvalidMechanism(
                f"expected {mechanism.nq} positions of the joints of {mechanism.name}, got "
                f"{len(values)}: give all of q, or positions by joint name"
            )
        place = 0
        for joint in mechanism.moving_joints:
            if joint.name in names:
                found[joint.name] = _exact(values[place : place + joint.nq], joint)
            place += joint.nq
    return found


def _exact(values: Sequence[Any], joint: Joint) -> tuple[Any, ...]:
    if len(values) != joint.nq:
        raise InvalidMechanism(
            f"expected {joint.nq} numbers for the position of joint {joint.name!r}, got "
            f"{len(values)}"
        )
    return tuple(exact(x) for x in values)


def _fixed(joint: Joint, values: tuple[Any, ...]) -> Joint:
    """Return the fixed joint that a joint is at a position."""
    at = joint.placement @ _motion(joint, values)
    return Joint(joint.name, JointKind.FIXED, joint.parent, joint.child, at, after=joint.after)


def without_reference(joint: Joint) -> Joint:
    """Return the same joint with its reference position in its placement: motion(q - r)."""
    if is_zero(joint.reference):
        return joint
    return replace(joint, placement=joint.placement @ _motion(joint, (0,)), reference=0)


def _motion(joint: Joint, values: tuple[Any, ...]) -> Pose:
    """Return how a joint moves its child at a position; rotations are exactly orthogonal."""
    if joint.kind in NEUTRAL:
        w, x, y, z = (float(k) for k in values[-4:])
        *p, _, _, _, _ = values
        return Pose(rotation_from_quaternion(w, x, y, z), tuple(p) if p else ZERO)  # type: ignore[arg-type]
    x = values[0] - joint.reference
    R = IDENTITY
    if joint.turn and isinstance(x, Expr):
        R = axis_rotation(joint.axis, sin(x), cos(x))
    elif joint.turn:
        R = rotation_about([float(k) for k in joint.axis], float(x))
    return Pose(R, ZERO if is_zero(joint.slide) else scale(joint.slide * x, joint.axis))


def _coupling(coupling: Coupling, held: Held) -> Iterator[Coupling]:
    """Yield what a coupling is between joints of which some are held: itself, a constant, none."""
    free = [name for name in coupling.others if name not in held]
    # held positions join the law; the extensions of the others move up
    new = {
        x: as_expr(held[n][0])
        for x, n in zip(EXTENSIONS, coupling.others, strict=False)
        if n in held
    }
    new |= {EXTENSIONS[coupling.others.index(n)]: x for n, x in zip(free, EXTENSIONS, strict=False)}
    coupling = coupling._replace(others=tuple(free), law=coupling.law.replaced(new))
    if coupling.joint not in held:
        yield coupling
        return
    (x,) = held[coupling.joint]
    slopes = coupling.law.slopes(len(free))
    if slopes is None:
        raise InvalidMechanism(
            f"expected all joints of coupling {coupling.name!r}, which is not linear, to be "
            f"locked, got {coupling.joint!r} alone: lock {free[0]!r} too"
        )
    constant = coupling.law.expression.subs(dict.fromkeys(EXTENSIONS[: len(free)], 0))
    kept = [(name, k) for name, k in zip(free, slopes, strict=True) if not is_zero(k)]
    if not kept:
        _check_held(coupling, exact(x), exact(constant))
        return
    # q(first) = (x - c - Σ kᵢ q(other)ᵢ) / k
    (first, k), *others = kept
    law = Law.linear([ratio(-s, k) for _, s in others], ratio(as_expr(x) - constant, k))
    yield Coupling(coupling.name, first, tuple(name for name, _ in others), law)


def _check_held(coupling: Coupling, x: Any, prescribed: Any) -> None:
    """Refuse a joint that is held elsewhere than where its coupling has it."""
    error = x - prescribed
    if isinstance(error, Expr) and time in free_symbols([error]):
        raise InvalidMechanism(
            f"expected joints without a prescribed motion to lock, got {coupling.joint!r} with "
            f"the drive {coupling.name!r}: remove the drive"
        )
    if not isinstance(error, Expr) and abs(error) > CLOSED_TOLERANCE:
        raise InvalidMechanism(
            f"expected joint {coupling.joint!r} locked at {float(prescribed):.6g} as coupling "
            f"{coupling.name!r} prescribes, got {float(x):.6g}: remove the coupling, or lock "
            "the joint there"
        )


class _OneSided(NamedTuple):
    """A spring over joints of which all but one are locked, as that joint's own."""

    resistance: Resistance
    armature: Scalar


def _springs(
    springs: Sequence[Spring], held: Held
) -> tuple[tuple[Spring, ...], dict[str, list[_OneSided]]]:
    """Return the springs that stay, and by joint those that now act on one joint alone."""
    stay: list[Spring] = []
    moved: dict[str, list[_OneSided]] = {}
    for spring in springs:
        if not isinstance(spring, JointSpring) or not {*spring.joints} & {*held}:
            stay.append(spring)
            continue
        # Σ k q - (rest - Σ k q(held))
        free = [(joint, k) for joint, k in spring.terms if joint not in held]
        fixed: Any = 0
        for joint, k in spring.terms:
            fixed = fixed + k * held[joint][0] if joint in held else fixed
        left = spring._replace(terms=tuple(free), rest=exact(spring.rest - fixed))
        if all(is_zero(k) for _, k in free):
            continue
        if len(free) > 1 or left.potential is not None or left.dissipation is not None:
            stay.append(left)
            continue
        # k q - rest = k (q - rest / k)
        (joint, k), (stiffness, rest, d, J) = free[0], left.numbers
        own = Resistance(damping=d * k * k, stiffness=stiffness * k * k, rest=exact(ratio(rest, k)))
        moved.setdefault(joint, []).append(_OneSided(own, J * k * k))
    return tuple(stay), moved


def _driving(actuator: Actuator, held: Held) -> Actuator:
    """Return an actuator on those of its joints that are not held."""
    (first, k), *others = (term for term in actuator.terms if term[0] not in held)
    if len(others) == len(actuator.others):
        return actuator
    return replace(
        actuator,
        joint=first,
        gear_ratio=exact(actuator.gear_ratio * k),
        others=tuple((joint, exact(ratio(x, k))) for joint, x in others),
    )


def _sprung(joint: Joint, springs: Sequence[_OneSided]) -> Joint:
    """Return a joint with springs beside its own: k = Σ kᵢ, k rest = Σ kᵢ restᵢ."""
    own, armature = joint.resistance, joint.armature
    for spring, inertia in springs:
        armature = armature + inertia
        k = own.stiffness + spring.stiffness
        moment = own.stiffness * own.rest + spring.stiffness * spring.rest
        if is_zero(k) and not is_zero(moment):
            raise InvalidMechanism(
                f"expected springs on joint {joint.name!r} whose stiffnesses do not cancel, got "
                "a constant force: change one of them"
            )
        own = replace(
            own,
            damping=own.damping + spring.damping,
            stiffness=k,
            rest=own.rest if is_zero(k) else exact(ratio(moment, k)),
        )
    return replace(joint, resistance=own, armature=armature)
