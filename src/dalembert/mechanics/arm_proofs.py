"""Proofs about mechanisms: the recursions equal Lagrange's equations."""

from __future__ import annotations

from typing import Any

from dalembert.mechanics.arm import ring_tree
from dalembert.mechanics.coriolis import coriolis_matrix
from dalembert.mechanics.equations import Equations
from dalembert.mechanics.maximal import maximal_form
from dalembert.mechanics.newton_euler import armature, inverse_dynamics
from dalembert.mechanics.proof import Proof
from dalembert.mechanics.proofs import (
    IDENTICAL,
    coriolis_forms_agree,
    energy_balances_power,
    equations_are_linear_in_parameters,
    identity,
    mass_matrix_is_symmetric,
    rate_minus_twice_coriolis_is_skew,
)
from dalembert.mechanics.tree_regressor import inertial_parameters, tree_regressor
from dalembert.mechanism import Mechanism
from dalembert.ring import Element, Ring, canonical_matrix

MAX_MAXIMAL_LINKS = 3


def prove_arm(mechanism: Mechanism, eq: Equations) -> list[Proof]:
    """Return the proofs that hold for every mechanism of scalar joints."""
    return [
        newton_euler_is_lagrange(mechanism, eq),
        recursive_coriolis_is_christoffel(mechanism, eq),
        regressor_is_newton_euler(mechanism, eq),
        mass_matrix_is_symmetric(eq),
        rate_minus_twice_coriolis_is_skew(eq),
        coriolis_forms_agree(eq),
        energy_balances_power(eq),
        *(p for p in (maximal_is_generalized(mechanism, eq),) if p is not None),
        *(p for p in (equations_are_linear_in_parameters(eq),) if p is not None),
    ]


def newton_euler_is_lagrange(mechanism: Mechanism, eq: Equations) -> Proof:
    """τ of the Newton–Euler recursion = M q̈ + C q̇ + ∂V/∂q, term by term."""
    ring, tree = eq.ring, ring_tree(mechanism, eq.ring)
    tau = inverse_dynamics(tree, *_state(eq))
    left = eq.forms.M @ eq.second_rates + eq.bias_form
    # springs and dampers of the joints are not part of the recursion
    passive = _passive(mechanism, eq)
    differences = [a - _element(ring, b) - c for a, b, c in zip(left, tau, passive, strict=True)]
    return identity(
        ring,
        "Newton–Euler recursion = Euler–Lagrange equations",
        differences,
        f"the recursion run over the ring: {IDENTICAL}",
    )


def recursive_coriolis_is_christoffel(mechanism: Mechanism, eq: Equations) -> Proof:
    """The Coriolis matrix of the recursion is that of the Christoffel symbols."""
    ring = eq.ring
    q, v, _ = _state(eq)
    C = coriolis_matrix(ring_tree(mechanism, ring), q, v)
    differences = [
        a - _element(ring, b)
        for row, other in zip(eq.forms.C.rows, C, strict=True)
        for a, b in zip(row, other, strict=True)
    ]
    return identity(
        ring,
        "recursive Coriolis matrix = C of the Christoffel symbols",
        differences,
        f"the recursion run over the ring: {IDENTICAL}",
    )


def regressor_is_newton_euler(mechanism: Mechanism, eq: Equations) -> Proof:
    """Y θ of the recursive regressor, with rotors added, is the torque."""
    ring, tree = eq.ring, ring_tree(mechanism, eq.ring)
    q, v, a = _state(eq)
    Y = tree_regressor(tree, q, v, a)
    theta = inertial_parameters(tree)
    tau = inverse_dynamics(tree, q, v, a)
    differences = []
    for row, expected in zip(Y, tau, strict=True):
        total = ring.zero
        for y, p in zip(row, theta, strict=True):
            total = total + _element(ring, y) * _element(ring, p)
        differences.append(_element(ring, expected) - total)
    for node in tree.nodes:
        for i in node.velocities:
            differences[i] = differences[i] - _element(ring, armature(node)) * a[i]
    return identity(
        ring,
        f"τ = Y θ with ten parameters for each of {len(tree.nodes)} links",
        differences,
        f"Y θ multiplied out: {IDENTICAL}",
    )


def maximal_is_generalized(mechanism: Mechanism, eq: Equations) -> Proof | None:
    """Maximal coordinates, projected by H = ∂h/∂q, give the same equations (CMU 2.7)."""
    plain = all(
        not joint.mimic and joint.armature == 0 and joint.damping == 0 and joint.stiffness == 0
        for joint in mechanism.joints
    )
    kinds = {joint.kind.value for joint in mechanism.joints}
    simple = kinds <= {"fixed", "revolute", "continuous", "prismatic"}
    if not plain or not simple or mechanism.loops or mechanism.couplings:
        return None
    if len(mechanism.joints) > MAX_MAXIMAL_LINKS:
        return None
    form = maximal_form(mechanism)
    reduced = form.system.equations().change_coordinates(form.positions, eq.coordinates)
    residual = canonical_matrix(eq.ring, reduced.residual)
    return identity(
        eq.ring,
        f"maximal coordinates ({len(form.system.coordinates)} with "
        f"{len(form.system.constraints)} constraints) reduce to the same equations",
        residual - eq.residual_form,
        f"q_m = h(q), projected by ∂h/∂q: {IDENTICAL}",
    )


def _state(eq: Equations) -> tuple[list[Element], list[Element], list[Element]]:
    ring = eq.ring
    q = [ring.generator(x) for x in eq.coordinates]
    return q, list(eq.rates), list(eq.second_rates)


def _passive(mechanism: Mechanism, eq: Equations) -> list[Element]:
    """Return the joints' own springs and dampers: stiffness (q - rest) + damping q̇."""
    ring, tree = eq.ring, ring_tree(mechanism, eq.ring)
    result = [ring.zero] * len(eq.coordinates)
    for node in tree.nodes:
        joint, k = node.joint, _element(ring, node.multiplier)
        for i in node.velocities:
            # of a mimic joint, position k q + c and torque k times its own
            x = k * ring.generator(eq.coordinates[i]) + _element(ring, node.offset)
            spring = _element(ring, joint.stiffness) * (x - _element(ring, joint.rest))
            drag = _element(ring, joint.damping) * (k * eq.rates[i])
            result[i] = result[i] + k * (spring + drag)
    return result


def _element(ring: Ring, x: Any) -> Element:
    return x if isinstance(x, Element) else ring.constant(x)
