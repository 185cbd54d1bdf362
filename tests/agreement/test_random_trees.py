"""Random trees of every joint kind against Pinocchio and against MuJoCo.

Each engine is given its own description of the same tree; states are mapped by joint name. Where
joints follow others, the engines have independent coordinates: v_engine = G v, and forces and
inertias are brought back by Gᵀ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dalembert.mechanism import JointKind, Mechanism
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco, to_pinocchio
from dalembert.recursions.dynamics.articulated import forward_dynamics
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.coriolis import coriolis_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.energies import kinetic_energy, potential_energy
from dalembert.recursions.kinematics import (
    center_of_mass,
    first_moment,
    forward_kinematics,
    jacobian,
    jacobian_rate,
)
from dalembert.recursions.link_regressor import inertial_parameters, link_regressor
from dalembert.recursions.tree import Tree
from dalembert.spatial.pose import Pose
from tests.cases import num_cases
from tests.random_mechanisms import KINDS, random_mechanism, random_state

pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")
mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed: no oracle")

# relative to the largest entry; the two engines agree with each other to 1e-14 and 2e-12
MATRIX_TOLERANCE = 1e-12
FORCE_TOLERANCE = 1e-11
# solving with M loses the digits of its condition number
FORWARD_TOLERANCE = 1e-13
STATES = 2
TREES = 300
BATCHES = 10
# MuJoCo has no screws, and free joints only at the root
MUJOCO_KINDS = tuple(kind for kind in KINDS if kind not in ("helical", "floating"))
JACOBIANS = {"world": "LOCAL_WORLD_ALIGNED", "body": "LOCAL", "spatial": "WORLD"}


def num_trees(scale: float) -> int:
    """Return how many trees each batch draws."""
    return num_cases(TREES / BATCHES, scale)


def close(
    ours: Any, theirs: Any, tolerance: float, what: str, tree: Tree, *, unit: float = 0.0
) -> None:
    """Compare relative to the largest entry, or to ``unit`` where that is larger."""
    theirs = np.asarray(theirs)
    error = np.abs(np.array(ours, dtype=float) - theirs).max(initial=0.0)
    size = max(np.abs(theirs).max(initial=0.0), unit)
    assert error <= tolerance * size, f"{what}: {error:.1e} of {size:.1e}, {tree}"


def draw_state(rng: np.random.Generator, mechanism: Mechanism) -> list[np.ndarray]:
    """Return q, v and a."""
    return [*random_state(rng, mechanism), rng.normal(size=mechanism.nv)]


# ---- Pinocchio


def pinocchio_model(mechanism: Mechanism) -> Any:
    """Return the model, built joint by joint; mimic joints move freely in it."""
    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity, dtype=float)
    # where each link is: the joint it moves with, and its frame there
    place = {mechanism.root: (0, Pose())}
    for joint in depth_first(mechanism):
        above, X_above = place[joint.parent]
        X = X_above @ joint.placement
        if joint.kind is JointKind.FIXED:
            number, X_JL = above, X @ joint.after
        else:
            # an unbounded joint has a positive axis in Pinocchio: J rot(-e) = J F rot(e) F⁻¹
            F = half_turn(joint.axis) if joint.kind is JointKind.CONTINUOUS else Pose()
            number = model.addJoint(above, pinocchio_joint(joint), se3(X @ F), joint.name)
            model.addJointFrame(number, 0)
            X_JL = F.inverse() @ joint.after
            # the engine adds armature · v̇ in the body's axes; see the test on floating armature
            if joint.kind is not JointKind.FLOATING:
                at = model.joints[number]
                armature = model.armature
                armature[at.idx_v : at.idx_v + at.nv] = float(joint.armature)
                model.armature = armature
        link = mechanism.link(joint.child)
        if not link.is_massless:
            inertia = pin.Inertia(
                float(link.inertia.m),
                np.array(link.inertia.com(), dtype=float),
                np.array(link.inertia.about_com(), dtype=float),
            )
            model.appendBodyToJoint(number, inertia, se3(X_JL))
        model.addFrame(pin.Frame(joint.child, number, se3(X_JL), pin.FrameType.BODY), False)
        place[joint.child] = (number, X_JL)
    return model


def depth_first(mechanism: Mechanism) -> list[Any]:
    """Return the joints branch by branch, as Pinocchio's algorithms need them."""
    pending, order = [mechanism.root], []
    while pending:
        link = pending.pop()
        order += [joint for joint in mechanism.joints if joint.child == link]
        pending += [joint.child for joint in mechanism.joints if joint.parent == link]
    return order


def pinocchio_joint(joint: Any) -> Any:
    axis = np.array(joint.axis, dtype=float)
    match joint.kind:
        case JointKind.REVOLUTE:
            return pin.JointModelRevoluteUnaligned(axis)
        case JointKind.CONTINUOUS:
            return (pin.JointModelRUBX, pin.JointModelRUBY, pin.JointModelRUBZ)[
                int(np.abs(axis).argmax())
            ]()
        case JointKind.PRISMATIC:
            return pin.JointModelPrismaticUnaligned(axis)
        case JointKind.HELICAL:
            return pin.JointModelHelicalUnaligned(axis, float(joint.pitch))
        case JointKind.SPHERICAL:
            return pin.JointModelSpherical()
        case _:
            return pin.JointModelFreeFlyer()


def half_turn(axis: Any) -> Pose:
    """Return a half turn that takes a negative coordinate axis to the positive one."""
    if sum(axis) > 0:
        return Pose()
    i = int(np.abs(axis).argmax())
    d = [-1 if k in (i, (i + 1) % 3) else 1 for k in range(3)]
    return Pose(((d[0], 0, 0), (0, d[1], 0), (0, 0, d[2])))


def se3(X: Pose) -> Any:
    return pin.SE3(np.array(X.R, dtype=float), np.array(X.p, dtype=float))


def turned(rng: np.random.Generator, mechanism: Mechanism) -> Mechanism:
    """Put the frames of links behind spherical and floating joints anywhere; no free rotors."""
    donor = random_mechanism(rng, len(mechanism.joints), kinds=("fixed",))
    joints = [
        joint
        if joint.is_scalar or joint.kind is JointKind.FIXED
        else replace(
            joint,
            after=other.placement,
            armature=0 if joint.kind is JointKind.FLOATING else joint.armature,
        )
        for joint, other in zip(mechanism.joints, donor.joints, strict=True)
    ]
    return replace(mechanism, joints=tuple(joints))


def pinocchio_cases(
    rng: np.random.Generator, scale: float
) -> Iterator[tuple[Tree, Any, Any, list[np.ndarray], np.ndarray, list[np.ndarray]]]:
    """Yield tree, model, data, our state, G, and the engine's state."""
    for _ in range(num_trees(scale)):
        mechanism = turned(rng, random_mechanism(rng, int(rng.integers(1, 7))))
        if not mechanism.nv:
            continue
        tree = Tree.of(mechanism).map(float)
        model = pinocchio_model(mechanism)
        for _ in range(STATES):
            q, v, a = draw_state(rng, mechanism)
            theirs, _ = to_pinocchio(mechanism, q, v, model=model)
            batch = np.eye(mechanism.nv)
            G = to_pinocchio(mechanism, q, batch, model=model)[1].T
            yield tree, model, model.createData(), [q, v, a], G, [theirs, G @ v, G @ a]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_dynamics_agree_with_pinocchio(batch: int, rng: np.random.Generator, scale: float) -> None:
    for tree, model, data, (q_, v_, a_), G, (pq, pv, pa) in pinocchio_cases(rng, scale):
        q, v, a = q_.tolist(), v_.tolist(), a_.tolist()
        zero = [0.0] * tree.nv
        M = np.array(mass_matrix(tree, q), dtype=float)
        upper = np.triu(pin.crba(model, data, pq))
        expected = G.T @ (upper + upper.T - np.diag(np.diag(upper))) @ G
        close(M, expected, MATRIX_TOLERANCE, "M", tree)
        unit = np.abs(M).max()
        h = inverse_dynamics(tree, q, v, zero)
        expected = G.T @ pin.nonLinearEffects(model, data, pq, pv)
        close(h, expected, FORCE_TOLERANCE, "bias", tree, unit=unit)
        g = inverse_dynamics(tree, q, zero, zero)
        expected = G.T @ pin.computeGeneralizedGravity(model, data, pq)
        close(g, expected, FORCE_TOLERANCE, "gravity", tree, unit=unit)
        tau = inverse_dynamics(tree, q, v, a)
        expected = G.T @ pin.rnea(model, data, pq, pv, pa)
        close(tau, expected, FORCE_TOLERANCE, "RNEA", tree, unit=unit)
        C = np.array(coriolis_matrix(tree, q, v), dtype=float)
        expected = G.T @ pin.computeCoriolisMatrix(model, data, pq, pv) @ pv
        close(C @ v_, expected, FORCE_TOLERANCE, "C v", tree, unit=unit)
        # where no joint follows another, the engine's own articulated bodies
        free = G.shape[0] == G.shape[1]
        right = np.linalg.solve(M, np.array(tau) - h)
        expected = np.linalg.solve(G, pin.aba(model, data, pq, pv, G @ tau)) if free else right
        limit = FORWARD_TOLERANCE * np.linalg.cond(M)
        # τ - h may cancel: what is solved for has the rounding of τ and h
        unit = (np.abs(tau).max() + np.abs(h).max()) / np.linalg.norm(M, 2)
        ours = forward_dynamics(tree, q, v, tau)
        close(ours, expected, limit, "forward dynamics", tree, unit=unit)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_kinematics_agree_with_pinocchio(
    batch: int, rng: np.random.Generator, scale: float
) -> None:
    for tree, model, data, (q_, v_, _), G, (pq, pv, _) in pinocchio_cases(rng, scale):
        q, v = q_.tolist(), v_.tolist()
        names = [node.name for node in tree.nodes]
        pin.forwardKinematics(model, data, pq, pv, 0 * pv)
        pin.computeJointJacobians(model, data, pq)
        pin.computeJointJacobiansTimeVariation(model, data, pq, pv)
        pin.updateFramePlacements(model, data)
        X_W = forward_kinematics(tree, q)
        for name in names:
            X, theirs = X_W[tree.numbers[name]], data.oMf[model.getFrameId(name)]
            close(X.p, theirs.translation, MATRIX_TOLERANCE, "position", tree, unit=1.0)
            close(X.R, theirs.rotation, MATRIX_TOLERANCE, "rotation", tree)
        for name in {names[-1], str(rng.choice(names))}:
            frame = model.getFrameId(name)
            aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            for reference, label in JACOBIANS.items():
                J = columns(jacobian(tree, q, name, reference))
                there = getattr(pin.ReferenceFrame, label)
                expected = pin.getFrameJacobian(model, data, frame, there).reshape(6, -1)
                close(J, expected @ G, MATRIX_TOLERANCE, f"J {reference}", tree, unit=1.0)
            Jd = columns(jacobian_rate(tree, q, v, name))
            expected = pin.getFrameJacobianTimeVariation(model, data, frame, aligned)
            close(Jd, expected.reshape(6, -1) @ G, FORCE_TOLERANCE, "J̇", tree, unit=1.0)
            # J̇ v: the acceleration that the velocity alone brings
            drift = pin.getFrameClassicalAcceleration(model, data, frame, aligned)
            close(Jd @ v_, drift.vector, FORCE_TOLERANCE, "J̇ v", tree, unit=1.0)


def columns(pairs: Any) -> np.ndarray:
    """Return a matrix (6, n) from columns (linear, angular)."""
    return np.array([[*u, *w] for u, w in pairs], dtype=float).T


@pytest.mark.parametrize("batch", range(BATCHES))
def test_energies_and_regressor_agree_with_pinocchio(
    batch: int, rng: np.random.Generator, scale: float
) -> None:
    for tree, model, data, (q_, v_, a_), G, (pq, pv, pa) in pinocchio_cases(rng, scale):
        q, v, a = q_.tolist(), v_.tolist(), a_.tolist()
        m, h = center_of_mass(tree, q)
        if m:
            c = pin.centerOfMass(model, data, pq)
            close(np.array(h) / m, c, MATRIX_TOLERANCE, "centre of mass", tree, unit=1.0)
        # Pinocchio has no place for what is welded to the root
        welded = [n for n in tree.nodes if not any(tree.nodes[i].columns for i in path(tree, n))]
        if not welded:
            V = pin.computePotentialEnergy(model, data, pq)
            close(potential_energy(tree, q), V, MATRIX_TOLERANCE, "V", tree, unit=1.0)
        # Pinocchio 4.1 leaves the rotors of joints with general axes out of T: add them all here
        rotors, model.armature = np.array(model.armature), np.zeros(model.nv)
        T = pin.computeKineticEnergy(model, data, pq, pv) + rotors @ pv**2 / 2
        model.armature = rotors
        close(kinetic_energy(tree, q, v), T, MATRIX_TOLERANCE, "T", tree)
        # theirs: per joint, in the frame of the joint; ours: per link, in the frame of the link
        Y = np.array(link_regressor(tree, q, v, a), dtype=float)
        theirs = pin.computeJointTorqueRegressor(model, data, pq, pv, pa)
        expected = G.T @ theirs.reshape(model.nv, -1)
        for node, block in zip(tree.nodes, np.split(Y, len(tree.nodes), axis=1), strict=True):
            frame = model.frames[model.getFrameId(node.name)]
            joint = frame.parentJoint
            if not joint:
                assert not block.any()
                continue
            theirs = expected[:, 10 * (joint - 1) : 10 * joint] @ moved(frame.placement)
            close(block, theirs, FORCE_TOLERANCE, "regressor", tree, unit=1.0)
        tau = Y @ inertial_parameters(tree) + G.T @ (rotors * pa)
        unit = np.abs(Y).max()
        close(inverse_dynamics(tree, q, v, a), tau, FORCE_TOLERANCE, "Y θ", tree, unit=unit)


def path(tree: Tree, node: Any) -> Iterator[int]:
    return tree.path(tree.numbers[node.name])


ORDER = ("xx", "yy", "zz", "xy", "xz", "yz")


def moved(X: Any) -> np.ndarray:
    """Return the matrix from our ten parameters in the link's frame to Pinocchio's in the joint's.

    Pinocchio's order is m, h, then Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin.
    """
    result = np.zeros((10, 10))
    for k in range(10):
        e = np.eye(10)[k]
        I = np.zeros((3, 3))
        for name, value in zip(ORDER, e[4:], strict=True):
            i, j = "xyz".index(name[0]), "xyz".index(name[1])
            I[i, j] = I[j, i] = value
        R, p = X.rotation, X.translation
        h = R @ e[1:4]
        # about the new origin: I + m (pᵀp 1 - p pᵀ) + 2 pᵀh 1 - p hᵀ - h pᵀ
        shift = e[0] * (p @ p * np.eye(3) - np.outer(p, p))
        shift += 2 * (p @ h) * np.eye(3) - np.outer(p, h) - np.outer(h, p)
        T = R @ I @ R.T + shift
        tensor = [T[0, 0], T[0, 1], T[1, 1], T[0, 2], T[1, 2], T[2, 2]]
        result[:, k] = [e[0], *(h + e[0] * p), *tensor]
    return result


# ---- MuJoCo


def mujoco_mechanism(rng: np.random.Generator) -> Mechanism:
    """Return a tree that MuJoCo can have; what is fixed to the root may become free."""
    mechanism = random_mechanism(rng, int(rng.integers(1, 7)), kinds=MUJOCO_KINDS)
    joints = [
        replace(joint, kind=JointKind.FLOATING, after=Pose(), armature=Fraction(3, 20))
        if joint.kind is JointKind.FIXED and joint.parent == mechanism.root and rng.random() < 0.7
        else joint
        for joint in mechanism.joints
    ]
    return replace(mechanism, joints=tuple(joints))


def mujoco_cases(
    rng: np.random.Generator, scale: float
) -> Iterator[tuple[Tree, Any, Any, list[np.ndarray], np.ndarray, np.ndarray]]:
    """Yield tree, model, data at the state, our state, G, and the drift Ġ v."""
    for _ in range(num_trees(scale)):
        mechanism = mujoco_mechanism(rng)
        if not mechanism.nv:
            continue
        tree = Tree.of(mechanism).map(float)
        model = mujoco.MjModel.from_xml_string(save_mjcf(mechanism))
        off = mujoco.mjtDisableBit
        for bit in ("CONSTRAINT", "SPRING", "DAMPER", "CONTACT"):
            model.opt.disableflags |= int(getattr(off, f"mjDSBL_{bit}"))
        for _ in range(STATES):
            q, v, a = draw_state(rng, mechanism)
            data = mujoco.MjData(model)
            data.qpos[:], data.qvel[:] = to_mujoco(mechanism, q, v, model=model)
            mujoco.mj_forward(model, data)
            G = to_mujoco(mechanism, q, np.eye(mechanism.nv), model=model)[1].T
            yield tree, model, data, [q, v, a], G, frame_drift(tree, model, q.tolist(), v)


def frame_drift(tree: Tree, model: Any, q: list[float], v: np.ndarray) -> np.ndarray:
    """Return Ġ v: of a free joint, MuJoCo has R u, whose rate is R (u̇ + ω × u)."""
    drift = np.zeros(model.nv)
    X_W = forward_kinematics(tree, q)
    for i, node in enumerate(tree.nodes):
        if node.joint.kind is JointKind.FLOATING:
            u, w = v[list(node.velocities[:3])], v[list(node.velocities[3:])]
            at = int(model.joint(node.joint.name).dofadr[0])
            drift[at : at + 3] = np.array(X_W[i + 1].R, dtype=float) @ np.cross(w, u)
    return drift


@pytest.mark.parametrize("batch", range(BATCHES))
def test_dynamics_agree_with_mujoco(batch: int, rng: np.random.Generator, scale: float) -> None:
    for tree, model, data, (q_, v_, a_), G, drift in mujoco_cases(rng, scale):
        q, v, a = q_.tolist(), v_.tolist(), a_.tolist()
        zero = [0.0] * tree.nv
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        M = np.array(mass_matrix(tree, q), dtype=float)
        close(M, G.T @ full @ G, MATRIX_TOLERANCE, "M", tree)
        unit = np.abs(M).max()
        h = inverse_dynamics(tree, q, v, zero)
        bias = G.T @ (data.qfrc_bias + full @ drift)
        close(h, bias, FORCE_TOLERANCE, "bias", tree, unit=unit)
        C = np.array(coriolis_matrix(tree, q, v), dtype=float)
        g = np.array(inverse_dynamics(tree, q, zero, zero))
        close(C @ v_ + g, bias, FORCE_TOLERANCE, "C v + g", tree, unit=unit)
        tau = inverse_dynamics(tree, q, v, a)
        data.qacc[:] = G @ a_ + drift
        mujoco.mj_inverse(model, data)
        close(tau, G.T @ data.qfrc_inverse, FORCE_TOLERANCE, "RNEA", tree, unit=unit)
        if G.shape[0] == G.shape[1]:
            data.qfrc_applied[:] = np.linalg.solve(G.T, tau)
            mujoco.mj_forward(model, data)
            expected = np.linalg.solve(G, data.qacc - drift)
            limit = FORWARD_TOLERANCE * np.linalg.cond(M)
            unit = (np.abs(tau).max() + np.abs(h).max()) / np.linalg.norm(M, 2)
            ours = forward_dynamics(tree, q, v, tau)
            close(ours, expected, limit, "forward dynamics", tree, unit=unit)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_kinematics_agree_with_mujoco(batch: int, rng: np.random.Generator, scale: float) -> None:
    for tree, model, data, (q_, v_, _), G, _ in mujoco_cases(rng, scale):
        q, v = q_.tolist(), v_.tolist()
        X_W = forward_kinematics(tree, q)
        J = np.zeros((6, model.nv))
        for i in range(1, model.nbody):
            name = model.body(i).name
            X = X_W[tree.numbers[name]]
            close(X.p, data.xpos[i], MATRIX_TOLERANCE, "position", tree, unit=1.0)
            close(X.R, data.xmat[i].reshape(3, 3), MATRIX_TOLERANCE, "rotation", tree)
            mujoco.mj_jac(model, data, J[:3], J[3:], data.xpos[i], i)
            ours = columns(jacobian(tree, q, name))
            close(ours, J @ G, MATRIX_TOLERANCE, "J", tree, unit=1.0)
        # MuJoCo counts what is welded to the world
        m, h = first_moment(tree, q)
        close(
            np.array(h) / m, data.subtree_com[0], MATRIX_TOLERANCE, "centre of mass", tree, unit=1
        )
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        V, T = data.energy
        close(potential_energy(tree, q), V, MATRIX_TOLERANCE, "V", tree, unit=1.0)
        close(kinetic_energy(tree, q, v), T, MATRIX_TOLERANCE, "T", tree)


def test_armature_of_a_free_joint_as_in_mujoco(rng: np.random.Generator) -> None:
    """MuJoCo's acts along the axes of the world; ours is the same, in the axes of the body."""
    text = """<mujoco><worldbody><body name="b"><joint name="j" type="free" armature="0.7"/>
      <inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.3 0.4 0.5"/></body></worldbody>
      </mujoco>"""
    mechanism = load_mjcf(text)
    assert mechanism.joint("j").armature == Fraction(7, 10)
    tree, model = Tree.of(mechanism).map(float), mujoco.MjModel.from_xml_string(text)
    q, v, a = draw_state(rng, mechanism)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = to_mujoco(mechanism, q, v, model=model)
    mujoco.mj_forward(model, data)
    G = to_mujoco(mechanism, q, np.eye(6), model=model)[1].T
    data.qacc[:] = G @ a + frame_drift(tree, model, q.tolist(), v)
    mujoco.mj_inverse(model, data)
    ours = inverse_dynamics(tree, q.tolist(), v.tolist(), a.tolist())
    close(ours, G.T @ data.qfrc_inverse, FORCE_TOLERANCE, "RNEA", tree)
    # the part that plain armature · v̇ lacks
    assert np.abs(np.cross(v[3:], v[:3])).max() > 0.01
