"""Small MJCF models of our own, and MuJoCo's numbers for them."""

from __future__ import annotations

import importlib
import math
from typing import Any, NamedTuple

import numpy as np

from dalembert.mechanism import Joint, JointKind, Mechanism

# MuJoCo's names are made when it loads, where pyright does not see them
mujoco: Any = importlib.import_module("mujoco")

ARM = """
<mujoco model="arm">
  <compiler angle="degree" eulerseq="zyx"/>
  <default>
    <joint damping="0.3" armature="0.02"/>
    <default class="stiff"><joint stiffness="5" frictionloss="0.1"/></default>
  </default>
  <worldbody>
    <body name="base" pos="0.1 0.2 0.3" euler="30 10 -20">
      <geom type="box" size="0.1 0.2 0.05" mass="4"/>
      <body name="upper" pos="0 0 0.2" axisangle="0 1 1 40">
        <joint name="shoulder" axis="0 1 0" ref="25" range="-90 90" class="stiff" springref="10"/>
        <geom type="capsule" fromto="0 0 0 0.3 0.1 0" size="0.04" density="800"/>
        <body name="lower" pos="0.3 0.1 0" quat="0.8 0.2 -0.4 0.1">
          <joint name="elbow" axis="1 2 -0.5" pos="0.02 -0.01 0.03"/>
          <inertial pos="0.1 0.02 -0.01" mass="1.5"
            fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/>
          <site name="tool" pos="0.3 0 0" euler="0 90 0"/>
          <body name="slider" pos="0.1 0 0">
            <joint name="slide" type="slide" axis="1 1 0" ref="0.05" range="0 0.2"/>
            <geom size="0.05" mass="0.4"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

SEVERAL_JOINTS = """
<mujoco model="several">
  <option gravity="1 -2 -9"/>
  <worldbody>
    <body name="cart" pos="0 0 1" euler="10 20 30">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0.2 1 0" ref="0.3"/>
      <joint name="yaw" type="hinge" axis="0 0 1" pos="0.1 0 0"/>
      <geom type="box" size="0.2 0.1 0.05" mass="3"/>
      <body name="leg" pos="0 0 -0.1">
        <joint name="hip1" axis="1 0 0" pos="0 0 0.1"/>
        <joint name="hip2" axis="0 1 0" pos="0 0.05 0.1" ref="15"/>
        <joint name="hip3" axis="1 1 1"/>
        <geom type="cylinder" fromto="0 0 0 0.1 0 -0.4" size="0.03" mass="1"/>
      </body>
      <body name="other" pos="0 0.3 0">
        <joint axis="0 1 0"/>
        <joint axis="0 0 1"/>
        <geom size="0.1" mass="0.5" pos="0.2 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

FLYING = """
<mujoco model="flying">
  <worldbody>
    <body name="hull" pos="1 2 3" euler="20 0 0">
      <freejoint name="root"/>
      <inertial pos="0.1 -0.1 0.05" mass="7" diaginertia="0.3 0.4 0.5" euler="10 20 30"/>
      <body name="ball" pos="0.3 0 0" euler="0 30 0">
        <joint name="socket" type="ball" pos="0.02 0.03 -0.04" armature="0.1" damping="0.2"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" mass="2" pos="0 0 0.2"/>
        <body name="fin"><geom type="box" size="0.1 0.01 0.2" mass="0.3" pos="0.1 0 0.4"/></body>
      </body>
      <body name="wheel" pos="-0.3 0 0"><joint name="spin" axis="0 1 0"/>
        <geom type="cylinder" size="0.1 0.02" mass="0.5"/></body>
    </body>
    <body name="stone"><joint name="drop" type="free" damping="0.1"/>
      <geom size="0.1" mass="1"/></body>
  </worldbody>
</mujoco>
"""

CLOSED = """
<mujoco model="closed">
  <compiler angle="radian"/>
  <worldbody>
    <site name="anchor" pos="0.6 0 0" euler="0 0.3 0"/>
    <body name="a"><joint name="ja" axis="0 1 0" ref="0.2"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/>
      <site name="tip" pos="0.5 0 0" euler="0.1 0.2 0.3"/>
      <body name="b" pos="0.5 0 0"><joint name="jb" axis="0 1 0.2" ref="-0.1"/>
        <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body></body>
    <body name="c" pos="0 1 0" euler="0 0 0.4"><joint name="jc" axis="0 0 1"/>
      <joint name="jd" type="slide" axis="1 0 0"/>
      <geom size="0.1"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="b" body2="c" anchor="0.5 0.1 0"/>
    <connect name="sites" site1="tip" site2="anchor"/>
    <weld name="glue" body1="a" body2="c" anchor="0.1 0.2 0.3" torquescale="0.5"/>
    <weld name="relative" body1="b" body2="a" relpose="0.1 0.2 0.3 0.5 0.5 0.5 0.5"/>
    <weld name="stick" site1="tip" site2="anchor"/>
    <joint name="gear" joint1="jb" joint2="ja" polycoef="0.1 2 -0.5 0.25 0.125"/>
    <joint name="hold" joint1="jc" polycoef="0.3 0 0 0 0"/>
  </equality>
</mujoco>
"""

# both sides round each product once: a few ulp of the largest entry
ROUNDING = 1e-14
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MODELS = {"arm": ARM, "several": SEVERAL_JOINTS, "flying": FLYING, "closed": CLOSED}


class Dynamics(NamedTuple):
    """What MuJoCo computes at a state."""

    model: Any
    data: Any
    M: np.ndarray
    h: np.ndarray
    passive: np.ndarray


def mujoco_dynamics(model: Any, q: np.ndarray, v: np.ndarray) -> Dynamics:
    """Return mass matrix, bias and passive force."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return Dynamics(model, data, M, data.qfrc_bias.copy(), data.qfrc_passive.copy())


def random_state(model: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return qpos with unit quaternions, and qvel."""
    q = rng.uniform(-1, 1, model.nq)
    for i in range(model.njnt):
        at = int(model.jnt_qposadr[i]) + (3 if model.jnt_type[i] == 0 else 0)
        if model.jnt_type[i] < 2:
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q, rng.normal(size=model.nv)


def poses(mechanism: Mechanism, q: np.ndarray) -> dict[str, np.ndarray]:
    """Return X_WL of every link as 4 × 4 matrices, by the definition of a joint."""
    X = {mechanism.root: np.eye(4)}
    values: dict[str, np.ndarray] = {}
    place = 0
    for joint in mechanism.joints:
        part = values[joint.name] = q[place : place + joint.nq]
        place += joint.nq
        if m := joint.mimic:
            part = float(m.multiplier) * values[m.joint] + float(m.offset)
        X[joint.child] = (
            X[joint.parent] @ matrix(joint.placement) @ motion(joint, part) @ matrix(joint.after)
        )
    return X


def motion(joint: Joint, q: np.ndarray) -> np.ndarray:
    X = np.eye(4)
    if joint.kind is JointKind.FLOATING:
        X[:3, 3], X[:3, :3] = q[:3], quaternion_matrix(q[3:])
    elif joint.kind is JointKind.SPHERICAL:
        X[:3, :3] = quaternion_matrix(q)
    elif joint.kind is JointKind.PRISMATIC:
        X[:3, 3] = (q[0] - float(joint.reference)) * np.array(joint.axis, float)
    elif joint.kind is not JointKind.FIXED:
        half = (q[0] - float(joint.reference)) / 2
        X[:3, :3] = quaternion_matrix(
            np.array([math.cos(half), *(math.sin(half) * np.array(joint.axis, float))])
        )
    return X


def quaternion_matrix(a: np.ndarray) -> np.ndarray:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.asarray(a, float))
    return R.reshape(3, 3)


def matrix(pose: Any) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(pose.R, float), np.array(pose.p, float)
    return X


def hinge(inside: str = "", *, joint: str = "", outside: str = "", option: str = "") -> str:
    """Return a model of one hinge."""
    return f"""<mujoco>{option}<worldbody><body name="b"><joint name="j" axis="0 1 0" {joint}/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{inside}</body></worldbody>
      {outside}</mujoco>"""


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether two arrays agree, measured with the largest entry."""
    return bool(np.abs(a - b).max() <= ROUNDING * max(1.0, np.abs(b).max()))


def constraint_rows(truth: Dynamics, name: str) -> np.ndarray:
    """Return MuJoCo's residual of an equality constraint."""
    model, data = truth.model, truth.data
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_EQUALITY, name)
    equality = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    return data.efc_pos[(data.efc_type == equality) & (data.efc_id == number)]
