from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import evaluate_structure, payload, reflected_inertia, rest_torque
from dalembert.mechanism import Resistance

M1, M2, A1, A2, C1, C2, G = 2.0, 1.5, 1.0, 0.8, 0.4, 0.3, 9.81


def planar(effort: tuple[float, float] | None = None) -> da.Model:
    """Return the 2R arm in the vertical plane with numbers, and perhaps effort limits."""
    arm = da.textbook.robots.planar_arm_nr(2)
    names = "m1 m2 a1 a2 a_c1 a_c2 I1 I2 g"
    values = (M1, M2, A1, A2, C1, C2, 0.1, 0.05, G)
    arm = arm.bind(dict(zip(da.parameters(names), values, strict=True)))
    if effort:
        joints = [
            replace(j, limits=j.limits._replace(effort=e))
            for j, e in zip(arm.joints, effort, strict=True)
        ]
        arm = replace(arm, joints=tuple(joints))
    return da.compile(arm)


def test_torque_at_rest_of_the_stretched_arm():
    result = rest_torque(planar((100.0, 20.0)), samples=500, progress=False)
    # both links horizontal: the moments of their weights
    second = M2 * G * C2
    first = M1 * G * C1 + M2 * G * (A1 + C2)
    np.testing.assert_allclose(result.maximum, [first, second], rtol=1e-9)
    np.testing.assert_allclose(result.load, [first / 100, second / 20], rtol=1e-9)
    q1, q2 = result.configurations[0]
    assert abs(np.cos(q1)) == pytest.approx(1, abs=1e-6)
    assert np.cos(q2) == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(result.compensation, 0, atol=1e-12)
    assert str(result).splitlines()[0].split() == [
        *("joint", "torque", "at", "rest", "effort", "load", "by", "springs", "at")
    ]


def test_spring_takes_its_part_of_the_weight():
    # a pendulum with its stiff spring: τ = m g c sin q + k q for q from the hanging rest
    arm = da.Builder("pendulum").link("a", mass=2, com=(0, 0, -0.5)).revolute("j", "a", axis="y")
    joint = replace(arm.build().joints[0], resistance=Resistance(stiffness=3))
    model = da.compile(replace(arm.build(), joints=(joint,)))
    result = rest_torque(model, samples=4000)
    q = np.linspace(-np.pi, np.pi, 200_001)
    tau, weight = 9.81 * np.sin(q) + 3 * q, 9.81 * np.sin(q)
    assert result.maximum[0] == pytest.approx(np.abs(tau).max(), rel=1e-9)
    expected = 1 - np.sqrt((tau**2).mean() / (weight**2).mean())
    assert result.compensation[0] == pytest.approx(expected, rel=0.05)


def test_payload_of_the_stretched_arm():
    model = planar((60.0, 15.0))
    result = payload(model, [[0.0, 0.0], [np.pi / 2, 0.0], [0.0, np.pi / 2]], "tip")
    first = (60 - M1 * G * C1 - M2 * G * (A1 + C2)) / (G * (A1 + A2))
    second = (15 - M2 * G * C2) / (G * A2)
    assert result.mass[0] == pytest.approx(min(first, second), rel=1e-12)
    # upright no joint feels the load; with the forearm up only the first does
    assert result.mass[1] == np.inf
    assert result.joint[1] == -1
    assert result.mass[2] == pytest.approx((60 - M1 * G * C1 - M2 * G * A1) / (G * A1), rel=1e-9)
    assert list(result.joint) == [0 if first < second else 1, -1, 0]
    assert result.holds_itself.all()


def test_payload_is_the_one_of_the_loaded_mechanism(rng):
    arm = da.textbook.robots.ur5e()
    model = da.compile(arm)
    effort = np.array([150.0, 150, 150, 28, 28, 28])
    q = rng.uniform(-2, 2, (40, 6))
    result = payload(model, q, "link6", effort=effort)
    for k in range(5):
        loaded = arm.with_payload("link6", mass=float(result.mass[k]))
        used = np.abs(da.compile(loaded).gravity(q[k])) / effort
        assert used.max() == pytest.approx(1.0, rel=1e-9)
        assert used.argmax() == result.joint[k]
    assert "limited by" in str(result)


def test_arm_too_weak_for_itself_carries_nothing():
    result = payload(planar((20.0, 15.0)), [0.0, 0.0], "tip")
    assert result.mass == 0
    assert not result.holds_itself
    assert result.joint == 0
    assert "does not hold itself in 1 of them" in str(result)


def test_load_may_relieve_a_joint():
    # the elbow's weight pulls one way, the load the other: only the far bound counts
    model = planar((60.0, 15.0))
    q = np.array([0.0, np.pi])
    tau = model.gravity(q)
    result = payload(model, q, "tip")
    w = np.array([G * (A1 - A2), -G * A2])
    bounds = (np.array([60.0, 15.0]) - np.sign(w) * tau) / np.abs(w)
    assert result.mass == pytest.approx(bounds.min(), rel=1e-9)


def test_reflected_inertia_is_force_over_acceleration(rng):
    model = da.compile(da.textbook.robots.panda())
    q = rng.uniform(-1, 1, (5, 7)) + np.array([0, 0, 0, -1.5, 0, 1.5, 0])
    u = rng.normal(size=(4, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    result = reflected_inertia(model, q, "link7", u)
    still = np.zeros(7)
    for n in range(5):
        J = model.jacobian(q[n], "link7")[:3]
        for d in range(4):
            # push with 1 N along u while the motors carry the weight
            qdd = model.forward_dynamics(q[n], still, model.gravity(q[n]) + J.T @ u[d])
            assert 1 / (u[d] @ J @ qdd) == pytest.approx(result.values[n, d], rel=1e-9)


def test_reflected_inertia_of_a_pendulum():
    rod = da.Builder("rod").link("a", mass=3, com=(1, 0, 0)).revolute("j", "a", axis="z")
    model = da.compile(rod.frame("tip", "a", origin=(2, 0, 0)).build())
    result = reflected_inertia(model, [0.0], "tip")
    # a point mass at half the lever counts a quarter; along and across the axis nothing moves
    np.testing.assert_allclose(result.values, [np.inf, 0.75, np.inf])
    turning = reflected_inertia(model, [0.0], "tip", [0, 0, 2], angular=True)
    np.testing.assert_allclose(turning.values, [3.0])
    with pytest.raises(da.EvaluationError, match="directions"):
        reflected_inertia(model, [0.0], "tip", [0, 0, 0])


def test_structure_prints_all_tables():
    text = str(evaluate_structure(planar((60.0, 15.0)), "tip", samples=300, progress=False))
    for words in ("workspace of 'tip'", "torque at rest", "reflected inertia", "payload at"):
        assert words in text
    assert evaluate_structure(planar(), "tip", samples=50).payload is None


def test_loops_and_missing_limits_are_refused():
    with pytest.raises(da.InvalidMechanism, match="effort limits in planar_2r, got none"):
        payload(planar(), [0.0, 0.0], "tip")
    four_bar = da.compile(da.textbook.robots.four_bar())
    with pytest.raises(da.InvalidMechanism, match="with loops or couplings"):
        rest_torque(four_bar)
