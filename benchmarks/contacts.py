"""Time steps with contacts on one core beside MuJoCo's rollout, in turns, at stated residuals.

    DALEMBERT_ZOO=… python -m benchmarks.contacts [--quick] [--write FILE]

Quadrupeds stand on their spherical feet, held by springs in their joints. Both engines get the same
file, with these spheres as the only shapes. Time is that of the processor; equal work is not equal
answers: MuJoCo's contacts are soft and convex, ours rigid with exact friction cones.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

import dalembert as da
from benchmarks.machine import machine
from benchmarks.tables import Table
from dalembert.mechanism.io.state_layouts import to_mujoco
from dalembert.simulation import Ground, TimeStepping

ROBOTS = ("go1", "go2", "anymal_c")
STEP = 2e-3
"""Seconds of a step."""

STIFFNESS = 100.0
"""Of the springs in the joints, in N m/rad."""

FRICTION = 0.8
SAMPLES, PEER_SAMPLES = 256, 64
"""Robots side by side; MuJoCo runs them one after the other."""

STEPS = 200
SETTLING = 500
"""Steps until the robots stand."""

SPREAD = 0.05
"""Standard deviation of the joints at the start, in rad: the robots stand differently."""

TOLERANCES = (1e-4, 1e-6)
"""Residuals of a step in m/s: how far an impulse may be from its law."""

SWEEPS = 300
"""At most, for the worst step of a robot."""

ROUNDS = 5
MARKS = "<!-- contacts begin -->", "<!-- contacts end -->"


class Row(NamedTuple):
    """A robot at a tolerance: steps per second, those of the peer, the residuals."""

    robot: str
    contacts: int
    tolerance: float
    sweeps: float
    ours: float
    peer: float
    ratio: float
    worst: float
    unsolved: float


class Subject(NamedTuple):
    """A robot for both engines, and states at which it stands."""

    name: str
    model: da.Model
    engine: Any
    q: Any
    v: Any


def subject(name: str, folder: Path) -> Subject:
    """Return a quadruped with its spheres and springs alone, standing."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(folder / name / f"{name}_nomesh.xml"))
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    home = mujoco.MjModel.from_xml_path(str(folder / name / f"{name}_nomesh.xml"))
    pose = home.key("home").qpos if home.nkey else home.qpos0
    for geom in list(spec.geoms):
        is_foot = geom.type == mujoco.mjtGeom.mjGEOM_SPHERE and "base" not in geom.parent.name
        if not is_foot:
            spec.delete(geom)
            continue
        geom.contype, geom.conaffinity, geom.condim = 1, 0, 3
    for key in list(spec.keys):
        spec.delete(key)
    for number, joint in enumerate(x for x in spec.joints if x.type != mujoco.mjtJoint.mjJNT_FREE):
        joint.stiffness, joint.springref = [STIFFNESS, 0, 0], float(pose[7 + number])
    spec.option.timestep = STEP
    spec.compile()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / f"{name}.xml"
        path.write_text(spec.to_xml())
        mechanism = da.load(path)
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    floor.friction, floor.conaffinity, floor.priority = [FRICTION, 0, 0], 1, 5
    engine = spec.compile()
    model = da.compile(mechanism, threads=1)
    rng = np.random.default_rng(0)
    q = np.tile(model.neutral, (SAMPLES, 1))
    q[:, 2:3], q[:, 7:] = pose[2], pose[7:] + SPREAD * rng.normal(size=(SAMPLES, model.nq - 7))
    method, ground = TimeStepping(STEP, SWEEPS), Ground(FRICTION)
    settled = da.rollout(model, q, None, SETTLING, method=method, events=[ground], record=None)
    assert settled.ok.all()
    return Subject(name, model, engine, settled.q[:, -1], settled.qd[:, -1])


def peer(subject: Subject) -> Callable[[], None]:
    """Return MuJoCo's rollout on one thread."""
    import mujoco
    from mujoco import rollout

    data = mujoco.MjData(subject.engine)
    size = mujoco.mj_stateSize(subject.engine, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.zeros((PEER_SAMPLES, size))
    for k in range(PEER_SAMPLES):
        mechanism = subject.model.mechanism
        place = to_mujoco(mechanism, subject.q[k], subject.v[k], model=subject.engine)
        data.qpos[:], data.qvel[:] = place
        mujoco.mj_getState(subject.engine, data, states[k], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return lambda: rollout.rollout(subject.engine, data, states, nstep=STEPS)


def rows(subject: Subject, rounds: int) -> Iterator[Row]:
    """Yield a row for each tolerance."""
    theirs = peer(subject)
    theirs()
    ground = Ground(FRICTION)
    for tolerance in TOLERANCES:
        method = TimeStepping(STEP, SWEEPS, tolerance)

        def ours(method: TimeStepping = method) -> da.simulation.Rollouts:
            model, q, v = subject.model, subject.q, subject.v
            return da.rollout(model, q, v, STEPS, method=method, events=[ground], record=None)

        found = ours()
        assert found.residuals is not None
        pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(rounds)]
        a = np.array([SAMPLES * STEPS / x for x, _ in pairs])
        b = np.array([PEER_SAMPLES * STEPS / y for _, y in pairs])
        said = found.residuals
        part = float(said.unsolved.sum()) / (SAMPLES * STEPS)
        contacts = len(ground.contacts(subject.model))
        fast = float(np.median(a)), float(np.median(b)), float(np.median(a / b))
        worst, sweeps = float(said.worst.max()), float(said.sweeps.mean())
        yield Row(subject.name, contacts, tolerance, sweeps, *fast, worst, part)


def _seconds(call: Callable[[], object]) -> float:
    begin = process_time()
    call()
    return process_time() - begin


def table(found: list[Row]) -> Table:
    """Return the rows as a table."""
    title = f"Standing quadrupeds, steps of {STEP:g} s, one core"
    header = ("robot", "contacts", "tolerance", "sweeps", "steps/s", "MuJoCo", "times")
    header = (*header, "worst residual m/s", "above it")
    lines = [
        (
            row.robot,
            str(row.contacts),
            f"{row.tolerance:.0e}",
            f"{row.sweeps:.1f}",
            f"{row.ours:,.0f}",
            f"{row.peer:,.0f}",
            f"{row.ratio:.1f}",
            f"{row.worst:.0e}",
            f"{row.unsolved:.3%}",
        )
        for row in found
    ]
    return Table(title, header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one robot, one round")
    parser.add_argument("--write", type=Path, help="a page with marks for the table")
    options = parser.parse_args()
    folder = os.environ.get("DALEMBERT_ZOO")
    if not folder:
        parser.error("DALEMBERT_ZOO is not set: no robots to stand on the ground")
    robots, rounds = ROBOTS, ROUNDS
    if options.quick:
        robots, rounds = ROBOTS[:1], 1
    found: list[Row] = []
    for name in robots:
        for row in rows(subject(name, Path(folder)), rounds):
            found.append(row)
            print(row, flush=True)
    Console(width=120).print(table(found).rich())
    if options.write:
        about = ", ".join(f"{key} {value}" for key, value in machine().items())
        text = f"{MARKS[0]}\n{table(found).markdown()}\n\n{about}.\n{MARKS[1]}"
        page = options.write.read_text()
        before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
        options.write.write_text(before + text + after)


if __name__ == "__main__":
    main()
