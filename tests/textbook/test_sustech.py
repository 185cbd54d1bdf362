"""SUSTech ME331, section 11: particle, geared link, elastic joint, two particles on a wire."""

from __future__ import annotations

import pytest

import dalembert as da

m, g, l, r, k = da.parameters("m g l r k")
J_m, J_l, B_m, B_l, M = da.parameters("J_m J_l B_m B_l M")


def test_particle():
    (y,), (f,) = da.coordinates("y"), da.inputs("f")
    eq = da.textbook.particle().equations()
    assert da.equal(eq.T, m * y.dot**2 / 2)
    assert da.equal(eq.V, m * g * y)
    assert da.equal(eq.L, m * y.dot**2 / 2 - m * g * y)
    # m ÿ = f - m g
    assert da.equal(eq.residual, [m * y.ddot - (f - m * g)])
    assert da.equal(eq.accelerations(), [f / m - g])


# example 1: a link driven through a gear

(q,) = da.coordinates("q")
(tau_m,) = da.inputs("tau_m")


@pytest.fixture(scope="module")
def geared() -> da.Equations:
    return da.textbook.geared_link().equations()


def test_geared_link(geared):
    I = r**2 * J_m + J_l
    assert da.equal(geared.T, I * q.dot**2 / 2)
    assert da.equal(geared.V, M * g * l * (1 - da.cos(q)))
    # the torque at the link is u = r τ_m; damping with the corrected B
    B, u = r**2 * B_m + B_l, r * tau_m
    assert da.equal(geared.residual, [I * q.ddot + B * q.dot + M * g * l * da.sin(q) - u])
    assert da.equal(geared.M, [[I]])
    assert da.equal(geared.forces, [u])


def test_printed_damping_does_not_balance_power(geared):
    # the two dampers turn at q̇ and at r q̇ and take the power B_m (r q̇)² + B_l q̇²
    heat = B_m * (r * q.dot) ** 2 + B_l * q.dot**2
    power_in = tau_m * (r * q.dot)
    energy_rate = da.ddt(geared.T + geared.V)
    u, I = r * tau_m, r**2 * J_m + J_l

    def balance(B: da.Expr) -> da.Expr:
        qdd = (u - B * q.dot - M * g * l * da.sin(q)) / I
        return energy_rate.subs({q.ddot: qdd}) - (power_in - heat)

    assert da.equal(balance(r**2 * B_m + B_l), 0)
    assert not da.equal(balance(r * B_m + B_l), 0)
    assert da.equal(balance(r * B_m + B_l).subs({r: 1}), 0)


# example 2: an elastic joint; q₁ is the link and q₂ the motor (the slide's words are swapped)


def test_elastic_joint():
    q1, q2 = da.coordinates("q1 q2")
    (u,) = da.inputs("u")
    eq = da.textbook.elastic_joint().equations()
    assert da.equal(eq.T, J_l * q1.dot**2 / 2 + J_m * q2.dot**2 / 2)
    assert da.equal(eq.V, M * g * l * (1 - da.cos(q1)) + k * (q1 - q2) ** 2 / 2)
    first = J_l * q1.ddot + M * g * l * da.sin(q1) + k * (q1 - q2)
    second = J_m * q2.ddot + k * (q2 - q1) - u
    assert da.equal(eq.residual, [first, second])


# two particles joined by a rigid wire

x1, y1, x2, y2 = da.coordinates("x1 y1 x2 y2")
m1, m2 = da.parameters("m1 m2")
f1x, f1y, f2x, f2y = da.inputs("f1x f1y f2x f2y")
f1, f2 = da.Matrix.column([f1x, f1y]), da.Matrix.column([f2x, f2y])
d = da.Matrix.column([x1 - x2, y1 - y2])


@pytest.fixture(scope="module")
def wire() -> da.Equations:
    return da.textbook.wire_particles().equations()


def test_wire_constraint(wire):
    assert da.equal(wire.a, [d.dot(d) - l**2])
    # (r₁ - r₂)ᵀ(δr₁ - δr₂) = 0, up to the factor 2
    assert da.equal(wire.A, [[2 * d[0], 2 * d[1], -2 * d[0], -2 * d[1]]])
    assert wire.degrees_of_freedom() == 3


def test_wire_pulls_along_itself(wire):
    # f₁ᵃ = c (r₁ - r₂) and f₂ᵃ = -c (r₁ - r₂) with c = 2λ
    (lam,) = wire.lam
    force = wire.A.T @ da.Matrix.column([lam])
    assert da.equal(force, [*(d * (2 * lam)), *(d * (-2 * lam))])
    first = da.Matrix.column([*force][:2])
    assert da.equal(first[0] * d[1] - first[1] * d[0], 0)


def test_wire_equations(wire):
    (lam,) = wire.lam
    pull = d * (2 * lam)
    expected = [
        m1 * x1.ddot - f1x - pull[0],
        m1 * y1.ddot - f1y - pull[1],
        m2 * x2.ddot - f2x + pull[0],
        m2 * y2.ddot - f2y + pull[1],
    ]
    assert da.equal(wire.residual, expected)


def test_wire_multiplier_by_hand(wire):
    # d = r₁ - r₂ has d·ḋ = 0 and d·d̈ = -ḋ·ḋ. With m₁ r̈₁ = f₁ + 2λd and m₂ r̈₂ = f₂ - 2λd,
    # d̈ = f₁/m₁ - f₂/m₂ + 2λ (1/m₁ + 1/m₂) d, and the product with d gives λ
    rate = d.ddt()
    push = f1 / m1 - f2 / m2
    expected = -(rate.dot(rate) + d.dot(push)) / (2 * d.dot(d) * (1 / m1 + 1 / m2))
    assert da.equal(wire.multipliers(), [expected])


def test_wire_does_no_virtual_work(wire):
    # virtual displacements: both particles together, and a turn about the middle
    (lam,) = wire.lam
    force = wire.A.T @ da.Matrix.column([lam])
    for motion in ([1, 0, 1, 0], [0, 1, 0, 1], [-d[1], d[0], d[1], -d[0]]):
        displacement = da.Matrix.column(motion)
        assert da.equal(wire.A @ displacement, [0])
        assert da.equal(force.dot(displacement), 0)
    # a stretch is no virtual displacement, and there the wire does work
    stretch = da.Matrix.column([*d, *(-d)])
    assert not da.equal(force.dot(stretch), 0)


@pytest.mark.parametrize("name", ["particle", "geared_link", "elastic_joint", "wire_particles"])
def test_all_proofs_hold(name):
    proofs = getattr(da.textbook, name)().equations().prove()
    assert [p.statement for p in proofs if not p.is_proved] == []
