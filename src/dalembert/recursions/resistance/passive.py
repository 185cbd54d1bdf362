"""Springs, dampers and friction over any scalar: as energies, and as forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.mechanism import JointSpring, PointSpring
from dalembert.recursions.kinematics import forward_kinematics, point_columns
from dalembert.recursions.resistance.friction import (
    direction,
    dissipated,
    dry_friction,
    dry_magnitude,
    rubbings,
)
from dalembert.recursions.tree import Node, Tree, Values
from dalembert.spatial.scalar import is_zero, square_root
from dalembert.spatial.vectors import ZERO, Vec, add, dot, ratio, scale, sub


def passive_forces(tree: Tree, q: Values, v: Values, *, smoothing: Any = None) -> list[Any]:
    """Return the generalized forces of springs, dampers and friction on the mechanism.

    M(q) a + h(q, v) = τ + passive_forces(q, v), with h of the recursions, which know none of them.
    Dry friction has the sign of the velocity, or with ``smoothing`` (a velocity) tanh(v/smoothing).
    """
    forces: list[Any] = [0] * tree.nv
    # joint's own spring: -k stiffness (k q + c - rest)
    for node in _sprung(tree):
        i, own = node.velocities[0], node.joint.resistance
        x = node.position(q) - own.rest
        forces[i] = forces[i] - node.multiplier * (own.stiffness * x)
    # friction: -k F(k v)
    for _, i, k, resistance in rubbings(tree):
        forces[i] = forces[i] - k * (resistance.damping * (k * v[i]))
        forces[i] = forces[i] - dry_friction(resistance, k, v[i], smoothing)
    # springs between points and between joints: -∂x/∂q (force of the extension x)
    for spring in tree.springs:
        force, slopes = pull(tree, spring, q, v)
        for i, slope in enumerate(slopes):
            if not is_zero(slope):
                forces[i] = forces[i] - force * slope
    return forces


def spring_energy(tree: Tree, q: Values) -> Any:
    """Return V of all springs: Σ ½ stiffness · extension²."""
    total: Any = 0
    for node in _sprung(tree):
        own = node.joint.resistance
        x = node.position(q) - own.rest
        total = total + own.stiffness * (x * x)
    for spring in tree.springs:
        if isinstance(spring, JointSpring):
            x = _shaft(tree, spring).extension(q)
            total = total + spring.stiffness * (x * x)
        elif not is_zero(spring.stiffness):
            d, _ = _distance(tree, spring, q)
            # (l - l₀)² = l² - 2 l₀ l + l₀²: no root without a rest length
            square = dot(d, d)
            if not is_zero(spring.rest_length):
                l, l0 = square_root(square), spring.rest_length
                square = (l - l0) * (l - l0)
            total = total + spring.stiffness * square
    return ratio(total, 2)


def dissipation(tree: Tree, q: Values, v: Values) -> Any:
    """Return Rayleigh's function R of all dampers and viscous friction: Σ ½ damping · rate²."""
    total: Any = 0
    for rubbing in rubbings(tree):
        total = total + dissipated(rubbing, v[rubbing.place])
    for spring in tree.springs:
        if is_zero(spring.damping):
            continue
        if isinstance(spring, JointSpring):
            rate = _rate(_shaft(tree, spring).slopes, v)
            total = total + ratio(spring.damping * (rate * rate), 2)
        else:
            # l̇² = (dᵀḋ)² / dᵀd
            d, columns = _distance(tree, spring, q)
            rate = _rate([dot(d, u) for u in columns], v)
            total = total + ratio(spring.damping * (rate * rate), 2 * dot(d, d))
    return total


def dry_forces(tree: Tree, v: Values, *, smoothing: Any = None) -> list[Any]:
    """Return the generalized forces of Coulomb and Stribeck friction alone."""
    forces: list[Any] = [0] * tree.nv
    for _, i, k, resistance in rubbings(tree):
        forces[i] = forces[i] - dry_friction(resistance, k, v[i], smoothing)
    return forces


def dry_bounds(tree: Tree, v: Values) -> list[Any]:
    """Return the sizes of Coulomb and Stribeck friction, without the sign of the velocity."""
    bounds: list[Any] = [0] * tree.nv
    for _, i, k, resistance in rubbings(tree):
        F = dry_magnitude(resistance, k, v[i])
        if not is_zero(F):
            bounds[i] = bounds[i] + F * (k * direction(k, 1))
    return bounds


def _sprung(tree: Tree) -> list[Node]:
    """Return the nodes with a spring of their own; refuse those without a single position."""
    found = [n for n in tree.nodes if n.velocities and not is_zero(n.joint.resistance.stiffness)]
    for node in found:
        if not node.joint.is_scalar:
            raise InvalidMechanism(
                f"expected springs at joints with one position, got stiffness of the "
                f"{node.joint.kind.value} joint {node.joint.name!r}: put springs between points"
            )
    return found


class _Shaft(NamedTuple):
    """x = q(joint) - ratio · q(other) - rest."""

    ends: tuple[Node, Node]
    ratio: Any
    rest: Any
    slopes: list[Any]

    def extension(self, q: Values) -> Any:
        first, second = self.ends
        return first.position(q) - self.ratio * second.position(q) - self.rest


def _shaft(tree: Tree, spring: JointSpring) -> _Shaft:
    first, second = tree.by_joint[spring.joint], tree.by_joint[spring.other]
    slopes: list[Any] = [0] * tree.nv
    for node, k in ((first, 1), (second, -spring.ratio)):
        i = node.velocities[0]
        slopes[i] = slopes[i] + k * node.multiplier
    return _Shaft((first, second), spring.ratio, spring.rest, slopes)


def _distance(tree: Tree, spring: PointSpring, q: Values) -> tuple[Vec, list[Vec]]:
    """Return d from the first point to the second in the world, and ∂d/∂q."""
    X_W = forward_kinematics(tree, q)
    ends = (spring.first, spring.second)
    p1, p2 = ((X_W[tree.numbers[f.link]] @ f.placement).p for f in ends)
    J1, J2 = (point_columns(tree, X_W, f.link, p) for f, p in zip(ends, (p1, p2), strict=True))
    return sub(p2, p1), [sub(b[0], a[0]) for a, b in zip(J1, J2, strict=True)]


def pull(
    tree: Tree, spring: PointSpring | JointSpring, q: Values, v: Values
) -> tuple[Any, list[Any]]:
    """Return a force and the slopes along which it acts: their product is ∂V/∂q + ∂R/∂q̇."""
    k, c = spring.stiffness, spring.damping
    if isinstance(spring, JointSpring):
        shaft = _shaft(tree, spring)
        return k * shaft.extension(q) + c * _rate(shaft.slopes, v), shaft.slopes
    d, columns = _distance(tree, spring, q)
    # force on the ends (k (1 - l₀/l) + c dᵀḋ/l²) d
    factor: Any = k
    if not is_zero(spring.rest_length):
        factor = factor - k * spring.rest_length / square_root(dot(d, d))
    if not is_zero(c):
        rate: Vec = ZERO
        for u, x in zip(columns, v, strict=True):
            rate = add(rate, scale(x, u))
        factor = factor + c * dot(d, rate) / dot(d, d)
    return factor, [dot(d, u) for u in columns]


def _rate(slopes: Sequence[Any], v: Values) -> Any:
    total: Any = 0
    for slope, x in zip(slopes, v, strict=True):
        total = total + slope * x
    return total
