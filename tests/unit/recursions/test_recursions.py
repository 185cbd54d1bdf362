"""Laws of the recursions without another engine: floats, arrays, expressions, ring elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.expr import as_expr, diff
from dalembert.expr.evaluate import evaluate
from dalembert.mechanism import Builder, JointKind, Mechanism, Mimic
from dalembert.recursions.dynamics.articulated import (
    articulated_bodies,
    forward_dynamics,
    forward_dynamics_by_mass_matrix,
)
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.coriolis import coriolis_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.energies import kinetic_energy, potential_energy
from dalembert.recursions.kinematics import (
    center_of_mass,
    forward_kinematics,
    jacobian,
    jacobian_rate,
)
from dalembert.recursions.link_regressor import inertial_parameters, link_regressor
from dalembert.recursions.tree import Tree
from dalembert.ring import equal
from dalembert.spatial.rotation import quaternion
from tests.cases import num_cases
from tests.random_mechanisms import KINDS, random_mechanism, random_state

# a few ulp of the largest entry, times the depth of the tree
ROUNDING = 1e-12
# a derivative by complex step has no cancellation: the step vanishes beside 1
COMPLEX_STEP = 1e-30
# central differences: step² beside rounding / step
STEP, DIFFERENCE = 1e-6, 1e-6
# solving with M loses the digits of its condition number
FORWARD = 1e-13
EXACT_KINDS = ("revolute", "continuous", "prismatic", "helical", "universal", "fixed")


def trees(
    rng: np.random.Generator, scale: float, number: int = 30, **options: Any
) -> Iterator[tuple[Tree, list[float], list[float], list[float]]]:
    """Yield random trees over floats with q, v and a."""
    for mechanism in mechanisms(rng, scale, number, **options):
        q, v = random_state(rng, mechanism)
        a = rng.normal(size=mechanism.nv)
        yield Tree.of(mechanism).map(float), q.tolist(), v.tolist(), a.tolist()


def mechanisms(
    rng: np.random.Generator, scale: float, number: int, **options: Any
) -> Iterator[Mechanism]:
    """Yield random mechanisms that move."""
    for _ in range(num_cases(number, scale)):
        mechanism = random_mechanism(rng, int(rng.integers(1, 7)), **options)
        if mechanism.nv:
            yield mechanism


def close(a: Any, b: Any, tolerance: float = ROUNDING, unit: float = 0.0) -> bool:
    """Compare relative to the largest entry, or to ``unit``."""
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    size = max(np.abs(b).max(initial=0.0), unit)
    return bool(np.abs(a - b).max(initial=0.0) <= tolerance * size)


def matrix(rows: Any) -> np.ndarray:
    return np.array(rows, dtype=float)


def columns(pairs: Any, dtype: Any = float) -> np.ndarray:
    """Return a matrix (6, n) from columns (linear, angular)."""
    return np.array([[*u, *w] for u, w in pairs], dtype=dtype).T


def q_rate(tree: Tree, q: Sequence[float], v: ArrayLike) -> np.ndarray:
    """Return q̇: of a quaternion ½ q ⊗ (0, ω), of a floating position R u."""
    rate, v = np.zeros(tree.nq), np.asarray(v)
    for node in tree.nodes:
        joint = node.joint
        if not joint.nv:
            continue
        parts = np.array([v[i] for i in node.velocities])
        if joint.is_scalar:
            rate[node.positions[0]] = parts[0]
            continue
        w, x, y, z = (q[i] for i in node.positions[-4:])
        a, b, c = parts[-3:]
        spin = (-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c)
        rate[list(node.positions[-4:])] = np.array([*spin, w * c + x * b - y * a]) / 2
        if joint.kind is JointKind.FLOATING:
            rate[list(node.positions[:3])] = matrix(quaternion.to_matrix((w, x, y, z))) @ parts[:3]
    return rate


def derivative(f: Callable[..., Any], *pairs: tuple[Any, Any]) -> np.ndarray:
    """Return d/dt f(x + t ẋ, …) at t = 0 by complex step."""
    moved = [
        [complex(x, COMPLEX_STEP * r) for x, r in zip(value, rate, strict=True)]
        for value, rate in pairs
    ]
    return np.imag(np.array(f(*moved), dtype=complex)) / COMPLEX_STEP


# ---- laws on floats


def test_mass_matrix_is_symmetric_and_positive(rng: np.random.Generator, scale: float) -> None:
    for tree, q, _, _ in trees(rng, scale):
        M = matrix(mass_matrix(tree, q))
        assert (M == M.T).all()
        assert np.linalg.eigvalsh(M)[0] > 0


def test_inverse_dynamics_is_affine_in_the_acceleration(
    rng: np.random.Generator, scale: float
) -> None:
    for tree, q, v, a in trees(rng, scale):
        zero = [0.0] * tree.nv
        M, h = matrix(mass_matrix(tree, q)), np.array(inverse_dynamics(tree, q, v, zero))
        tau = inverse_dynamics(tree, q, v, a)
        assert close(tau, M @ a + h, unit=np.abs(M).max())
        # without gravity the bias is C v
        inertial = inverse_dynamics(tree, q, v, zero, gravity=(0, 0, 0))
        C = matrix(coriolis_matrix(tree, q, v))
        assert close(inertial, C @ v, unit=np.abs(M).max())


def test_kinetic_energy_is_half_of_v_M_v(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, _ in trees(rng, scale):
        assert close(kinetic_energy(tree, q, v), v @ matrix(mass_matrix(tree, q)) @ v / 2)


def test_gravity_is_the_gradient_of_the_potential(rng: np.random.Generator, scale: float) -> None:
    for tree, q, _, _ in trees(rng, scale):
        zero = [0.0] * tree.nv
        slopes = [
            derivative(lambda x, t=tree: potential_energy(t, x), (q, q_rate(tree, q, e)))
            for e in np.eye(tree.nv)
        ]
        assert close(inverse_dynamics(tree, q, zero, zero), slopes, unit=1.0)


def test_rate_of_M_minus_twice_C_is_skew(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, _ in trees(rng, scale):
        Md = derivative(lambda x, t=tree: mass_matrix(t, x), (q, q_rate(tree, q, v)))
        N = Md - 2 * matrix(coriolis_matrix(tree, q, v))
        assert close(N + N.T, 0 * N, unit=max(1.0, np.abs(N).max()))


def test_power_is_the_rate_of_the_energy(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, a in trees(rng, scale):

        def energy(x: Any, u: Any, t: Tree = tree) -> Any:
            return kinetic_energy(t, x, u) + potential_energy(t, x)

        power = np.array(inverse_dynamics(tree, q, v, a)) @ v
        rate = derivative(energy, (q, q_rate(tree, q, v)), (v, a))
        assert close(rate, power, unit=max(1.0, abs(kinetic_energy(tree, q, v))))


def test_forward_dynamics_undoes_inverse_dynamics(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, a in trees(rng, scale):
        tau = inverse_dynamics(tree, q, v, a)
        M = matrix(mass_matrix(tree, q))
        unit = np.abs(tau).max() / np.linalg.norm(M, 2)
        limit = FORWARD * np.linalg.cond(M)
        assert close(forward_dynamics(tree, q, v, tau), a, limit, unit)
        assert close(forward_dynamics_by_mass_matrix(tree, q, v, tau), a, limit, unit)


def test_jacobian_takes_velocities_to_twists(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, _ in trees(rng, scale, kinds=KINDS):
        name, rate = tree.nodes[-1].name, q_rate(tree, q, v)
        X = forward_kinematics(tree, q)[-1]

        def place(x: Any, t: Tree = tree) -> Any:
            pose = forward_kinematics(t, x)[-1]
            return [*pose.R, pose.p]

        *Rd, pd = derivative(place, (q, rate))
        twist = columns(jacobian(tree, q, name)) @ v
        assert close(twist[:3], pd, unit=1.0)
        # ω̂ = Ṙ Rᵀ
        S = np.array(Rd) @ matrix(X.R).T
        assert close(twist[3:], [S[2, 1], S[0, 2], S[1, 0]], unit=1.0)
        # the other references are the same motion, seen from elsewhere
        R, p = matrix(X.R), np.array(X.p, dtype=float)
        body = columns(jacobian(tree, q, name, "body")) @ v
        assert close(body, [*(R.T @ twist[:3]), *(R.T @ twist[3:])], unit=1.0)
        spatial = columns(jacobian(tree, q, name, "spatial")) @ v
        assert close(spatial, [*(twist[:3] - np.cross(twist[3:], p)), *twist[3:]], unit=1.0)


def test_jacobian_rate(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, _ in trees(rng, scale):
        name, rate = tree.nodes[-1].name, q_rate(tree, q, v)
        Jd = columns(jacobian_rate(tree, q, v, name))

        def J(x: Any, t: Tree = tree, name: str = name) -> Any:
            return columns(jacobian(t, x, name), dtype=complex)

        size = max(1.0, np.abs(Jd).max())
        assert close(Jd, derivative(J, (q, rate)), unit=size)
        x = np.array(q)
        between = (J(list(x + STEP * rate)) - J(list(x - STEP * rate))).real / (2 * STEP)
        assert close(Jd, between, DIFFERENCE, unit=size)


def test_center_of_mass_moves_by_the_momentum(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, _ in trees(rng, scale):
        h = derivative(lambda x, t=tree: center_of_mass(t, x)[1], (q, q_rate(tree, q, v)))
        momentum = np.zeros(3)
        for node in tree.nodes:
            twist = columns(jacobian(tree, q, node.name)) @ v
            R = matrix(forward_kinematics(tree, q)[tree.numbers[node.name]].R)
            # p = m v + ω × h
            momentum += node.inertia.m * twist[:3] + np.cross(twist[3:], R @ node.inertia.h)
        assert close(h, momentum, unit=1.0)


def test_regressor_is_linear_in_the_parameters(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, a in trees(rng, scale, armature=0.0):
        Y = matrix(link_regressor(tree, q, v, a))
        theta = np.array(inertial_parameters(tree), dtype=float)
        assert close(Y @ theta, inverse_dynamics(tree, q, v, a), unit=np.abs(Y).max())


def test_fixed_links_are_lumped(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(10, scale)):
        kinds = ("fixed", "fixed", "revolute", "prismatic", "spherical")
        mechanism = random_mechanism(rng, 6, kinds=kinds, mimic=0.0)
        if not mechanism.nv:
            continue
        lumped = lump(mechanism)
        assert all(joint.kind is not JointKind.FIXED for joint in lumped.joints)
        q, v = (x.tolist() for x in random_state(rng, mechanism))
        a = rng.normal(size=mechanism.nv).tolist()
        ours, theirs = Tree.of(mechanism).map(float), Tree.of(lumped).map(float)
        M = mass_matrix(theirs, q)
        assert close(mass_matrix(ours, q), M)
        size = np.abs(matrix(M)).max()
        tau = inverse_dynamics(theirs, q, v, a)
        assert close(inverse_dynamics(ours, q, v, a), tau, unit=size)


def lump(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism without fixed joints, their links' inertia added to the parents."""
    links = {link.name: link for link in mechanism.links}
    joints = list(mechanism.joints)
    for weld in reversed(mechanism.joints):
        if weld.kind is not JointKind.FIXED:
            continue
        X_PC = weld.placement @ weld.after
        parent, child = links[weld.parent], links.pop(weld.child)
        links[weld.parent] = replace(parent, inertia=parent.inertia + child.inertia.moved(X_PC))
        joints = [
            replace(j, parent=weld.parent, placement=X_PC @ j.placement)
            if j.parent == weld.child
            else j
            for j in joints
            if j is not weld
        ]
    return replace(mechanism, links=tuple(links.values()), joints=tuple(joints))


def test_mimic_joints_follow(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(10, scale)):
        # G: velocities of the free tree from those of the one with a mimic joint
        kinds = ("revolute", "prismatic", "helical", "continuous")
        free = random_mechanism(rng, 4, kinds=kinds, mimic=0.0, armature=1.0)
        k, c = Fraction(3, 2), Fraction(1, 4)
        follower = replace(free.joints[3], mimic=Mimic("joint2", k, c))
        tied = replace(free, joints=(*free.joints[:3], follower))
        G = np.vstack([np.eye(3), [0, float(k), 0]])
        q, v, a = rng.normal(size=(3, 3))
        full = (G @ q + [0, 0, 0, float(c)]).tolist()
        tree, other = Tree.of(tied).map(float), Tree.of(free).map(float)
        M = G.T @ matrix(mass_matrix(other, full)) @ G
        assert close(mass_matrix(tree, q.tolist()), M)
        tau = G.T @ inverse_dynamics(other, full, (G @ v).tolist(), (G @ a).tolist())
        ours = inverse_dynamics(tree, q.tolist(), v.tolist(), a.tolist())
        assert close(ours, tau, unit=np.abs(M).max())
        T = kinetic_energy(other, full, (G @ v).tolist())
        assert close(kinetic_energy(tree, q.tolist(), v.tolist()), T)


def test_armature_of_a_floating_joint_turns_with_the_body() -> None:
    """T = ½ armature (|u|² + |ω|²) is that of a point mass and a ball in the frame's origin."""
    m = Fraction(3, 10)
    inertia = (m, m, m)
    rotor = Builder("rotor", gravity=(0, 0, 0)).link("a").floating("j", "a", armature=m).build()
    ball = (
        Builder("ball", gravity=(0, 0, 0)).link("a", mass=m, inertia=inertia).floating("j", "a")
    ).build()
    q, v = [0, 0, 0, 1, 0, 0, 0], [1, 2, 3, 4, 5, 6]
    a, zero = [3, -1, 4, 1, -5, 9], [0] * 6
    trees = [Tree.of(rotor), Tree.of(ball)]
    tau, expected = (inverse_dynamics(tree, q, v, a) for tree in trees)
    assert tau == expected
    # τ - M v̇ = armature · ω × u
    assert [x - m * y for x, y in zip(tau, a, strict=True)] == [3 * m, -6 * m, 3 * m, 0, 0, 0]
    assert mass_matrix(trees[0], q) == mass_matrix(trees[1], q)
    assert kinetic_energy(trees[0], q, v) == kinetic_energy(trees[1], q, v)
    C = coriolis_matrix(trees[0], q, v)
    assert [sum(c * x for c, x in zip(row, v, strict=True)) for row in C] == inverse_dynamics(
        trees[0], q, v, zero
    )
    assert articulated_bodies(trees[0], q, v, tau) == a


def test_unknown_reference_and_frame() -> None:
    tree = Tree.of(Builder("arm").link("tool", mass=1).revolute("j", "tool").build())
    with pytest.raises(UnknownName, match="expected a reference of world, body, spatial"):
        jacobian(tree, [0.0], "tool", "local")
    with pytest.raises(UnknownName, match=r"expected a frame of arm, got 'tol'.*tool"):
        jacobian(tree, [0.0], "tol")


# ---- any scalar


def test_arrays_give_what_floats_give(rng: np.random.Generator, scale: float) -> None:
    batch = 5
    for mechanism in mechanisms(rng, scale, 10):
        tree = Tree.of(mechanism).map(float)
        states = [random_state(rng, mechanism) for _ in range(batch)]
        q, v = (np.array(x) for x in zip(*states, strict=True))
        a = rng.normal(size=v.shape)
        X, V, A = list(q.T), list(v.T), list(a.T)
        tau = stacked(inverse_dynamics(tree, X, V, A), batch)
        M = stacked([x for row in mass_matrix(tree, X) for x in row], batch)
        C = stacked([x for row in coriolis_matrix(tree, X, V) for x in row], batch)
        qdd = stacked(forward_dynamics(tree, X, V, list(tau.T)), batch)
        T = stacked([kinetic_energy(tree, X, V), potential_energy(tree, X)], batch)
        for i in range(batch):
            x, u, b = q[i].tolist(), v[i].tolist(), a[i].tolist()
            assert close(tau[i], inverse_dynamics(tree, x, u, b), unit=1.0)
            single = matrix(mass_matrix(tree, x))
            assert close(M[i], single.ravel())
            assert close(C[i], matrix(coriolis_matrix(tree, x, u)).ravel(), unit=1.0)
            limit = FORWARD * np.linalg.cond(single)
            expected = forward_dynamics(tree, x, u, tau[i].tolist())
            unit = np.abs(tau[i]).max() / np.linalg.norm(single, 2)
            assert close(qdd[i], expected, limit, unit)
            assert close(T[i], [kinetic_energy(tree, x, u), potential_energy(tree, x)], unit=1.0)


def stacked(values: Sequence[Any], batch: int) -> np.ndarray:
    """Return (batch, n); entries that do not depend on the state are plain numbers."""
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), batch) for x in values], axis=-1)


def test_expressions_give_what_floats_give(rng: np.random.Generator, scale: float) -> None:
    for mechanism in mechanisms(rng, scale, 6):
        exact_tree = Tree.of(mechanism)
        tree = exact_tree.map(float)
        q, v = (x.tolist() for x in random_state(rng, mechanism))
        a = rng.normal(size=mechanism.nv).tolist()
        symbols = {}

        def named(letter: str, values: list[float], table: dict[Any, float] = symbols) -> list:
            names = da.parameters(" ".join(f"{letter}{i}" for i in range(len(values))))
            table.update(zip(names, values, strict=True))
            return list(names)

        Q, V, A = named("q", q), named("v", v), named("a", a)
        graphs = [as_expr(x) for x in inverse_dynamics(exact_tree, Q, V, A)]
        expected = inverse_dynamics(tree, q, v, a)
        assert close(evaluate(graphs, symbols), expected, unit=1.0)
        graphs = [as_expr(x) for row in mass_matrix(exact_tree, Q) for x in row]
        expected = matrix(mass_matrix(tree, q))
        assert close(evaluate(graphs, symbols), expected.ravel())
        graphs = [as_expr(x) for x in forward_dynamics(exact_tree, Q, V, A)]
        limit = FORWARD * np.linalg.cond(expected)
        assert close(evaluate(graphs, symbols), forward_dynamics(tree, q, v, a), limit, unit=1.0)


# ---- exactly, in the ring


def test_newton_euler_is_lagrange_on_random_trees(rng: np.random.Generator, scale: float) -> None:
    left = num_cases(8, scale)
    while left:
        mechanism = random_mechanism(rng, int(rng.integers(1, 4)), kinds=EXACT_KINDS, mimic=0.25)
        # four joints with arbitrary decimals take minutes in the ring; planar joints count as three
        if mechanism.nv and len(mechanism.joints) <= 3:
            assert_proved(mechanism)
            left -= 1


def assert_proved(mechanism: Mechanism) -> None:
    proofs = mechanism.prove()
    assert proofs[0].statement.startswith("Newton–Euler recursion = Euler–Lagrange")
    for proof in proofs:
        assert proof.is_proved, f"{mechanism}\n{proof}"


def test_newton_euler_is_lagrange_with_symbols(rng: np.random.Generator) -> None:
    """A screw of symbolic pitch, a slider, a hinge that follows with spring, damper and rotor."""
    p, k, c, J, b, s = da.parameters("p k c J b s")
    arm = (
        Builder("symbolic")
        .link("a", mass=1, com=(0.1, 0.2, 0.3), inertia=(1, 2, 2.5, 0.1, 0.2, 0.3))
        .link("b", mass=2, com=(0.3, 0, 0.1), inertia=(0.5, 0.4, 0.3))
        .link("d", mass=1.5, com=(0, 0.2, 0), inertia=(0.2, 0.4, 0.3))
        .helical("screw", "a", pitch=p, armature=J, damping=b)
        .prismatic("slide", "b", axis="x", origin=(0.5, 0, 0), stiffness=s, rest=0.1)
        .revolute(
            "hinge",
            "d",
            axis="y",
            mimic=("screw", 2, c),
            armature=J,
            damping=b,
            stiffness=k,
            rest=0.2,
        )
        .build()
    )
    assert arm.nv == 2
    assert_proved(arm)
    assert_proved(arm.symbolic())
    # the follower's spring and damper act through its ratio: ∂V/∂q1 has 2 k (2 q1 + c - 0.2)
    eq = arm.equations()
    q, v = eq.coordinates[0], eq.velocities[0]
    torque = diff(eq.system.potential, q) + diff(eq.system.dissipation, v)
    expected = 2 * k * (2 * q + c - Fraction(1, 5)) + b * v + 4 * b * v
    weight = diff(as_expr(potential_energy(Tree.of(arm), eq.coordinates)), q)
    assert equal(torque, weight + expected)


def four_bar() -> Mechanism:
    """Return a crank, a coupler and a rocker in the plane, closed by a point."""
    a, b, c, d = da.parameters("a b c d")
    bar = {"mass": 1, "inertia": (0, 0.1, 0.1)}
    return (
        Builder("four-bar", gravity=(0, -9.81, 0))
        .link("crank", com=(a / 2, 0, 0), **bar)
        .link("coupler", com=(b / 2, 0, 0), **bar)
        .link("rocker", com=(c / 2, 0, 0), **bar)
        .revolute("j1", "crank")
        .revolute("j2", "coupler", origin=(a, 0, 0))
        .revolute("j3", "rocker", parent="world", origin=(d, 0, 0))
        .loop("close", ("coupler", (b, 0, 0)), ("rocker", (c, 0, 0)))
        .build()
    )


def test_loops() -> None:
    arm = four_bar()
    assert_proved(arm)
    system = arm.system()
    # z is closed already
    assert len(system.constraints) == 2
    q1, q2, q3 = system.coordinates
    a, b, c, d = da.parameters("a b c d")
    x = a * da.cos(q1) + b * da.cos(q1 + q2) - d - c * da.cos(q3)
    y = a * da.sin(q1) + b * da.sin(q1 + q2) - c * da.sin(q3)
    assert equal(system.constraints[0], x)
    assert equal(system.constraints[1], y)


def test_couplings() -> None:
    arm = (
        Builder("gears")
        .link("a", mass=1, inertia=(1, 1, 1))
        .link("b", mass=1, inertia=(1, 1, 1))
        .revolute("j1", "a")
        .revolute("j2", "b", parent="world", origin=(1, 0, 0))
        .couple("mesh", "j2", "j1", -2, 0.5)
        .build()
    )
    (a,) = arm.system().constraints
    q1, q2 = arm.system().coordinates
    assert equal(a, q2 - Fraction(1, 2) + 2 * q1)
    assert_proved(arm)


def test_joints_of_several_freedoms_have_no_coordinates() -> None:
    ball = Builder("b").link("a", mass=1).spherical("socket", "a").build()
    with pytest.raises(InvalidMechanism, match=r"expected scalar joints.*spherical joint 'socket'"):
        ball.equations()
    welded = Builder("w").link("a", mass=1).fixed("j", "a").build()
    with pytest.raises(InvalidMechanism, match="expected a joint that moves in w, got none"):
        welded.equations()
