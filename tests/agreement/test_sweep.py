"""The great sweep: load → edit → save in every format → load → dynamics and 1 s of motion.

Random robots with floating bases, loops, couplings, followers and friction, and the zoo where there
is one, against Pinocchio and MuJoCo. With DALEMBERT_TEST_SCALE=150 there are 300 of them.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.drop import PARTS
from dalembert.mechanism.io.state_layouts import to_mujoco
from dalembert.mechanism.variants.lock import without_reference
from dalembert.recursions.constraints.loops import loop_bias, loop_error, loop_jacobian
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree
from tests.agreement.sweep_oracle import RANK_TOLERANCE, Oracle, by_joint, key_of, solved, state_of
from tests.agreement.sweep_robots import edited, random_robot, start
from tests.agreement.test_random_trees import mujoco
from tests.cases import num_cases
from tests.figures import Figures
from tests.random_mechanisms import random_state

ROBOTS, MOVING = 2, 1
ENDINGS = (".json", ".xml", ".urdf", ".sdf")
# of the largest entry
MATRIX_TOLERANCE = 1e-11
# of the largest acceleration, times the condition of the constraints
ACCELERATION_TOLERANCE = 1e-9
# m and rad: what rounding leaves of a closed loop
CLOSED = 1e-11
# what an integrator of order 8 or 4 leaves after 1 s, of positions of size 1
MOTION_TOLERANCE = 1e-6
# of the energy that moves; sticking and slipping are found to rounding
ENERGY_TOLERANCE = 1e-6
# constraints that nearly lose rank lose digits
LEAST_MARGIN = 1e-3
ZOO = os.environ.get("DALEMBERT_ZOO")
SECONDS = 1.0
# joints that a format does not have; links that move without mass, which MuJoCo cannot have
REFUSED = ("expected a joint that", "to have mass and inertia above")
MUJOCO_STEP = 5e-4
# velocities of a robot of the zoo that moves: those of large ones take long to compile
FEW = 8


def smooth(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism without dry friction."""
    joints = tuple(
        replace(x, resistance=replace(x.resistance, friction=0)) for x in mechanism.joints
    )
    return replace(mechanism, joints=joints)


def ours(mechanism: Mechanism, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return q̈ from our M, h, A and γ, without compiling anything."""
    tree, zero = Tree.of(mechanism).map(float), [0.0] * mechanism.nv
    x, u = q.tolist(), v.tolist()
    M = np.array(mass_matrix(tree, x), float)
    right = -np.array(inverse_dynamics(tree, x, u, zero), float)
    right += np.array(passive_forces(tree, x, u), float)
    free = np.linalg.solve(M, right)
    A = np.array(loop_jacobian(tree, x), float).reshape(-1, mechanism.nv)
    if not len(A):
        return free
    gamma = -np.array(loop_bias(tree, x, u), float)
    L = np.linalg.cholesky(M)
    B = np.linalg.solve(L, A.T).T
    return free + np.linalg.solve(L.T, solved(B, gamma - A @ free))


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference, of the largest entry or 1."""
    size = max(np.abs(other).max(initial=0.0), 1.0)
    return float(np.abs(one - other).max(initial=0.0) / size)


def accelerations_by_joint(mechanism: Mechanism, a: np.ndarray) -> dict[str, np.ndarray]:
    q = np.zeros(mechanism.nq)
    return {name: x for name, (_, x) in by_joint(mechanism, q, a).items()}


class Sweep:
    """Takes robots through the day; counts what was done, and keeps the largest differences."""

    def __init__(self, folder: Path, rng: np.random.Generator) -> None:
        self.folder, self.rng = folder, rng
        self.counts: Counter[str] = Counter()
        self.worst: dict[str, float] = {}

    def note(self, what: str, value: float, tolerance: float, robot: Mechanism) -> None:
        self.worst[what] = max(self.worst.get(what, 0.0), value)
        assert value <= tolerance, f"{what}: {value:.2e}\n{robot}\n{robot.notes}"

    def robot(self, robot: Mechanism) -> None:
        """Compare the dynamics of a robot, and of what every format keeps of it."""
        q = start(robot)
        oracle = Oracle(robot)
        v = oracle.admissible(q, self.rng.normal(size=robot.nv))
        if (np.abs(v) < RANK_TOLERANCE).any() or oracle.margin(q, v) < LEAST_MARGIN:
            # a joint that cannot move may stick either way
            robot = smooth(robot)
        self.compared("dynamics", robot, robot, q, v)
        for ending in ENDINGS:
            self.file(robot, ending, q, v)

    def closed(self, robot: Mechanism) -> None:
        """Check that the keyframe closes loops and couplings, also after edits."""
        error = loop_error(Tree.of(robot).map(float), start(robot).tolist())
        self.note("closure", float(np.abs(np.array(error, float)).max(initial=0.0)), CLOSED, robot)

    def compared(
        self, what: str, robot: Mechanism, found: Mechanism, q: np.ndarray, v: np.ndarray
    ) -> None:
        """Compare q̈ of what was found with Pinocchio's of the robot, joint by joint."""
        oracle = Oracle(robot)
        margin = oracle.margin(q, v)
        expected = accelerations_by_joint(robot, oracle.acceleration(q, v, np.zeros(robot.nv)))
        a = ours(found, *state_of(found, by_joint(robot, q, v)))
        theirs = accelerations_by_joint(found, a)
        size = max(1.0, *(float(np.abs(x).max()) for x in expected.values()))
        for joint in (x for x in found.joints if x.name in theirs):
            other = expected[key_of(joint, expected)]
            error = float(np.abs(theirs[joint.name] - other).max()) / size
            self.note(f"q̈ of {what}", error * margin, ACCELERATION_TOLERANCE, robot)

    def file(self, robot: Mechanism, ending: str, q: np.ndarray, v: np.ndarray) -> None:
        path = self.folder / f"robot{ending}"
        kept = PARTS[ending](robot)[0] if ending in PARTS else robot
        try:
            notes = da.save(robot, path, drop=True)
        except InvalidMechanism as error:
            if not any(words in str(error) for words in REFUSED):
                raise
            self.counts[f"{ending} refused"] += 1
            return
        if replace(kept, keyframes=()) != replace(robot, keyframes=()):
            assert notes
        options: dict[str, Any] = {} if ending == ".xml" else {"accept_nonphysical": True}
        found = da.load(path, **options)
        self.counts[ending] += 1
        if {x.name for x in kept.joints} != {x.name for x in robot.joints}:
            # balls as hinges: another state; compared in the tests of drop
            mass = float(robot.total_mass)
            assert abs(float(found.total_mass) - mass) <= MATRIX_TOLERANCE * mass
            return
        state = state_of(kept, by_joint(robot, q, v))
        if ending == ".json":
            assert found == robot
        self.compared(ending, kept, found, *state)
        if ending == ".xml":
            self.in_mujoco(kept, path, *state)

    def in_mujoco(self, robot: Mechanism, path: Path, q: np.ndarray, v: np.ndarray) -> None:
        """Compare M, h, passive forces and the rows of equalities with MuJoCo's own."""
        m = mujoco.MjModel.from_xml_path(str(path))
        d = mujoco.MjData(m)
        m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        qpos, G = to_mujoco(robot, q, np.eye(robot.nv), model=m)
        G = G.T
        d.qpos[:], d.qvel[:] = (qpos[0] if qpos.ndim > 1 else qpos), G @ v
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, M, d.qM) if hasattr(d, "qM") else mujoco.mj_fullM(m, d, M)
        tree = Tree.of(robot).map(float)
        own = np.array(mass_matrix(tree, q.tolist()), float)
        self.note("M in MuJoCo", difference(own, G.T @ M @ G), MATRIX_TOLERANCE, robot)
        equalities = d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        J = d.efc_J[: d.nefc * m.nv].reshape(-1, m.nv)[equalities]
        size = np.abs(J).max(initial=1.0)
        self.note("J v in MuJoCo", np.abs(J @ G @ v).max(initial=0.0) / size, 1e-9, robot)

    # ---- motions

    def motion(self, robot: Mechanism, *, is_gentle: bool = True) -> None:
        """Compare 1 s of motion with Pinocchio's; without constraints with MuJoCo's too.

        Only a gentle motion is one for MuJoCo's fixed steps.
        """
        q = start(robot)
        plain = smooth(robot)
        oracle = Oracle(plain)
        v = oracle.admissible(q, 0.5 * self.rng.normal(size=robot.nv))
        expected, margin = oracle.motion(q, v, SECONDS)
        if margin < LEAST_MARGIN:
            self.counts["motions through singular constraints"] += 1
            return
        found = da.simulate(da.compile(plain), q, v, SECONDS, initial="project")
        assert found.ok, f"{found.status}\n{plain}"
        error = self.apart(plain, found.q[-1], expected)
        self.note("motion", error, MOTION_TOLERANCE / margin, plain)
        self.counts["motions"] += 1
        is_tree = not (plain.loops or plain.couplings or any(x.mimic for x in plain.joints))
        if is_tree and is_gentle:
            self.note("motion in MuJoCo", self.by_mujoco(plain, q, v, found), 1e-6, plain)
        if plain != robot:
            self.with_friction(robot, q, v)

    def by_mujoco(self, robot: Mechanism, q: np.ndarray, v: np.ndarray, found: Any) -> float:
        path = self.folder / "motion.xml"
        da.save(replace(robot, actuators=()), path, drop=True)
        m = mujoco.MjModel.from_xml_path(str(path))
        d = mujoco.MjData(m)
        m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        m.opt.integrator, m.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, MUJOCO_STEP
        d.qpos[:], d.qvel[:] = to_mujoco(robot, q, v, model=m)
        mujoco.mj_step(m, d, nstep=round(SECONDS / MUJOCO_STEP))
        ours, _ = to_mujoco(robot, found.q[-1], found.qd[-1], model=m)
        self.counts["motions in MuJoCo"] += 1
        return difference(_aligned(ours, d.qpos), d.qpos)

    def with_friction(self, robot: Mechanism, q: np.ndarray, v: np.ndarray) -> None:
        """Simulate with dry friction: no energy comes from nowhere."""
        found = da.simulate(da.compile(robot), q, v, SECONDS, initial="project")
        assert found.ok, f"{found.status}\n{robot}"
        size = float(np.ptp(np.asarray(found.energy.kinetic)) + 1.0)
        self.note("energy with friction", found.energy_error / size, ENERGY_TOLERANCE, robot)
        self.counts["motions with friction"] += 1

    def apart(self, robot: Mechanism, one: np.ndarray, other: np.ndarray) -> float:
        """Return how far two configurations are apart; q and -q of a quaternion are the same."""
        worst = 0.0
        for name, (x, _) in by_joint(robot, one, np.zeros(robot.nv)).items():
            y = by_joint(robot, other, np.zeros(robot.nv))[name][0]
            if len(x) > 1 and x[-4:] @ y[-4:] < 0:
                y = np.concatenate([y[:-4], -y[-4:]])
            worst = max(worst, difference(x, y))
        return worst


def _aligned(q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return q with the signs of quaternions as in another one, wherever four numbers flipped."""
    flipped = np.abs(q + other) < np.abs(q - other)
    return np.where(flipped & (np.abs(q + other) < 1e-3), -q, q)


def counted(found: Sweep, robot: Mechanism) -> Mechanism:
    """Count what a robot has."""
    found.counts["robots"] += 1
    found.counts["floating"] += any(len(x) == 7 for _, x in robot.keyframes[0].positions)
    found.counts["with loops"] += bool(robot.loops)
    found.counts["with couplings"] += bool(robot.couplings)
    found.counts["with followers"] += any(joint.mimic for joint in robot.joints)
    found.counts["with friction"] += any(joint.resistance.friction for joint in robot.joints)
    return robot


def sweep(folder: Path, rng: np.random.Generator, count: int) -> Sweep:
    """Take random robots through edits and files."""
    found = Sweep(folder, rng)
    for _ in range(count):
        robot = counted(found, random_robot(rng))
        for changed in (robot, edited(rng, robot)):
            found.closed(changed)
            found.robot(changed)
    return found


def sweep_of_motions(folder: Path, rng: np.random.Generator, count: int) -> Sweep:
    """Take small random robots through edits, and let them move."""
    found = Sweep(folder, rng)
    for _ in range(count):
        found.motion(edited(rng, counted(found, random_robot(rng, 3))))
    return found


def test_random_robots_in_all_formats(
    rng: np.random.Generator, scale: float, tmp_path: Path, figures: Figures
) -> None:
    told(figures, sweep(tmp_path, rng, num_cases(ROBOTS, scale)))


def test_motions_of_random_robots(
    rng: np.random.Generator, scale: float, tmp_path: Path, figures: Figures
) -> None:
    told(figures, sweep_of_motions(tmp_path, rng, num_cases(MOVING, scale)))


def zoo_files() -> list[Path]:
    """Return the robots of the zoo that are read as they are, without their missing meshes."""
    folder = Path(ZOO or ".")
    files = sorted([*folder.glob("*/*.urdf"), *folder.glob("*/*.xml")]) if ZOO else []
    return [x for x in files if x.parent.name not in ("reference", "LICENSES")]


def zoo_robot(path: Path, rng: np.random.Generator) -> Mechanism | None:
    """Return a robot at a random configuration; None where the file is part of another one."""
    options: dict[str, Any] = {"missing_meshes": True}
    if path.suffix == ".urdf":
        options = {"repair": True, "accept_nonphysical": True}
    try:
        robot = da.load(path, **options)
    except InvalidMechanism:
        return None
    if not robot.nv:
        return None
    # armature behind a floating joint is another term in Pinocchio; what spins is none
    joints = tuple(
        replace(without_reference(x), armature=x.armature if x.is_scalar else 0)
        for x in robot.joints
    )
    # springs between parts are compared in the tests of tendons
    robot = replace(robot, joints=joints, keyframes=(), springs=())
    robot = robot.add_keyframe("sweep", random_state(rng, robot)[0])
    M = np.array(mass_matrix(Tree.of(robot).map(float), start(robot).tolist()), float)
    values = np.linalg.eigvalsh(M)
    # links that move without mass: the reference engines divide by zero
    return robot if values[0] > 1e-12 * values[-1] else None


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to take through the day")
def test_zoo_in_all_formats(
    rng: np.random.Generator, scale: float, tmp_path: Path, figures: Figures
) -> None:
    found, files = Sweep(tmp_path, rng), zoo_files()
    for k in rng.permutation(len(files))[: num_cases(ROBOTS, scale)]:
        robot = zoo_robot(files[int(k)], rng)
        if robot is not None:
            counted(found, robot)
            found.robot(robot.with_payload(robot.joints[-1].child, mass=0.5))
    told(figures, found)


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to let move")
def test_motions_of_the_zoo(
    rng: np.random.Generator, scale: float, tmp_path: Path, figures: Figures
) -> None:
    """Arms and legs of at most eight velocities; the closed ones start open here."""
    found, files, left = Sweep(tmp_path, rng), zoo_files(), num_cases(MOVING, scale)
    for k in rng.permutation(len(files)):
        robot = zoo_robot(files[int(k)], rng)
        if robot is None or robot.nv > FEW or robot.loops or robot.couplings:
            continue
        counted(found, robot)
        found.motion(robot.with_payload(robot.joints[-1].child, mass=0.5), is_gentle=False)
        left -= 1
        if not left:
            break
    told(figures, found)


def told(figures: Figures, found: Sweep) -> None:
    for name, count in found.counts.items():
        figures.count(f"sweep: {name}", count)
    for name, value in found.worst.items():
        figures.worst(f"sweep: {name}", value)


def test_rows_that_are_one_number_of_rounding_do_not_stop_a_motion() -> None:
    """A weld on a slider cannot turn: its rows of turning are 1e-16 for all q."""
    rng = np.random.default_rng(1165)
    robot = edited(rng, random_robot(rng, 3))
    model = da.compile(robot)
    assert model.description.constraint_names == ("loop ring x", "loop ring y", "loop ring z")
    motion = da.simulate(model, model.neutral, None, [0, 0.05], initial="project")
    assert motion.ok, motion.status
