"""Pinocchio from Python: one call of the `pin` bindings at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.bodies import Body, bodies
from benchmarks.peers.base import TASKS, Array, Case, Unavailable, call_all
from benchmarks.robots import States
from dalembert.mechanism import JointKind, Mechanism
from dalembert.mechanism.io.state_layouts import to_pinocchio


def import_pinocchio() -> Any:
    """Return the module."""
    try:
        import pinocchio
    except ImportError:
        raise Unavailable('no pinocchio: pip install "pin==4.1.*"') from None
    return pinocchio


def pinocchio_model(mechanism: Mechanism) -> Any:
    """Return the same robot as a `pinocchio.Model`."""
    pin = import_pinocchio()
    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity, dtype=float)
    armature: list[float] = []
    for body in bodies(mechanism):
        X = pin.SE3(body.rotation, body.translation)
        number = model.addJoint(body.parent, _joint(pin, body), X, body.name)
        inertia = pin.Inertia(body.mass, body.com, body.inertia)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        armature += [body.armature] * body.nv
    model.armature = np.array(armature)
    return model


def _joint(pin: Any, body: Body) -> Any:
    match body.kind:
        case JointKind.REVOLUTE:
            return (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[body.axis]()
        case JointKind.PRISMATIC:
            return (pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ)[body.axis]()
        case JointKind.SPHERICAL:
            return pin.JointModelSpherical()
        case _:
            return pin.JointModelFreeFlyer()


class Layout:
    """Between dalembert's coordinates and Pinocchio's: quaternions, and the order of joints."""

    def __init__(self, mechanism: Mechanism, model: Any) -> None:
        self.mechanism, self.model = mechanism, model
        zero = np.zeros((mechanism.nv, mechanism.nq))
        # v_pin = G v, a permutation
        self.G = to_pinocchio(mechanism, zero, np.eye(mechanism.nv), model=model)[1].T

    def states(self, states: States) -> States:
        """Return the states in Pinocchio's coordinates."""
        q, v = to_pinocchio(self.mechanism, states.q, states.v, model=self.model)
        return States(q, v, states.a @ self.G.T, states.tau @ self.G.T)

    def back(self, task: str, value: Array) -> Array:
        """Return a result in dalembert's coordinates."""
        match task:
            case "inverse_dynamics" | "forward_dynamics":
                return self.G.T @ value
            case "forward_kinematics":
                return value
            case "jacobian":
                return value @ self.G
            case _:
                return self.G.T @ value @ self.G


class PinocchioPython:
    """The functions of the bindings, called with arrays that are ready."""

    name = "Pinocchio Python"
    tasks = tuple(TASKS)

    def __init__(self, case: Case) -> None:
        self.pin = import_pinocchio()
        self.model = pinocchio_model(case.mechanism)
        self.data = self.model.createData()
        self.layout = Layout(case.mechanism, self.model)
        self.states = self.layout.states(case.states)
        self.calls = self._calls()

    def _calls(self) -> dict[str, tuple[Callable[..., Any], Sequence[tuple[Any, ...]]]]:
        pin, m, d = self.pin, self.model, self.data
        last = m.njoints - 1
        q, v, a, tau = (list(x) for x in self.states)
        motions = [(m, d, *x) for x in zip(q, v, a, strict=True)]
        forces = [(m, d, *x) for x in zip(q, v, tau, strict=True)]
        positions = [(m, d, x) for x in q]
        return {
            "inverse_dynamics": (pin.rnea, motions),
            "mass_matrix": (pin.crba, positions),
            "forward_dynamics": (pin.aba, forces),
            "inverse_dynamics_derivatives": (pin.computeRNEADerivatives, motions),
            "forward_dynamics_derivatives": (pin.computeABADerivatives, forces),
            "forward_kinematics": (pin.forwardKinematics, positions),
            "jacobian": (pin.computeJointJacobian, [(m, d, x, last) for x in q]),
        }

    def run(self, task: str, passes: int) -> int:
        return call_all(*self.calls[task], passes)

    def result(self, task: str, state: int) -> Array:
        f, arguments = self.calls[task]
        value, d = f(*arguments[state]), self.data
        if task == "mass_matrix":
            value = np.triu(value) + np.triu(value, 1).T
        elif task == "inverse_dynamics_derivatives":
            value = np.array([d.dtau_dq, d.dtau_dv])
        elif task == "forward_dynamics_derivatives":
            value = np.array([d.ddq_dq, d.ddq_dv])
        elif task == "forward_kinematics":
            value = np.array(d.oMi[self.model.njoints - 1].translation)
        elif task == "jacobian":
            # of one freedom the bindings make a vector
            value = np.reshape(value, (6, -1))
        return self.layout.back(task, np.array(value))
