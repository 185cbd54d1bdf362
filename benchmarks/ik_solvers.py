"""Solvers of inverse kinematics behind one interface, and the poses that they all get."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol

import numpy as np

import dalembert as da
from benchmarks.bodies import bodies
from benchmarks.peers.base import Unavailable
from benchmarks.peers.pinocchio_cpp import load_clik
from benchmarks.peers.pinocchio_python import import_pinocchio, pinocchio_model
from benchmarks.robots import Array
from dalembert.ik import solve_ik
from dalembert.mechanism import JointKind, Link, Mechanism
from dalembert.mechanism.io.mjcf.write import save_mjcf

TOLERANCE = 1e-9
# rounding of the forward kinematics that judges
JUDGE = 1.001 * TOLERANCE
SEED = 5
STARTS = 20
ITERATIONS = 100
# of joints from pose to pose on a way, in radians: 1 kHz at 2 rad/s
STRIDE = 2e-3
ARMS: dict[str, Callable[[], Mechanism]] = {
    "ur5e": da.textbook.robots.ur5e,
    "panda": da.textbook.robots.panda,
    "iiwa14": da.textbook.robots.iiwa14,
    "puma560": da.textbook.robots.puma560,
}


def geometry(arm: Mechanism) -> Mechanism:
    """Return the arm with unit masses: some peers refuse the massless links that others publish."""
    first, *links = arm.links
    heavy = (Link.of(link.name, mass=1, inertia=(1, 1, 1)) for link in links)
    return replace(arm, links=(first, *heavy), actuators=())


class Case:
    """An arm with poses that it reaches."""

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.mechanism = geometry(ARMS[name]())
        self.model = da.compile(self.mechanism, threads=1)
        space = self.model.configuration
        self.lower, self.upper = space.lower, space.upper
        self.frame = (self.mechanism.frames or self.mechanism.links)[-1].name
        rng = np.random.default_rng(SEED)
        self.q = rng.uniform(self.lower, self.upper, (count, self.model.nq))
        self.targets = self.model.forward_kinematics(self.q, frame=self.frame)
        self.starts = rng.uniform(self.lower, self.upper, (STARTS, self.model.nq))
        self.starts[0] = (self.lower + self.upper) / 2
        self.path = self._path(rng, count)
        self.way = self.model.forward_kinematics(self.path, frame=self.frame)

    def _path(self, rng: np.random.Generator, count: int) -> Array:
        """Return configurations along a smooth way, joints no farther apart than `STRIDE`."""
        phase = rng.uniform(0, 2 * np.pi, self.model.nq)
        rate = rng.uniform(0.5, 1, self.model.nq)
        # well inside the limits, and slow where a joint has far to go
        reach = np.minimum(0.4 * (self.upper - self.lower), 1.0)
        t = STRIDE * np.arange(count)[:, None]
        return (self.lower + self.upper) / 2 + reach * np.sin(phase + rate * t / reach.max())

    def offset(self, pose: Callable[[Array], Array]) -> Array:
        """Return the flange in the last frame of a peer, and make sure that it is fixed there."""
        first, second = (
            np.linalg.inv(pose(q)) @ X for q, X in zip(self.q[:2], self.targets[:2], strict=True)
        )
        assert np.abs(first - second).max() < 1e-12, "a peer has another arm"
        return first

    def solved(self, q: Array, targets: Array) -> float:
        """Return the part of the first targets that configurations solve."""
        X, Y = self.model.forward_kinematics(q, frame=self.frame), targets[: len(q)]
        distance = np.linalg.norm(X[:, :3, 3] - Y[:, :3, 3], axis=-1)
        # |R - S|² = 8 sin²(θ/2)
        chord = np.linalg.norm(X[:, :3, :3] - Y[:, :3, :3], axis=(-2, -1)) / np.sqrt(2)
        inside = ((q >= self.lower) & (q <= self.upper)).all(axis=-1)
        return float((inside & (np.hypot(distance, chord) <= JUDGE)).mean())

    def inside(self, q: Array) -> Array | None:
        """Return q with full turns back into the limits, or None where they do not help."""
        q = q - 2 * np.pi * np.round((q - (self.lower + self.upper) / 2) / (2 * np.pi))
        return q if ((q >= self.lower) & (q <= self.upper)).all() else None


class Solver(Protocol):
    """Returns one configuration for each of the first poses, or of the first along the way.

    On the way each search begins where the one before ended.
    """

    name: str

    def cold(self, count: int) -> Array: ...

    def track(self, count: int) -> Array: ...


class Ours:
    """dalembert, all poses in one call."""

    name = "dalembert, batch"

    def __init__(self, case: Case) -> None:
        self.case = case

    def cold(self, count: int) -> Array:
        case = self.case
        return solve_ik(case.model, case.targets[:count], case.starts[0], frame=case.frame).q


class OneByOne:
    """dalembert, one call from Python for each pose."""

    name = "dalembert, one by one"

    def __init__(self, case: Case) -> None:
        self.case = case

    def cold(self, count: int) -> Array:
        case, q0 = self.case, self.case.starts[0]
        return np.array(
            [solve_ik(case.model, X, q0, frame=case.frame).q for X in case.targets[:count]]
        )

    def track(self, count: int) -> Array:
        case, q, found = self.case, self.case.path[0], []
        for X in case.way[:count]:
            q = solve_ik(case.model, X, q, frame=case.frame).q
            found.append(q)
        return np.array(found)


class Clik:
    """Closed-loop inverse kinematics with Pinocchio: v = Jᵀ (JJᵀ + λ)⁻¹ log(X⁻¹ X_d)."""

    name = "Pinocchio CLIK, from Python"
    damping = 1e-6

    def __init__(self, case: Case) -> None:
        self.case, self.pin = case, import_pinocchio()
        self.model = pinocchio_model(case.mechanism)
        self.data = self.model.createData()
        self.last = self.model.njoints - 1
        self.after = np.linalg.inv(case.offset(self.pose))

    def pose(self, q: Array) -> Array:
        self.pin.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[self.last].homogeneous

    def cold(self, count: int) -> Array:
        goals = self.case.targets[:count] @ self.after
        return np.array([self._solve(self.pin.SE3(X), None) for X in goals])

    def track(self, count: int) -> Array:
        q, found = self.case.path[0], []
        for X in self.case.way[:count] @ self.after:
            q = self._solve(self.pin.SE3(X), q)
            found.append(q)
        return np.array(found)

    def _solve(self, goal: Any, first: Array | None) -> Array:
        starts = self.case.starts if first is None else (first, *self.case.starts)
        q = starts[0]
        for start in starts:
            q, is_there = self._descend(goal, start.copy())
            if is_there and (found := self.case.inside(q)) is not None:
                return found
        return q

    def _descend(self, goal: Any, q: Array) -> tuple[Array, bool]:
        pin, model, data = self.pin, self.model, self.data
        for _ in range(ITERATIONS):
            J = pin.computeJointJacobian(model, data, q, self.last)
            pin.forwardKinematics(model, data, q)
            error = data.oMi[self.last].actInv(goal)
            e = pin.log6(error).vector
            if np.linalg.norm(e) < TOLERANCE / 2:
                return q, True
            J = pin.Jlog6(error.inverse()) @ J
            v = J.T @ np.linalg.solve(J @ J.T + self.damping * np.eye(6), e)
            q = pin.integrate(model, q, v)
        return q, False


class ClikCpp:
    """The same in C++, compiled here with -O3 -march=native; one call from Python for each pose."""

    name = "Pinocchio CLIK, in C++"

    def __init__(self, case: Case) -> None:
        self.case = case
        self.after = Clik(case).after
        self.library = load_clik(print)
        tree = bodies(case.mechanism)
        rows = np.array(
            [np.concatenate([body.rotation.ravel(), body.translation]) for body in tree]
        )
        slides = [3 * (body.kind is JointKind.PRISMATIC) for body in tree]
        kinds = [body.axis + first for body, first in zip(tree, slides, strict=True)]
        address = self.library.clik_create(
            len(tree),
            (ctypes.c_int * len(kinds))(*kinds),
            *map(_at, (rows, case.lower, case.upper)),
        )
        self.solver = ctypes.c_void_p(address)

    def __del__(self) -> None:
        if hasattr(self, "solver"):
            self.library.clik_free(self.solver)

    def cold(self, count: int) -> Array:
        targets, starts = self.case.targets[:count], self.case.starts
        return np.array([self.solve(X[None], starts, False)[0] for X in targets])

    def track(self, count: int) -> Array:
        q, found = self.case.path[0], []
        for X in self.case.way[:count]:
            q = self.solve(X[None], np.vstack([q, self.case.starts]), False)[0]
            found.append(q)
        return np.array(found)

    def solve(self, poses: Array, starts: Array, is_way: bool) -> Array:
        goals, starts = (np.ascontiguousarray(x) for x in (poses @ self.after, starts))
        found = np.empty((len(goals), self.case.model.nq))
        tolerance = ctypes.c_double(TOLERANCE / 2)
        sizes = len(goals), len(starts)
        self.library.clik_solve(
            self.solver, sizes[0], _at(goals), sizes[1], _at(starts), is_way, tolerance, _at(found)
        )
        return found


class ClikAllCpp(ClikCpp):
    """The same without Python: all poses in one call."""

    name = "Pinocchio CLIK, loop in C++"

    def cold(self, count: int) -> Array:
        return self.solve(self.case.targets[:count], self.case.starts, False)

    def track(self, count: int) -> Array:
        case = self.case
        return self.solve(case.way[:count], np.vstack([case.path[:1], case.starts]), True)


class Toolbox:
    """The Levenberg–Marquardt solver of the Robotics Toolbox, compiled C++."""

    name = "roboticstoolbox ik_LM"

    def __init__(self, case: Case) -> None:
        ET = _optional("roboticstoolbox", "roboticstoolbox-python").ET
        self.case = case
        hinges, slides = (ET.Rx, ET.Ry, ET.Rz), (ET.tx, ET.ty, ET.tz)
        chain: Any = None
        limits = zip(case.lower, case.upper, strict=True)
        for k, (body, bounds) in enumerate(zip(bodies(case.mechanism), limits, strict=True)):
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = body.rotation, body.translation
            make = (slides if body.kind is JointKind.PRISMATIC else hinges)[body.axis]
            link = ET.SE3(X) * make(jindex=k, qlim=list(bounds))
            chain = link if chain is None else chain * link
        self.chain = chain * ET.SE3(case.offset(lambda q: chain.fkine(q).A))

    def cold(self, count: int) -> Array:
        start = self.case.starts[0]
        return np.array([self._solve(X, start) for X in self.case.targets[:count]])

    def track(self, count: int) -> Array:
        q, found = self.case.path[0], []
        for X in self.case.way[:count]:
            q = self._solve(X, q)
            found.append(q)
        return np.array(found)

    def _solve(self, X: Array, start: Array) -> Array:
        # its tolerance is that of ½ eᵀe
        return self.chain.ik_LM(X, q0=start, tol=TOLERANCE**2 / 8, slimit=100)[0]


class Mink:
    """mink's task and limits, solved again and again with a step of one."""

    name = "mink"

    def __init__(self, case: Case) -> None:
        mink, mujoco = (_optional(name, "mink daqp") for name in ("mink", "mujoco"))
        self.case, self.mink = case, mink
        model = mujoco.MjModel.from_xml_string(save_mjcf(case.mechanism))
        self.configuration = mink.Configuration(model)
        body = case.mechanism.links[-1].name
        self.task = mink.FrameTask(body, "body", position_cost=1.0, orientation_cost=1.0, gain=1.0)
        self.limits = [mink.ConfigurationLimit(model, gain=1.0)]
        self.body = body
        self.after = np.linalg.inv(case.offset(self._pose))

    def _pose(self, q: Array) -> Array:
        self.configuration.update(q)
        return self.configuration.get_transform_frame_to_world(self.body, "body").as_matrix()

    def cold(self, count: int) -> Array:
        goals = self.case.targets[:count] @ self.after
        return np.array([self._solve(X, self.case.starts) for X in goals])

    def track(self, count: int) -> Array:
        q, found = self.case.path[0], []
        for X in self.case.way[:count] @ self.after:
            q = self._solve(X, np.vstack([q, self.case.starts]))
            found.append(q)
        return np.array(found)

    def _solve(self, goal: Array, starts: Array) -> Array:
        mink, configuration, task = self.mink, self.configuration, self.task
        task.set_target(mink.SE3.from_matrix(goal))
        for start in starts:
            configuration.update(start)
            for _ in range(ITERATIONS):
                if np.linalg.norm(task.compute_error(configuration)) < TOLERANCE / 2:
                    return np.clip(configuration.q, self.case.lower, self.case.upper)
                try:
                    v = mink.solve_ik(
                        configuration, [task], 1.0, "daqp", damping=1e-9, limits=self.limits
                    )
                except mink.NoSolutionFound:
                    break
                configuration.integrate_inplace(v, 1.0)
        return configuration.q.copy()


SOLVERS = (OneByOne, Clik, ClikCpp, ClikAllCpp, Toolbox, Mink)


def _at(x: Array) -> Any:
    return x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _optional(name: str, packages: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise Unavailable(f"no {name}: pip install {packages}") from None
