"""Couplings, springs and motors over three and more joints."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName

J = (0.3, 0.7, 0.2)


def wheels(*, inertias=J, **options):
    """Return wheels that turn about one axis, each by itself."""
    builder = da.Builder("wheels", gravity=(0, 0, 0))
    for k, I in enumerate(inertias, 1):
        builder.link(f"w{k}", mass=1, inertia=(I, I, I))
        builder.revolute(f"j{k}", f"w{k}", parent="world", **options)
    return builder


def arm():
    """Return a chain of three rods with everything over its three joints."""
    builder, rod = da.Builder("arm"), {"mass": 1, "com": (0.5, 0, 0), "inertia": (0.01, 0.1, 0.1)}
    for k in range(3):
        builder.link(f"l{k}", **rod).revolute(f"j{k}", f"l{k}", axis="y", origin=(min(k, 1), 0, 0))
    over = {"j0": 1, "j1": 2, "j2": -1}
    builder.joint_spring("tendon", over, stiffness=5, damping=0.3, armature=0.2, rest=0.1)
    return builder.actuator("motor", {"j0": 1, "j1": 0.5, "j2": 0.25}, gear_ratio=10, effort=3)


def test_a_differential_by_hand():
    """q3 = (q1 + q2)/2: M of (q1, q2) is diag(J1, J2) + J3/4 everywhere."""
    gear = wheels().couple("diff", "j3", {"j1": 0.5, "j2": 0.5}).build()
    assert gear.degrees_of_freedom == 2
    model, tau = da.compile(gear), np.array([0.4, -0.1, 0.6])
    M = np.diag(J[:2]) + J[2] / 4
    expected = np.linalg.solve(M, tau[:2] + tau[2] / 2)
    qdd = model.forward_dynamics(np.zeros(3), np.zeros(3), tau)
    np.testing.assert_allclose(qdd, [*expected, expected.mean()], rtol=1e-12)


def test_a_spring_over_three_joints_by_hand():
    """V = ½ k (q1 + 2 q2 - q3)² has one mode: ω² = k Σ c²/J, the other two drift."""
    spring = wheels().joint_spring("tendon", {"j1": 1, "j2": 2, "j3": -1}, stiffness=5).build()
    model = da.compile(spring)
    omega = np.sqrt(5 * (1 / J[0] + 4 / J[1] + 1 / J[2]))
    assert da.analysis.modes(model, np.zeros(3)).hertz.max() == pytest.approx(omega / 2 / np.pi)


def test_laws_of_several_joints_and_of_time():
    """q1 = q2 q3 + sin t: positions, velocities and accelerations keep it."""
    law = wheels().couple("product", "j1", ("j2", "j3"), lambda x, y: x * y + da.sin(da.time))
    model = da.compile(law.build())
    motion = da.simulate(model, [0.06, 0.2, 0.3], [1.0, 0, 0], 3.0, initial="project")
    assert motion.ok
    q1, q2, q3 = motion.q.T
    np.testing.assert_allclose(q1, q2 * q3 + np.sin(motion.t), atol=1e-10)
    assert motion.energy_error < 1e-10


def test_everything_is_proved_kept_in_files_and_compiled():
    coupled = arm().couple("product", "j0", ("j1", "j2"), lambda x, y: x * y + x / 3).build()
    assert all(proof.is_proved for proof in coupled.prove())
    assert all(proof.is_proved for proof in da.compile(coupled).prove())
    assert pickle.loads(pickle.dumps(coupled)) == coupled
    assert coupled.rename({}, prefix="a_").rename({"a_j0": "x"}).couplings[0].joints[0] == "x"


def test_files_before_springs_over_several_joints_are_read(tmp_path):
    new = wheels().joint_spring("s", "j1", "j2", ratio=3, stiffness=2).couple("c", "j3", "j1", 2, 5)
    da.save(new.build(), tmp_path / "new.json")
    text = (tmp_path / "new.json").read_text()
    old = text.replace(
        '"terms": {\n    "j1": "1",\n    "j2": "-3"\n   }',
        '"joint": "j1", "other": "j2", "ratio": "3"',
    )
    old = old.replace('"others": [\n    "j1"\n   ]', '"other": "j1"')
    (law,) = [line for line in old.splitlines() if '"law"' in line]
    old = old.replace(law, '"coefficients": ["5"], "profile": "2*extension1"')
    assert "terms" not in old
    found = da.load(old)
    assert found == new.build()


def test_a_locked_joint_leaves_the_others():
    """x = q1 + 2 q2 - q3 - 0.1 with q2 held at 0.3: rest - 0.6; the motor keeps two joints."""
    locked = arm().couple("sum", "j0", {"j1": 2, "j2": 1}).build().lock("j1", at={"j1": 0.3})
    spring: Any
    (spring,), (motor,), (coupling,) = locked.springs, locked.actuators, locked.couplings
    assert (spring.terms, spring.rest) == ((("j0", 1), ("j2", -1)), Fraction(-1, 2))
    assert (motor.terms, motor.gear_ratio) == ((("j0", 1), ("j2", Fraction(1, 4))), 10)
    assert coupling.joints == ("j0", "j2")
    # j0 = 2 · 0.3 + j2, and with j0 held too j2 = 0.5 - 0.6
    assert coupling.law.at([0.2]) == pytest.approx(0.8)
    (left,) = locked.lock("j0", at={"j0": 0.5}).couplings
    assert left.joint == "j2"
    assert left.law.at([]) == pytest.approx(-0.1)


def test_motors_that_share_joints():
    """One motor on three joints: LQR uses its effort alone, others say that they cannot."""
    model = da.compile(arm().build())
    assert model.actuation.matrix.tolist() == [[10], [5], [2.5]]
    (rest,) = da.analysis.equilibria(model, starts=[model.neutral])
    regulator = da.control.LQR(model, rest.q, 1.0, 1.0)
    assert (regulator.poles.real < 0).all()
    tau = regulator(0.0, rest.q + np.array([0.1, -0.2, 0.05]), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(tau / tau[0], [1, 0.5, 0.25], rtol=1e-12)
    with pytest.raises(InvalidMechanism, match="a motor for each of the 3 driven joints"):
        da.control.PDGravity(model, rest.q, stiffness=1, damping=1)
    # two motors on two joints, as in a differential wrist, can give any torque
    wrist = (
        wheels(inertias=J[:2]).actuator("a", {"j1": 1, "j2": 1}).actuator("b", {"j1": 1, "j2": -1})
    )
    da.control.PDGravity(da.compile(wrist.build()), [0, 0], stiffness=1, damping=1)


def test_refusals():
    with pytest.raises(UnknownName, match="expected spring 's' between joints"):
        wheels().joint_spring("s", {"j1": 1, "j9": 2}).build()
    with pytest.raises(
        InvalidMechanism, match="factors of the joints of spring 's' that are not 0"
    ):
        wheels().joint_spring("s", {"j1": 0})
    with pytest.raises(InvalidMechanism, match="armature and damping of a joint_spring"):
        wheels().actuator("m", {"j1": 1, "j2": 1}, rotor_inertia=1).build()
    with pytest.raises(InvalidMechanism, match="function of 2 expressions"):
        wheels().couple("c", "j1", ("j2", "j3"), lambda x: x)
    with pytest.raises(InvalidMechanism, match="that move freely, got 'j9'"):
        wheels().couple("c", "j1", {"j9": 1}).build()
