"""The result of a tick of the control of the whole body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.quadratic import Program
    from dalembert.types import Array


@dataclass(frozen=True, eq=False)
class BodyTick:
    """What the robot shall do during a tick.

    Attributes:
        torque: τ, one for each of the model's inputs, in N m or N.
        effort: u of each actuator, with τ = B u; see `Model.actuation`.
        acceleration: q̈, ``(nv,)``.
        forces: The force on each point of the contacts, in the world, ``(points, 3)`` in N.
        multipliers: λ of loops and couplings, one for each row.
        error: The error of the tasks, weighted, all below each other.
        unknowns: All numbers of the program: accelerations, forces, multipliers.
        program: What was solved for them; of several priorities the last.
    """

    torque: Array
    effort: Array
    acceleration: Array
    forces: Array
    multipliers: Array
    error: Array
    unknowns: Array
    program: Program

    @property
    def active(self) -> tuple[str, ...]:
        """The limits that are used up: of joints, torques, friction, distances."""
        return self.program.active(self.unknowns)

    @property
    def violation(self) -> float:
        """By how much a condition of the program is exceeded at most, in its own unit."""
        return self.program.violation(self.unknowns)
