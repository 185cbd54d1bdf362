"""A humanoid under the torques of `WholeBody` in MuJoCo: it squats, leans and reaches."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import ik
from dalembert.control import SurfaceContact, WholeBody
from tests.cases import num_cases

mujoco = pytest.importorskip("mujoco", reason="the oracle MuJoCo is not installed")
pytest.importorskip("daqp", reason="the solver daqp is not installed")

ZOO = os.environ.get("DALEMBERT_ZOO", "")
FRICTION = 0.6
DT = 0.002
STEP = 0.0005
FLOOR = f'<worldbody><geom name="floor" type="plane" size="5 5 .1" friction="{FRICTION}"/>'


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to compare with")
def test_a_humanoid_squats_leans_and_reaches(scale: float) -> None:
    path = Path(ZOO) / "g1" / "g1_nomesh.xml"
    robot = da.load(path)
    model = da.compile(robot)
    names = model.configuration.q_names
    q = model.configuration.neutral.copy()
    for part, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
        for side in ("left", "right"):
            q[names.index(f"{side}_{part}_joint")] = angle
    feet = []
    for side in ("left", "right"):
        link = next(x for x in robot.links if x.name == f"{side}_ankle_roll_link")
        balls = [
            (np.array(x.placement.p, float), float(x.geometry.radius))  # type: ignore[union-attr]
            for x in link.collisions
        ]
        soles = [(p - [0, 0, r]).tolist() for p, r in balls]
        feet.append(SurfaceContact(link.name, FRICTION, soles))
    sole = np.array(feet[0].points[0])
    q[2] -= (model.forward_kinematics(q, feet[0].frame) @ [*sole, 1])[2]
    c, hand = model.center_of_mass(q), "left_wrist_yaw_link"
    H = model.forward_kinematics(q, hand)
    tasks = [
        ik.CenterOfMassTask(c, 10.0),
        ik.OrientationTask("torso_link", model.forward_kinematics(q, "torso_link")[:3, :3], 3.0),
        ik.MomentumTask([0.0, 0.0, 0.0], 0.3, rows=[3, 4, 5]),
        ik.PoseTask(hand, H, 2.0),
        ik.PostureTask(q, 0.3),
    ]
    law = WholeBody(
        model,
        tasks,
        dt=DT,
        contacts=feet,
        stiffness=[60, 60, 0, 60, 30],
        damping=[16, 16, 5, 16, 11],
    )
    text = path.read_text().replace("<worldbody>", FLOOR, 1)
    engine = mujoco.MjModel.from_xml_string(text)
    engine.opt.timestep = STEP
    # torques act on the joints, not through the position servos of the file
    engine.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    world = mujoco.MjData(engine)
    world.qpos[:] = q
    rows = sum(len(task.units) for task in tasks)
    rates, accelerations = np.zeros(rows), np.zeros(rows)
    away, low = [], np.inf
    for k in range(num_cases(1 / DT, min(scale, 10.0))):
        t, w = k * DT, 2 * np.pi / 2.5
        grow = min(t / 2, 1.0)
        # down by up to 12 cm, to both sides by 3 cm, a hand that swings
        aim = c.copy()
        aim[1] += 0.03 * grow * np.sin(2 * np.pi * t / 4)
        aim[2] -= 0.06 * grow * (1 - np.cos(w * t))
        rates[2], accelerations[2] = (
            -0.06 * grow * w * np.sin(w * t),
            -0.06 * grow * w**2 * np.cos(w * t),
        )
        reach = H.copy()
        reach[:3, 3] += grow * np.array([0.1 * np.sin(t), 0, 0.1 + 0.1 * np.sin(0.7 * t)])
        here, speed = world.qpos.copy(), world.qvel.copy()
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, here[3:7])
        # MuJoCo's linear velocity is in the world's axes
        speed[:3] = R.reshape(3, 3).T @ speed[:3]
        still = [task.target for task in tasks]
        tick = law.tick(here, speed, [aim, still[1], still[2], reach, q], rates, accelerations)
        across, load = np.hypot(*tick.forces.T[:2]), tick.forces[:, 2]
        assert (across <= FRICTION * load + 1e-6).all()
        assert tick.violation < 1e-6
        world.qfrc_applied[6:] = tick.torque[6:]
        for _ in range(round(DT / STEP)):
            mujoco.mj_step(engine, world)
        away.append(np.linalg.norm(model.center_of_mass(here) - aim))
        low = min(low, load.sum())
    # the file has dry friction of the joints, which the law does not cancel
    assert max(away) < 0.04
    assert low > 100
    X = model.forward_kinematics(world.qpos, feet[0].frame)
    assert np.abs(X[:3, 3] - model.forward_kinematics(q, feet[0].frame)[:3, 3]).max() < 5e-3
