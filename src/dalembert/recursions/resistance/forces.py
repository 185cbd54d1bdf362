"""Generalized forces of springs, dampers and friction, over any scalar."""

from __future__ import annotations

from dalembert.recursions.node import Values
from dalembert.recursions.resistance.friction import (
    direction,
    dry_friction,
    dry_magnitude,
    shaft_frictions,
    viscous_dissipation,
)
from dalembert.recursions.resistance.springs import (
    spring_dissipation,
    spring_forces,
    sprung_nodes,
)
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Scalar


def passive_forces(
    tree: Tree, q: Values, v: Values, *, smoothing: Scalar | None = None
) -> list[Scalar]:
    """Return the generalized forces of springs, dampers and friction on the mechanism.

    M(q) a + h(q, v) = τ + passive_forces(q, v), with h of the recursions, which know none of them.
    Dry friction has the sign of the velocity, or with ``smoothing`` (a velocity) tanh(v/smoothing).
    """
    forces: list[Scalar] = [0] * tree.nv
    # joint's own spring: -k stiffness (k q + c - rest)
    for node in sprung_nodes(tree):
        i, own = node.velocities[0], node.joint.resistance
        x = node.position(q) - own.rest
        forces[i] = forces[i] - node.multiplier * (own.stiffness * x)
    # friction: -k F(k v)
    for _, i, k, resistance in shaft_frictions(tree):
        forces[i] = forces[i] - k * (resistance.damping * (k * v[i]))
        forces[i] = forces[i] - dry_friction(resistance, k, v[i], smoothing)
    # springs between parts: -∂x/∂q (force of the extension x)
    for spring in tree.springs:
        for i, force in enumerate(spring_forces(tree, spring, q, v)):
            if not is_zero(force):
                forces[i] = forces[i] - force
    return forces


def dissipation(tree: Tree, q: Values, v: Values) -> Scalar:
    """Return Rayleigh's function R of all dampers and viscous friction: Σ ½ damping · rate²."""
    total: Scalar = 0
    for shaft in shaft_frictions(tree):
        total = total + viscous_dissipation(shaft, v[shaft.place])
    for spring in tree.springs:
        total = total + spring_dissipation(tree, spring, q, v)
    return total


def dry_forces(tree: Tree, v: Values, *, smoothing: Scalar | None = None) -> list[Scalar]:
    """Return the generalized forces of Coulomb and Stribeck friction alone."""
    forces: list[Scalar] = [0] * tree.nv
    for _, i, k, resistance in shaft_frictions(tree):
        forces[i] = forces[i] - dry_friction(resistance, k, v[i], smoothing)
    return forces


def dry_bounds(tree: Tree, v: Values) -> list[Scalar]:
    """Return the sizes of Coulomb and Stribeck friction, without the sign of the velocity."""
    bounds: list[Scalar] = [0] * tree.nv
    for _, i, k, resistance in shaft_frictions(tree):
        F = dry_magnitude(resistance, k, v[i])
        if not is_zero(F):
            bounds[i] = bounds[i] + F * (k * direction(k, 1))
    return bounds
