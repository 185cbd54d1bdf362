"""Generalized forces by virtual work, against Jacobians written by hand."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.oracles import random_values

q1, q2, q3 = da.coordinates("q1 q2 q3")
m, l1, l2 = da.parameters("m l1 l2")
fx, fy, fz, tau, n = da.inputs("fx fy fz tau n")
s, c = da.sin, da.cos
tip = (l1 * c(q1) + l2 * c(q1 + q2), l1 * s(q1) + l2 * s(q1 + q2))


def forces(*loads: da.Load | da.Expr | int, coordinates=(q1, q2)) -> da.Matrix:
    T = sum(q.dot**2 for q in coordinates)
    return da.System(kinetic=T, coordinates=coordinates, forces=loads).equations().forces


def test_force_at_the_tip_of_a_planar_arm():
    # ψ = Jᵀ f with the Jacobian of SUSTech's two-link arm
    s12, c12 = s(q1 + q2), c(q1 + q2)
    J = da.Matrix([[-l1 * s(q1) - l2 * s12, -l2 * s12], [l1 * c(q1) + l2 * c12, l2 * c12]])
    assert da.equal(forces(da.Load(force=(fx, fy), point=tip)), J.T @ da.Matrix.column([fx, fy]))


def test_torque_on_a_link_turns_every_joint_before_it():
    # ω₂ = q̇₁ + q̇₂, so the torque works on both
    assert da.equal(forces(da.Load(torque=tau, orientation=q1 + q2)), [tau, tau])
    assert da.equal(forces(da.Load(torque=tau, orientation=q1)), [tau, 0])


def test_gear_multiplies_torque():
    (r,) = da.parameters("r")
    assert da.equal(forces(da.Load(torque=tau, orientation=r * q1)), [r * tau, 0])


def test_action_and_reaction_leave_the_relative_coordinate():
    # a motor between the links: -τ on the first, τ on the second
    loads = [da.Load(torque=-tau, orientation=q1), da.Load(torque=tau, orientation=q1 + q2)]
    assert da.equal(forces(*loads), [0, tau])


def test_wrench_is_force_plus_torque():
    wrench = da.Load(force=(fx, fy), point=tip, torque=n, orientation=q1 + q2)
    parts = [da.Load(force=(fx, fy), point=tip), da.Load(torque=n, orientation=q1 + q2)]
    assert da.equal(forces(wrench), forces(*parts))


def test_loads_add_to_listed_forces():
    assert da.equal(forces(tau, n, da.Load(force=(0, fy), point=(0, q2))), [tau, n + fy])


def test_torque_in_space_through_the_angular_velocity():
    # z-y arm: ω = q̇₁ z + q̇₂ R_z y, so ψ = (ξ_z, -s₁ ξ_x + c₁ ξ_y)
    R = da.rotation_z(q1) @ da.rotation_y(q2)
    load = da.Load(torque=(fx, fy, fz), orientation=R)
    assert da.equal(forces(load), [fz, -s(q1) * fx + c(q1) * fy])


def test_force_in_space():
    # a point at (x, y, z) = R_z(q₁) R_y(q₂) (l, 0, 0) = l (c₁c₂, s₁c₂, -s₂)
    R = da.rotation_z(q1) @ da.rotation_y(q2)
    r = R @ da.Matrix.column([l1, 0, 0])
    expected = [
        l1 * c(q2) * (-s(q1) * fx + c(q1) * fy),
        -l1 * (c(q1) * s(q2) * fx + s(q1) * s(q2) * fy + c(q2) * fz),
    ]
    assert da.equal(forces(da.Load(force=(fx, fy, fz), point=r)), expected)


def test_follower_force_depends_on_the_configuration():
    # thrust along the second link
    thrust = (fx * c(q1 + q2), fx * s(q1 + q2))
    assert da.equal(forces(da.Load(force=thrust, point=tip)), [fx * l1 * s(q2), 0])


def test_virtual_work_numerically(rng):
    """ψᵀδq equals fᵀ(r(q + δq) - r(q)) + ξᵀ(turn) to first order, by central differences."""
    R = da.rotation_z(q1) @ da.rotation_x(q2) @ da.rotation_y(q3)
    r = R @ da.Matrix.column([l1, l2, 1])
    load = da.Load(force=(fx, fy, fz), point=r, torque=(tau, n, 1), orientation=R)
    psi = forces(load, coordinates=(q1, q2, q3))
    values = random_values([q1, q2, q3, l1, l2, fx, fy, fz, tau, n], rng)
    step = 1e-5
    force = np.array([values[x] for x in (fx, fy, fz)])
    torque = np.array([values[tau], values[n], 1.0])
    work = []
    for q in (q1, q2, q3):
        moved = [values | {q: values[q] + sign * step} for sign in (1, -1)]
        dr = (r.evaluate(moved[0]) - r.evaluate(moved[1]))[:, 0] / (2 * step)
        spin = (R.evaluate(moved[0]) - R.evaluate(moved[1])) / (2 * step) @ R.evaluate(values).T
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        work.append(force @ dr + torque @ w)
    assert psi.evaluate(values)[:, 0] == pytest.approx(np.array(work), rel=1e-7, abs=1e-7)


def test_a_constant_force_is_a_potential():
    # the load (0, -m g) at the centre gives what gravity=(0, -g) gives
    (g,) = da.parameters("g")
    by_load = da.System.from_particles(
        [m], [tip], coordinates=[q1, q2], forces=[da.Load(force=(0, -m * g), point=tip)]
    ).equations()
    by_gravity = da.System.from_particles(
        [m], [tip], coordinates=[q1, q2], gravity=(0, -g)
    ).equations()
    assert da.equal(by_load.residual, by_gravity.residual)


def test_moving_point_with_explicit_time():
    # δt = 0: only ∂r/∂q counts
    point = (q1 + da.time**2, q2 * da.time)
    assert da.equal(forces(da.Load(force=(fx, fy), point=point)), [fx, fy * da.time])
