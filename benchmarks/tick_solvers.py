"""Differential inverse kinematics of three libraries behind one interface, on the same program.

All of them minimise Σ |W (J Δq - gain e)|² + damping |Δq|² within the limits of position and speed,
with daqp. They differ in how they write an orientation error, and in how they near position limits:
each keeps its own default there.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import dalembert as da
from benchmarks.peers.base import Unavailable
from benchmarks.robots import Array, panda
from dalembert import ik

GAIN = 0.5
DAMPING = 1e-6
HUMANOID = "g1/g1_nomesh.xml"
PANDA_SPEED, HUMANOID_SPEED = 2.0, 3.0
"""Largest |q̇| of each joint in rad/s."""


@dataclass(frozen=True)
class Goal:
    """A weighted task: the pose or centre of mass as it moves. Without a frame it is the latter."""

    frame: str | None
    weight: float
    turn_weight: float
    at: Callable[[float], Array]


@dataclass(frozen=True)
class Case:
    """A robot, where it starts, and what it shall do."""

    name: str
    path: Path
    model: da.Model
    home: Array
    goals: tuple[Goal, ...]
    posture: float
    speed: float
    dt: float

    @property
    def velocity(self) -> Array:
        """The largest speeds, ``(nv,)``: ∞ for a free base."""
        rate = np.full(self.model.nv, np.inf)
        rate[-len(self.joints) :] = self.speed
        return rate

    @property
    def joints(self) -> list[str]:
        """The joints with one coordinate, in order."""
        moving = self.model.mechanism.moving_joints
        return [joint.name for joint in moving if joint.is_scalar]


def panda_case(folder: Path, dt: float) -> Case:
    """Return the Panda, which follows a figure that jumps out of reach for two seconds."""
    path = folder / "panda.urdf"
    da.save(panda(), path, drop=True)
    model = da.compile(da.load(path), threads=1)
    home = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3])
    frame = model.mechanism.links[-1].name
    X = model.forward_kinematics(home, frame)

    def aim(t: float) -> Array:
        there = X.copy()
        grow = min(t, 1.0) * min(max(9.0 - t, 0.0), 1.0)
        there[:3, 3] += grow * np.array([0.1 * np.sin(t), 0.15 * np.sin(2 * t), 0.1 * np.cos(t)])
        if 5.0 <= t < 7.0:
            there[:3, 3] += [-0.2, 0.3, 0.2]
        return there

    goals = (Goal(frame, 1.0, 1.0, aim),)
    return Case("Panda", path, model, home, goals, 0.05, PANDA_SPEED, dt)


def humanoid_case(dt: float) -> Case:
    """Return the G1, which squats, leans and reaches with its feet in place."""
    folder = os.environ.get("DALEMBERT_ZOO")
    if not folder:
        raise Unavailable("no humanoid: set DALEMBERT_ZOO to a folder with robots")
    path = Path(folder) / HUMANOID
    model = da.compile(da.load(path), threads=1)
    names, home = model.configuration.q_names, model.configuration.neutral.copy()
    for part, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
        for side in ("left", "right"):
            home[names.index(f"{side}_{part}_joint")] = angle

    def still(frame: str) -> Callable[[float], Array]:
        X = model.forward_kinematics(home, frame)
        return lambda t: X

    c, hand = model.center_of_mass(home), "left_wrist_yaw_link"
    H = model.forward_kinematics(home, hand)

    def balance(t: float) -> Array:
        grow = min(t, 1.0) * min(max(9.0 - t, 0.0), 1.0)
        down = 0.06 * (1 - np.cos(2.5 * t))
        return c + grow * np.array([0.0, 0.03 * np.sin(1.6 * t), -down])

    def reach(t: float) -> Array:
        grow = min(t, 1.0) * min(max(9.0 - t, 0.0), 1.0)
        there = H.copy()
        there[:3, 3] += grow * np.array([0.1 * np.sin(t), 0.0, 0.1 + 0.1 * np.sin(0.7 * t)])
        return there

    goals = (
        Goal("left_ankle_roll_link", 10.0, 1.0, still("left_ankle_roll_link")),
        Goal("right_ankle_roll_link", 10.0, 1.0, still("right_ankle_roll_link")),
        Goal(None, 3.0, 0.0, balance),
        Goal(hand, 1.0, 0.5, reach),
    )
    return Case("humanoid G1", path, model, home, goals, 1e-2, HUMANOID_SPEED, dt)


class Follower(Protocol):
    """Follows the goals of a case: `start` puts it somewhere, `tick` returns q and q̇ behind it.

    Both have our layout once they went through `state`, which is not timed.
    """

    name: str

    def start(self, q: Array) -> None: ...

    def tick(self, targets: Sequence[Array]) -> tuple[Array, Array]: ...

    def state(self, q: Array, v: Array) -> tuple[Array, Array]: ...


class Ours:
    """`da.ik.DifferentialIK`."""

    name = "dalembert"

    def __init__(self, case: Case) -> None:
        at = [goal.at(0.0) for goal in case.goals]
        tasks: list[ik.Task] = [
            ik.CenterOfMassTask(X, goal.weight)
            if goal.frame is None
            else ik.PoseTask(goal.frame, X, goal.weight, turn_weight=goal.turn_weight)
            for goal, X in zip(case.goals, at, strict=True)
        ]
        self.posture = case.home
        self.law = ik.DifferentialIK(
            case.model,
            [*tasks, ik.PostureTask(case.home, case.posture)],
            dt=case.dt,
            gain=GAIN,
            damping=DAMPING,
            velocity=case.velocity,
        )

    def start(self, q: Array) -> None:
        self.q = q

    def tick(self, targets: Sequence[Array]) -> tuple[Array, Array]:
        tick = self.law.tick(self.q, targets=[*targets, self.posture])
        self.q = tick.q
        return tick.q, tick.velocity

    def state(self, q: Array, v: Array) -> tuple[Array, Array]:
        return q, v


class Mink:
    """mink, on MuJoCo."""

    name = "mink"

    def __init__(self, case: Case) -> None:
        mujoco = import_module("mujoco")
        mink = self.mink = _optional("mink", "mink daqp")
        logging.getLogger("mink").setLevel(logging.ERROR)
        if case.path.suffix == ".xml":
            model = mujoco.MjModel.from_xml_path(str(case.path))
        else:
            model = mujoco.MjModel.from_xml_string(_as_mjcf(case.path))
        self.configuration = mink.Configuration(model)
        self.tasks, self.dt = [], case.dt
        for goal in case.goals:
            if goal.frame is None:
                self.tasks.append(mink.ComTask(cost=goal.weight, gain=GAIN))
            else:
                costs = {"position_cost": goal.weight}
                costs["orientation_cost"] = goal.weight * goal.turn_weight
                self.tasks.append(mink.FrameTask(goal.frame, "body", gain=GAIN, **costs))
        self.posture = mink.PostureTask(model, cost=case.posture, gain=GAIN)
        self.posture.set_target(case.home)
        self.limits = [
            mink.ConfigurationLimit(model),
            mink.VelocityLimit(model, dict.fromkeys(case.joints, case.speed)),
        ]

    def start(self, q: Array) -> None:
        self.configuration.update(q)

    def tick(self, targets: Sequence[Array]) -> tuple[Array, Array]:
        mink = self.mink
        for task, target in zip(self.tasks, targets, strict=True):
            task.set_target(target if target.ndim == 1 else mink.SE3.from_matrix(target))
        tasks = [*self.tasks, self.posture]
        options = {"damping": DAMPING, "limits": self.limits}
        v = mink.solve_ik(self.configuration, tasks, self.dt, "daqp", **options)
        self.configuration.integrate_inplace(v, self.dt)
        return self.configuration.q, v

    def state(self, q: Array, v: Array) -> tuple[Array, Array]:
        return q, v


class Pink:
    """pink, on Pinocchio."""

    name = "pink"

    def __init__(self, case: Case) -> None:
        pin, pink = _optional("pinocchio", "pin"), _optional("pink", "pin-pink daqp")
        tasks, limits = import_module("pink.tasks"), import_module("pink.limits")
        self.pin, self.pink, self.dt = pin, pink, case.dt
        read = pin.buildModelFromMJCF if case.path.suffix == ".xml" else pin.buildModelFromUrdf
        model = read(str(case.path))
        self.places = _places(model, case)
        self.configuration = pink.Configuration(model, model.createData(), self.theirs(case.home))
        self.tasks = []
        for goal in case.goals:
            if goal.frame is None:
                self.tasks.append(tasks.ComTask(cost=goal.weight, gain=GAIN))
            else:
                costs = {"position_cost": goal.weight}
                costs["orientation_cost"] = goal.weight * goal.turn_weight
                self.tasks.append(tasks.FrameTask(goal.frame, gain=GAIN, **costs))
        self.posture = tasks.PostureTask(cost=case.posture, gain=GAIN)
        self.posture.set_target(self.theirs(case.home))
        rate = np.full(model.nv, np.inf)
        rate[self.places[1]] = case.speed
        self.limits = [
            limits.ConfigurationLimit(model),
            limits.VelocityLimit(model, np.where(np.isfinite(rate), rate, 1e30)),
        ]

    def start(self, q: Array) -> None:
        self.configuration.update(self.theirs(q))

    def tick(self, targets: Sequence[Array]) -> tuple[Array, Array]:
        for task, target in zip(self.tasks, targets, strict=True):
            task.set_target(target if target.ndim == 1 else self.pin.SE3(target))
        tasks = [*self.tasks, self.posture]
        options = {"damping": DAMPING, "limits": self.limits, "safety_break": False}
        v = self.pink.solve_ik(self.configuration, tasks, self.dt, "daqp", **options)
        self.configuration.integrate_inplace(v, self.dt)
        return self.configuration.q, v

    def theirs(self, q: Array) -> Array:
        """Return a configuration in Pinocchio's layout."""
        found, (at, _) = np.zeros(len(q)), self.places
        found[at] = q[-len(at) :]
        if len(q) > len(at):
            found[:7] = q[[0, 1, 2, 4, 5, 6, 3]]
        return found

    def state(self, q: Array, v: Array) -> tuple[Array, Array]:
        at, moving = self.places
        base = [0, 1, 2, 6, 3, 4, 5] if len(q) > len(at) else []
        return np.append(q[base], q[at]), np.append(v[: len(v) - len(moving)], v[moving])


FOLLOWERS: tuple[type, ...] = (Ours, Mink, Pink)


def _places(model: Any, case: Case) -> tuple[list[int], list[int]]:
    """Return where Pinocchio has each of our scalar joints, in q and in v."""
    joints = [model.joints[model.getJointId(name)] for name in case.joints]
    return [joint.idx_q for joint in joints], [joint.idx_v for joint in joints]


def _as_mjcf(path: Path) -> str:
    with tempfile.TemporaryDirectory() as place:
        target = Path(place) / "robot.xml"
        da.save(da.load(path), target, drop=True)
        return target.read_text(encoding="utf-8")


def _optional(name: str, packages: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise Unavailable(f"no {name}: pip install {packages}") from None
