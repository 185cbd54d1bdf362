"""Pinocchio's reading of a URDF."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.mechanism.io.state_layouts import to_pinocchio
from dalembert.model.engines.base import Body, Engine, Reading
from dalembert.optional import require

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism

DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


class Pinocchio(Engine):
    """`buildModelFromXML`, which lets followers move freely unless told ``mimic=True``."""

    name = "pinocchio"
    module = "pinocchio"
    mimic_advice = "load it with mimic=True"

    def read(self, text: str, mechanism: Mechanism) -> PinocchioReading:
        pin = require(self.module, "a comparison with Pinocchio")
        # its parser takes text without the declaration of an encoding
        return PinocchioReading(pin, pin.buildModelFromXML(DECLARATION.sub("", text)), mechanism)


class PinocchioReading(Reading):
    """A model of Pinocchio."""

    def __init__(self, pin: Any, model: Any, mechanism: Mechanism) -> None:
        self.pin, self.model, self.mechanism = pin, model, mechanism
        self.data = model.createData()
        self.joints = frozenset(list(model.names)[1:])
        self.coupled = frozenset()
        self.bodies = {
            joint.child: self._body(model.getJointId(joint.name))
            for joint in mechanism.joints
            if joint.name in self.joints
        }

    def _body(self, number: int) -> Body:
        inertia = self.model.inertias[number]
        return Body(float(inertia.mass), np.array(inertia.lever), np.array(inertia.inertia))

    def places(self, q: np.ndarray) -> dict[str, np.ndarray]:
        there, _ = to_pinocchio(self.mechanism, q, self._still, model=self.model)
        self.pin.forwardKinematics(self.model, self.data, there)
        self.pin.updateFramePlacements(self.model, self.data)
        bodies = (
            (frame.name, X)
            for frame, X in zip(self.model.frames, self.data.oMf, strict=True)
            if frame.type == self.pin.FrameType.BODY
        )
        return {name: np.array(X.homogeneous) for name, X in bodies}

    def torque(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        there, velocity = to_pinocchio(self.mechanism, q, v, model=self.model)
        # velocities that unit velocities of ours are: torques come back by the same factors
        G = to_pinocchio(self.mechanism, q, np.eye(len(v)), model=self.model)[1].T
        tau = self.pin.rnea(self.model, self.data, there, velocity, G @ a)
        return G.T @ np.array(tau)

    @property
    def _still(self) -> np.ndarray:
        return np.zeros(self.mechanism.nv)
