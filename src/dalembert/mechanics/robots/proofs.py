"""Proofs about mechanisms: the recursions equal Lagrange's equations."""

from __future__ import annotations

from dalembert.errors import Undecided
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.equations.over_ring import over_ring
from dalembert.mechanics.proofs import properties
from dalembert.mechanics.proofs.identity import IDENTICAL, attempt, identity
from dalembert.mechanics.proofs.on_domain import on_domain
from dalembert.mechanics.proofs.proof import Proof, Proofs
from dalembert.mechanics.robots.at_random_points import prove_at_random_points
from dalembert.mechanics.robots.equations import (
    applied_torques,
    equations_of,
    sines_and_cosines,
    system_of,
)
from dalembert.mechanics.robots.maximal import maximal_form
from dalembert.mechanics.robots.right_angles import naming_rounded_angles, with_rounded_angles
from dalembert.mechanics.system.system import System
from dalembert.mechanism import Mechanism
from dalembert.recursions.drive_regressor import drive_regressor
from dalembert.recursions.dynamics.coriolis import coriolis_matrix
from dalembert.recursions.dynamics.newton_euler import armature, inverse_dynamics
from dalembert.recursions.link_regressor import inertial_parameters, link_regressor
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.resistance.spring_inertia import spring_torques
from dalembert.recursions.tree import Tree
from dalembert.ring import Element, canonical_all, canonical_matrix, ring_of
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import add, rotate, scale

MAX_MAXIMAL_LINKS = 3
MAX_EXACT_SIZE = 1200
"""Terms of the first moments m c times velocities, up to which equations are expanded."""
MAX_EXACT_DEPTH = 9
"""Joints in a row up to which this moment is expanded: each may double its terms."""


def prove(mechanism: Mechanism) -> list[Proof]:
    """Return the proofs that hold for every mechanism of scalar joints.

    Equations that are not too large are expanded, and all that `Equations.prove` has is proved
    exactly. Of larger ones the same identities are proved at random points, with the chance of
    error in the method; what needs the expanded form, the lumped parameters, is left out.
    """
    with naming_rounded_angles(mechanism):
        return _prove(mechanism)


def _prove(mechanism: Mechanism) -> list[Proof]:
    tree = Tree.of(mechanism)
    system = system_of(mechanism)
    if _is_large(tree, system):
        try:
            found = prove_at_random_points(system, tree)
            return Proofs(with_rounded_angles(mechanism, found))
        except Undecided:
            pass
    return Proofs(prove_exactly(mechanism, equations_of(mechanism)))


def _is_large(tree: Tree, system: System) -> bool:
    """Tell whether the expanded equations would be large, by the first moments m c of the links."""
    if any(_depth(tree, i) > MAX_EXACT_DEPTH for i in range(len(tree.nodes))):
        return True
    q = system.coordinates
    ring = ring_of([*sines_and_cosines(tree, q), *tree.scalars], q)
    place = [ring.element_of(x) for x in q]
    poses, size = [Pose()], 0
    for node in over_ring(tree, ring).nodes:
        X = poses[node.parent] @ node.pose(place)
        poses.append(X)
        # m p + R h
        moment = add(scale(node.inertia.m, X.p), rotate(X.R, node.inertia.h))
        size += tree.nv * sum(len(ring.element(x)) for x in moment)
        if size > MAX_EXACT_SIZE:
            return True
    return False


def _depth(tree: Tree, i: int) -> int:
    """Return the number of joints that move a link."""
    return sum(bool(tree.nodes[k].positions) for k in tree.path(i + 1))


def prove_exactly(mechanism: Mechanism, eq: Equations) -> list[Proof]:
    """Return the proofs of a mechanism in the ring of its equations."""
    tree = over_ring(Tree.of(mechanism), eq.ring)
    first = [
        attempt(newton_euler_is_lagrange, tree, eq),
        attempt(recursive_coriolis_is_christoffel, tree, eq),
        attempt(regressor_is_newton_euler, tree, eq),
        None if _has_links_alone(mechanism) else attempt(drive_regressor_is_dynamics, tree, eq),
    ]
    last = attempt(maximal_is_generalized, mechanism, eq)
    proofs = [*first, *properties.prove(eq), last]
    return on_domain(eq.system, proofs)


def newton_euler_is_lagrange(tree: Tree, eq: Equations) -> Proof:
    """τ of the Newton–Euler recursion = M q̈ + C q̇ + N, springs and friction added as forces."""
    ring = eq.ring
    tau = inverse_dynamics(tree, *_state(eq))
    left = eq.forms.M @ eq.second_rates + eq.bias_form - eq.forms.forces
    # springs, dampers and friction are not part of the recursion
    q, v, _ = _state(eq)
    passive = passive_forces(tree, q, v)
    applied = canonical_all(ring, applied_torques(tree))
    differences = [
        a + t - ring.element(b) + ring.element(f)
        for a, t, b, f in zip(left, applied, tau, passive, strict=True)
    ]
    return identity(
        ring,
        "Newton–Euler recursion = Euler–Lagrange equations",
        differences,
        f"the recursion run over the ring: {IDENTICAL}",
    )


def recursive_coriolis_is_christoffel(tree: Tree, eq: Equations) -> Proof:
    """The Coriolis matrix of the recursion is that of the Christoffel symbols."""
    ring = eq.ring
    q, v, _ = _state(eq)
    C = coriolis_matrix(tree, q, v)
    differences = [
        a - ring.element(b)
        for row, other in zip(eq.forms.C.rows, C, strict=True)
        for a, b in zip(row, other, strict=True)
    ]
    return identity(
        ring,
        "recursive Coriolis matrix = C of the Christoffel symbols",
        differences,
        f"the recursion run over the ring: {IDENTICAL}",
    )


def regressor_is_newton_euler(tree: Tree, eq: Equations) -> Proof:
    """Y θ of the recursive regressor, with rotors and springs added, is the torque."""
    ring = eq.ring
    q, v, a = _state(eq)
    Y = link_regressor(tree, q, v, a)
    theta = inertial_parameters(tree)
    tau = inverse_dynamics(tree, q, v, a)
    differences = []
    for row, expected in zip(Y, tau, strict=True):
        total = ring.zero
        for y, p in zip(row, theta, strict=True):
            total = total + ring.element(y) * ring.element(p)
        differences.append(ring.element(expected) - total)
    for node in tree.nodes:
        for i in node.velocities:
            differences[i] = differences[i] - ring.element(armature(node)) * a[i]
    pairs = zip(differences, spring_torques(tree, q, v, a), strict=True)
    differences = [x - ring.element(t) for x, t in pairs]
    return identity(
        ring,
        f"τ = Y θ with ten parameters for each of {len(tree.nodes)} links",
        differences,
        f"Y θ multiplied out: {IDENTICAL}",
    )


def drive_regressor_is_dynamics(tree: Tree, eq: Equations) -> Proof:
    """Y θ with rotors, friction and springs is the left side less the dry friction of Υ."""
    ring = eq.ring
    Y, theta, _ = drive_regressor(tree, *_state(eq), zeros=False)
    applied = canonical_all(ring, applied_torques(tree))
    left = eq.forms.M @ eq.second_rates + eq.bias_form - eq.forms.forces
    differences = []
    for row, expected, tau in zip(Y, left, applied, strict=True):
        products = [ring.element(y) * ring.element(p) for y, p in zip(row, theta, strict=True)]
        differences.append(expected + tau - sum(products, ring.zero))
    return identity(
        ring,
        f"τ = Y θ with rotors, friction and springs, {len(theta)} parameters",
        differences,
        f"Y θ multiplied out: {IDENTICAL}",
    )


def maximal_is_generalized(mechanism: Mechanism, eq: Equations) -> Proof | None:
    """Maximal coordinates, projected by H = ∂h/∂q, give the same equations (CMU 2.7)."""
    plain = _has_links_alone(mechanism) and not any(joint.mimic for joint in mechanism.joints)
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


def _has_links_alone(mechanism: Mechanism) -> bool:
    """Tell whether there are no rotors, springs and friction."""
    own = any(j.armature != 0 or not j.resistance.is_none for j in mechanism.joints)
    drives = all(actuator.is_plain for actuator in mechanism.actuators)
    return drives and not (own or mechanism.springs)


def _state(eq: Equations) -> tuple[list[Element], list[Element], list[Element]]:
    ring = eq.ring
    q = [ring.element_of(x) for x in eq.coordinates]
    return q, list(eq.rates), list(eq.second_rates)
