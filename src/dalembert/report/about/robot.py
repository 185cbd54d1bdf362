"""A mechanism as the subject of a report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, Scalar, symbol_text
from dalembert.mechanics import BaseParameters
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.robots.right_angles import rounded_words
from dalembert.mechanism import Joint, Mechanism
from dalembert.mechanism.io.xml.angles import repaired_angles
from dalembert.picture import Placed
from dalembert.report.about.subject import MAX_ROWS, START, Options, Subject, usual_number
from dalembert.report.about.units import units_of_joints
from dalembert.report.content import Table, short
from dalembert.typeset.render.names import INERTIA, parse_name

if TYPE_CHECKING:
    from dalembert.types import Array

UNITS = {"prismatic": "m"}
FALL = 0.5
"""Seconds of the simulation of what falls freely."""


class Robot(Subject):
    """A mechanism: joints, frames, and a drawing from its kinematics."""

    def __init__(self, given: Mechanism, options: Options) -> None:
        self.given = given
        self._mechanism = given
        super().__init__(given.name, options)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism itself."""
        return self._mechanism

    @property
    def usual_duration(self) -> float:
        """Shorter where the root falls freely."""
        falls = any(joint.nv == 6 for joint in self._mechanism.joints)
        return FALL if falls else super().usual_duration

    @property
    def summary(self) -> str:
        """Links and degrees of freedom, and how angles of few digits were read."""
        angles = repaired_angles(self._mechanism.notes) or rounded_words(self._mechanism)
        size = str(self._mechanism).splitlines()[0]
        return f"{size}. {angles[0].upper()}{angles[1:]}." if angles else f"{size}."

    @property
    def frame(self) -> str:
        """The frame at the end of the mechanism: the last one named, or the last link."""
        frames, joints = self._mechanism.frames, self._mechanism.joints
        return frames[-1].name if frames else joints[-1].child if joints else self._mechanism.root

    def parts(self) -> Table:
        """Return the joints that move, with their limits."""
        number = iter(range(1, self._mechanism.nv + 1))
        joints = [x for x in self._mechanism.joints if x.nv or x.mimic]
        rows = [_joint(joint, number) for joint in joints]
        head = ("coordinate", "joint", "kind", "from → to", "limits")
        caption = "Joints that move" if len(rows) <= MAX_ROWS else f"The first {MAX_ROWS} joints"
        return Table(caption, head, tuple(rows[:MAX_ROWS]))

    @property
    def tip(self) -> int:
        """The frame of interest."""
        names = list(self.picture.names)
        return names.index(self.frame) if self.frame in names else len(names) - 1

    @property
    def at_start(self) -> Placed:
        """The start of an open mechanism is known without a motion."""
        if self._mechanism.loops:
            return super().at_start
        return self.picture.placed(np.zeros(1), self.start[None])

    @property
    def units(self) -> tuple[str, ...]:
        """Those of joints."""
        return units_of_joints(self.model.configuration).positions

    def prove(self) -> list[Proof]:
        """Prove that Newton and Euler's equations are Lagrange's, and their properties."""
        return self._mechanism.prove()

    def base_parameters(self) -> BaseParameters:
        """Return combinations of the parameters of links, rotors, friction and springs."""
        return self._mechanism.base_parameters()

    @property
    def start_step(self) -> Array:
        """Joints of several coordinates, as that of a floating base, stay neutral."""
        sizes = [joint.nv for joint in self._mechanism.moving_joints]
        return np.concatenate([np.full(n, START if n == 1 else 0.0) for n in sizes] or [[]])

    @cached_property
    def values(self) -> dict[Expr, Scalar]:
        """A number for every parameter: those given, g = 9.81, all others 1.

        With loops the others differ a little, since equal lengths are the singular case; where no
        body has the inertias that this gives, moments are 10 and products of inertia 0.
        """
        found = self._numbers(is_heavy=False)
        try:
            self._mechanism.bind(found)
        except InvalidMechanism:
            return self._numbers(is_heavy=True)
        return found

    def _numbers(self, *, is_heavy: bool) -> dict[Expr, Scalar]:
        found: dict[Expr, Scalar] = {}
        for i, x in enumerate(self._mechanism.parameters):
            usual = usual_number(x, 1 + i / 10 if self._mechanism.loops else 1)
            moment = INERTIA.fullmatch(parse_name(symbol_text(x)).base) if is_heavy else None
            if moment is not None:
                usual = 10 if moment[2][0] == moment[2][1] else 0
            found[x] = self.chosen.get(x, usual)
        return found


def _joint(joint: Joint, number: Iterator[int]) -> tuple[str, ...]:
    own = [f"q{next(number)}" for _ in range(0 if joint.mimic else joint.nv)]
    place = "follows" if not own else own[0] if len(own) == 1 else f"{own[0]} … {own[-1]}"
    unit = UNITS.get(joint.kind.value, "rad")
    limits = joint.limits
    words = "none"
    if limits.lower is not None and limits.upper is not None:
        words = f"{short(limits.lower)} … {short(limits.upper)} {unit}"
    return place, joint.name, joint.kind.value, f"{joint.parent} → {joint.child}", words
