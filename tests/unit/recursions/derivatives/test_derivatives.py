"""Derivatives of the dynamics: against complex steps of the recursions, and by hand.

A complex step moves the positions by i h q̇ along each velocity: f(q + i h q̇) = f + i h ∂f, without
cancellation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import as_expr
from dalembert.expr.evaluate import evaluate
from dalembert.expr.graph import postorder
from dalembert.mechanism import Builder, JointKind
from dalembert.recursions.constraints.factorization import factorise
from dalembert.recursions.derivatives.first import (
    first_derivatives,
    inverse_dynamics_derivatives,
)
from dalembert.recursions.derivatives.forward import forward_dynamics_derivatives
from dalembert.recursions.derivatives.second import inverse_dynamics_second_derivatives
from dalembert.recursions.dynamics.articulated import forward_dynamics
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.reduce import reduce
from dalembert.recursions.tree import Tree
from tests.cases import num_cases
from tests.random_mechanisms import KINDS, random_mechanism, random_state

# relative to the largest entry
TOLERANCE = 1e-12
# solving with M loses the digits of its condition number
FORWARD = 1e-13
STEP = 1e-30
MOVING = tuple(kind for kind in KINDS if kind != "fixed")


def close(ours: Any, expected: Any, limit: float = TOLERANCE, unit: float = 1.0) -> bool:
    expected = np.asarray(expected)
    error = np.abs(np.array(ours, dtype=float) - expected).max(initial=0.0)
    return bool(error <= limit * max(np.abs(expected).max(initial=0.0), unit))


def trees(
    rng: np.random.Generator, scale: float, number: int, links: int = 5, **options: Any
) -> Iterator[tuple[Tree, list[float], list[float], list[float]]]:
    for _ in range(num_cases(number, scale)):
        mechanism = random_mechanism(rng, links, **options)
        if mechanism.nv:
            q, v = random_state(rng, mechanism)
            a = rng.normal(size=mechanism.nv)
            yield Tree.of(mechanism).map(float), q.tolist(), v.tolist(), a.tolist()


def position_rates(tree: Tree, q: Sequence[float]) -> np.ndarray:
    """Return ∂q̇/∂v (nq, nv): ½ Q (0, ω) for quaternions, R u for a free body's position."""
    E = np.zeros((tree.nq, tree.nv))
    for node in tree.nodes:
        at, to = node.positions, node.velocities
        if not node.joint.nv or not at:
            continue
        if node.joint.is_scalar:
            E[at[0], to[0]] = 1
            continue
        w, x, y, z = (q[i] for i in at[-4:])
        E[np.ix_(at[-4:], to[-3:])] = (
            np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) / 2
        )
        if node.joint.kind is JointKind.FLOATING:
            E[np.ix_(at[:3], to[:3])] = [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
    return E


def along(f: Callable[[list[Any]], Any], x: Sequence[float], E: np.ndarray) -> np.ndarray:
    """Return the derivatives of nested lists along the columns of E; their axis is the last."""
    batch = E.shape[1]
    values = f(list(np.array(x)[:, None] + 1j * STEP * E))

    def imaginary(y: Any) -> np.ndarray:
        if isinstance(y, list | tuple):
            return np.array([imaginary(z) for z in y])
        return np.imag(np.broadcast_to(y, batch)) / STEP

    return imaginary(values)


def assert_first_derivatives(tree: Tree, q: list[float], v: list[float], a: list[float]) -> None:
    dq, dv = inverse_dynamics_derivatives(tree, q, v, a)
    E, unit = position_rates(tree, q), np.eye(tree.nv)
    assert close(dq, along(lambda x: inverse_dynamics(tree, x, v, a), q, E)), str(tree)
    assert close(dv, along(lambda x: inverse_dynamics(tree, q, x, a), v, unit))


# ---- inverse dynamics


@pytest.mark.parametrize("kind", MOVING)
def test_every_joint(kind: str, rng: np.random.Generator, scale: float) -> None:
    for case in trees(rng, scale, 4, kinds=(kind,)):
        assert_first_derivatives(*case)


def test_mixed_trees_with_followers_and_rotors(rng: np.random.Generator, scale: float) -> None:
    for case in trees(rng, scale, 15, links=7, branching=0.5, mimic=0.4, armature=0.5):
        assert_first_derivatives(*case)


def test_pendulum_by_hand() -> None:
    """τ = m l² a + m g l cos q about a horizontal axis."""
    m, l, g, q = 2.0, 0.5, 9.81, 0.3
    arm = (
        Builder("pendulum", gravity=(0, -g, 0))
        .link("bob", mass=m, com=(l, 0, 0))
        .revolute("j", "bob")
        .build()
    )
    tree = Tree.of(arm).map(float)
    dq, dv = inverse_dynamics_derivatives(tree, [q], [1.5], [0.7])
    assert dq[0][0] == pytest.approx(-m * g * l * np.sin(q), rel=1e-14)
    assert dv[0][0] == pytest.approx(0, abs=1e-15)
    weightless, _ = inverse_dynamics_derivatives(tree, [q], [1.5], [0.7], gravity=(0, 0, 0))
    assert weightless[0][0] == pytest.approx(0, abs=1e-15)
    forward = forward_dynamics_derivatives(tree, [q], [1.5], [0.7])
    assert forward.Minv[0][0] == pytest.approx(1 / (m * l * l), rel=1e-14)
    assert forward.dqdd_dq[0][0] == pytest.approx(g * np.sin(q) / l, rel=1e-14)


def test_exactly_with_symbols() -> None:
    """In the ring, against differentiated Newton–Euler: a hinge, then a slider askew."""
    m, l, J = da.parameters("m l J")
    arm = (
        Builder("rp", gravity=(0, -9.81, 0))
        .link("a", mass=m, com=(l, 0, 0), inertia=(J, 2 * J, J))
        .link("b", mass=2, com=(0, 1, 0), inertia=(1, 1, 2))
        .revolute("j1", "a")
        .prismatic("j2", "b", axis="x", origin=(1, l, 0))
        .build()
    )
    tree = Tree.of(arm)
    q, v, a = (list(da.parameters(f"{x}1 {x}2")) for x in "xyz")
    tau = [as_expr(x) for x in inverse_dynamics(tree, q, v, a)]
    dq, dv = inverse_dynamics_derivatives(tree, q, v, a)
    for i in range(2):
        for j in range(2):
            assert da.equal(as_expr(dq[i][j]), tau[i].diff(q[j]))
            assert da.equal(as_expr(dv[i][j]), tau[i].diff(v[j]))


def test_rotors_that_spin(rng: np.random.Generator) -> None:
    """A rotor feels the turning of its host but not its own angle."""
    arm = (
        Builder("geared")
        .link("a", mass=1, com=(0.1, 0.2, 0.3), inertia=(1, 2, 2.5, 0.1, 0.2, 0.3))
        .link("b", mass=2, com=(0.3, 0, 0.1), inertia=(0.5, 0.4, 0.3))
        .revolute("j1", "a", axis="x")
        .revolute("j2", "b", axis="y", origin=(0.5, 0, 0))
        .actuator("m1", "j1", gear_ratio=20, rotor_inertia=0.001, gyroscopic=True)
        .actuator("m2", "j2", gear_ratio=50, rotor_inertia=0.002, gyroscopic=True)
        .build()
    )
    tree = Tree.of(arm).map(float)
    assert any(node.joint.spins for node in tree.nodes)
    q, v, a = rng.normal(size=(3, 2)).tolist()
    assert_first_derivatives(tree, q, v, a)


def test_links_without_mass(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, a in trees(rng, scale, 8):
        small = reduce(tree)
        expected = inverse_dynamics_derivatives(tree, q, v, a)
        for mine, other in zip(inverse_dynamics_derivatives(small, q, v, a), expected, strict=True):
            assert close(mine, other, 1e-11)


# ---- forward dynamics


def test_forward_dynamics(rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, a in trees(rng, scale, 15, links=6, branching=0.5, mimic=0.2):
        M = np.array(mass_matrix(tree, q), dtype=float)
        tau = inverse_dynamics(tree, q, v, a)
        qdd, dq, dv, Minv = forward_dynamics_derivatives(tree, q, v, tau)
        limit = FORWARD * max(10.0, np.linalg.cond(M))
        unit = np.abs(tau).max() * np.linalg.norm(Minv, 2)
        assert close(qdd, a, limit, unit)
        assert close(Minv, np.linalg.inv(M), limit)
        E, one = position_rates(tree, q), np.eye(tree.nv)
        expected = along(lambda x, t=tree, v=v, u=tau: forward_dynamics(t, x, v, u), q, E)
        assert close(dq, expected, limit, unit)
        expected = along(lambda x, t=tree, q=q, u=tau: forward_dynamics(t, q, x, u), v, one)
        assert close(dv, expected, limit, unit)


def test_factor_follows_the_branches(rng: np.random.Generator) -> None:
    """Two branches behind a base share nothing but the base."""
    builder = Builder("tree")
    for name, parent in (("a", "world"), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "d")):
        builder.link(name, mass=1, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.2, 0.4))
        builder.revolute(f"j{name}", name, parent=parent, axis="x", origin=(0, 0.3, 0.1))
    tree = Tree.of(builder.build()).map(float)
    M = mass_matrix(tree, rng.normal(size=5).tolist())
    factor = factorise(M)
    assert [sorted(row) for row in factor.L] == [[], [0], [0, 1], [0], [0, 3]]
    assert close(factor.matrix_inverse(), np.linalg.inv(np.array(M, dtype=float)), 1e-13)


# ---- second derivatives


@pytest.mark.parametrize("kinds", [("revolute", "prismatic", "helical"), KINDS])
def test_second_derivatives(kinds: tuple[str, ...], rng: np.random.Generator, scale: float) -> None:
    for tree, q, v, a in trees(rng, scale, 4, links=3, kinds=kinds, mimic=0.2):
        ours = inverse_dynamics_second_derivatives(tree, q, v, a)
        E, one = position_rates(tree, q), np.eye(tree.nv)
        dqq, dqv, dMq = along(lambda x, t=tree, v=v, a=a: first_derivatives(t, x, v, a), q, E)
        dvv = along(lambda x, t=tree, q=q, a=a: inverse_dynamics_derivatives(t, q, x, a)[1], v, one)
        assert close(ours.dqq, dqq)
        assert close(ours.dqv, np.swapaxes(dqv, 1, 2))
        assert close(ours.dvv, dvv)
        assert close(ours.dMq, dMq)


def test_second_derivatives_of_any_scalar(rng: np.random.Generator) -> None:
    tree = Tree.of(random_mechanism(rng, 2, kinds=("revolute",), mimic=0)).map(float)
    states = rng.normal(size=(3, 2, 4))
    batch = inverse_dynamics_second_derivatives(tree, *states)
    Q, V, A = (list(da.parameters(f"{x}1 {x}2")) for x in "xyz")
    graphs = inverse_dynamics_second_derivatives(tree, Q, V, A)
    moved = inverse_dynamics_second_derivatives(tree, [Q[0] + 1, Q[1]], V, A)
    for k in range(4):
        q, v, a = states[:, :, k].tolist()
        single = inverse_dynamics_second_derivatives(tree, q, v, a)
        values = dict(zip([*Q, *V, *A], [*q, *v, *a], strict=True))
        for cube, one, graph, other in zip(batch, single, graphs, moved, strict=True):
            sliced = [[[np.broadcast_to(x, 4)[k] for x in r] for r in rows] for rows in cube]
            assert close(sliced, one)
            flat = np.array(one, dtype=float).ravel()
            assert close(evaluate([as_expr(x) for x in leaves(graph)], values), flat)
            shifted = {**values, Q[0]: q[0] - 1}
            assert close(evaluate([as_expr(x) for x in leaves(other)], shifted), flat)


# ---- any scalar, and few operations


def leaves(nested: Any) -> list[Any]:
    if isinstance(nested, list | tuple):
        return [x for part in nested for x in leaves(part)]
    return [nested]


def test_arrays_and_expressions_give_what_floats_give(
    rng: np.random.Generator, scale: float
) -> None:
    for tree, q, v, a in trees(rng, scale, 4):
        single = leaves(inverse_dynamics_derivatives(tree, q, v, a))
        single += leaves(forward_dynamics_derivatives(tree, q, v, a))
        X, Y, Z = (list(np.array([x, x]).T) for x in (q, v, a))
        batch = leaves(inverse_dynamics_derivatives(tree, X, Y, Z))
        batch += leaves(forward_dynamics_derivatives(tree, X, Y, Z))
        M = np.array(mass_matrix(tree, q), dtype=float)
        limit = FORWARD * max(10.0, np.linalg.cond(M))
        assert close([np.broadcast_to(x, 2)[1] for x in batch], single, limit)
        Q, V, A = (
            [da.parameters(f"{letter}{i}")[0] for i in range(len(x))]
            for letter, x in (("x", q), ("y", v), ("z", a))
        )
        exact = tree.map(as_expr)
        graphs = leaves(inverse_dynamics_derivatives(exact, Q, V, A))
        graphs += leaves(forward_dynamics_derivatives(exact, Q, V, A))
        values = dict(zip([*Q, *V, *A], [*q, *v, *a], strict=True))
        assert close(evaluate([as_expr(x) for x in graphs], values), single, limit)


def num_flops(outputs: Any) -> int:
    ops = Counter(x.op for x in postorder([as_expr(x) for x in leaves(outputs)]))
    return sum(ops[op] for op in ("add", "sub", "mul", "div", "pow"))


def test_seven_hinges_cost_few_operations() -> None:
    """Forward sweeps over the Newton–Euler graph take about 9,000."""
    tree = Tree.of(da.textbook.robots.panda())
    n = range(tree.nv)
    q, v, a = ([da.parameters(f"{letter}{i}")[0] for i in n] for letter in "xyz")
    full, small = tree.map(as_expr), reduce(tree).map(as_expr)
    assert num_flops(inverse_dynamics_derivatives(full, q, v, a)) <= 3300
    assert num_flops(inverse_dynamics_derivatives(small, q, v, a)) <= 2950
    assert num_flops(forward_dynamics_derivatives(full, q, v, a)) <= 5250
    assert num_flops(forward_dynamics_derivatives(small, q, v, a)) <= 4900


@pytest.mark.parametrize("armature", [0, 0.3])
def test_a_falling_base_moves_nothing_but_itself(armature: float, rng: np.random.Generator) -> None:
    """With g in its frame ∂u̇/∂θ = g × and ∂u̇/∂u = -ω ×; a rotor on the base does not fall along."""
    builder = Builder("floating", gravity=(1, -2, -9))
    for name in ("base", "arm", "leg"):
        builder.link(name, mass=1.5, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.2, 0.4))
    builder.floating("joint", "base", origin=(0.3, 0.1, 0.2), armature=armature)
    builder.revolute("shoulder", "arm", parent="base", axis="x", origin=(0, 0.3, 0.1))
    builder.revolute("hip", "leg", parent="base", axis="y", origin=(0.2, 0, 0.1))
    mechanism = builder.build()
    tree = Tree.of(mechanism).map(float)
    q, v, tau = (x.tolist() for x in (*random_state(rng, mechanism), rng.normal(size=8)))
    _, dq, dv, _ = forward_dynamics_derivatives(tree, q, v, tau)
    E, one = position_rates(tree, q), np.eye(8)
    expected_q = along(lambda x: forward_dynamics(tree, x, v, tau), q, E)
    expected_v = along(lambda x: forward_dynamics(tree, q, x, tau), v, one)
    assert close(dq, expected_q, 1e-12)
    assert close(dv, expected_v, 1e-12)
    still = np.array(dq)[3:, :6], np.array(dv)[3:, :3]
    assert all(np.all(block == 0) for block in still) == (armature == 0)
