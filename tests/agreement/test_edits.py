"""Edited mechanisms against the same edits by Pinocchio, against MuJoCo, and against laws."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Builder, Coupling, JointKind, JointSpring, Mechanism
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco, to_pinocchio
from dalembert.mechanism.parts.law import Law
from dalembert.recursions.constraints.loops import loop_bias, loop_error, loop_jacobian
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree
from dalembert.spatial.pose import Pose
from tests.agreement.test_random_trees import (
    FORCE_TOLERANCE,
    MATRIX_TOLERANCE,
    MUJOCO_KINDS,
    close,
    draw_state,
    pin,
    pinocchio_model,
    se3,
    turned,
)
from tests.agreement.test_random_trees import mujoco as mujoco
from tests.cases import num_cases
from tests.oracles import constrained_accelerations
from tests.random_mechanisms import random_mechanism, random_state

TREES = 12
# of a linear system whose condition was asked for
ROUNDING = 1e-8
SINGLE_KINDS = tuple(kind for kind in MUJOCO_KINDS if kind not in ("planar", "universal"))


def random_tree(rng: np.random.Generator, **options: Any) -> Mechanism:
    """Return a tree that moves, mimic joints and quaternions included."""
    while True:
        mechanism = random_mechanism(rng, int(rng.integers(2, 7)), mimic=0.2, **options)
        if mechanism.nv:
            return mechanism


def some_joints(rng: np.random.Generator, mechanism: Mechanism) -> list[str]:
    """Return some of the joints that move by themselves, not all."""
    names = [joint.name for joint in mechanism.moving_joints]
    return [str(x) for x in rng.permutation(names)[: int(rng.integers(0, len(names)))]]


def agree(mechanism: Mechanism, model: Any, rng: np.random.Generator) -> None:
    """Compare M, τ and the poses of all links with those of Pinocchio."""
    tree = Tree.of(mechanism).map(float)
    q_, v_, a_ = draw_state(rng, mechanism)
    q, v, a = q_.tolist(), v_.tolist(), a_.tolist()
    pq, _ = to_pinocchio(mechanism, q_, v_, model=model)
    G = to_pinocchio(mechanism, q_, np.eye(mechanism.nv), model=model)[1].T
    data = model.createData()
    upper = np.triu(pin.crba(model, data, pq))
    expected = G.T @ (upper + upper.T - np.diag(np.diag(upper))) @ G
    M = np.array(mass_matrix(tree, q), dtype=float)
    close(M, expected, MATRIX_TOLERANCE, "M", tree)
    tau = G.T @ pin.rnea(model, data, pq, G @ v_, G @ a_)
    unit = float(np.abs(M).max())
    close(inverse_dynamics(tree, q, v, a), tau, FORCE_TOLERANCE, "τ", tree, unit=unit)
    pin.framesForwardKinematics(model, data, pq)
    X_W = forward_kinematics(tree, q)
    for name in model_bodies(model):
        at = mechanism.frame(name)
        X, theirs = X_W[tree.numbers[at.link]] @ at.placement, data.oMf[model.getFrameId(name)]
        close(X.p, theirs.translation, MATRIX_TOLERANCE, f"position of {name}", tree, unit=1.0)
        close(X.R, theirs.rotation, MATRIX_TOLERANCE, f"rotation of {name}", tree)


def model_bodies(model: Any) -> list[str]:
    return [f.name for f in model.frames if f.type == pin.FrameType.BODY]


def test_locked_robots_agree_with_pinocchio(rng: np.random.Generator, scale: float) -> None:
    """`lock` and `reduce` are buildReducedModel; joints that follow are locked with theirs."""
    for _ in range(num_cases(TREES, scale)):
        mechanism = turned(rng, random_tree(rng, armature=0))
        q, v = random_state(rng, mechanism)
        model = pinocchio_model(mechanism)
        names = some_joints(rng, mechanism)
        held = [
            joint.name
            for joint in mechanism.joints
            if joint.kind is not JointKind.FIXED and mechanism.master_of(joint)[0].name in names
        ]
        pq, _ = to_pinocchio(mechanism, q, v, model=model)
        theirs = pin.buildReducedModel(model, [model.getJointId(x) for x in held], pq)
        locked = mechanism.lock(names, at=q)
        agree(locked, theirs, rng)
        agree(locked.reduce(), theirs, rng)
        assert not [j for j in locked.reduce().joints if j.kind is JointKind.FIXED]
        assert locked.total_mass == mechanism.total_mass == locked.reduce().total_mass


def test_attached_robots_agree_with_pinocchio(rng: np.random.Generator, scale: float) -> None:
    """`attach` is appendModel on a frame; the order of joints is another, names tell."""
    for _ in range(num_cases(TREES, scale)):
        # appendModel and buildReducedModel lose the armature
        carrier, load = (turned(rng, random_tree(rng, armature=0)) for _ in range(2))
        load = replace(load, gravity=carrier.gravity)
        link = str(rng.choice([joint.child for joint in carrier.joints]))
        X, Y = (random_mechanism(rng, 1).joints[0].placement for _ in range(2))
        carrier = carrier.add_frame("flange", link, placement=X)
        both = carrier.attach(load, "flange", prefix="tool_", placement=Y)
        first, second = pinocchio_model(carrier), pinocchio_model(load.rename(prefix="tool_"))
        at = first.frames[first.getFrameId(link)]
        frame = pin.Frame("flange", at.parentJoint, at.placement * se3(X), pin.FrameType.OP_FRAME)
        number = first.addFrame(frame, False)
        theirs = pin.appendModel(first, second, number, se3(Y))
        # which takes the default gravity
        theirs.gravity.linear = first.gravity.linear
        agree(both, theirs, rng)
        assert both.nv == carrier.nv + load.nv
        assert both.remove("tool_world").nv == carrier.nv
        assert both.remove("tool_world") == carrier


def closed_tree(rng: np.random.Generator) -> Mechanism:
    """Return a tree with a loop, a coupling and a joint spring, where its joints allow them."""
    mechanism = random_tree(rng)
    free = [j.name for j in mechanism.moving_joints if j.is_scalar]
    if len(free) > 1:
        one, two, *more = (str(x) for x in rng.permutation(free)[:3])
        factors = (Fraction(-3, 2), *(Fraction(2, 3) for _ in more))
        gear = Coupling("gear", one, (two, *more), Law.linear(factors, Fraction(1, 5)))
        over = ((two, 1), (one, Fraction(-1, 2)), *((x, Fraction(3, 4)) for x in more))
        shaft = JointSpring("shaft", over, 7, Fraction(1, 3), Fraction(1, 4), Fraction(1, 6))
        mechanism = replace(mechanism, couplings=(gear,), springs=(shaft,))
    first, second = (str(x) for x in rng.permutation([j.child for j in mechanism.joints])[:2])
    kind = str(rng.choice(["point", "frame"]))
    return mechanism.add_loop("ring", (first, (0.1, 0, 0.2)), second, kind=kind)


def motion(tree: Tree, q: Any, v: Any, tau: Any, rows: Any) -> np.ndarray:
    """Return q̈ under the loops and further rows A q̈ = 0, by one linear system."""
    q, v = list(q), list(v)
    M = np.array(mass_matrix(tree, q), dtype=float)
    h = np.array(inverse_dynamics(tree, q, v, [0.0] * tree.nv), dtype=float)
    right = np.array(tau) + np.array(passive_forces(tree, q, v), dtype=float) - h
    A = np.array(loop_jacobian(tree, q), dtype=float).reshape(-1, tree.nv)
    gamma = -np.array(loop_bias(tree, q, v), dtype=float)
    A, gamma = np.vstack([A, *rows]), np.concatenate([gamma, np.zeros(len(rows))])
    return constrained_accelerations(M, right, A, gamma)[0]


def is_regular(tree: Tree, q: Any, rows: Any) -> bool:
    """Tell whether no constraint depends on the others."""
    A = np.vstack([np.array(loop_jacobian(tree, list(q)), dtype=float).reshape(-1, tree.nv), *rows])
    s = np.linalg.svd(A, compute_uv=False)
    return len(A) <= tree.nv and bool(s[-1] > 1e-2 * s[0])


def test_locking_is_a_constraint(rng: np.random.Generator, scale: float) -> None:
    """The locked robot moves as the whole one does under the forces that hold its joints."""
    compared = 0
    for _ in range(num_cases(TREES, scale)):
        mechanism = closed_tree(rng)
        names = some_joints(rng, mechanism)
        coupled = {x for c in mechanism.couplings for x in c.joints}
        # not all of them: at a random place the coupling is not satisfied
        names = [x for x in names if x not in coupled] if coupled <= {*names} else names
        whole = Tree.of(mechanism).map(float)
        held = [i for x in names for i in whole.by_joint[x].velocities]
        free = [i for i in range(whole.nv) if i not in held]
        q, v = random_state(rng, mechanism)
        v[held] = 0
        tau = rng.normal(size=mechanism.nv)
        if not is_regular(whole, q.tolist(), np.eye(whole.nv)[held]):
            continue
        compared += bool(held)
        expected = motion(whole, q.tolist(), v.tolist(), tau, np.eye(whole.nv)[held])
        locked = mechanism.lock(names, at=q)
        places = [i for i in range(whole.nq) if i not in held_places(whole, names)]
        for part in (locked, locked.reduce()):
            tree = Tree.of(part).map(float)
            ours = motion(tree, q[places].tolist(), v[free].tolist(), tau[free], [])
            size = max(1.0, float(np.abs(expected).max()))
            assert np.abs(expected[held]).max(initial=0.0) < ROUNDING * size
            assert np.abs(ours - expected[free]).max(initial=0.0) < ROUNDING * size, mechanism
    assert compared


def held_places(tree: Tree, names: list[str]) -> list[int]:
    return [i for x in names for i in tree.by_joint[x].positions]


def test_mirrored_motions_have_mirrored_torques(rng: np.random.Generator, scale: float) -> None:
    """τ(S q, S v, S a) of the image is S τ: of scalar joints the same numbers."""
    for _ in range(num_cases(TREES, scale)):
        mechanism = turned(rng, closed_tree(rng))
        normal = str(rng.choice(["x", "y", "z"]))
        image = mechanism.mirror(normal)
        assert image.mirror(normal) == mechanism
        q, v, a = draw_state(rng, mechanism)
        sq, sv = mirror_signs(mechanism, normal)
        ours, theirs = Tree.of(mechanism).map(float), Tree.of(image).map(float)
        tau = np.array(inverse_dynamics(ours, q.tolist(), v.tolist(), a.tolist()))
        other = inverse_dynamics(
            theirs, *((s * x).tolist() for s, x in ((sq, q), (sv, v), (sv, a)))
        )
        close(sv * tau, other, FORCE_TOLERANCE, "τ", ours, unit=1.0)
        s = np.array([-1 if x == normal else 1 for x in "xyz"])
        offset, turned_offset = (
            np.array(loop_error(t, list(x)), dtype=float)[:3]
            for t, x in ((ours, q.tolist()), (theirs, (sq * q).tolist()))
        )
        if len(offset) == 3 and ours.constraint_rows[2].place == 2:
            close(s * offset, turned_offset, MATRIX_TOLERANCE, "loop", ours, unit=1.0)


def mirror_signs(mechanism: Mechanism, normal: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the signs of q and v: a vector s, an axis of rotation -s."""
    s = [-1 if x == normal else 1 for x in "xyz"]
    turn = [-x for x in s]
    sq: list[int] = []
    sv: list[int] = []
    for joint in mechanism.moving_joints:
        if joint.is_scalar:
            sq, sv = [*sq, 1], [*sv, 1]
        elif joint.kind is JointKind.SPHERICAL:
            sq, sv = [*sq, 1, *turn], [*sv, *turn]
        else:
            sq, sv = [*sq, *s, 1, *turn], [*sv, *s, *turn]
    return np.array(sq, dtype=float), np.array(sv, dtype=float)


def test_edited_robots_agree_with_mujoco(rng: np.random.Generator, scale: float) -> None:
    """Locked, reduced, attached, mirrored, renamed, and written to MJCF."""
    for _ in range(num_cases(TREES / 2, scale)):
        # links without mass need a joint that moves something behind it
        arm = random_tree(rng, kinds=SINGLE_KINDS)
        arm = arm.lock(some_joints(rng, arm), at=random_state(rng, arm)[0])
        hand = random_tree(rng, kinds=MUJOCO_KINDS).mirror("x").reduce().rename({"link1": "palm"})
        link = str(rng.choice([joint.child for joint in arm.joints]))
        both = arm.attach(hand, link, prefix="hand/", placement=Pose(p=(Fraction(1, 9), 0, 0)))
        both = replace(both, joints=tuple(replace(j, armature=0) for j in both.joints))
        model = mujoco.MjModel.from_xml_string(save_mjcf(both))
        data = mujoco.MjData(model)
        q, v = random_state(rng, both)
        data.qpos[:], data.qvel[:] = to_mujoco(both, q, v, model=model)
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        G = to_mujoco(both, q, np.eye(both.nv), model=model)[1].T
        tree = Tree.of(both).map(float)
        close(mass_matrix(tree, q.tolist()), G.T @ full @ G, MATRIX_TOLERANCE, "M", tree)
        h = inverse_dynamics(tree, q.tolist(), v.tolist(), [0.0] * tree.nv)
        close(h, G.T @ data.qfrc_bias, FORCE_TOLERANCE, "h", tree, unit=1.0)


def test_mobility_of_linkages() -> None:
    """By hand: Grübler in the plane, and a loop that is closed twice counts once."""
    chain = Builder("bars", gravity=(0, -9.81, 0))
    for i in range(3):
        chain.link(f"bar{i}", mass=1, com=(0.5, 0, 0), inertia=(0, 1, 1))
        chain.revolute(f"hinge{i}", f"bar{i}", origin=(1 if i else 0, 0, 0))
    bars = chain.build()
    # 3 hinges less 2 equations of a point in the plane
    four_bar = bars.add_loop("pin", ("bar2", (1, 0, 0)), ("world", (1.5, 0, 0)))
    assert four_bar.degrees_of_freedom == 1
    again = four_bar.add_loop("pin again", ("bar2", (1, 0, 0)), ("world", (1.5, 0, 0)))
    assert again.degrees_of_freedom == 1
    assert str(again).startswith("bars: 4 links, 1 degree of freedom: 3 velocities under 2 loops")
    # in space the frame floats: six more, and the loop in the plane of the bars holds as before
    floating = four_bar.with_floating_base()
    assert floating.degrees_of_freedom == 7
    geared = replace(bars, couplings=(Coupling.of("gear", "hinge1", "hinge2", (0, 2)),))
    assert geared.degrees_of_freedom == 2
    # too far away: nothing closes
    open_chain = bars.add_loop("pin", ("bar2", (1, 0, 0)), ("world", (9, 0, 0)))
    assert open_chain.degrees_of_freedom is None
    assert "no configuration found that closes them" in str(open_chain)


@pytest.mark.skipif(not os.environ.get("DALEMBERT_ZOO"), reason="DALEMBERT_ZOO is not set")
@pytest.mark.parametrize("name", ["ur5e/ur5e.urdf", "yumi/yumi.urdf", "fetch/fetch.urdf"])
def test_the_centre_of_mass_is_that_of_pinocchio_before_and_after_reduce(
    name: str, rng: np.random.Generator
) -> None:
    pin: Any = pytest.importorskip("pinocchio")
    path = Path(os.environ["DALEMBERT_ZOO"]) / name
    robot = da.load(path, repair={"limits", "names", "elements"}, accept_nonphysical=True)
    full, lean = da.compile(robot), da.compile(robot.reduce())
    theirs = pin.buildModelFromUrdf(str(path))
    data = theirs.createData()
    for q in rng.uniform(-1, 1, (4, full.nq)):
        c = pin.centerOfMass(theirs, data, to_pinocchio(robot, q, 0 * q, model=theirs)[0])
        # metres; robots reach a few, and some weights are off by the rounding of their sum
        assert np.abs(full.center_of_mass(q) - c).max() < 1e-13
        assert np.abs(lean.center_of_mass(q) - c).max() < 1e-13
        J, K = full.center_of_mass_jacobian(q), lean.center_of_mass_jacobian(q)
        assert np.abs(J - K).max() < 1e-13
