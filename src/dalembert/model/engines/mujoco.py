"""MuJoCo's reading of a URDF."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.mechanism.io.state_layouts import to_mujoco
from dalembert.model.engines.base import Body, Engine, Reading
from dalembert.optional import require
from dalembert.spatial.rotation.quaternion import to_matrix

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism

# shapes that need files of their own: no inertia of a link that gives one depends on them
MESHES = re.compile(r"<(visual|collision)\b(?:(?!</\1>).)*?<mesh\b(?:(?!</\1>).)*?</\1>", re.DOTALL)


class Mujoco(Engine):
    """`MjModel.from_xml_string`, without the shapes that are meshes."""

    name = "mujoco"
    module = "mujoco"

    def read(self, text: str, mechanism: Mechanism) -> MujocoReading:
        mujoco = require(self.module, "a comparison with MuJoCo")
        model = mujoco.MjModel.from_xml_string(MESHES.sub("", text))
        return MujocoReading(mujoco, model, mechanism)


class MujocoReading(Reading):
    """A model of MuJoCo: links without joints are parts of those that carry them."""

    def __init__(self, mujoco: Any, model: Any, mechanism: Mechanism) -> None:
        self.mujoco, self.model, self.mechanism = mujoco, model, mechanism
        # rigid bodies alone, as in `Reading.torque`
        model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0
        off = mujoco.mjtDisableBit
        model.opt.disableflags |= int(off.mjDSBL_CONSTRAINT) | int(off.mjDSBL_SPRING)
        self.data = mujoco.MjData(model)
        self.joints = frozenset(model.joint(i).name for i in range(model.njnt))
        is_joint = model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)
        coupled = {int(k) for k in model.eq_obj1id[is_joint]}
        self.coupled = frozenset(model.joint(k).name for k in coupled)
        self.numbers = {model.body(i).name: i for i in range(1, model.nbody)}
        self.bodies = {
            joint.child: self._body(self.numbers[joint.child])
            for joint in mechanism.joints
            if joint.name in self.joints and joint.child in self.numbers
        }

    def _body(self, number: int) -> Body:
        m = self.model
        R = np.array(to_matrix(tuple(map(float, m.body_iquat[number]))))
        inertia = R @ np.diag(m.body_inertia[number]) @ R.T
        return Body(float(m.body_mass[number]), np.array(m.body_ipos[number]), inertia)

    def places(self, q: np.ndarray) -> dict[str, np.ndarray]:
        still = np.zeros(self.mechanism.nv)
        self.data.qpos[:], _ = to_mujoco(self.mechanism, q, still, model=self.model)
        self.mujoco.mj_kinematics(self.model, self.data)
        found = {}
        for name, i in self.numbers.items():
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = self.data.xmat[i].reshape(3, 3), self.data.xpos[i]
            found[name] = X
        return found

    def torque(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        self.data.qpos[:], self.data.qvel[:] = to_mujoco(self.mechanism, q, v, model=self.model)
        G = to_mujoco(self.mechanism, q, np.eye(len(v)), model=self.model)[1].T
        self.data.qacc[:] = G @ a
        self.mujoco.mj_inverse(self.model, self.data)
        return G.T @ np.array(self.data.qfrc_inverse)
