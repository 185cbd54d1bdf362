"""Gears, rotors, friction and elastic joints against results derived by hand and by other means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.expr.evaluate import evaluate
from dalembert.mechanism import Actuator
from dalembert.recursions.drive_regressor import drive_regressor
from dalembert.recursions.dynamics.articulated import forward_dynamics
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree

# accumulated rounding of a few hundred operations on numbers of order one
ROUNDING = 1e-12
J_m, J_l, B_m, B_l, M, g, l, r, k = da.parameters("J_m J_l B_m B_l M g l r k")
q1, q2 = da.coordinates("q1 q2")
tau1, tau2 = da.inputs("tau1 tau2")


def link_on_a_hinge(**joint: Any) -> da.Builder:
    """Return SUSTech's link: J_l about the hinge, M at distance l, hanging at q = 0."""
    inertia = (J_l - M * l**2, 0, 0)
    builder = da.Builder("link", gravity=(0, 0, -g))
    builder.link("link", mass=M, com=(0, 0, -l), inertia=inertia)
    return builder.revolute("hinge", "link", axis="x", **joint)


def geared_link() -> da.Mechanism:
    builder = link_on_a_hinge(damping=B_l)
    return builder.actuator("motor", "hinge", gear_ratio=r, rotor_inertia=J_m, damping=B_m).build()


def assert_all_proved(mechanism: da.Mechanism) -> None:
    for proof in mechanism.prove():
        assert proof.verdict == "proved", proof


def test_geared_link_of_sustech() -> None:
    """Example 1 by hand, with the erratum: the damping is r² B_m + B_l, not r B_m + B_l."""
    (residual,) = geared_link().equations().residual
    by_hand = (
        (r**2 * J_m + J_l) * q1.ddot + (r**2 * B_m + B_l) * q1.dot + M * g * l * da.sin(q1) - tau1
    )
    assert da.equal(residual, by_hand)


def test_geared_link_is_the_system_of_the_textbook() -> None:
    """The motor's torque reaches the joint as r τ_m."""
    (tau_m,) = da.inputs("tau_m")
    (q,) = da.coordinates("q")
    (mine,) = geared_link().equations().residual
    (theirs,) = da.textbook.geared_link().equations().residual
    same = {q1: q, q1.dot: q.dot, q1.ddot: q.ddot, tau1: r * tau_m}
    assert da.equal(mine.subs(same), theirs)


def test_geared_link_is_proved() -> None:
    assert_all_proved(geared_link())


def test_elastic_joint_of_sustech() -> None:
    """Example 2: q₁ is the link, q₂ the motor."""
    stiff = link_on_a_hinge().actuator("motor", "hinge", rotor_inertia=J_m).build()
    elastic = stiff.with_elastic_joint("hinge", stiffness=k)
    (u,) = da.inputs("u")
    mine = elastic.equations().residual.map(lambda x: x.subs({tau1: 0, tau2: u}))
    assert da.equal(mine, da.textbook.elastic_joint().equations().residual)
    by_hand = [
        J_l * q1.ddot + M * g * l * da.sin(q1) + k * (q1 - q2),
        J_m * q2.ddot - k * (q1 - q2) - u,
    ]
    assert all(da.equal(a, b) for a, b in zip(mine, by_hand, strict=True))
    assert_all_proved(elastic)


def test_gears_and_losses_of_an_elastic_joint_stay_on_their_sides() -> None:
    """The motor's coordinate is its angle divided by r: inertia r² J_m, damping r² B_m."""
    (d,) = da.parameters("d")
    elastic = geared_link().with_elastic_joint("hinge", stiffness=k, damping=d)
    residual = elastic.equations().residual
    shaft = k * (q1 - q2) + d * (q1.dot - q2.dot)
    by_hand = [
        # the link has no motor of its own
        J_l * q1.ddot + B_l * q1.dot + M * g * l * da.sin(q1) + shaft,
        r**2 * J_m * q2.ddot + r**2 * B_m * q2.dot - shaft - tau2,
    ]
    assert all(da.equal(a, b) for a, b in zip(residual, by_hand, strict=True))


def test_an_elastic_joint_needs_a_rotor() -> None:
    with pytest.raises(InvalidMechanism, match="rotor behind the elastic joint"):
        link_on_a_hinge().build().with_elastic_joint("hinge", stiffness=k)


m1, m2, mm, a1, l1, l2, I1, I2, Im1, Im2, k1, k2 = da.parameters(
    "m1 m2 mm a1 l1 l2 I1 I2 Im1 Im2 k1 k2"
)


def siciliano_arm() -> da.Mechanism:
    """Return the two-link arm of Siciliano et al. (2009), 7.3.2: motor 2 sits on link 1."""
    return (
        da.Builder("2R", gravity=(0, -g, 0))
        .link("one", mass=m1, com=(l1, 0, 0), inertia=(0, 0, I1))
        .revolute("j1", "one")
        .link("two", mass=m2, com=(l2, 0, 0), inertia=(0, 0, I2))
        .revolute("j2", "two", origin=(a1, 0, 0))
        .actuator("motor1", "j1", gear_ratio=k1, rotor_inertia=Im1, gyroscopic=True)
        .actuator("motor2", "j2", gear_ratio=k2, rotor_inertia=Im2, gyroscopic=True)
        .build()
        .with_payload("one", mass=mm, com=(a1, 0, 0), inertia=(0, 0, Im2))
    )


def test_two_links_with_motors_by_siciliano() -> None:
    """B(q) and g(q) as printed in section 7.3.2, c₂ = cos q₂."""
    eq = siciliano_arm().equations()
    c2 = da.cos(q2)
    b11 = (
        I1 + m1 * l1**2 + k1**2 * Im1 + I2 + m2 * (a1**2 + l2**2 + 2 * a1 * l2 * c2)
        + Im2 + mm * a1**2
    )  # fmt: skip
    b12 = I2 + m2 * (l2**2 + a1 * l2 * c2) + k2 * Im2
    b22 = I2 + m2 * l2**2 + k2**2 * Im2
    assert da.equal(eq.M, da.Matrix([[b11, b12], [b12, b22]]))
    second = m2 * l2 * g * da.cos(q1 + q2)
    first = (m1 * l1 + mm * a1 + m2 * a1) * g * da.cos(q1)
    assert da.equal(eq.N, da.Matrix.column([first + second, second]))


def test_siciliano_arm_is_proved() -> None:
    assert_all_proved(siciliano_arm())


def yawing_arm(axis: Sequence[int] | None) -> da.Mechanism:
    """Return a shoulder about z and an elbow about y, with a motor on the upper link."""
    return (
        da.Builder("arm", gravity=(0, 0, -g))
        .link("one", mass=m1, com=(l1, 0, 0), inertia=(1, 2, I1))
        .revolute("j1", "one", axis="z")
        .link("two", mass=m2, com=(l2, 0, 0), inertia=(1, I2, 3))
        .revolute("j2", "two", axis="y", origin=(a1, 0, 0))
        .actuator("motor", "j2", gear_ratio=3, rotor_inertia=Im2, gyroscopic=True, axis=axis)
        .build()
    )


@pytest.mark.parametrize("axis", [None, (0, 0, 1), (1, 0, 0), (0, 0, -1)])
def test_a_rotor_is_a_body_that_turns(axis: Sequence[int] | None) -> None:
    """The same arm from explicit bodies, the rotor one of them, turning by 3 q₂ in its housing."""
    at = [int(bool(x)) for x in axis or (0, 1, 0)]
    sign = sum(axis or (0, 1, 0))
    (It,) = da.parameters("I_t")
    moments = [Im2 if x else It for x in at]
    arm = yawing_arm(axis).with_payload("one", mass=mm, com=(a1 / 2, 0, 0), inertia=moments)
    turn = (da.rotation_x, da.rotation_y, da.rotation_z)[at.index(1)]
    R1 = da.rotation_z(q1)
    R2 = R1 @ da.rotation_y(q2)
    elbow = R1 @ da.Matrix.column([a1, 0, 0])
    bodies = [
        da.Body(m1, R1 @ da.Matrix.column([l1, 0, 0]), diagonal(1, 2, I1), R1),
        da.Body(m2, elbow + R2 @ da.Matrix.column([l2, 0, 0]), diagonal(1, I2, 3), R2),
        da.Body(mm, elbow.map(lambda x: x / 2), diagonal(*moments), R1 @ turn(sign * 3 * q2)),
    ]
    system = da.System.from_bodies(
        bodies, coordinates=[q1, q2], gravity=(0, 0, -g), forces=[0, tau2]
    )
    eq, mine = system.equations(), arm.equations()
    assert da.equal(mine.M, eq.M)
    assert da.equal(mine.residual, eq.residual)
    assert_all_proved(arm)


def diagonal(*entries: Any) -> da.Matrix:
    return da.Matrix([[x if i == j else 0 for j in range(3)] for i, x in enumerate(entries)])


def test_the_shortcut_leaves_out_the_coupling_alone() -> None:
    """Full less diagonal: J r aᵀω₁ q̇₂, with aᵀω₁ = q̇₁ for a rotor about z."""
    full = yawing_arm((0, 0, 1))
    shortcut = da.Mechanism(
        full.name, full.links, full.joints, full.gravity,
        actuators=(Actuator("motor", "j2", 3, Im2),),
    )  # fmt: skip
    M_full, M_short = full.equations().M, shortcut.equations().M
    coupling = da.Matrix([[0, 3 * Im2], [3 * Im2, 0]])
    assert da.equal(M_full - M_short, coupling)


def test_forward_dynamics_inverts_with_a_rotor(rng: np.random.Generator) -> None:
    values = {x: float(rng.uniform(2, 2.9)) for x in yawing_arm(None).parameters}
    tree = Tree.of(yawing_arm(None).bind(values)).map(float)
    q, v, a = (list(rng.normal(size=2)) for _ in range(3))
    tau = inverse_dynamics(tree, q, v, a)
    assert forward_dynamics(tree, q, v, tau) == pytest.approx(a, rel=ROUNDING, abs=ROUNDING)


def test_a_huge_ratio_costs_nothing() -> None:
    """The rotor's frame does not turn: no cosine of 10⁶ q enters."""
    arm = siciliano_arm().bind({k2: 10**6})
    assert da.equal(arm.equations().M[0, 1], siciliano_arm().equations().M[0, 1].subs({k2: 10**6}))


def test_friction_by_hand(rng: np.random.Generator) -> None:
    """-(B + r² B_m) v - (F + S e^{-(v/v_s)²}) sign v - r F_m sign(r v), numbers and graph."""
    B, F, S, v_s, F_m, s = 0.3, 0.7, 0.4, 0.2, 0.05, 0.01
    arm = (
        da.Builder("link")
        .link("a", mass=1, inertia=(1, 1, 1))
        .revolute("j", "a", damping=B, friction=F, stribeck=S, stribeck_velocity=v_s)
        .actuator("m", "j", gear_ratio=-20, damping=0.001, friction=F_m)
        .build()
    )
    v = rng.normal(size=5)
    dry = F + S * np.exp(-((v / v_s) ** 2))
    rough = -(B + 400 * 0.001) * v - dry * np.sign(v) - 20 * F_m * np.sign(v)
    tree = Tree.of(arm).map(float)
    assert passive_forces(tree, [0.0], [v])[0] == pytest.approx(rough, rel=ROUNDING)
    smooth = -(B + 0.4) * v - dry * np.tanh(v / s) - 20 * F_m * np.tanh(20 * v / s)
    soft = passive_forces(tree, [0.0], [v], smoothing=s)
    assert soft[0] == pytest.approx(smooth, rel=ROUNDING)
    (graph,) = arm.equations().residual
    zero = {q1: 0.0, q1.ddot: 0.0, tau1: 0.0}
    values = [evaluate([graph], zero | {q1.dot: float(x)})[0] for x in v]
    assert values == pytest.approx(-rough, rel=ROUNDING)


def test_friction_acts_in_the_equations_and_is_proved() -> None:
    F, S, v_s = da.parameters("F S v_s")
    arm = link_on_a_hinge(friction=F, damping=B_l)
    arm.actuator("m", "hinge", gear_ratio=r, friction=F, stribeck=S, stribeck_velocity=v_s)
    assert_all_proved(arm.build())
    (force,) = arm.build().equations().forces
    w = r * q1.dot
    motor = r * da.sign(w) * (F + S * da.exp(-((w / v_s) ** 2)))
    assert da.equal(force, tau1 - F * da.sign(q1.dot) - motor)


def test_drive_regressor_by_hand() -> None:
    """Columns of the geared link with a spring: armature q̈, damping q̇, friction sign q̇, …"""
    (F,) = da.parameters("F")
    arm = link_on_a_hinge(friction=F, stiffness=k, rest=2, armature=J_m)
    arm.actuator("motor", "hinge", gear_ratio=r, damping=B_m)
    Y, theta, labels = drive_regressor(Tree.of(arm.build()), [q1], [q1.dot], [q1.ddot])
    table = dict(zip(labels, zip(Y[0], theta, strict=True), strict=True))
    expected = {
        "link.Ixx": (q1.ddot, J_l),
        "hinge.armature": (q1.ddot, J_m),
        "hinge.damping": (q1.dot, 0),
        "hinge.friction": (da.sign(q1.dot), F),
        "hinge.stiffness": (q1, k),
        "hinge.preload": (-1, 2 * k),
        "motor.damping": (r**2 * q1.dot, B_m),
    }
    for label, (y, p) in expected.items():
        assert da.equal(table[label][0], y), label
        assert da.equal(table[label][1], p), label
    assert len(labels) == len(set(labels)) == 10 + 6


def test_drive_regressor_of_everything_at_random(rng: np.random.Generator) -> None:
    """Y θ = inverse dynamics less the passive forces; a payload's columns multiply its numbers."""
    arm = (
        da.Builder("arm")
        .link("base", mass=3, com=(0.1, 0, 0.2), inertia=(1, 2, 2.5))
        .floating("free", "base", armature=0.3, damping=0.2, friction=0.1)
        .link("a", mass=2, com=(0.1, 0.3, 0), inertia=(1, 1.5, 2))
        .revolute("j1", "a", axis=(1, 2, 2), stiffness=3, rest=0.2, damping=0.1, friction=0.4)
        .link("b", mass=1, com=(0, 0.1, 0.2), inertia=(0.5, 0.6, 0.7, 0.01, 0.02, 0.03))
        .prismatic("j2", "b", axis="x", origin=(0.3, 0, 0), stribeck=0.4, stribeck_velocity=0.5)
        .actuator("m1", "j1", gear_ratio=9, rotor_inertia=0.01, friction=0.1, gyroscopic=True)
        .actuator("m2", "j2", gear_ratio=40, rotor_inertia=0.01, stribeck=0.1, axis="y", host="a",
                  gyroscopic=True)
        .spring("s", ("world", (0, 0, 1)), ("b", (0, 1, 0)), stiffness=2, rest_length=1, damping=3)
        .joint_spring("t", "j1", "j2", stiffness=2, ratio=0.5, rest=0.1, damping=0.7)
        .build()
    )  # fmt: skip
    quaternion = rng.normal(size=4)
    q = [*rng.normal(size=3), *(quaternion / np.linalg.norm(quaternion)), *rng.normal(size=2)]
    v, a = rng.normal(size=8), rng.normal(size=8)
    tree = Tree.of(arm).map(float)
    Y, theta, labels = drive_regressor(tree, q, v, a, payload="b")
    resisting = np.array(passive_forces(tree, q, v))
    tau = np.array(inverse_dynamics(tree, q, v, a)) - resisting
    assert np.array(Y, float) @ np.array(theta) == pytest.approx(tau, rel=ROUNDING, abs=ROUNDING)
    assert {"m1_rotor.J", "m2_rotor.J", "s.preload", "free.armature"} <= set(labels)

    load = {"mass": 1.5, "com": (0.1, 0.2, 0.3), "inertia": (0.2, 0.3, 0.4)}
    loaded = Tree.of(arm.with_payload("b", **load)).map(float)
    m, h, I = da.Link.of("load", **load).inertia
    theta[-10:] = [float(x) for x in (m, *h, *I)]
    tau = np.array(inverse_dynamics(loaded, q, v, a)) - resisting
    assert np.array(Y, float) @ np.array(theta) == pytest.approx(tau, rel=ROUNDING, abs=ROUNDING)


def test_mass_matrix_is_the_quadratic_form_of_explicit_speeds(rng: np.random.Generator) -> None:
    """T = T without rotors + ½ J (aᵀω + r q̇)² - ½ J (aᵀω)², on numbers."""
    arm = yawing_arm((1, 2, 2))
    values = {x: float(rng.uniform(2, 2.9)) for x in arm.parameters}
    bound = arm.bind(values)
    plain = da.Mechanism(bound.name, bound.links, bound.joints, bound.gravity)
    q, v = rng.normal(size=2), rng.normal(size=2)
    forms = [
        0.5 * v @ np.array(mass_matrix(Tree.of(x).map(float), list(q)), float) @ v
        for x in (bound, plain)
    ]
    along = np.array([1, 2, 2]) / 3 @ np.array([0, 0, v[0]])
    gain = 0.5 * values[Im2] * ((along + 3 * v[1]) ** 2 - along**2)
    assert forms[0] - forms[1] == pytest.approx(gain, rel=1e-11)
