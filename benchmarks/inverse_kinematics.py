"""Time inverse kinematics beside the solvers that people use, on the same poses in one run.

    python -m benchmarks.inverse_kinematics [arms…] [--poses 10000] [--peer-poses 200] [--json FILE]

Every solver gets poses of the flange that random configurations within the limits reach, starts in
the middle of the limits, and may start again. A pose counts as solved if the forward kinematics of
dalembert finds position and orientation within 1e-9 and the joints within their limits, whatever
the solver says. Time is that of one core, failures included. Peers that are not installed are
listed with the command that installs them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple, Protocol

import numpy as np
from rich.console import Console
from rich.table import Table

import dalembert as da
from benchmarks.bodies import bodies
from benchmarks.machine import machine
from benchmarks.peers.base import Unavailable
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
ROUNDS = 3
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

    def offset(self, pose: Callable[[Array], Array]) -> Array:
        """Return the flange in the last frame of a peer, and make sure that it is fixed there."""
        first, second = (
            np.linalg.inv(pose(q)) @ X for q, X in zip(self.q[:2], self.targets[:2], strict=True)
        )
        assert np.abs(first - second).max() < 1e-12, "a peer has another arm"
        return first

    def solved(self, q: Array) -> float:
        """Return the part of the first poses that configurations solve."""
        X, Y = self.model.forward_kinematics(q, frame=self.frame), self.targets[: len(q)]
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
    """Returns one configuration for each of the first poses."""

    name: str

    def __call__(self, count: int) -> Array: ...


class Ours:
    """dalembert, all poses in one call."""

    name = "dalembert, batch"

    def __init__(self, case: Case) -> None:
        self.case = case

    def __call__(self, count: int) -> Array:
        case = self.case
        return solve_ik(
            case.model, case.targets[:count], case.starts[0], frame=case.frame, tolerance=TOLERANCE
        ).q


class OneByOne:
    """dalembert, one call for each pose."""

    name = "dalembert, one by one"

    def __init__(self, case: Case) -> None:
        self.case = case

    def __call__(self, count: int) -> Array:
        case, q0 = self.case, self.case.starts[0]
        solve = [solve_ik(case.model, X, q0, frame=case.frame) for X in case.targets[:count]]
        return np.array([found.q for found in solve])


class Clik:
    """Closed-loop inverse kinematics with Pinocchio: v = Jᵀ (JJᵀ + λ)⁻¹ log(X⁻¹ X_d)."""

    name = "Pinocchio CLIK"
    damping = 1e-6

    def __init__(self, case: Case) -> None:
        self.case, self.pin = case, import_pinocchio()
        self.model = pinocchio_model(case.mechanism)
        self.data = self.model.createData()
        self.last = self.model.njoints - 1
        self.after = np.linalg.inv(case.offset(self._pose))

    def _pose(self, q: Array) -> Array:
        self.pin.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[self.last].homogeneous

    def __call__(self, count: int) -> Array:
        goals = self.case.targets[:count] @ self.after
        return np.array([self._solve(self.pin.SE3(X)) for X in goals])

    def _solve(self, goal: Any) -> Array:
        pin, model, data, case = self.pin, self.model, self.data, self.case
        q = case.starts[0]
        for start in case.starts:
            q = start.copy()
            for _ in range(ITERATIONS):
                J = pin.computeJointJacobian(model, data, q, self.last)
                pin.forwardKinematics(model, data, q)
                error = data.oMi[self.last].actInv(goal)
                e = pin.log6(error).vector
                if np.linalg.norm(e) < TOLERANCE / 2:
                    found = case.inside(q)
                    if found is not None:
                        return found
                    break
                J = pin.Jlog6(error.inverse()) @ J
                v = J.T @ np.linalg.solve(J @ J.T + self.damping * np.eye(6), e)
                q = pin.integrate(model, q, v)
        return q


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

    def __call__(self, count: int) -> Array:
        # its tolerance is that of ½ eᵀe
        tolerance, start = TOLERANCE**2 / 8, self.case.starts[0]
        return np.array(
            [
                self.chain.ik_LM(X, q0=start, tol=tolerance, slimit=100)[0]
                for X in self.case.targets[:count]
            ]
        )


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

    def __call__(self, count: int) -> Array:
        return np.array([self._solve(X) for X in self.case.targets[:count] @ self.after])

    def _solve(self, goal: Array) -> Array:
        mink, configuration, task = self.mink, self.configuration, self.task
        task.set_target(mink.SE3.from_matrix(goal))
        for start in self.case.starts:
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


def _optional(name: str, packages: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise Unavailable(f"no {name}: pip install {packages}") from None


class Row(NamedTuple):
    """What one solver did on one arm."""

    arm: str
    solver: str
    poses: int
    solved: float
    seconds_per_pose: float


SOLVERS = (Ours, OneByOne, Clik, Toolbox, Mink)


def measure(case: Case, count: int, announce: Callable[[str], None]) -> list[Row]:
    """Return a row for each solver that is installed; the others are announced."""
    rows = []
    for make in SOLVERS:
        try:
            solver: Solver = make(case)
        except Unavailable as error:
            announce(f"skipped: {make.name}: {error}")
            continue
        poses = len(case.targets) if make is Ours else min(count, len(case.targets))
        if make is Mink:
            poses = max(1, poses // 10)
        # the first call compiles
        solver(min(poses, 32))
        best = np.inf
        q = np.zeros((0, case.model.nq))
        for _ in range(ROUNDS if make is Ours else 1):
            begin = process_time()
            q = solver(poses)
            best = min(best, process_time() - begin)
        rows.append(Row(case.name, make.name, poses, case.solved(q), best / poses))
        announce(f"{case.name}, {make.name}: {1e6 * rows[-1].seconds_per_pose:.1f} µs")
    return rows


def table(rows: list[Row]) -> Table:
    """Return success and time of all solvers."""
    result = Table("arm", "solver", "poses", "solved", "time per pose", "dalembert is faster by")
    ours = {row.arm: row.seconds_per_pose for row in rows if row.solver == Ours.name}
    for row in rows:
        ratio = row.seconds_per_pose / ours[row.arm]
        result.add_row(
            row.arm,
            row.solver,
            str(row.poses),
            f"{100 * row.solved:.2f} %",
            f"{1e6 * row.seconds_per_pose:.2f} µs",
            "" if row.solver == Ours.name else f"{ratio:.0f} ×",
        )
    return result


def main() -> None:
    """Measure, print a table, write a file if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("arms", nargs="*", help=f"of {', '.join(ARMS)}; all unless given")
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--peer-poses", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if unknown := [name for name in options.arms if name not in ARMS]:
        parser.error(f"expected arms of {', '.join(ARMS)}, got {unknown[0]}")
    console = Console()
    rows: list[Row] = []
    for name in options.arms or ARMS:
        rows += measure(Case(name, options.poses), options.peer_poses, console.print)
    console.print(table(rows))
    if options.json:
        data = {"machine": machine(), "rows": [row._asdict() for row in rows]}
        options.json.write_text(json.dumps(data, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
