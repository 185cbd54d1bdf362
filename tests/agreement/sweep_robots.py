"""Random robots with everything that files and edits must keep, and random edits of them.

Every robot has a keyframe in which its loops and couplings are closed; it follows the edits.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.mechanism import (
    Actuator,
    Box,
    Builder,
    Capsule,
    Coupling,
    Frame,
    JointKind,
    Loop,
    Mechanism,
    Resistance,
    Shape,
)
from dalembert.recursions.constraints.loops import loop_jacobian
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.tree import Tree
from dalembert.spatial.arrays import to_mat
from dalembert.spatial.exact import exact, rotation_from_quaternion
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.quaternion import from_matrix
from tests.random_mechanisms import random_mechanism, random_state

KINDS = ("fixed", "revolute", "continuous", "prismatic", "universal", "planar", "spherical")
# of sizes of 1 m and 1 rad
RANK_TOLERANCE = 1e-9


def random_robot(rng: np.random.Generator, most: int = 6) -> Mechanism:
    """Return a tree, floating or fixed, that may have loops, couplings, followers, friction."""
    tree = random_mechanism(
        rng, int(rng.integers(3, most + 1)), kinds=KINDS, mimic=0.2, damping=0.4
    )
    if not tree.nv:
        return random_robot(rng, most)
    if rng.random() < 0.5:
        tree = tree.rename({"world": "trunk"}, of="links")
        body = random_mechanism(rng, 1).links[1].inertia
        com, I = body.com(), body.about_com()
        moments = [I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]
        tree = tree.replace_inertia("trunk", mass=body.m, com=com, inertia=moments)
        tree = tree.with_floating_base()
    tree = replace(tree, joints=tuple(_resisting(rng, joint) for joint in tree.joints))
    tree = _decorated(rng, tree)
    return _closed(rng, tree)


def _resisting(rng: np.random.Generator, joint: Any) -> Any:
    if not joint.is_scalar:
        # armature behind a floating joint is another term in Pinocchio
        return replace(joint, armature=0) if joint.kind is JointKind.FLOATING else joint
    own = {"damping": joint.resistance.damping}
    if rng.random() < 0.3:
        own["friction"] = exact(round(float(rng.uniform(0.05, 0.5)), 3))
    if rng.random() < 0.3:
        own |= {"stiffness": exact(round(float(rng.uniform(1, 9)), 2)), "rest": Fraction(1, 4)}
    return replace(joint, resistance=Resistance(**own))


def _decorated(rng: np.random.Generator, tree: Mechanism) -> Mechanism:
    """Return the tree with a frame, shapes, a motor and a keyframe."""
    links = [joint.child for joint in tree.joints]
    free = [j.name for j in tree.moving_joints if j.is_scalar]
    q = [round(float(x), 6) for x in random_state(rng, tree)[0]]
    place = 0
    for joint in tree.moving_joints:
        if not joint.is_scalar:
            end = place + joint.nq
            a = np.array(q[end - 4 : end])
            q[end - 4 : end] = [float(x) for x in a / np.linalg.norm(a)]
        place += joint.nq
    last = tree.link(links[-1])
    shape = Shape(Box((0.1, 0.2, 0.3)), tree.joints[-1].placement, (0.5, 0.5, 1.0, 1.0), "box")
    other = Shape(Capsule(0.05, 0.2), Pose(p=(0, 0, Fraction(1, 10))), name="pill")
    shaped = replace(last, visuals=(shape,), collisions=(shape, other))
    tree = replace(tree, links=tuple(shaped if x is last else x for x in tree.links))
    motors = [Actuator(f"motor_{x}", x, 3, effort=2) for x in free if rng.random() < 0.3]
    tree = replace(tree, actuators=tuple(motors))
    tree = tree.add_frame("tip", links[-1], placement=random_mechanism(rng, 1).joints[0].placement)
    return tree.add_keyframe("start", q)


def start(mechanism: Mechanism) -> np.ndarray:
    """Return the closed configuration of a robot."""
    return np.array(mechanism.keyframes[0].configuration(mechanism.joints), dtype=float)


def _closed(rng: np.random.Generator, tree: Mechanism) -> Mechanism:
    """Return the tree with a loop and a coupling, closed at the keyframe, if it can still move."""
    robot = tree
    if rng.random() < 0.5:
        robot = _with_loop(rng, robot)
    if rng.random() < 0.5:
        robot = _with_coupling(rng, robot)
    return robot if freedoms(robot) > 0 else tree


def freedoms(mechanism: Mechanism) -> int:
    """Return how many velocities loops and couplings leave free at the keyframe."""
    tree = Tree.of(mechanism).map(float)
    A = np.array(loop_jacobian(tree, start(mechanism).tolist()), dtype=float)
    A = A.reshape(-1, tree.nv)
    values = np.linalg.svd(A, compute_uv=False) if len(A) else np.zeros(0)
    return tree.nv - int((values > RANK_TOLERANCE * max(1.0, values.max(initial=0.0))).sum())


def _with_loop(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    """Tie two links together where they are at the keyframe."""
    tree = Tree.of(robot).map(float)
    poses = forward_kinematics(tree, start(robot).tolist())
    names = [robot.root, *(node.name for node in tree.nodes)]
    # MuJoCo has no body for a massless link between two joints
    heavy = [i for i, name in enumerate(names) if not i or not robot.link(name).is_massless]
    i, k = (int(x) for x in rng.permutation(heavy)[:2])
    first = Pose(p=tuple(exact(round(float(x), 3)) for x in rng.uniform(-0.3, 0.3, 3)))  # type: ignore[arg-type]
    X = poses[k].inverse() @ poses[i] @ first.map(float)
    turn = rotation_from_quaternion(*(float(x) for x in from_matrix(to_mat(np.array(X.R, float)))))
    second = Pose(turn, tuple(exact(float(x)) for x in X.p))  # type: ignore[arg-type]
    kind = str(rng.choice(["point", "point", "frame"]))
    ends = Frame("ring/1", names[i], first), Frame("ring/2", names[k], second)
    return replace(robot, loops=(Loop("ring", kind, *ends),))


def _with_coupling(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    """Couple two joints by a line or a parabola through their positions at the keyframe."""
    known = dict(robot.keyframes[0].positions)
    free = [j.name for j in robot.moving_joints if j.is_scalar]
    if len(free) < 2:
        return robot
    one, two = (str(x) for x in rng.permutation(free)[:2])
    slope = exact(round(float(rng.uniform(0.5, 2)), 2))
    bend = exact(round(float(rng.uniform(-0.5, 0.5)), 2)) if rng.random() < 0.4 else 0
    (y,), (x,) = known[one], known[two]
    gear = (exact(y - slope * x - bend * x * x), slope, *((bend,) if bend else ()))
    return replace(robot, couplings=(Coupling.of("gear", one, two, gear),))


# ---- edits


def edited(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    """Return the robot after a few edits, in random order."""
    for number in rng.permutation(len(EDITS))[: int(rng.integers(1, len(EDITS) + 1))]:
        robot = EDITS[int(number)](rng, robot)
    return robot


def _payload(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    link = str(rng.choice([x.name for x in robot.links[1:] if not x.is_massless]))
    return robot.with_payload(link, mass=Fraction(1, 2), com=(0, 0, Fraction(1, 10)))


def _tool(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    finger = {"mass": 0.2, "com": (0, 0, 0.05), "inertia": (1e-3, 1e-3, 1e-3)}
    tool = Builder("tool", root="palm").link("finger", **finger)  # type: ignore[arg-type]
    tool.revolute("grip", "finger", axis="x", damping=0.1).shape("finger", Box((0.01, 0.02, 0.1)))
    at = next(frame.name for frame in robot.frames if frame.name.endswith("tip"))
    return robot.attach(tool.build(), at, prefix="hand_")


def _renamed(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    inner = {x.name: f"l_{x.name}" for x in robot.links[1:]}
    return robot.rename(inner, of="links").rename({"tip": "the_tip"}, of="frames")


def _locked(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    """Hold a joint where it is at the keyframe, and join what does not move any more."""
    coupled = {x for c in robot.couplings for x in c.joints}
    known = dict(robot.keyframes[0].positions)
    free = [j.name for j in robot.moving_joints if j.is_scalar and j.name not in coupled]
    if len(free) < 2:
        return robot
    name = str(rng.choice(free))
    locked = robot.lock(name, at={name: known.get(name, (0,))[0]}).reduce()
    return locked if locked.nv and freedoms(locked) > 0 else robot


def _mirrored(rng: np.random.Generator, robot: Mechanism) -> Mechanism:
    return robot.mirror(str(rng.choice(["x", "y", "z"])))


EDITS = (_payload, _tool, _renamed, _locked, _mirrored)
