"""A mechanism without what a file format cannot express, and a note for each thing left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dalembert.expr import Expr, time
from dalembert.mechanism.mechanism import STANDARD_GRAVITY, Mechanism
from dalembert.mechanism.parts.closure import Coupling
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.spring import Spring
from dalembert.mechanism.variants.euler_angles import with_euler_angles
from dalembert.spatial.inertia.consistency import is_consistent, nearest_consistent
from dalembert.spatial.inertia.inertia import NO_INERTIA

Dropped = tuple[Mechanism, list[str]]


def urdf_part(mechanism: Mechanism) -> Dropped:
    """Return what URDF can express: a tree with damping and friction, standard gravity.

    Ball joints become three hinges each.
    """
    notes = [
        f"{kind[:-1]} {part.name!r} is not written: URDF has none"
        for kind in ("loops", "couplings", "actuators", "springs")
        for part in getattr(mechanism, kind)
    ]
    if mechanism.gravity != STANDARD_GRAVITY:
        gravity = ", ".join(
            str(x) if isinstance(x, Expr) else f"{float(x):g}" for x in mechanism.gravity
        )
        notes.append(f"gravity ({gravity}) is not written: URDF has none")
    joints = [_plain_joint(joint, ("damping", "friction"), notes) for joint in mechanism.joints]
    known = {link.name for link in mechanism.links}
    frames = []
    for frame in mechanism.frames:
        if frame.name in known:
            notes.append(f"frame {frame.name!r} is not written: another part has its name")
            continue
        known.add(frame.name)
        frames.append(frame)
    tree = replace(
        mechanism,
        joints=tuple(
            replace(joint, armature=0) if _noted_armature(joint, notes) else joint
            for joint in joints
        ),
        gravity=STANDARD_GRAVITY,
        frames=tuple(frames),
        loops=(),
        couplings=(),
        actuators=(),
        springs=(),
    )
    return _with_hinges(tree, notes), notes


def _with_hinges(mechanism: Mechanism, notes: list[str]) -> Mechanism:
    """Return the mechanism with ball joints as three hinges, which do not resist."""
    joints = []
    for joint in mechanism.joints:
        if joint.kind is JointKind.SPHERICAL:
            lost = f", without its {' and '.join(joint.resistance.forces)}"
            notes.append(
                f"ball joint {joint.name!r} is written as three hinges, z, y and x"
                f"{lost * bool(joint.resistance.forces)}: URDF has none"
            )
            joint = replace(joint, resistance=Resistance())
        joints.append(joint)
    turned = replace(mechanism, joints=tuple(joints))
    hinged = with_euler_angles(turned, kinds=(JointKind.SPHERICAL,))
    lost = [x for x in mechanism.keyframes if x not in hinged.keyframes]
    notes += [f"keyframe {x.name!r} is not written: URDF has none" for x in lost]
    return hinged


def mjcf_part(mechanism: Mechanism) -> Dropped:
    """Return what our MJCF can express: rotors as armature, losses of motors as those of joints.

    Inertias that no body has, which MuJoCo refuses, become the nearest ones that a body has.
    """
    # it needs what only writing needs
    from dalembert.mechanism.io.mjcf.write_coupling import is_equality
    from dalembert.mechanism.io.mjcf.write_tendon import is_tendon

    springs = tuple(x for x in mechanism.springs if is_tendon(x))
    pushing = [x for x in mechanism.springs if x not in springs]
    notes = [f"spring {x.name!r} is not written: MuJoCo has none {_why(x)}" for x in pushing]
    drives = [x for x in mechanism.couplings if _is_timed(x)]
    notes += [f"drive {x.name!r} is not written: MJCF has none" for x in drives]
    cams = [x for x in mechanism.couplings if x not in drives and not is_equality(x)]
    notes += [
        f"coupling {x.name!r} is not written: MJCF has polynomials of degree 4, and sums, alone"
        for x in cams
    ]
    for actuator in mechanism.actuators:
        if not actuator.is_plain:
            notes.append(
                f"rotor and friction of actuator {actuator.name!r} are written as armature, "
                f"damping and friction of joint {actuator.joint!r}"
            )
        if actuator.gyroscopic:
            notes.append(f"the gyroscopic couple of rotor {actuator.name!r} is not written")
    plain = tuple(replace(x, gyroscopic=False, host=None, axis=None) for x in mechanism.actuators)
    kept = tuple(x for x in mechanism.couplings if x not in (*drives, *cams))
    turned = replace(mechanism, actuators=plain, springs=springs, couplings=kept).with_rotors()
    joints = [_plain_joint(joint, (), notes) for joint in _with_motor_losses(turned, notes)]
    links = []
    for link in mechanism.links:
        if link.inertia.m and not is_consistent(link.inertia):
            notes.append(f"the inertia of link {link.name!r}, which no body has, is changed")
            link = replace(link, inertia=nearest_consistent(link.inertia))
        elif not link.inertia.m and not link.is_massless:
            notes.append(f"the inertia of link {link.name!r}, which has no mass, is not written")
            link = replace(link, inertia=NO_INERTIA)
        links.append(link)
    motors = tuple(replace(x, resistance=Resistance()) for x in turned.actuators)
    whole = replace(turned, links=tuple(links), joints=tuple(joints), actuators=motors)
    return whole, notes


def sdf_part(mechanism: Mechanism) -> Dropped:
    """Return what SDF can express: a tree with springs, damping and friction, closed loops."""
    # it needs what only writing needs
    from dalembert.mechanism.io.sdf.write import open_loops

    notes = [
        f"{kind[:-1]} {part.name!r} is not written: SDF has none"
        for kind in ("couplings", "actuators", "springs")
        for part in getattr(mechanism, kind)
    ]
    opened = set(open_loops(mechanism))
    notes += [f"loop {name!r} is not written: it is open at q = 0" for name in sorted(opened)]
    joints = []
    for joint in mechanism.joints:
        kept = ("damping", "friction", "stiffness") if joint.is_scalar else ("rest",)
        plain = _plain_joint(joint, kept, notes)
        joints.append(replace(plain, armature=0) if _noted_armature(joint, notes) else plain)
    tree = replace(
        mechanism,
        joints=tuple(joints),
        loops=tuple(x for x in mechanism.loops if x.name not in opened),
        couplings=(),
        actuators=(),
        springs=(),
    )
    return tree, notes


PARTS: dict[str, Callable[[Mechanism], Dropped]] = {
    ".urdf": urdf_part,
    ".xml": mjcf_part,
    ".mjcf": mjcf_part,
    ".sdf": sdf_part,
}
"""By the ending of the file; formats that are not here express everything."""


def _plain_joint(joint: Joint, kept: tuple[str, ...], notes: list[str]) -> Joint:
    """Return the joint with some kinds of resistance alone; all but Stribeck's unless given."""
    if joint.passive:
        notes.append(f"that joint {joint.name!r} is passive is not written")
        joint = replace(joint, passive=False)
    own = joint.resistance
    kept = kept or ("damping", "friction", "stiffness")
    lost = [name for name in own.forces if name not in kept]
    if not lost:
        return joint
    notes.append(f"{' and '.join(lost)} of joint {joint.name!r} is not written: there is no such")
    rest = {"rest": own.rest} if "stiffness" in kept else {}
    numbers = {name: getattr(own, name) for name in kept if name in own.numbers}
    return replace(joint, resistance=Resistance(**numbers, **rest))


def _why(spring: Spring) -> str:
    """Return what keeps a spring from being a tendon."""
    is_linear = spring.potential is None and spring.dissipation is None
    return "that push" if is_linear else "with laws of their own"


def _is_timed(coupling: Coupling) -> bool:
    """Tell whether a coupling prescribes a motion in time."""
    return time in coupling.law.symbols


def _noted_armature(joint: Joint, notes: list[str]) -> bool:
    if joint.armature == 0:
        return False
    notes.append(f"armature of joint {joint.name!r} is not written: there is none")
    return True


def _with_motor_losses(mechanism: Mechanism, notes: list[str]) -> list[Joint]:
    """Return the joints with the damping r² B and the friction |r| F of their motors."""
    joints = {joint.name: joint for joint in mechanism.joints}
    for actuator in mechanism.actuators:
        joint, r, own = joints[actuator.joint], actuator.gear_ratio, actuator.resistance
        if "stribeck" in own.forces:
            notes.append(f"Stribeck friction of actuator {actuator.name!r} is not written")
        resistance = replace(
            joint.resistance,
            damping=joint.resistance.damping + r * r * own.damping,
            friction=joint.resistance.friction + abs(r) * own.friction,
        )
        joints[joint.name] = replace(joint, resistance=resistance)
    return list(joints.values())
