"""Linearity in the parameters: regressors, and base parameters against numerical ranks."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.oracles import random_values

x, y, q1, q2 = da.coordinates("x y q1 q2")
m, k, g, a, alpha = da.parameters("m k g a alpha")
SYSTEMS = [
    "particle",
    "geared_link",
    "elastic_joint",
    "rp_arm",
    "rp_arm_maximal",
    "planar_arm",
    "cartesian_arm",
    "pinned_three_link",
    "double_pendulum",
    "spherical_pendulum",
    "cart_pole",
    "furuta_pendulum",
    "free_rigid_body",
    "rolling_disc",
    "knife_edge",
]


def left_side(eq: da.Equations) -> da.Matrix:
    """Return M q̈ + C q̇ + N."""
    qdd = da.Matrix.column([q.ddot for q in eq.coordinates])
    return eq.M @ qdd + eq.C @ da.Matrix.column(eq.velocities) + eq.N


def numerical_rank(eq: da.Equations, Y: da.Matrix, rng, num_points: int) -> int:
    """Return the rank of the regressor stacked over random motions."""
    motion = [*eq.coordinates, *eq.velocities, *(q.ddot for q in eq.coordinates)]
    known = [x for e in Y for x in e.symbols if x not in motion]
    fixed = random_values(dict.fromkeys(known), rng)
    rows = [Y.evaluate(random_values(motion, rng) | fixed) for _ in range(num_points)]
    singular = np.linalg.svd(np.vstack(rows), compute_uv=False)
    return int(np.sum(singular > 1e-9 * singular[0]))


@pytest.mark.parametrize("name", SYSTEMS)
def test_regressor_times_parameters(name):
    eq = getattr(da.textbook, name)().equations()
    Y, theta = eq.regressor()
    assert Y.shape == (len(eq.coordinates), len(theta))
    assert da.equal(Y @ theta, left_side(eq))
    motion = {*eq.coordinates, *eq.velocities, *(q.ddot for q in eq.coordinates)}
    assert {s for e in Y for s in e.symbols} <= motion
    assert {s for e in theta for s in e.symbols} <= set(eq.parameters)


@pytest.mark.parametrize("name", SYSTEMS)
def test_base_parameters_have_the_numerical_rank(name, rng):
    eq = getattr(da.textbook, name)().equations()
    full = eq.regressor()
    base = eq.base_parameters()
    assert da.equal(base.Y @ base.combinations, left_side(eq))
    num_points = 3 * len(full.theta) + 5
    # exact rank = rank of the whole regressor, and no column of the small one is superfluous
    assert len(base.combinations) == numerical_rank(eq, full.Y, rng, num_points)
    assert len(base.combinations) == numerical_rank(eq, base.Y, rng, num_points)


def test_two_link_arm_has_spongs_five():
    # Spong: m₁a_c1² + m₂(a₁² + a_c2²) + I₁ + I₂, m₂a_c2² + I₂, m₂a₁a_c2, m₁a_c1 + m₂a₁, m₂a_c2
    m1, m2, a1, c1, c2, I1, I2 = da.parameters("m1 m2 a1 a_c1 a_c2 I1 I2")
    eq = da.textbook.planar_arm().equations()
    base = eq.base_parameters()
    assert len(base.combinations) == 5
    spong = [
        m1 * c1**2 + m2 * a1**2 + I1,
        m2 * c2**2 + I2,
        m2 * a1 * c2,
        (m1 * c1 + m2 * a1) * g,
        m2 * c2 * g,
    ]
    # the same space: every one of ours is a combination of Spong's with constant weights
    rng = np.random.default_rng(7)
    symbols = [m1, m2, a1, c1, c2, I1, I2, g]
    points = [random_values(symbols, rng) for _ in range(12)]
    ours = np.array([[e.evaluate(p) for e in base.combinations] for p in points])
    theirs = np.array([[e.evaluate(p) for e in spong] for p in points])
    assert np.linalg.matrix_rank(theirs) == 5
    assert np.linalg.matrix_rank(np.hstack([theirs, ours]), tol=1e-8) == 5


def test_two_link_arm_with_known_length():
    """First moments and inertias about the joints: of six parameters four can be identified.

    With T = ½J₁q̇₁² + ½m₂a²q̇₁² + ½J₂(q̇₁+q̇₂)² + a s₂ cos q₂ q̇₁(q̇₁+q̇₂) the mass m₂ of the second
    link acts like a point mass at the elbow: J₁ + m₂a², s₁ + m₂a, J₂, s₂; m₁ does not occur.
    """
    J1, J2, s1, s2, m2 = da.parameters("J1 J2 s1 s2 m2")
    w = q1.dot + q2.dot
    T = (J1 + m2 * a**2) * q1.dot**2 / 2 + J2 * w**2 / 2 + a * s2 * da.cos(q2) * q1.dot * w
    V = g * (s1 * da.sin(q1) + m2 * a * da.sin(q1) + s2 * da.sin(q1 + q2))
    eq = da.System(kinetic=T, potential=V, coordinates=[q1, q2]).equations()
    unknown = [J1, J2, s1, s2, m2]
    Y, theta = eq.regressor(unknown)
    assert list(theta) == unknown
    assert da.equal(Y @ theta, left_side(eq))
    base = eq.base_parameters(unknown)
    assert da.equal(base.Y @ base.combinations, left_side(eq))
    assert len(base.combinations) == 4
    # ours may be other combinations of the same four: equal row spaces over the unknowns
    known = [J1 + m2 * a**2, J2, s1 + m2 * a, s2]
    at = {a: 0.7, g: 9.81}
    ours, theirs = (da.jacobian(e, unknown).evaluate(at) for e in (base.combinations, known))
    assert np.linalg.matrix_rank(theirs) == 4
    assert np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-9) == 4


def test_exact_rank_where_floats_hesitate():
    # columns that differ by 10⁻¹² only: exactly independent, numerically one
    tiny = da.parse("1/1000000000000", {})
    eq = da.System(
        kinetic=m * x.dot**2 / 2 + k * (1 + tiny) * x.dot**2 / 2,
        potential=(m + k) * x,
        coordinates=[x],
    ).equations()
    assert len(eq.base_parameters().combinations) == 2


def test_function_of_parameters_is_a_parameter():
    # m g sin α on a slope: sin α belongs to Θ, not to Y
    eq = da.System(
        kinetic=m * x.dot**2 / 2, potential=-m * g * da.sin(alpha) * x, coordinates=[x]
    ).equations()
    Y, theta = eq.regressor()
    assert da.equal(theta, [m, m * g * da.sin(alpha)])
    assert da.equal(Y, [[x.ddot, -1]])


def test_parameter_inside_a_function_of_the_motion_counts_as_known():
    eq = da.textbook.driven_pendulum().equations()
    (omega,) = da.parameters("omega")
    Y, theta = eq.regressor()
    assert da.equal(Y @ theta, left_side(eq))
    assert any(omega in e.symbols for e in Y)
    proof = next(p for p in eq.prove() if "Y Θ" in p.statement)
    assert proof.hypotheses == ("omega known",)


def test_denominators_of_the_motion_are_allowed():
    # Kepler: m r̈ - m r φ̇² + k/r² and m r² φ̈ + 2 m r ṙ φ̇
    r, phi = da.coordinates("r phi")
    eq = da.System.from_particles(
        [m], [(r * da.cos(phi), r * da.sin(phi))], coordinates=[r, phi], potential=-k / r
    ).equations()
    Y, theta = eq.regressor()
    assert da.equal(theta, [k, m])
    across = r**2 * phi.ddot + 2 * r * r.dot * phi.dot
    assert da.equal(Y, [[1 / r**2, r.ddot - r * phi.dot**2], [0, across]])
    base = eq.base_parameters()
    assert da.equal(base.Y @ base.combinations, left_side(eq))


def test_known_parts_must_be_named_too():
    # with m alone the spring has no place in Y Θ
    eq = da.System(kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x]).equations()
    with pytest.raises(da.InvalidSystem, match="linear in the given parameters, got one without"):
        eq.regressor([m])


def test_damping_springs_and_rotors_are_included():
    # the geared link: inertia, damping and weight, r² J_m and r² B_m lumped
    eq = da.textbook.geared_link().equations()
    J_m, J_l, B_m, B_l, M, l, r = da.parameters("J_m J_l B_m B_l M l r")
    base = eq.base_parameters()
    assert len(base.combinations) == 3
    for expected in (J_l + r**2 * J_m, B_l + r**2 * B_m, M * g * l):
        assert any(da.equal(e, expected) for e in base.combinations)
