"""Exact equations of a mechanism: Lagrange's method in the ring, from its composite inertias."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import InvalidMechanism
from dalembert.expr import (
    Expr,
    Matrix,
    as_expr,
    coordinates,
    cos,
    inputs,
    sin,
    time,
    total,
)
from dalembert.mechanics.equations.coriolis import christoffel_symbols, coriolis_matrix
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.equations.forms import Forms, constraint_forms
from dalembert.mechanics.equations.lagrange import multiplier_symbols
from dalembert.mechanics.system.system import System
from dalembert.mechanism import Joint, Mechanism
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.kinematics import forward_kinematics, kinetic_energy, potential_energy
from dalembert.recursions.resistance.passive import dissipation, dry_forces, spring_energy
from dalembert.recursions.tree import Tree
from dalembert.ring import Ring, canonical, canonical_all, equal, partials, ring_of
from dalembert.spatial.vectors import dot, sub, transpose


def scalar_joints(mechanism: Mechanism) -> list[Joint]:
    """Return the joints that own a coordinate; refuse spherical and floating ones."""
    for joint in mechanism.joints:
        if joint.nv > 1:
            raise InvalidMechanism(
                f"expected scalar joints for equations in coordinates, got the {joint.kind.value} "
                f"joint {joint.name!r}: use with_euler_angles() to write it as three hinges"
            )
    return [joint for joint in mechanism.joints if joint.nv]


def symbolic_state(mechanism: Mechanism) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """Return coordinates q1, q2, … and inputs tau1, tau2, …, one for each moving joint."""
    n = len(scalar_joints(mechanism))
    if not n:
        raise InvalidMechanism(f"expected a joint that moves in {mechanism.name}, got none")
    numbers = range(1, n + 1)
    return coordinates(" ".join(f"q{i}" for i in numbers)), inputs(
        " ".join(f"tau{i}" for i in numbers)
    )


def system_of(mechanism: Mechanism) -> System:
    """Return energies, forces and constraints as graphs, by the recursions over symbols."""
    if all(link.is_massless for link in mechanism.links[1:]):
        raise InvalidMechanism(
            f"expected links with inertia in {mechanism.name}, got none: its dynamics would be "
            "zero; give the links a mass, centre of mass and inertia"
        )
    q, tau = symbolic_state(mechanism)
    tree = Tree(mechanism)
    v = [x.dot for x in q]
    return System(
        coordinates=q,
        kinetic=as_expr(kinetic_energy(tree, q, v)),
        potential=as_expr(potential_energy(tree, q)) + as_expr(spring_energy(tree, q)),
        forces=[t + f for t, f in zip(tau, dry_forces(tree, v), strict=True)],
        dissipation=as_expr(dissipation(tree, q, v)),
        constraints=loop_constraints(tree, q),
    )


def loop_constraints(tree: Tree, q: Sequence[Expr]) -> list[Expr]:
    """Return a(q) of every loop and coupling; components that vanish identically are left out."""
    mechanism = tree.mechanism
    a: list[Expr] = []
    X_W = forward_kinematics(tree, q) if mechanism.loops else []
    for loop in mechanism.loops:
        X_1, X_2 = (X_W[tree.numbers[f.link]] @ f.placement for f in (loop.first, loop.second))
        a += [as_expr(x) for x in sub(X_1.p, X_2.p)]
        if loop.kind == "frame":
            (x1, y1, z1), (x2, y2, z2) = transpose(X_1.R), transpose(X_2.R)
            # axes that must stay perpendicular
            a += [as_expr(dot(u, w)) for u, w in ((x1, y2), (y1, z2), (z1, x2))]
    names = [joint.name for joint in scalar_joints(mechanism)]
    for c in mechanism.couplings:
        other = q[names.index(c.other)] if c.other else as_expr(0)
        polynomial = total([as_expr(k) * other**n for n, k in enumerate(c.coefficients)])
        a.append(q[names.index(c.joint)] - polynomial)
    return [x for x in a if not equal(x, 0)]


def equations_of(mechanism: Mechanism) -> Equations:
    """Return the exact equations: M from composite inertias in the ring, C from its Christoffel
    symbols, N from the potential energy."""
    system = system_of(mechanism)
    multipliers = multiplier_symbols(system)
    q = system.coordinates
    # every angle a joint turns by, and whatever the parameters contain
    turns = [
        as_expr(node.multiplier * q[node.positions[0]] + node.offset - node.joint.reference)
        for node in Tree(mechanism).nodes
        if node.positions and node.joint.turn
    ]
    angles = [sin(x) for x in turns] + [cos(x) for x in turns]
    known = [
        *mechanism.parameters,
        *q,
        *system.velocities,
        *system.accelerations,
        *multipliers,
        time,
    ]
    ring = ring_of(
        [
            system.potential,
            system.dissipation,
            *system.forces,
            *system.constraints,
            *angles,
            *scalars(mechanism),
        ],
        known,
    )
    forms = arm_forms(mechanism, system, ring)
    return Equations(system, ring, forms, multipliers)


def scalars(mechanism: Mechanism) -> list[Expr]:
    """Return every number of the mechanism that is an expression."""
    found: list[Expr] = []
    mechanism.map_scalars(lambda x: found.append(x) or x if isinstance(x, Expr) else x)
    return list(dict.fromkeys(found))


def ring_tree(mechanism: Mechanism, ring: Ring) -> Tree:
    """Return the tree with ring elements for numbers; whole numbers stay structural."""
    tree = Tree(mechanism)
    table = scalars(tree.mechanism)
    elements = dict(zip(table, canonical_all(ring, table), strict=True))
    return tree.over(lambda x: elements[x] if isinstance(x, Expr) else x)


def arm_forms(mechanism: Mechanism, system: System, ring: Ring) -> Forms:
    """Return the canonical forms of the equations of a mechanism."""
    n = len(system.coordinates)
    tree = ring_tree(mechanism, ring)
    place = [ring.element_of(x) for x in system.coordinates]
    rates = ring.column(system.velocities)
    M = Matrix([[ring.element(x) for x in row] for row in mass_matrix(tree, place)])
    V, R = canonical(ring, system.potential), canonical(ring, system.dissipation)
    dq, dv = partials(ring, system.coordinates), partials(ring, system.velocities)
    (dt,) = partials(ring, [time])
    C = coriolis_matrix(ring, christoffel_symbols(ring, [d.of_matrix(M) for d in dq]), rates)
    N = Matrix.column([dq[k](V) + dv[k](R) for k in range(n)])
    T = (M @ rates).dot(rates) / 2
    Y = Matrix.column(canonical_all(ring, system.forces))
    return Forms(T, V, T - V, M, C, N, Y, R, *constraint_forms(system, ring, dq, dv, dt))
