"""Exact equations of a mechanism: Lagrange's method in the ring, from its composite inertias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import InvalidMechanism
from dalembert.expr import (
    ZERO,
    Expr,
    Matrix,
    Notation,
    as_expr,
    coordinates,
    cos,
    inputs,
    sin,
    time,
)
from dalembert.mechanics.equations.coriolis import christoffel_symbols, coriolis_matrix
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.equations.forms import Forms, constraint_forms
from dalembert.mechanics.equations.lagrange import multiplier_symbols
from dalembert.mechanics.equations.over_ring import over_ring
from dalembert.mechanics.results.momenta import Momenta, momenta_of_tree
from dalembert.mechanics.robots.right_angles import naming_rounded_angles, rounded_words
from dalembert.mechanics.robots.rolling import Rolling, rolling_rows
from dalembert.mechanics.system.body import Load
from dalembert.mechanics.system.system import System
from dalembert.mechanism import Joint, Mechanism
from dalembert.mechanism.moved_inertia import require_inertia
from dalembert.recursions.actuation import is_driven
from dalembert.recursions.constraints.loops import loop_error
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.external import external_forces
from dalembert.recursions.energies import kinetic_energy, potential_energy
from dalembert.recursions.kinematics import forward_kinematics, frame_pose
from dalembert.recursions.resistance.forces import dissipation, dry_forces
from dalembert.recursions.resistance.friction import check_smoothing
from dalembert.recursions.resistance.spring_inertia import spring_kinetic_energy
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.recursions.tree import Tree
from dalembert.ring import Ring, canonical, canonical_all, partials, ring_of
from dalembert.spatial.exact import exact
from dalembert.types import Scalar

Wrenches = Mapping[str, Sequence[Scalar]]
"""Wrenches (force, moment) in world axes, by the name of the frame that they act on."""


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
    return coordinates(" ".join(f"q{i + 1}" for i in range(n))), torque_symbols(n)


def torque_symbols(n: int) -> tuple[Expr, ...]:
    """Return the inputs tau1, tau2, … of n joints."""
    return inputs(" ".join(f"tau{i + 1}" for i in range(n)))


def applied_torques(tree: Tree) -> list[Expr]:
    """Return tau1, tau2, …; zero for a joint without actuator where the mechanism has some."""
    torques = zip(torque_symbols(tree.nv), is_driven(tree), strict=True)
    return [tau if driven else as_expr(0) for tau, driven in torques]


def system_of(
    mechanism: Mechanism,
    external: Wrenches | None = None,
    smoothing: Scalar | None = None,
    rolling: Sequence[Rolling] = (),
) -> System:
    """Return energies, forces and constraints as graphs, by the recursions over symbols."""
    return _system(mechanism, Tree.of(mechanism), external, smoothing, rolling)


def _system(
    mechanism: Mechanism,
    tree: Tree,
    external: Wrenches | None,
    smoothing: Scalar | None,
    rolling: Sequence[Rolling] = (),
) -> System:
    check_smoothing(smoothing)
    require_inertia(mechanism)
    if all(link.is_massless for link in mechanism.links[1:]):
        raise InvalidMechanism(
            f"expected links with inertia in {mechanism.name}, got none: its dynamics would be "
            "zero; give the links a mass, centre of mass and inertia"
        )
    q, _ = symbolic_state(mechanism)
    v = [x.dot for x in q]
    dry = dry_forces(tree, v, smoothing=None if smoothing is None else exact(smoothing))
    forces = [t + f for t, f in zip(applied_torques(tree), dry, strict=True)]
    if external:
        # virtual work of the wrenches: Jᵀ F
        work = external_forces(tree, q, external)
        forces = [f + w for f, w in zip(forces, work, strict=True)]
    rows = rolling_rows(tree, rolling, q, v)
    return System.from_packed(
        loads=_loads(tree, q, external or {}),
        coordinates=q,
        kinetic=as_expr(kinetic_energy(tree, q, v)),
        potential=as_expr(potential_energy(tree, q)) + as_expr(spring_energy(tree, q)),
        forces=forces,
        dissipation=as_expr(dissipation(tree, q, v)),
        constraints=[*(as_expr(x) for x in loop_error(tree, q)), *rows.positions],
        velocity_constraints=rows.velocities,
    )


def _loads(tree: Tree, q: Sequence[Expr], wrenches: Wrenches) -> tuple[Load, ...]:
    """Return the wrenches as loads at points and on orientations, for the derivation to show."""
    found = []
    poses = forward_kinematics(tree, q) if wrenches else []
    for name, wrench in wrenches.items():
        X = frame_pose(tree, poses, name)
        force, moment = ([as_expr(x) for x in part] for part in (wrench[:3], wrench[3:]))
        options: dict[str, Matrix] = {}
        if any(x is not ZERO for x in force):
            point = Matrix.column([as_expr(x) for x in X.p])
            options |= {"force": Matrix.column(force), "point": point}
        if any(x is not ZERO for x in moment):
            turned = Matrix([[as_expr(x) for x in row] for row in X.R])
            options |= {"torque": Matrix.column(moment), "orientation": turned}
        if options:
            found.append(Load(**options))
    return tuple(found)


def equations_of(
    mechanism: Mechanism, external: Wrenches | None = None, smoothing: Scalar | None = None
) -> Equations:
    """Return the exact equations of motion, derived in the ring, under wrenches on frames.

    M comes from composite inertias, C from the Christoffel symbols of M, N from the potential
    energy. The multipliers ``lam`` are those of the rows of `recursions.constraints.loops`.
    """
    with naming_rounded_angles(mechanism):
        return _derived(mechanism, external, smoothing)


def momenta_of(mechanism: Mechanism) -> Momenta:
    """Return mass, centre of mass and momenta of the moving links.

    Raises:
        InvalidMechanism: a spherical or floating joint, or links without inertia.
    """
    require_inertia(mechanism)
    q, _ = symbolic_state(mechanism)
    return momenta_of_tree(Tree.of(mechanism), q, Notation("short"))


def _derived(
    mechanism: Mechanism, external: Wrenches | None, smoothing: Scalar | None
) -> Equations:
    tree = Tree.of(mechanism)
    system = _system(mechanism, tree, external, smoothing)
    multipliers = multiplier_symbols(system)
    q = system.coordinates
    known = [
        *mechanism.parameters,
        *q,
        *system.velocities,
        *system.accelerations,
        *multipliers,
        time,
    ]
    # every angle a joint turns by, and whatever the parameters contain
    ring = ring_of(
        [
            system.potential,
            system.dissipation,
            as_expr(spring_kinetic_energy(tree, q, system.velocities)),
            *system.forces,
            *system.constraints,
            *sines_and_cosines(tree, q),
            *tree.scalars,
        ],
        known,
    )
    forms = _forms(over_ring(tree, ring), system, ring)
    return Equations(system, ring, forms, multipliers, tree, remark=rounded_words(mechanism))


def sines_and_cosines(tree: Tree, q: Sequence[Expr]) -> list[Expr]:
    """Return the sines, then the cosines, of every angle that a joint turns by."""
    angles = tree.angles(q)
    return [sin(x) for x in angles] + [cos(x) for x in angles]


def _forms(tree: Tree, system: System, ring: Ring) -> Forms:
    """Return the canonical forms of the equations of a tree over the ring."""
    n = len(system.coordinates)
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
