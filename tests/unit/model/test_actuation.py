"""Actuation: B of gears, mimic joints and passive joints, and who may use it."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control import LQR, PassivityBased
from dalembert.errors import DalembertError, InvalidMechanism
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.json import load_json, save_json

BODY = {"mass": 1, "inertia": (1, 1, 1)}


def robot(builder: da.Builder) -> da.Builder:
    """Return a free base with two fingers, one following the other."""
    return (
        builder.link("base", **BODY)
        .floating("free", "base")
        .link("left", **BODY)
        .revolute("finger", "left", axis="y", origin=(1, 0, 0))
        .link("right", **BODY)
        .revolute("thumb", "right", parent="base", axis="y", mimic=("finger", -3))
        .link("tail", **BODY)
        .revolute("hip", "tail", parent="base", axis="x")
    )


def acrobot() -> Mechanism:
    """Return two links that hang, with a motor on the second hinge alone."""
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (1 / 12, 1 / 12, 0)}
    return (
        da.Builder("acrobot")
        .link("upper", **rod)
        .revolute("shoulder", "upper", axis="y", damping=0.1)
        .link("lower", **rod)
        .revolute("elbow", "lower", axis="y", origin=(0, 0, -1), damping=0.1)
        .actuator("motor", "elbow", gear_ratio=5, effort=2)
        .build()
    )


def test_gears_and_followers() -> None:
    """By powers: u r q̇ of a motor on the thumb, which turns -3 times as fast as the finger."""
    driven = robot(da.Builder("r")).actuator("m1", "thumb", gear_ratio=10, effort=4)
    model = da.compile(driven.actuator("m2", "hip", gear_ratio=2).build())
    actuation = model.actuation
    assert actuation.names == ("m1", "m2")
    expected = np.zeros((8, 2))
    expected[6, 0], expected[7, 1] = -30, 2
    assert actuation.matrix.tolist() == expected.tolist()
    assert actuation.effort.tolist() == [4, np.inf]
    assert actuation.torques([1, 10]).tolist() == [0, 0, 0, 0, 0, 0, -30, 20]


def test_without_actuators_all_but_the_free_base() -> None:
    model = da.compile(robot(da.Builder("r")).build())
    assert model.actuation.names == ("finger", "hip")
    assert model.actuation.matrix[6:].tolist() == np.eye(2).tolist()
    assert not model.actuation.matrix[:6].any()


def test_a_joint_without_actuator_has_no_torque() -> None:
    """Where the mechanism has actuators, the right side of the others is 0; and it is proved."""
    eq = acrobot().equations()
    assert [str(f) for f in eq.system.forces] == ["0", "τ₂"]
    assert all(proof.verdict == "proved" for proof in acrobot().prove())
    assert all(proof.verdict == "proved" for proof in da.compile(acrobot()).prove())


def test_lqr_uses_the_actuators() -> None:
    """The acrobot upright: one motor holds both links."""
    model = da.compile(acrobot())
    upright = [np.pi, 0.0]
    lqr = LQR(model, upright, 1.0, 1.0)
    assert lqr.B.shape == (4, 1)
    assert (lqr.poles.real < 0).all()
    torque = lqr(0.0, [np.pi + 0.01, 0.0], [0.0, 0.0])
    assert torque[0] == 0
    assert torque[1] != 0


def test_full_actuation_is_asked_for() -> None:
    with pytest.raises(InvalidMechanism, match="got none on shoulder: use ComputedTorque"):
        PassivityBased(da.compile(acrobot()), [0.0, 0.0], slope=1.0, damping=1.0)


def test_effort_survives_files_and_is_checked() -> None:
    assert load_json(save_json(acrobot())) == acrobot()
    with pytest.raises(DalembertError, match="expected effort that is not negative"):
        robot(da.Builder("r")).actuator("m", "hip", effort=-1).build()


def spherical_pendulum() -> Mechanism:
    """Return a rod that stands on a driven ball joint."""
    rod = {"mass": 2, "com": (0, 0, 0.5), "inertia": (0.2, 0.2, 0.01)}
    return da.Builder("stand").link("rod", **rod).spherical("ball", "rod").build()


def test_lqr_knows_orientations() -> None:
    """A rod upright on a ball: from a tilt of 0.5 rad about x it comes back, and stays."""
    model = da.compile(spherical_pendulum())
    lqr = LQR(model, [1, 0, 0, 0], 10.0, 1.0)
    assert lqr.A.shape == (6, 6)
    # by hand: about x and y gravity pushes over with m g c = 9.81 against I + m c² = 0.7
    assert np.abs(lqr.A[3:, :3] - np.diag([9.81 / 0.7, 9.81 / 0.7, 0])).max() < 1e-12
    tilted = [np.cos(0.25), np.sin(0.25), 0, 0]
    motion = da.simulate(model, tilted, None, 6.0, forces=lqr)
    assert motion.ok
    end = np.asarray(motion.q)[-1]
    assert abs(abs(end[0]) - 1) < 1e-4
    assert lqr.lyapunov(end, np.zeros(3)) < 1e-3 * lqr.lyapunov(tilted, np.zeros(3))


def test_lqr_says_what_joints_cannot_do_for_a_free_base() -> None:
    """Without gravity and thrusters the momentum of the whole stays: no torque reaches it."""
    body = da.Builder("satellite", gravity=(0, 0, 0)).link("hull", **BODY).floating("free", "hull")
    model = da.compile(body.link("arm", **BODY).revolute("joint", "arm", axis="x").build())
    with pytest.raises(DalembertError, match=r"got the mode λ = .* that they do not reach"):
        LQR(model, model.neutral, 1.0, 1.0)
