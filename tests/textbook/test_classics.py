"""Classical systems against the formulas in mechanics books, each derived by hand in a comment."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from tests.oracles import by_name, column, lagranges_method, random_state

s, c = da.sin, da.cos
m, l, g = da.parameters("m l g")


def test_spherical_pendulum():
    theta, phi = da.coordinates("theta phi")
    eq = da.textbook.spherical_pendulum().equations()
    # T = ½ m l² (θ̇² + sin²θ φ̇²), V = -m g l cos θ
    assert da.equal(eq.T, m * l**2 * (theta.dot**2 + s(theta) ** 2 * phi.dot**2) / 2)
    assert da.equal(eq.V, -m * g * l * c(theta))
    polar = (
        m * l**2 * theta.ddot - m * l**2 * s(theta) * c(theta) * phi.dot**2 + m * g * l * s(theta)
    )
    around = (
        m * l**2 * s(theta) ** 2 * phi.ddot
        + 2 * m * l**2 * s(theta) * c(theta) * theta.dot * phi.dot
    )
    assert da.equal(eq.residual, [polar, around])
    # conical pendulum: θ constant, φ̇² = g/(l cos θ)
    rate = da.sqrt(g / (l * c(theta)))
    steady = eq.residual.subs({theta.ddot: 0, theta.dot: 0, phi.ddot: 0, phi.dot: rate})
    assert da.equal(steady, [0, 0])


def test_cart_pole():
    x, theta = da.coordinates("x theta")
    m_c, m_p = da.parameters("m_c m_p")
    (F,) = da.inputs("F")
    eq = da.textbook.cart_pole().equations()
    # pole at (x + l sin θ, -l cos θ): the horizontal balance of both, the moment about the pivot
    cart = (
        (m_c + m_p) * x.ddot
        + m_p * l * c(theta) * theta.ddot
        - m_p * l * s(theta) * theta.dot**2
        - F
    )
    pole = m_p * l * c(theta) * x.ddot + m_p * l**2 * theta.ddot + m_p * g * l * s(theta)
    assert da.equal(eq.residual, [cart, pole])
    # Tedrake, Underactuated Robotics: ẍ = (F + m_p s (l θ̇² + g c)) / (m_c + m_p s²)
    push = F + m_p * s(theta) * (l * theta.dot**2 + g * c(theta))
    assert da.equal(eq.accelerations()[0], push / (m_c + m_p * s(theta) ** 2))


def test_double_pendulum():
    a1, a2 = da.coordinates("theta1 theta2")
    m1, m2, l1, l2 = da.parameters("m1 m2 l1 l2")
    eq = da.textbook.double_pendulum().equations()
    # ½ m₂ |ṙ₂|² has l₁ l₂ θ̇₁ θ̇₂ cos(θ₁ - θ₂)
    first = (
        (m1 + m2) * l1**2 * a1.ddot
        + m2 * l1 * l2 * a2.ddot * c(a1 - a2)
        + m2 * l1 * l2 * a2.dot**2 * s(a1 - a2)
        + (m1 + m2) * g * l1 * s(a1)
    )
    second = (
        m2 * l2**2 * a2.ddot
        + m2 * l1 * l2 * a1.ddot * c(a1 - a2)
        - m2 * l1 * l2 * a1.dot**2 * s(a1 - a2)
        + m2 * g * l2 * s(a2)
    )
    assert da.equal(eq.residual, [first, second])
    assert da.equal(eq.M.det(), m2 * l1**2 * l2**2 * (m1 + m2 * s(a1 - a2) ** 2))


def test_furuta_pendulum():
    t1, t2 = da.coordinates("theta1 theta2")
    J, r, I = da.parameters("J r I")
    (tau,) = da.inputs("tau")
    eq = da.textbook.furuta_pendulum().equations()
    # centre at r e_r - l s₂ e_t + l c₂ z, so v = (r θ̇₁ - l c₂ θ̇₂) e_t + l s₂ θ̇₁ e_r - l s₂ θ̇₂ z;
    # in the rod ω = (θ̇₂, s₂ θ̇₁, c₂ θ̇₁), of which the first two turn I
    K = m * l**2 + I
    arm = (
        (J + m * r**2 + K * s(t2) ** 2) * t1.ddot
        - m * r * l * c(t2) * t2.ddot
        + 2 * K * s(t2) * c(t2) * t1.dot * t2.dot
        + m * r * l * s(t2) * t2.dot**2
        - tau
    )
    rod = (
        -m * r * l * c(t2) * t1.ddot
        + K * t2.ddot
        - K * s(t2) * c(t2) * t1.dot**2
        - m * g * l * s(t2)
    )
    assert da.equal(eq.residual, [arm, rod])


def test_driven_pendulum():
    (theta,) = da.coordinates("theta")
    a, omega = da.parameters("a omega")
    eq = da.textbook.driven_pendulum().equations()
    # in the frame of the pivot, which has the acceleration -a ω² cos ωt upwards, gravity is
    # g - a ω² cos ωt
    gravity = g - a * omega**2 * c(omega * da.time)
    assert da.equal(eq.residual, [m * l**2 * theta.ddot + m * l * gravity * s(theta)])
    assert da.equal(eq.M, [[m * l**2]])
    assert [p.statement for p in eq.prove() if not p.is_proved] == []


# free rigid body

I1, I2, I3 = da.parameters("I1 I2 I3")
phi, theta, psi = da.coordinates("phi theta psi")
# body components of ω for z-x-z Euler angles (Goldstein 4.87)
W = da.Matrix.column(
    [
        phi.dot * s(theta) * s(psi) + theta.dot * c(psi),
        phi.dot * s(theta) * c(psi) - theta.dot * s(psi),
        phi.dot * c(theta) + psi.dot,
    ]
)


@pytest.fixture(scope="module")
def top() -> da.Equations:
    return da.textbook.free_rigid_body().equations()


def test_free_rigid_body_energy(top):
    assert da.equal(top.T, (I1 * W[0] ** 2 + I2 * W[1] ** 2 + I3 * W[2] ** 2) / 2)
    assert top.V == 0


def eulers_equations() -> da.Matrix:
    return da.Matrix.column(
        [
            I1 * W[0].dot - (I2 - I3) * W[1] * W[2],
            I2 * W[1].dot - (I3 - I1) * W[2] * W[0],
            I3 * W[2].dot - (I1 - I2) * W[0] * W[1],
        ]
    )


def test_lagrange_is_euler_exactly(top):
    # δq = B⁻¹ δrotation with ω = B q̇, so the Lagrangian residual is Bᵀ times Euler's moments
    B = da.jacobian(W, top.velocities)
    assert da.equal(top.residual, B.T @ eulers_equations())


def test_euler_equations_along_the_motion(top, rng):
    euler = eulers_equations()
    for _ in range(10):
        values = random_state(top, rng)
        if abs(np.sin(values[theta])) < 0.1:
            continue
        qdd = top.solve(values).accelerations
        moving = values | dict(zip([x.ddot for x in top.coordinates], qdd, strict=True))
        assert column(euler, moving) == pytest.approx(np.zeros(3), abs=1e-9)


def test_closed_form_satisfies_euler(top):
    solved = dict(zip([x.ddot for x in top.coordinates], top.accelerations(), strict=True))
    assert da.equal(eulers_equations().subs(solved), [0, 0, 0])


def test_angular_momentum_is_constant(top):
    # L = R I ω in world axes
    R = da.rotation_z(phi) @ da.rotation_x(theta) @ da.rotation_z(psi)
    spin = R @ da.Matrix.diagonal([I1, I2, I3]) @ W
    solved = dict(zip([x.ddot for x in top.coordinates], top.accelerations(), strict=True))
    assert da.equal(spin.ddt().subs(solved), [0, 0, 0])


# nonholonomic systems


def test_rolling_disc_solution():
    heading, roll = da.coordinates("phi theta")
    R, I, J = da.parameters("R I J")
    tau_phi, tau_theta = da.inputs("tau_phi tau_theta")
    eq = da.textbook.rolling_disc().equations()
    # eliminating λ = m (ẍ, ÿ) with ẋ = R θ̇ cos φ: (I + m R²) θ̈ = τ_θ and J φ̈ = τ_φ
    qdd = eq.accelerations()
    spin, turn = tau_theta / (I + m * R**2), tau_phi / J
    assert da.equal(qdd[2], turn)
    assert da.equal(qdd[3], spin)
    ax = R * (c(heading) * spin - s(heading) * heading.dot * roll.dot)
    ay = R * (s(heading) * spin + c(heading) * heading.dot * roll.dot)
    assert da.equal([qdd[0], qdd[1]], [ax, ay])
    assert da.equal(eq.multipliers(), [m * ax, m * ay])
    assert eq.degrees_of_freedom() == 2


def test_rolling_disc_runs_in_circles():
    x, y, heading, roll = da.coordinates("x y phi theta")
    R, w, W0 = da.parameters("R w W")
    tau_phi, tau_theta = da.inputs("tau_phi tau_theta")
    t = da.time
    eq = da.textbook.rolling_disc().equations()
    # without torque θ̇ = w and φ̇ = W stay constant: a circle of radius R w / W
    radius = R * w / W0
    path = {x: radius * s(W0 * t), y: -radius * c(W0 * t), heading: W0 * t, roll: w * t}
    free = {tau_phi: 0, tau_theta: 0}
    for constraint in eq.system.velocity_constraints:
        assert da.equal(constraint.subs(path), 0)
    lam = dict(zip(eq.lam, eq.multipliers(), strict=True))
    assert da.equal(eq.residual.subs(lam).subs(free).subs(path), [0, 0, 0, 0])


def test_knife_edge_on_an_incline():
    x, y, heading = da.coordinates("x y phi")
    alpha, W0 = da.parameters("alpha W")
    t = da.time
    eq = da.textbook.knife_edge().equations()
    # Neimark and Fufaev: started turning at rest, the blade does not slide down but drifts
    # sideways along a cycloid; λ = -2 m g sin α sin φ from m ÿ = -λ cos φ
    pull = g * s(alpha)
    path = {
        heading: W0 * t,
        x: pull / (2 * W0**2) * s(W0 * t) ** 2,
        y: pull / (2 * W0**2) * (W0 * t - s(2 * W0 * t) / 2),
    }
    (constraint,) = eq.system.velocity_constraints
    assert da.equal(constraint.subs(path), 0)
    (lam,) = eq.lam
    assert da.equal(eq.residual.subs({lam: -2 * m * pull * s(heading)}).subs(path), [0, 0, 0])
    assert da.equal(eq.multipliers().subs(path), [-2 * m * pull * s(W0 * t)])


def test_knife_edge_multiplier_by_hand():
    x, y, heading = da.coordinates("x y phi")
    (alpha,) = da.parameters("alpha")
    eq = da.textbook.knife_edge().equations()
    # d/dt(ẋ s - ẏ c) = ẍ s - ÿ c + φ̇ (ẋ c + ẏ s) = 0, with m ẍ = m g sin α + λ s, m ÿ = -λ c
    expected = -m * (
        g * s(alpha) * s(heading) + heading.dot * (x.dot * c(heading) + y.dot * s(heading))
    )
    assert da.equal(eq.multipliers(), [expected])


# planar chain against SymPy


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_planar_chain_against_sympy(n, rng):
    t = sp.Symbol("t")
    q = dynamicsymbols(f"q1:{n + 1}")
    masses, lengths, gravity = sp.symbols(f"m1:{n + 1}"), sp.symbols(f"l1:{n + 1}"), sp.Symbol("g")
    x = y = angle = L = sp.Integer(0)
    for k in range(n):
        angle = angle + q[k]
        x, y = x + lengths[k] * sp.cos(angle), y + lengths[k] * sp.sin(angle)
        L += masses[k] * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - masses[k] * gravity * y
    at = lagranges_method(L, q)
    eq = da.textbook.planar_chain(n).equations()
    for _ in range(3):
        values = random_state(eq, rng)
        theirs = at(by_name(values))
        assert eq.M.evaluate(values) == pytest.approx(theirs.M, rel=1e-11, abs=1e-10)
        assert column(eq.bias, values) == pytest.approx(theirs.h, rel=1e-10, abs=1e-10)


def test_planar_chain_of_no_links_is_refused():
    with pytest.raises(da.InvalidSystem, match="at least one link, got 0"):
        da.textbook.planar_chain(0)


@pytest.mark.parametrize(
    "name",
    [
        "spherical_pendulum",
        "cart_pole",
        "double_pendulum",
        "furuta_pendulum",
        "driven_pendulum",
        "free_rigid_body",
        "rolling_disc",
        "knife_edge",
    ],
)
def test_all_proofs_hold(name):
    proofs = getattr(da.textbook, name)().equations().prove()
    assert [p.statement for p in proofs if not p.is_proved] == []
