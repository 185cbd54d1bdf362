"""MuJoCo's smooth dynamics, called in a loop in C: no contacts, constraints, actuators, sensors.

Of the pipeline only the stages run that a task needs: kinematics, composite inertias, M, its
factorisation, recursive Newton–Euler. MuJoCo has no analytic derivatives of the dynamics.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bodies import bodies
from benchmarks.build import shared_library
from benchmarks.peers.base import Array, Case, Unavailable
from dalembert.mechanism import JointKind, Mechanism
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco
from dalembert.spatial.rotation import quaternion

SOURCE = Path(__file__).with_name("mujoco_bench.c")
NUMBERS = {
    "inverse_dynamics": 0,
    "mass_matrix": 1,
    "forward_dynamics": 2,
    "forward_kinematics": 3,
    "jacobian": 4,
}
POINTER = ctypes.POINTER(ctypes.c_double)


def import_mujoco() -> Any:
    """Return the module."""
    try:
        import mujoco
    except ImportError:
        raise Unavailable('no mujoco: pip install "mujoco==4.0.*"') from None
    return mujoco


def load_library(announce: Callable[[str], None]) -> ctypes.CDLL:
    """Return the compiled loop, linked to the library of the wheel."""
    mujoco = import_mujoco()
    folder = Path(mujoco.__file__).parent
    binary = next(iter(sorted(folder.glob("libmujoco.so*"))), None)
    if binary is None or not (folder / "include").is_dir():
        raise Unavailable("mujoco has no C library and headers here: only its wheels for Linux do")
    flags = [
        "-std=gnu11",
        f"-isystem{folder / 'include'}",
        f"-L{folder}",
        f"-l:{binary.name}",
        f"-Wl,-rpath,{folder}",
    ]
    library = shared_library(
        "mujoco",
        SOURCE.read_text(encoding="utf-8"),
        language="c",
        flags=flags,
        key=mujoco.__version__,
        announce=announce,
    )
    return library


def mujoco_model(mechanism: Mechanism) -> Any:
    """Return the same robot as an `MjModel`, without constraints."""
    mujoco = import_mujoco()
    model = mujoco.MjModel.from_xml_string(save_mjcf(mechanism))
    for bit in ("CONSTRAINT", "SPRING", "DAMPER", "CONTACT"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{bit}"))
    return model


class MuJoCo:
    """The loop in C over the states, in MuJoCo's own coordinates."""

    name = "MuJoCo C"
    tasks = tuple(NUMBERS)

    def __init__(self, case: Case, announce: Callable[[str], None] = lambda message: None) -> None:
        self.mujoco = import_mujoco()
        self.library = load_library(announce)
        self.model = mujoco_model(case.mechanism)
        self.data = self.mujoco.MjData(self.model)
        mechanism, states = case.mechanism, case.states
        self.body = int(self.model.joint(bodies(mechanism)[-1].name).bodyid[0])
        q, v = to_mujoco(mechanism, states.q, states.v, model=self.model)
        n = mechanism.nv
        # v_mujoco = G v, and forces τ = Gᵀ τ_mujoco; accelerations have the drift Ġ v as well
        self.G = np.array(
            [
                to_mujoco(mechanism, np.tile(x, (n, 1)), np.eye(n), model=self.model)[1].T
                for x in states.q
            ]
        )
        self.drift = _drift(mechanism, self.model, states.q, states.v)
        a = np.einsum("kij,kj->ki", self.G, states.a) + self.drift
        tau = np.array([np.linalg.solve(G.T, x) for G, x in zip(self.G, states.tau, strict=True)])
        self.q, self.v, self.a, self.tau = map(np.ascontiguousarray, (q, v, a, tau))
        self.out = np.zeros((6, n))

    def _run(self, task: str, passes: int, states: slice) -> int:
        u = self.tau if task == "forward_dynamics" else self.a
        q, v, u = self.q[states], self.v[states], u[states]
        self.library.bench_run(
            ctypes.c_void_p(self.model._address),
            ctypes.c_void_p(self.data._address),
            NUMBERS[task],
            self.body,
            passes,
            len(q),
            *(x.ctypes.data_as(POINTER) for x in (q, v, u, self.out)),
        )
        return passes * len(q)

    def run(self, task: str, passes: int) -> int:
        return self._run(task, passes, slice(None))

    def result(self, task: str, state: int) -> Array:
        self._run(task, 1, slice(state, state + 1))
        G, n = self.G[state], self.model.nv
        match task:
            case "inverse_dynamics":
                return G.T @ self.out[0]
            case "mass_matrix":
                M = np.zeros((n, n))
                self.mujoco.mj_fullM(self.model, self.data, M)
                return G.T @ M @ G
            case "forward_dynamics":
                return np.linalg.solve(G, self.out[0] - self.drift[state])
            case "forward_kinematics":
                return np.array(self.data.xpos[self.body])
            case _:
                return self.out @ G


def _drift(mechanism: Mechanism, model: Any, q: Array, v: Array) -> Array:
    """Return Ġ v: of a free joint MuJoCo has R u, whose rate is R (u̇ + ω × u)."""
    drift = np.zeros((len(q), model.nv))
    at_q = at_v = 0
    for joint in mechanism.moving_joints:
        if joint.kind is JointKind.FLOATING:
            to = int(model.joint(joint.name).dofadr[0])
            placed = np.array(joint.placement.R, dtype=float)
            u, w = v[:, at_v : at_v + 3], v[:, at_v + 3 : at_v + 6]
            for k, x in enumerate(q[:, at_q + 3 : at_q + 7].tolist()):
                R = placed @ np.array(quaternion.to_matrix((x[0], x[1], x[2], x[3])))
                drift[k, to : to + 3] = R @ np.cross(w[k], u[k])
        at_q, at_v = at_q + joint.nq, at_v + joint.nv
    return drift
