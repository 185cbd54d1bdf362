"""Robots dropped on their feet, event by event: whether they come to rest, and what it costs.

    DALEMBERT_ZOO=FOLDER python -m benchmarks.drops [--write FILE]

Each robot of the zoo has the spheres of its feet as contacts with Coulomb friction, the dry
friction of its joints as its file says, and a PD controller that holds a pose. It is dropped level,
so that all feet meet the ground at once, and tilted, so that they meet it one by one.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np

import dalembert as da
from benchmarks.machine import machine
from dalembert.mechanism import Mechanism, Sphere
from dalembert.simulation import Ground, Trajectory, simulate

DURATION = 2.0
COMPILING = 1e-3
"""Seconds of a motion that compiles what the others use."""

FRICTION = 0.8
TILT = 0.06
"""Radians, about an axis between those of roll and pitch."""

BEGIN, END = "<!-- drops:begin -->", "<!-- drops:end -->"


class Robot(NamedTuple):
    """A robot of the zoo: a pose in the air, and the stiffness and damping that hold it."""

    name: str
    file: str
    height: float
    joints: Sequence[float]
    stiffness: float
    damping: float
    friction: float = FRICTION
    duration: float = DURATION


LEG = [0, 0.9, -1.8]
ANYMAL = [0, 0.4, -0.8, 0, 0.4, -0.8, 0, -0.4, 0.8, 0, -0.4, 0.8]
G1 = [0.0] * 15 + [0.2, 0.2, 0, 1.28, 0, 0, 0] + [0.2, -0.2, 0, 1.28, 0, 0, 0]
ROBOTS = (
    Robot("Unitree Go1", "go1/go1_nomesh.xml", 0.33, 4 * LEG, 40, 1),
    Robot("Unitree Go2", "go2/go2_nomesh.xml", 0.33, 4 * LEG, 40, 1),
    Robot("ANYmal C", "anymal_c/anymal_c_nomesh.xml", 0.73, ANYMAL, 200, 5),
    Robot("Unitree G1", "g1/g1_nomesh.xml", 0.84, G1, 200, 5, duration=0.5),
)


def on_feet(mechanism: Mechanism) -> Mechanism:
    """Return a robot that touches with the spheres of links alone that no other link follows."""
    parents = {joint.parent for joint in mechanism.joints}
    links = []
    for link in mechanism.links:
        spheres = [shape for shape in link.collisions if isinstance(shape.geometry, Sphere)]
        kept = tuple(spheres) if link.name not in parents else ()
        links.append(replace(link, collisions=kept))
    return replace(mechanism, links=tuple(links))


class Drop(NamedTuple):
    """A motion, its seconds of the processor, and the deepest gap of a foot in metres."""

    motion: Trajectory
    seconds: float
    depth: float


def drop(robot: Robot, folder: Path, tilt: float, duration: float | None = None) -> Drop:
    """Drop a robot; the first run compiles, and is not counted."""
    mechanism = on_feet(da.load(folder / robot.file))
    model = da.compile(mechanism)
    laws = [Ground(robot.friction)]
    axis = np.array([0.6, 0.8, 0])
    start = np.array(
        [0, 0, robot.height, np.cos(tilt / 2), *(np.sin(tilt / 2) * axis), *robot.joints]
    )
    q, v, n = model.symbols.q[7:], model.symbols.qd[6:], len(robot.joints)
    pull = [robot.stiffness * (start[7 + i] - q[i]) - robot.damping * v[i] for i in range(n)]
    end = robot.duration if duration is None else duration
    forces = [0] * 6 + pull
    simulate(model, start, None, COMPILING, forces, events=laws)
    begin = process_time()
    motion = simulate(model, start, None, end, forces, events=laws)
    seconds = process_time() - begin
    lowest = np.inf
    for link in mechanism.links:
        for shape in link.collisions:
            assert isinstance(shape.geometry, Sphere)
            X = model.forward_kinematics(motion.q, frame=link.name)
            centre = X[:, 2, :3] @ np.array(shape.placement.p, float) + X[:, 2, 3]
            lowest = min(lowest, float(centre.min()) - float(shape.geometry.radius))
    return Drop(motion, seconds, -min(0.0, lowest))


def table(folder: Path) -> str:
    """Return a table of all drops."""
    lines = [
        "| robot | feet | pose | status | events | CPU per second | deepest gap | energy error |",
        "|---|--:|---|---|--:|--:|--:|--:|",
    ]
    for robot in ROBOTS:
        links = on_feet(da.load(folder / robot.file)).links
        feet = sum(len(link.collisions) for link in links)
        for pose, tilt in (("level", 0.0), ("tilted", TILT)):
            motion, seconds, depth = drop(robot, folder, tilt)
            said, cost = motion.status.split(":")[0], seconds / float(motion.t[-1])
            lines.append(
                f"| {robot.name} | {feet} | {pose} | {said} | {len(motion.events)} | "
                f"{cost:.1f} s | {depth:.0e} m | {motion.energy_error:.0e} J |"
            )
    described = ", ".join(f"{key} {value}" for key, value in machine().items())
    return "\n".join(lines) + f"\n\n`python -m benchmarks.drops`; {described}."


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", type=Path, help="put the table into this page")
    options = parser.parse_args()
    if "DALEMBERT_ZOO" not in os.environ:
        parser.error("expected DALEMBERT_ZOO to name the folder of the robots, got nothing")
    text = table(Path(os.environ["DALEMBERT_ZOO"]))
    print(text)
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        _, after = rest.split(END)
        options.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
