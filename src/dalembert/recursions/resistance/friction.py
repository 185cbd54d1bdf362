"""The friction law over any scalar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf
from numbers import Real
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, exp, sign, tanh
from dalembert.mechanism import Resistance
from dalembert.recursions.tree import Tree
from dalembert.ring import Element, canonical_all, rebuild
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Scalar, ratio


class ShaftFriction(NamedTuple):
    """Friction of a shaft that moves ``k`` times as fast as the velocity at ``place``."""

    name: str
    place: int
    k: Scalar
    resistance: Resistance


def shaft_frictions(tree: Tree) -> Iterator[ShaftFriction]:
    """Yield the friction of every joint and of every motor."""
    for node in tree.nodes:
        own = node.joint.resistance
        for i in node.velocities if not own.is_frictionless else ():
            yield ShaftFriction(node.joint.name, i, node.multiplier, own)
    yield from motor_frictions(tree)


def motor_frictions(tree: Tree) -> Iterator[ShaftFriction]:
    """Yield the friction of every motor, whose shaft moves by the gear ratio faster."""
    for actuator in tree.actuators:
        if not actuator.resistance.is_frictionless:
            node = tree.by_joint[actuator.joint]
            k = node.multiplier * actuator.gear_ratio
            yield ShaftFriction(actuator.name, node.velocities[0], k, actuator.resistance)


def dry_friction(
    resistance: Resistance, k: Scalar, v: Scalar, smoothing: Scalar | None = None
) -> Scalar:
    """Return k sign(k v) (friction + stribeck exp(-(k v / stribeck_velocity)²)).

    This is the force against v of a shaft that moves k times as fast. With ``smoothing``, a
    velocity, sign(k v) becomes tanh(k v / smoothing).
    """
    F = dry_magnitude(resistance, k, v)
    return 0 if is_zero(F) else F * (k * direction(k, v, smoothing))


def dry_magnitude(resistance: Resistance, k: Scalar, v: Scalar) -> Scalar:
    """Return friction + stribeck exp(-(k v / stribeck_velocity)²)."""
    F: Scalar = resistance.friction
    if not is_zero(resistance.stribeck):
        F = F + resistance.stribeck * stribeck_shape(k * v, resistance.stribeck_velocity)
    return F


def stribeck_shape(w: Scalar, velocity: Scalar) -> Scalar:
    """Return exp(-(w / velocity)²)."""
    x = w if isinstance(velocity, int) and velocity == 1 else w / velocity
    return _function(-(x * x), exp, "exp")


def check_smoothing(smoothing: Scalar | None) -> None:
    """Refuse a velocity of tanh(v / smoothing) that is not positive; a symbol stands for one."""
    if smoothing is None or isinstance(smoothing, Expr):
        return
    known = isinstance(smoothing, Real) and not isinstance(smoothing, bool)
    if not known or not 0 < float(smoothing) < inf:
        raise InvalidMechanism(
            f"expected a positive velocity for smoothing= (rad/s or m/s), got {smoothing!r:.60}: "
            "leave it out for dry friction with the sign of the velocity"
        )


def direction(k: Scalar, v: Scalar, smoothing: Scalar | None = None) -> Scalar:
    """Return sign(k v), or tanh(k v / smoothing)."""
    if smoothing is not None:
        return _function(k * v / smoothing, tanh, "tanh")
    if isinstance(k, int | float | Fraction):
        # the sign of a known ratio is known
        s = _function(v, sign, "sign")
        return s if k > 0 else -s if k < 0 else 0
    return _function(k * v, sign, "sign")


def _function(x: Scalar, symbolic: Callable[[Any], Expr], numeric: str) -> Scalar:
    if isinstance(x, Expr):
        return symbolic(x)
    if isinstance(x, Element):
        return canonical_all(x.ring, [symbolic(rebuild(x))])[0]
    import numpy as np

    return getattr(np, numeric)(float(x) if isinstance(x, int | Fraction) else x)


def viscous_dissipation(shaft: ShaftFriction, v: Scalar) -> Scalar:
    """Return Rayleigh's function ½ damping (k v)²."""
    w = shaft.k * v
    return ratio(shaft.resistance.damping * (w * w), 2)
