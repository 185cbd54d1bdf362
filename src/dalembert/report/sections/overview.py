"""What it is: a drawing, its coordinates and its parameters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.expr import Scalar, symbol_text
from dalembert.mechanics import System
from dalembert.mechanism import Joint, Mechanism
from dalembert.report.content import Block, Section, Table, Text
from dalembert.report.figures.drawing import still
from dalembert.report.figures.skeleton import of_mechanism, of_system
from dalembert.report.subject import Subject

UNITS = {"prismatic": "m"}
MAX_ROWS = 80


def overview(subject: Subject) -> Section:
    """Return the drawing, the table of joints or coordinates, and the parameters."""
    section = Section("Overview")
    if subject.mechanism is None:
        section.blocks.extend(_system(subject))
    else:
        section.blocks.extend(_mechanism(subject, subject.mechanism))
    if subject.given.parameters:
        section.blocks.append(_parameters(subject))
    return section


def _mechanism(subject: Subject, mechanism: Mechanism) -> list[Block]:
    blocks: list[Block] = [Text(f"{str(mechanism).splitlines()[0]}.")]
    caption = f"{subject.title} drawn from its kinematics, where the simulation starts"
    q = np.asarray(subject.motion.q[:1]) if mechanism.loops else subject.start[None]
    skeleton = of_mechanism(mechanism, subject.model, q, subject.frame or mechanism.root)
    blocks.append(still(skeleton, caption))
    number = iter(range(1, mechanism.nv + 1))
    rows = [_joint(joint, number) for joint in mechanism.joints if joint.nv or joint.mimic]
    head = ("coordinate", "joint", "kind", "from → to", "limits")
    caption = "Joints that move" if len(rows) <= MAX_ROWS else f"The first {MAX_ROWS} joints"
    return [*blocks, Table(caption, head, tuple(rows[:MAX_ROWS]))]


def _joint(joint: Joint, number: Iterator[int]) -> tuple[str, ...]:
    own = [f"q{next(number)}" for _ in range(0 if joint.mimic else joint.nv)]
    place = "follows" if not own else own[0] if len(own) == 1 else f"{own[0]} … {own[-1]}"
    unit = UNITS.get(joint.kind.value, "rad")
    limits = joint.limits
    words = "none"
    if limits.lower is not None and limits.upper is not None:
        words = f"{_short(limits.lower)} … {_short(limits.upper)} {unit}"
    return place, joint.name, joint.kind.value, f"{joint.parent} → {joint.child}", words


def _system(subject: Subject) -> list[Block]:
    system = subject.given
    assert isinstance(system, System)
    names = ", ".join(map(str, system.coordinates))
    bodies = len(system.bodies)
    origin = f"{bodies} bodies" if bodies > 1 else "one body" if bodies else "its Lagrangian"
    blocks: list[Block] = [Text(f"A system in the coordinates {names}, given by {origin}.")]
    if bodies:
        blocks.append(_bodies(subject))
    return blocks


def _bodies(subject: Subject) -> Table:
    """Return the masses and where they are, in numbers at the start of the simulation."""
    assert isinstance(subject.given, System)
    motion = subject.motion
    skeleton = of_system(subject.given, subject.values, motion.q[:1], motion.t[:1])
    assert skeleton is not None
    pairs = zip(subject.given.bodies, skeleton.points[0], strict=True)
    rows = [
        (f"{i}", str(body.mass), ", ".join(f"{x:.3g}" for x in place))
        for i, (body, place) in enumerate(pairs, 1)
    ]
    caption = "Bodies, and where their centres of mass are when the simulation starts"
    return Table(caption, ("body", "mass", "x, y, z in m"), tuple(rows[:MAX_ROWS]))


def _parameters(subject: Subject) -> Table:
    rows = [(str(x), symbol_text(x), _short(value)) for x, value in subject.values.items()]
    caption = "Parameters, with the numbers of the figures and the simulation"
    return Table(caption, ("parameter", "name", "number"), tuple(rows[:MAX_ROWS]))


def _short(value: Scalar) -> str:
    return f"{float(value):.5g}"  # type: ignore[arg-type]
