"""Springs and dampers over any scalar: of joints, between joints, between points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.mechanism import JointSpring, PointSpring, Spring
from dalembert.recursions.kinematics import point_columns
from dalembert.recursions.node import Node, Values
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero, square_root
from dalembert.spatial.vectors import ZERO, Scalar, Vec, add, dot, ratio, scale, sub


def sprung_nodes(tree: Tree) -> list[Node]:
    """Return the nodes whose joints have a spring of their own.

    Raises:
        InvalidMechanism: a joint without a single position has one.
    """
    found = [n for n in tree.nodes if n.velocities and not is_zero(n.joint.resistance.stiffness)]
    for node in found:
        if not node.joint.is_scalar:
            raise InvalidMechanism(
                f"expected springs at joints with one position, got stiffness of the "
                f"{node.joint.kind.value} joint {node.joint.name!r}: put springs between points"
            )
    return found


def spring_energy(tree: Tree, q: Values) -> Scalar:
    """Return V of all springs: Σ ½ stiffness · extension²."""
    total: Scalar = 0
    # joints' own: x = k q + c - rest
    for node in sprung_nodes(tree):
        own = node.joint.resistance
        x = node.position(q) - own.rest
        total = total + own.stiffness * (x * x)
    for spring in tree.springs:
        if isinstance(spring, JointSpring):
            x = shaft_of(tree, spring).extension(q)
            total = total + spring.stiffness * (x * x)
        elif not is_zero(spring.stiffness):
            # (l - l₀)² = l² - 2 l₀ l + l₀²: no root without a rest length
            d, _ = distance(tree, spring, q)
            square = dot(d, d)
            if not is_zero(spring.rest_length):
                l, l0 = square_root(square), spring.rest_length
                square = (l - l0) * (l - l0)
            total = total + spring.stiffness * square
    return ratio(total, 2)


def spring_force(tree: Tree, spring: Spring, q: Values, v: Values) -> tuple[Scalar, list[Scalar]]:
    """Return a force and the slopes along which it acts: their product is ∂V/∂q + ∂R/∂q̇."""
    k, c = spring.stiffness, spring.damping
    if isinstance(spring, JointSpring):
        # k x + c ẋ along ∂x/∂q
        shaft = shaft_of(tree, spring)
        return k * shaft.extension(q) + c * rate_along(shaft.slopes, v), shaft.slopes
    d, columns = distance(tree, spring, q)
    # force on the ends (k (1 - l₀/l) + c dᵀḋ/l²) d
    factor: Scalar = k
    if not is_zero(spring.rest_length):
        factor = factor - k * spring.rest_length / square_root(dot(d, d))
    if not is_zero(c):
        rate: Vec = ZERO
        for u, x in zip(columns, v, strict=True):
            rate = add(rate, scale(x, u))
        factor = factor + c * dot(d, rate) / dot(d, d)
    return factor, [dot(d, u) for u in columns]


def spring_dissipation(tree: Tree, spring: Spring, q: Values, v: Values) -> Scalar:
    """Return Rayleigh's function ½ damping · rate² of a damper."""
    if is_zero(spring.damping):
        return 0
    if isinstance(spring, JointSpring):
        rate = rate_along(shaft_of(tree, spring).slopes, v)
        return ratio(spring.damping * (rate * rate), 2)
    # l̇² = (dᵀḋ)² / dᵀd
    d, columns = distance(tree, spring, q)
    rate = rate_along([dot(d, u) for u in columns], v)
    return ratio(spring.damping * (rate * rate), 2 * dot(d, d))


class Shaft(NamedTuple):
    """x = q(joint) - ratio · q(other) - rest, and ∂x/∂q."""

    ends: tuple[Node, Node]
    ratio: Scalar
    rest: Scalar
    slopes: list[Scalar]

    def extension(self, q: Values) -> Scalar:
        first, second = self.ends
        return first.position(q) - self.ratio * second.position(q) - self.rest


def shaft_of(tree: Tree, spring: JointSpring) -> Shaft:
    first, second = tree.by_joint[spring.joint], tree.by_joint[spring.other]
    slopes: list[Scalar] = [0] * tree.nv
    for node, k in ((first, 1), (second, -spring.ratio)):
        i = node.velocities[0]
        slopes[i] = slopes[i] + k * node.multiplier
    return Shaft((first, second), spring.ratio, spring.rest, slopes)


def distance(tree: Tree, spring: PointSpring, q: Values) -> tuple[Vec, list[Vec]]:
    """Return d from the first point to the second in the world, and ∂d/∂q."""
    X_W = tree.world_poses(q)
    ends = (spring.first, spring.second)
    p1, p2 = ((X_W[tree.numbers[f.link]] @ f.placement).p for f in ends)
    J1, J2 = (point_columns(tree, X_W, f.link, p) for f, p in zip(ends, (p1, p2), strict=True))
    return sub(p2, p1), [sub(b[0], a[0]) for a, b in zip(J1, J2, strict=True)]


def rate_along(slopes: Sequence[Scalar], v: Values) -> Scalar:
    """Return ẋ = ∂x/∂q v."""
    total: Scalar = 0
    for slope, x in zip(slopes, v, strict=True):
        total = total + slope * x
    return total
