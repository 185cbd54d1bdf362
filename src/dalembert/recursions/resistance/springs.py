"""Springs and dampers over any scalar: of joints, between joints, points and frames."""

from __future__ import annotations

from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Bushing, JointSpring, Spring
from dalembert.mechanism.parts.law import EXTENSIONS, RATES
from dalembert.recursions.node import Node, Values
from dalembert.recursions.resistance.measures import distance, measure, rate_along, shaft
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero, square_root
from dalembert.spatial.vectors import ZERO, Scalar, Vec, add, dot, ratio, scale


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
    """Return V of all springs: Σ ½ stiffness · extension² + potential(extension)."""
    total: Scalar = 0
    # joints' own: x = k q + c - rest
    for node in sprung_nodes(tree):
        own = node.joint.resistance
        x = node.position(q) - own.rest
        total = total + own.stiffness * (x * x)
    for spring in tree.springs:
        total = total + _linear_energy(tree, spring, q)
    total = ratio(total, 2)
    for spring in tree.springs:
        if spring.potential is not None:
            total = total + spring.potential.at(measure(tree, spring, q).x)
    return total


def _linear_energy(tree: Tree, spring: Spring, q: Values) -> Scalar:
    """Return stiffness · extension²."""
    if isinstance(spring, Bushing) or is_zero(spring.stiffness):
        return 0
    if isinstance(spring, JointSpring):
        (x,) = shaft(tree, spring, q).x
        return spring.stiffness * (x * x)
    # (l - l₀)² = l² - 2 l₀ l + l₀²: no root without a rest length
    d, _ = distance(tree, spring, q)
    square = dot(d, d)
    if not is_zero(spring.rest_length):
        l, l0 = square_root(square), spring.rest_length
        square = (l - l0) * (l - l0)
    return spring.stiffness * square


def spring_forces(tree: Tree, spring: Spring, q: Values, v: Values) -> list[Scalar]:
    """Return ∂V/∂q + ∂R/∂q̇ of a spring: the force against each velocity, zeros where none is."""
    force = linear_spring_forces(tree, spring, q, v)
    V, R = spring.potential, spring.dissipation
    if V is None and R is None:
        return force
    x, slopes = at = measure(tree, spring, q)
    rates = at.rates(v)
    for i, row in enumerate(slopes):
        # ∂V/∂xᵢ + ∂R/∂ẋᵢ along ∂xᵢ/∂q
        push: Scalar = 0
        if V is not None:
            push = push + V.diff(EXTENSIONS[i]).at(x)
        if R is not None:
            push = push + R.diff(RATES[i]).at(x, rates)
        if not is_zero(push):
            force = _plus(force, push, row)
    return force


def linear_spring_forces(tree: Tree, spring: Spring, q: Values, v: Values) -> list[Scalar]:
    """Return the part of `spring_forces` that stiffness and damping make."""
    none: list[Scalar] = [0] * tree.nv
    if isinstance(spring, Bushing):
        return none
    k, c = spring.stiffness, spring.damping
    if is_zero(k) and is_zero(c):
        return none
    if isinstance(spring, JointSpring):
        # k x + c ẋ along ∂x/∂q
        (x,), (slopes,) = shaft(tree, spring, q)
        return _plus(none, k * x + c * rate_along(slopes, v), slopes)
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
    return _plus(none, factor, [dot(d, u) for u in columns])


def spring_dissipation(tree: Tree, spring: Spring, q: Values, v: Values) -> Scalar:
    """Return Rayleigh's function ½ damping · rate² + dissipation(extension, rate) of a damper."""
    total: Scalar = 0
    if not isinstance(spring, Bushing) and not is_zero(spring.damping):
        if isinstance(spring, JointSpring):
            (rate,) = shaft(tree, spring, q).rates(v)
            total = ratio(spring.damping * (rate * rate), 2)
        else:
            # l̇² = (dᵀḋ)² / dᵀd
            d, columns = distance(tree, spring, q)
            rate = rate_along([dot(d, u) for u in columns], v)
            total = ratio(spring.damping * (rate * rate), 2 * dot(d, d))
    if spring.dissipation is not None:
        at = measure(tree, spring, q)
        total = total + spring.dissipation.at(at.x, at.rates(v))
    return total


def _plus(forces: list[Scalar], push: Scalar, slopes: list[Scalar]) -> list[Scalar]:
    """Return forces with a push along slopes added."""
    return [
        f if is_zero(slope) else f + push * slope for f, slope in zip(forces, slopes, strict=True)
    ]
