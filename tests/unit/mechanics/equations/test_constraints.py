"""Constraints: virtual displacements, moving constraints, redundancy."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.oracles import column, constrained_accelerations, random_state, rates

x, y, z = da.coordinates("x y z")
m, l, g, w = da.parameters("m l g w")
t = da.time
s, c = da.sin, da.cos
NAMES = ["rp_arm_maximal", "wire_particles", "pinned_three_link", "rolling_disc", "knife_edge"]


# ---- virtual displacements


@pytest.mark.parametrize("name", NAMES)
def test_null_space_spans_the_virtual_displacements(name, rng):
    eq = getattr(da.textbook, name)().equations()
    Z = eq.virtual_displacements()
    n, num = len(eq.coordinates), len(eq.lam)
    assert Z.shape == (n, n - num)
    assert eq.degrees_of_freedom() == n - num
    assert da.equal(eq.A @ Z, da.Matrix.zeros(num, n - num))
    # full rank, and the same space as NumPy finds
    values = random_state(eq, rng)
    A, Zn = eq.A.evaluate(values), Z.evaluate(values)
    assert np.linalg.matrix_rank(Zn) == n - num
    orthogonal = np.linalg.svd(A)[2][num:]
    assert np.linalg.matrix_rank(np.hstack([Zn, orthogonal.T]), tol=1e-9) == n - num


def test_displacements_where_the_exact_ones_lose_rank(rng):
    """On a ball, A = 2 (x, y, z): columns of Z hold x, and vanish with it; the plane does not."""
    T = (x.dot**2 + y.dot**2 + z.dot**2) / 2
    eq = da.System(
        coordinates=[x, y, z], kinetic=T, constraints=[x**2 + y**2 + z**2 - 1]
    ).equations()
    for pole in np.eye(3):
        at = dict(zip((x, y, z), pole, strict=True))
        Z = eq.virtual_displacements_at(at)
        assert Z.shape == (3, 2)
        assert np.abs(Z.T @ Z - np.eye(2)).max() < 1e-14
        assert np.abs(Z.T @ pole).max() < 1e-14
    # elsewhere it is the same space
    point = rng.normal(size=3)
    at = dict(zip((x, y, z), point, strict=True))
    exact = eq.virtual_displacements().evaluate(at)
    both = np.hstack([exact, eq.virtual_displacements_at(at)])
    assert np.linalg.matrix_rank(exact) == np.linalg.matrix_rank(both, tol=1e-9) == 2
    free = da.textbook.double_pendulum().equations()
    assert np.array_equal(free.virtual_displacements_at({}), np.eye(2))


def test_long_loop_without_explosion():
    """Six symbolic links with a pinned end: quotients would fill the memory, minors do not."""
    system = da.textbook.planar_chain(6)
    x_tip, y_tip = system.bodies[-1].r
    eq = da.System.from_bodies(
        system.bodies,
        coordinates=system.coordinates,
        constraints=[x_tip - da.parameters("x_e")[0], y_tip - da.parameters("y_e")[0]],
    ).equations()
    Z = eq.virtual_displacements()
    assert Z.shape == (6, 4)
    assert da.equal(eq.A @ Z, da.Matrix.zeros(2, 4))


def test_no_constraints_no_restriction():
    eq = da.textbook.double_pendulum().equations()
    assert eq.degrees_of_freedom() == 2
    assert eq.A.shape == (0, 2)
    assert eq.multipliers().shape == (0, 1)


def test_sphere_by_hand():
    # x² + y² + z² = l²: A = 2 (x, y, z), and displacements are tangent to the sphere
    eq = da.System.from_particles(
        [m], [(x, y, z)], coordinates=[x, y, z], constraints=[x**2 + y**2 + z**2 - l**2]
    ).equations()
    assert da.equal(eq.A, [[2 * x, 2 * y, 2 * z]])
    assert da.equal(eq.Ad, [[2 * x.dot, 2 * y.dot, 2 * z.dot]])
    assert eq.degrees_of_freedom() == 2
    # without force the wire pulls with the centripetal m |v|² / l: 2 λ r = -m |v|²/l² r
    speed2 = x.dot**2 + y.dot**2 + z.dot**2
    assert da.equal(eq.multipliers(), [-m * speed2 / (2 * (x**2 + y**2 + z**2))])


def test_pfaffian_rows_follow_the_holonomic_ones():
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2 + z.dot**2) / 2,
        coordinates=[x, y, z],
        constraints=[x**2 - y],
        velocity_constraints=[y * z.dot - x.dot],
    ).equations()
    assert da.equal(eq.A, [[2 * x, -1, 0], [-1, 0, y]])
    assert da.equal(eq.Ad, [[2 * x.dot, 0, 0], [0, 0, y.dot]])
    assert da.equal(eq.a, [x**2 - y])
    assert len(eq.lam) == 2


# ---- constraints that move


def rotating_wire() -> da.Equations:
    """Return a bead on a straight horizontal wire that turns with the rate w."""
    return da.System.from_particles(
        [m], [(x, y)], coordinates=[x, y], constraints=[y * c(w * t) - x * s(w * t)]
    ).equations()


def test_bead_on_a_rotating_wire():
    eq = rotating_wire()
    assert da.equal(eq.A, [[-s(w * t), c(w * t)]])
    # b = ∂a/∂t
    assert da.equal(eq.drift, [-w * (y * s(w * t) + x * c(w * t))])
    # on the wire at r: x = r cos wt, so r̈ = w² r, and the wire pushes with 2 m w ṙ sideways
    (r,) = da.coordinates("r")
    on = {x: r * c(w * t), y: r * s(w * t)}
    lam = eq.multipliers().subs(on)
    assert da.equal(lam, [2 * m * w * r.dot])
    outward = {r.ddot: w**2 * r}
    expected = [on[x].ddot.subs(outward), on[y].ddot.subs(outward)]
    assert da.equal(eq.accelerations().subs(on), expected)


def test_rotating_wire_in_its_own_coordinate():
    (r,) = da.coordinates("r")
    eq = rotating_wire().change_coordinates({x: r * c(w * t), y: r * s(w * t)}, [r])
    assert eq.lam == ()
    assert da.equal(eq.residual, [m * r.ddot - m * w**2 * r])


def test_energy_is_not_conserved_on_a_moving_wire():
    # the wire does work: dE/dt = λ A q̇ = -λ b = 2 m w ṙ · w r
    eq = rotating_wire()
    (r,) = da.coordinates("r")
    on = {x: r * c(w * t), y: r * s(w * t)}
    qdd = dict(zip([x.ddot, y.ddot], eq.accelerations(), strict=True))
    rate = da.ddt(eq.T).subs(qdd).subs(on)
    assert da.equal(rate, 2 * m * w**2 * r * r.dot)
    assert [item.name for item in eq.conserved()] == []
    assert [p.statement for p in eq.prove() if not p.is_proved] == []


def test_moving_pivot_agrees_with_the_driven_pendulum():
    # x² + (y - a cos ωt)² = l², against the equation in θ
    a, omega = da.parameters("a omega")
    (theta,) = da.coordinates("theta")
    height = a * c(omega * t)
    eq = da.System.from_particles(
        [m],
        [(x, y)],
        coordinates=[x, y],
        gravity=(0, -g),
        constraints=[x**2 + (y - height) ** 2 - l**2],
    ).equations()
    h = {x: l * s(theta), y: height - l * c(theta)}
    reduced = eq.change_coordinates(h, [theta])
    gravity = g - a * omega**2 * c(omega * t)
    assert da.equal(reduced.residual, [m * l**2 * theta.ddot + m * l * gravity * s(theta)])
    # and the constrained accelerations are those of the circle
    swing = {theta.ddot: -gravity * s(theta) / l}
    expected = [h[x].ddot.subs(swing), h[y].ddot.subs(swing)]
    assert da.equal(eq.accelerations().subs(h), expected)


def test_velocity_constraint_with_drift():
    # a conveyor: the particle moves along x with speed w, q̇ = w
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        coordinates=[x, y],
        velocity_constraints=[x.dot - w * y],
    ).equations()
    assert da.equal(eq.A, [[1, 0]])
    assert da.equal(eq.drift, [-w * y])
    # ẍ = w ẏ needs the force λ = m w ẏ
    assert da.equal(eq.multipliers(), [m * w * y.dot])
    assert da.equal(eq.accelerations(), [w * y.dot, 0])


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_keep_the_constraints(name, rng):
    """A q̈ + Ȧ q̇ + ḃ = 0, where the second rate is taken on the graph."""
    eq = getattr(da.textbook, name)().equations()
    written = [a.ddot for a in eq.system.constraints]
    written += [a.dot for a in eq.system.velocity_constraints]
    values = random_state(eq, rng)
    qdd = eq.solve(values).accelerations
    values |= {q.ddot: float(a) for q, a in zip(eq.coordinates, qdd, strict=True)}
    for rate in written:
        assert rate.evaluate(values) == pytest.approx(0, abs=1e-9)


# ---- redundant constraints


def test_smallest_multipliers_by_hand():
    # x = 0 said twice, once doubled: λ₁ + 2 λ₂ = -F, and the shortest such λ is -F (1, 2)/5
    (F,) = da.inputs("F")
    eq = da.System(
        kinetic=m * x.dot**2 / 2,
        coordinates=[x],
        forces=[F],
        constraints=[x, 2 * x],
        keep_redundant=True,
    ).equations()
    solution = eq.solve({m: 2.0, F: 5.0, x: 0.0, x.dot: 0.0})
    assert solution.constraint_rank == 1
    assert solution.accelerations == pytest.approx([0.0], abs=1e-15)
    assert solution.multipliers == pytest.approx([-1.0, -2.0], abs=1e-12)


def test_table_on_four_legs(rng):
    """A table has height and two tilts, but four legs: λ is the shortest of all that carry it."""
    height, roll, pitch = da.coordinates("height roll pitch")
    I, a, b, px, py = da.parameters("I a b px py")
    corners = [(a, b), (a, -b), (-a, b), (-a, -b)]
    # small tilts; the weight acts at (px, py)
    eq = da.System(
        kinetic=(m * height.dot**2 + I * roll.dot**2 + I * pitch.dot**2) / 2,
        potential=m * g * (height + px * roll + py * pitch),
        coordinates=[height, roll, pitch],
        constraints=[height + u * roll + v * pitch for u, v in corners],
        keep_redundant=True,
    ).equations()
    values = random_state(eq, rng)
    solution = eq.solve(values)
    ua, ub, weight = values[a], values[b], values[m] * values[g]
    legs = np.array([[1, sx * ua, sy * ub] for sx, sy in [(1, 1), (1, -1), (-1, 1), (-1, -1)]])
    load = weight * np.array([1, values[px], values[py]])
    assert solution.constraint_rank == 3
    assert solution.accelerations == pytest.approx(np.zeros(3), abs=1e-10)
    assert legs.T @ solution.multipliers == pytest.approx(load, rel=1e-10)
    assert solution.multipliers == pytest.approx(np.linalg.pinv(legs.T) @ load, rel=1e-9)


def test_redundancy_does_not_change_the_motion(rng):
    plain = da.textbook.rp_arm_maximal()
    doubled = da.System(
        kinetic=plain.kinetic,
        potential=plain.potential,
        coordinates=plain.coordinates,
        forces=plain.forces,
        constraints=[*plain.constraints, plain.constraints[0] - 3 * plain.constraints[2]],
        keep_redundant=True,
    ).equations()
    values = random_state(doubled, rng)
    solution = doubled.solve(values)
    eq = plain.equations()
    right = column(eq.forces, values) - column(eq.bias, values)
    gamma = -eq.Ad.evaluate(values) @ rates(eq, values)
    expected, _ = constrained_accelerations(
        eq.M.evaluate(values), right, eq.A.evaluate(values), gamma
    )
    assert solution.constraint_rank == 4
    assert len(solution.multipliers) == 5
    assert solution.accelerations == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_contradicting_velocities_are_reported():
    # x = 0 and x² = 0 have parallel gradients, but with ẋ ≠ 0 they ask for different ẍ
    eq = da.System(
        kinetic=x.dot**2, coordinates=[x], constraints=[x, x**2], keep_redundant=True
    ).equations()
    with pytest.raises(da.SingularSystem, match="contradict each other: check that the velocities"):
        eq.solve({x: 0.5, x.dot: 1.0})
    assert eq.solve({x: 0.5, x.dot: 0.0}).accelerations == pytest.approx([0.0])


def test_constraint_may_replace_inertia():
    # y has no mass, but the constraint y = x² moves it along
    eq = da.System(kinetic=m * x.dot**2 / 2, coordinates=[x, y], constraints=[y - x**2]).equations()
    assert da.equal(eq.accelerations(), [0, 2 * x.dot**2])
    solution = eq.solve({m: 1.0, x: 0.5, y: 0.25, x.dot: 2.0, y.dot: 2.0})
    assert solution.accelerations == pytest.approx([0.0, 8.0])
    assert solution.multipliers == pytest.approx([0.0], abs=1e-12)
