"""Real robots: dynamics of every file of the zoo against stored references of Pinocchio and MuJoCo.

The zoo is not part of the project: its folder comes from the environment variable DALEMBERT_ZOO,
and without it these tests are skipped. Each reference holds 8 random states; conventions are those
of the zoo's `reference.py`.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalembert.errors import InvalidMechanism, MissingInertia
from dalembert.mechanism import JointKind, Mechanism
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import forward_kinematics, jacobian
from dalembert.recursions.tree import Tree

ZOO = os.environ.get("DALEMBERT_ZOO")
pytestmark = pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to compare with")

# of the largest entry; Pinocchio and MuJoCo agree with each other to 1e-14 and 2e-12
MATRIX_TOLERANCE = 1e-12
FORCE_TOLERANCE = 1e-11
STATES = range(8)
ROOT_JOINT = "free base of the reference"


def references() -> list[str]:
    """Return the names of all reference files."""
    folder = Path(ZOO or ".") / "reference"
    return sorted(p.stem for p in folder.glob("*.npz")) if ZOO else ["zoo"]


def read(name: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    assert ZOO
    with np.load(Path(ZOO) / "reference" / f"{name}.npz", allow_pickle=False) as file:
        data = {key: file[key] for key in file.files}
    return data, json.loads(str(data["meta"]))


def load(meta: dict[str, Any]) -> Mechanism:
    """Load the robot as the reference engine saw it: mimic ignored, inertias as they are."""
    assert ZOO
    path = Path(ZOO) / meta["file"]
    if path.suffix == ".urdf":
        mechanism = load_urdf(path, repair={"limits", "names", "elements"}, accept_nonphysical=True)
        joints = tuple(_independent(j) for j in mechanism.joints)
        mechanism = replace(mechanism, joints=joints, frames=())
        free = meta["base"] == "freeflyer"
        return mechanism.with_floating_base(ROOT_JOINT) if free else mechanism
    return load_mjcf(path, missing_meshes=True)


def _independent(joint: Any) -> Any:
    return replace(joint, mimic=None)


class Case:
    """A robot with its reference and the maps between the two layouts, by joint name."""

    def __init__(self, name: str) -> None:
        self.data, self.meta = read(name)
        self.mechanism = load(self.meta)
        self.tree = Tree.of(self.mechanism).map(float)
        # "#3" stands for the fourth joint or third body of a file without names
        ours = [joint.name for joint in self.mechanism.moving_joints]
        self.names = [
            ours[int(x[1:])] if x.startswith("#") else x for x in map(str, self.data["joint_names"])
        ]
        self.bodies = [str(x).replace("#", "body") for x in self.data["body_names"]]
        if self.meta["base"] == "freeflyer":
            self.names[0] = ROOT_JOINT

    def state(self, s: int) -> tuple[list[float], np.ndarray]:
        """Return q in our layout and B with v_reference = B v_ours."""
        q = [0.0] * self.tree.nq
        B = np.zeros((self.data["v"].shape[1], self.tree.nv))
        for node in self.tree.nodes:
            joint = node.joint
            if not joint.nv:
                continue
            k = self.names.index(joint.name)
            at, dof = int(self.data["joint_qadr"][k]), int(self.data["joint_vadr"][k])
            values = self.data["q"][s, at : at + int(self.data["joint_nq"][k])]
            ours, block = self._convert(joint.kind, values)
            for place, value in zip(node.positions, ours, strict=True):
                q[place] = float(value)
            n = joint.nv
            B[np.ix_(range(dof, dof + n), node.velocities)] = block
        return q, B

    def _convert(self, kind: JointKind, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if kind is JointKind.FLOATING:
            if self.meta["backend"] == "pinocchio":
                return np.concatenate([x[:3], x[6:7], x[3:6]]), np.eye(6)
            block = np.eye(6)
            # MuJoCo's linear velocity is in world axes, ours in the body's
            block[:3, :3] = rotation(x[3:7])
            return x, block
        if len(x) == 2:
            return np.array([np.arctan2(x[1], x[0])]), np.eye(1)
        return x, np.eye(3 if len(x) == 4 else 1)


def rotation(w: np.ndarray) -> np.ndarray:
    a, b, c, d = w
    return np.array(
        [
            [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
        ]
    )


def close(ours: Any, reference: np.ndarray, tolerance: float, what: str, unit: float = 0.0) -> None:
    """Compare relative to the largest entry of the reference, or to ``unit`` if that is larger."""
    error = np.abs(np.asarray(ours) - reference).max(initial=0)
    scale = max(np.abs(reference).max(initial=0), unit)
    assert error <= tolerance * scale, f"{what}: relative error {error / scale:.1e}"


@pytest.mark.parametrize("name", references())
def test_dynamics_agree(name: str) -> None:
    case = Case(name)
    data, tree = case.data, case.tree
    for s in STATES:
        q, B = case.state(s)
        v, a = np.linalg.solve(B, data["v"][s]), np.linalg.solve(B, data["a"][s])
        zero = [0.0] * tree.nv
        M = np.array(mass_matrix(tree, q), dtype=float)
        close(M, B.T @ data["M"][s] @ B, MATRIX_TOLERANCE, f"M, state {s}")
        # a free base: the reference's coordinates turn with it, d/dt(B v) = B a + Ḃ v
        drift = frame_drift(case, s, v)
        h = B.T @ (data["h"][s] + data["M"][s] @ drift)
        # a bias that vanishes is compared with the torque of a unit acceleration
        unit = np.abs(M).max()
        close(inverse_dynamics(tree, q, v, zero), h, FORCE_TOLERANCE, f"bias, state {s}", unit)
        tau = B.T @ (data["tau_rnea"][s] + data["M"][s] @ drift)
        close(inverse_dynamics(tree, q, v, a), tau, FORCE_TOLERANCE, f"RNEA, state {s}")
        X_W = forward_kinematics(tree, q)
        for k, body in enumerate(case.bodies):
            X = X_W[tree.numbers[body]]
            # positions: in metres, of a robot of at least a metre
            close(X.p, data["body_pos"][s, k], MATRIX_TOLERANCE, f"position of {body}", 1.0)
            close(X.R, data["body_rot"][s, k], MATRIX_TOLERANCE, f"rotation of {body}")


def frame_drift(case: Case, s: int, v: np.ndarray) -> np.ndarray:
    """Return Ḃ v for MuJoCo's free joints: the linear part is R u, its rate has R (ω × u)."""
    drift = np.zeros(case.data["v"].shape[1])
    if case.meta["backend"] == "pinocchio":
        return drift
    for node in case.tree.nodes:
        if node.joint.kind is JointKind.FLOATING:
            k = case.names.index(node.joint.name)
            at, dof = int(case.data["joint_qadr"][k]), int(case.data["joint_vadr"][k])
            u, w = v[list(node.velocities[:3])], v[list(node.velocities[3:])]
            R = rotation(case.data["q"][s, at + 3 : at + 7])
            drift[dof : dof + 3] = R @ np.cross(w, u)
    return drift


@pytest.mark.parametrize("name", references())
def test_jacobians_agree(name: str) -> None:
    case = Case(name)
    data, tree = case.data, case.tree
    for s in map(int, data["J_states"]):
        q, B = case.state(s)
        for k, body in enumerate(case.bodies):
            columns = jacobian(tree, q, body)
            J = np.array([[*u, *w] for u, w in columns], dtype=float).T
            close(J, data["J"][s, k] @ B, MATRIX_TOLERANCE, f"J of {body}, state {s}", 1.0)


# correct files that lie among the wrong ones, and why they are correct
CORRECT = {
    "ok": "a plain pendulum",
    "continuous": "a hinge without limits",
    "floating": "a free joint, which URDF knows",
    "planar": "a planar joint, which URDF knows",
    "mimic": "a joint that follows another",
    "utf16": "the encoding that its first line declares",
    "chain2000": "long, but a tree",
    "fileurl": "only a mesh path points elsewhere, and meshes are not opened",
    "traversal": "only a mesh path points elsewhere, and meshes are not opened",
}
REPAIRED = {"no_limit", "notpsd", "no_inertia_el"}
# a mass of zero everywhere: a robot for kinematics, whose dynamics are refused
KINEMATIC = {"zero_inertia"}


def wrong_files() -> list[str]:
    folder = Path(ZOO or ".").parent / "bad_urdf"
    return sorted(p.stem for p in folder.glob("*.urdf")) if ZOO else ["bad_urdf"]


@pytest.mark.parametrize("name", wrong_files())
def test_wrong_files_are_refused_or_repaired(name: str) -> None:
    path = Path(ZOO or ".").parent / "bad_urdf" / f"{name}.urdf"
    if name in CORRECT:
        assert any(link.has_inertia for link in load_urdf(path).links)
        return
    if name in KINEMATIC:
        assert any("no mass" in note for note in load_urdf(path).notes)
        with pytest.raises(MissingInertia):
            load_urdf(path).equations()
        return
    with pytest.raises(InvalidMechanism) as caught:
        load_urdf(path)
    for line in str(caught.value).splitlines():
        # file:line: … expected …, got …: remedy
        assert re.search(rf"{re.escape(path.name)}:\d+: .*expected .*", line), line
    if name in REPAIRED:
        assert load_urdf(path, repair=True).notes
    else:
        with pytest.raises(InvalidMechanism):
            load_urdf(path, repair=True)
