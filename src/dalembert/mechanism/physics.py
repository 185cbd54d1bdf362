"""The gate of physics: every mechanism passes it, whoever described it.

Refused are numbers that are not finite, negative masses, dampers and rotors, inertias that no body
has, matrices that are no rotations, and axes without a direction. An expression with symbols is
refused only where its numbers decide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.expr import Expr, free_symbols
from dalembert.expr.graph import outline, postorder
from dalembert.mechanism.parts.joint import Joint, Limits
from dalembert.mechanism.parts.law import Law
from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.mechanism.parts.shape import Shape
from dalembert.mechanism.parts.spring import Bushing
from dalembert.spatial.inertia.consistency import consistency_margin, is_consistent
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.check import ROTATION_TOLERANCE, rotation_defects
from dalembert.spatial.vectors import IDENTITY, Mat, Vec

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

Number = int | float | Fraction

# Exporters print six significant digits (the default of C++ streams). Each entry is then off by up
# to 5e-6 of itself, and the smallest second moment of a flat body by at most 1e-5 of their sum.
PRINTED_DIGITS = 1e-5
# where expressions with symbols are tried: none of them special
TRIALS = (0.375, 0.8125, 1.4375)


def check_physics(mechanism: Mechanism) -> None:
    """Refuse a mechanism that no material has, with what was expected, what came and a remedy."""
    for k, x in enumerate(mechanism.gravity):
        _finite(x, f"gravity[{k}] of {mechanism.name}")
    for link in mechanism.links:
        _check_numbers(link)
        for shape in link.shapes:
            _check_shape(shape, f"a shape of link {link.name!r}")
    _check_bodies(mechanism)
    for joint in mechanism.joints:
        _check_joint(joint)
    ends = [end for loop in mechanism.loops for end in (loop.first, loop.second)]
    for frame in (*mechanism.frames, *ends):
        _check_pose(frame.placement, f"frame {frame.name!r}")
    for coupling in mechanism.couplings:
        _check_law(coupling.law, f"coupling {coupling.name!r}")
    for actuator in mechanism.actuators:
        where = f"actuator {actuator.name!r}"
        for ratio in (actuator.gear_ratio, *(k for _, k in actuator.others)):
            _finite(ratio, f"gear_ratio of {where}")
        _not_negative(actuator.rotor_inertia, "rotor_inertia", where)
        _check_resistance(actuator.resistance, where)
        if actuator.effort is not None:
            _not_negative(actuator.effort, "effort", where)
        if actuator.axis is not None:
            _check_direction(actuator.axis, where)
    for spring in mechanism.springs:
        where = f"spring {spring.name!r}"
        for x in spring.numbers:
            _finite(x, where)
        for law in (spring.potential, spring.dissipation):
            if law is not None:
                _check_law(law, where)
        if not isinstance(spring, Bushing):
            _not_negative(spring.damping, "damping", where)
            _not_negative(spring.armature, "armature", where)
    for keyframe in mechanism.keyframes:
        for name, values in keyframe.positions:
            _check_position(values, f"joint {name!r} in keyframe {keyframe.name!r}")


def check_inertia(inertia: Inertia, where: str, *, accept_nonphysical: bool = False) -> None:
    """Refuse a negative mass, and an inertia that no distribution of mass has.

    ``accept_nonphysical`` lets the second pass. Of an inertia with symbols only the numbers on the
    diagonal count: none may be negative.

    Raises:
        InvalidMechanism: with what came, and what to do.
    """
    m, _, (xx, yy, zz, *_) = inertia
    _not_negative(m, "mass", where)
    values = [_value(x, where) for x in (m, *inertia.h, *inertia.I)]
    known = [x for x in values if x is not None]
    if len(known) == len(values):
        body = Inertia(known[0], tuple(known[1:4]), tuple(known[4:]))  # type: ignore[arg-type]
        if not (accept_nonphysical or is_consistent(body) or is_rounded(body)):
            raise InvalidMechanism(
                f"{what_is_wrong(body)} for {where}: no body has this inertia; correct it (also a "
                "body that moves in a plane has all three moments), or pass "
                "accept_nonphysical=True where the mechanism is built or loaded"
            )
    elif not accept_nonphysical:
        for x, name in ((xx, "xx"), (yy, "yy"), (zz, "zz")):
            _not_negative(x, f"inertia {name}", where)


def is_rounded(body: Inertia) -> bool:
    """Tell whether an inertia is that of a body up to the rounding of six printed digits."""
    return consistency_margin(body) >= -PRINTED_DIGITS


def what_is_wrong(body: Inertia) -> str:
    """Return what was expected of an inertia that no body has, and what came."""
    import numpy as np

    if body.m == 0 and any(body.h):
        return "expected a mass beside a first moment, got none"
    tensor = body.about_com() if body.m else body.tensor
    size = max(abs(Fraction(x)) for row in tensor for x in row)
    if not _is_finite(size):
        return "expected moments about the centre of mass up to 1e308, got larger ones"
    scaled = [[float(Fraction(x) / size) for x in row] for row in tensor]
    # to twelve digits: the rest is rounding of the eigenvalues
    a, b, c = (round(float(k), 12) * float(size) + 0.0 for k in np.linalg.eigvalsh(scaled))
    moments = f"{a:.6g}, {b:.6g}, {c:.6g}"
    if a < 0:
        return f"expected positive principal moments of inertia, got {moments}"
    return f"expected no principal moment of inertia above the sum of the others, got {moments}"


def _check_numbers(link: Link) -> None:
    m, h, I = link.inertia
    for x in (m, *h, *I):
        _finite(x, f"inertia of link {link.name!r}")


def _check_shape(shape: Shape, where: str) -> None:
    _check_pose(shape.placement, where)
    for name, value in shape.geometry.numbers.items():
        for x in value if isinstance(value, tuple) else (value,):
            _finite(x, f"{name} of {where}")
            # a negative scale mirrors a mesh
            if name != "scale":
                _not_negative(x, name, where)


def _check_bodies(mechanism: Mechanism) -> None:
    """Check the inertia of every link together with the rotors that spin in it, at rest.

    A rotor has inertia about its axis alone, which its host lacks: only both are a body.
    """
    bodies = {link.name: link.inertia for link in mechanism.links}
    for joint in mechanism.joints:
        if joint.spins:
            rotor = bodies.pop(joint.child)
            for x in rotor.I[:3]:
                _not_negative(x, "inertia", f"rotor {joint.child!r}")
            bodies[joint.parent] = bodies[joint.parent] + rotor.moved(joint.placement)
    for name, inertia in bodies.items():
        where = f"link {name!r}"
        check_inertia(inertia, where, accept_nonphysical=mechanism.accept_nonphysical)


def _check_joint(joint: Joint) -> None:
    where = f"joint {joint.name!r}"
    _check_pose(joint.placement, where)
    _check_pose(joint.after, where)
    _check_unit(joint.axis, where)
    for name, x in joint.numbers.items():
        _finite(x, f"{name} of {where}")
    _not_negative(joint.armature, "armature", where)
    _check_resistance(joint.resistance, where)
    _check_limits(joint.limits, where)
    if joint.mimic is not None:
        _finite(joint.mimic.multiplier, f"the multiplier of {where}")
        _finite(joint.mimic.offset, f"the offset of {where}")


def _check_resistance(resistance: Resistance, where: str) -> None:
    for name, x in resistance.numbers.items():
        _finite(x, f"{name} of {where}")
    for name in ("damping", "friction", "stribeck_velocity"):
        _not_negative(getattr(resistance, name), name, where)
    # Stribeck's part may be negative as long as friction at rest is not
    _not_negative(resistance.friction + resistance.stribeck, "friction + stribeck", where)


def _check_position(values: Sequence[Any], where: str) -> None:
    for x in values:
        _finite(x, f"the position of {where}")
    # of a joint with a rotation the last four are a unit quaternion, to printed digits
    for a in _samples(values[-4:], where) if len(values) >= 4 else ():
        length = math.hypot(*a)
        if not abs(length - 1) <= PRINTED_DIGITS:
            remedy = "give (w, x, y, z) of a rotation"
            _refuse("a quaternion of length 1", where, f"length {length:.6g}", remedy)


def _check_limits(limits: Limits, where: str) -> None:
    for name, x in zip(limits._fields, limits, strict=True):
        if x is not None and (isinstance(x, bool) or not isinstance(x, int | float | Fraction)):
            _refuse(f"a finite {name} limit or None", where, f"{x!r:.40}", "leave it out")
        if x is not None and not _is_finite(x):
            _refuse(f"a finite {name} limit or None", where, "none", "leave it out")
    lower, upper, velocity, effort = limits
    if lower is not None and upper is not None and lower > upper:
        _refuse("lower ≤ upper limits", where, f"{lower:g} > {upper:g}", "exchange them")
    for name, x in (("velocity", velocity), ("effort", effort)):
        if x is not None:
            _not_negative(x, f"{name} limit", where)


def _check_pose(X: Pose, where: str) -> None:
    for x in X.p:
        _finite(x, f"the position of {where}")
    if X.R == IDENTITY:
        return
    for values in _samples([x for row in X.R for x in row], where):
        R: Mat = (tuple(values[:3]), tuple(values[3:6]), tuple(values[6:]))  # type: ignore[assignment]
        defect = max(abs(d) for d in rotation_defects(R))
        # the negation also refuses nan
        if not defect <= ROTATION_TOLERANCE:
            remedy = "give orthonormal right-handed axes"
            _refuse("a rotation matrix", where, f"one that is off by {defect:.2g}", remedy)


def _check_unit(axis: Vec, where: str) -> None:
    for x, y, z in _samples(axis, where):
        length = math.sqrt(x * x + y * y + z * z)
        if not abs(length - 1) <= ROTATION_TOLERANCE:
            remedy = "give the axis of motion as a unit vector"
            _refuse("an axis of length 1", where, f"length {length:.6g}", remedy)


def _check_direction(axis: Vec, where: str) -> None:
    for values in _samples(axis, where):
        if not any(values):
            _refuse("an axis with a direction", where, "(0, 0, 0)", "give the axis of the rotor")


def _samples(xs: Sequence[Any], where: str) -> list[list[float]]:
    """Return the numbers as floats; with symbols at a few points, those where all have a value."""
    for x in xs:
        _finite(x, where)
    symbols = free_symbols([x for x in xs if isinstance(x, Expr)])
    found = []
    for k, t in enumerate(TRIALS if symbols else TRIALS[:1]):
        # different values for all symbols, at first between 0 and 1
        at = {x: math.modf(t * (1 + 0.37 * i))[0] + k for i, x in enumerate(symbols)}
        try:
            found.append([float(x.evaluate(at)) if isinstance(x, Expr) else float(x) for x in xs])
        except EvaluationError:
            continue
    return found


def _not_negative(x: object, what: str, where: str) -> None:
    value = _value(x, where)
    if value is not None and value < 0:
        got = f"{float(value):g}"
        _refuse(f"{what} that is not negative", where, got, "give its magnitude")


def _check_law(law: Law, where: str) -> None:
    """Refuse numbers of a law that no double holds."""
    for x in postorder([law.expression]):
        if x.op == "const":
            _finite(x.value, where)


def _finite(x: object, where: str) -> None:
    _value(x, where)


def _value(x: object, where: str) -> Number | None:
    """Return a number that a double can hold; None where symbols or another arithmetic decide."""
    if type(x) is int and x.bit_length() < 1000:
        return x
    if isinstance(x, Expr):
        if _has_symbols(x):
            return None
        try:
            return float(x.evaluate({}))
        except EvaluationError:
            _refuse("a finite number", where, outline(x), "check the units")
    if not isinstance(x, int | float | Fraction):
        return None
    if _is_finite(x):
        return x
    got = str(x) if isinstance(x, float) else "a number above 1e308"
    return _refuse("a finite number", where, got, "check the units")


def _is_finite(x: Number) -> bool:
    """Tell whether a double can hold the number."""
    try:
        return math.isfinite(x)
    except OverflowError:
        return False


def _has_symbols(x: Expr) -> bool:
    pending, seen = [x], {x}
    while pending:
        node = pending.pop()
        if node.op == "symbol":
            return True
        fresh = [arg for arg in node.args if arg not in seen]
        seen.update(fresh)
        pending += fresh
    return False


def _refuse(expected: str, where: str, got: str, remedy: str) -> NoReturn:
    raise InvalidMechanism(f"expected {expected} for {where}, got {got}: {remedy}")
