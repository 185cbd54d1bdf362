"""Ways to keep a motion on its constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.constraints.correction import Correction

if TYPE_CHECKING:
    import numpy as np


class Stabilisation:
    """How a motion is kept on its constraints.

    Attributes:
        projects: Whether states are moved onto them.
        pulls: Whether forces pull the motion towards them.
    """

    projects: ClassVar[bool] = False
    pulls: ClassVar[bool] = False

    def correction(
        self, constraints: Constraints, t: float, q: np.ndarray, v: np.ndarray
    ) -> Correction:
        """Return the change of q̈ towards the constraints, and its multipliers."""
        raise TypeError(f"{self!r} has no forces")


@dataclass(frozen=True)
class Projection(Stabilisation):
    """Move every state that a step reached onto the constraints: positions, then velocities."""

    projects: ClassVar[bool] = True


@dataclass(frozen=True)
class Baumgarte(Stabilisation):
    """Let errors a of the constraints decay like ä + 2 rate ȧ + rate² a = 0.

    J. Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems,
    Computer Methods in Applied Mechanics and Engineering 1 (1972).

    Args:
        rate: In 1/s.
    """

    rate: float = 20.0
    pulls: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.rate > 0:
            raise EvaluationError(f"expected a positive rate for Baumgarte, got {self.rate!r}")

    def correction(
        self, constraints: Constraints, t: float, q: np.ndarray, v: np.ndarray
    ) -> Correction:
        at = constraints.read(t, q, v)
        # A q̈ + b = -2 rate (A q̇) - rate² a(q)
        right = -2 * self.rate * at.velocity
        right[: constraints.num_positions] -= self.rate**2 * at.position
        return constraints.correction(at, right)


@dataclass(frozen=True)
class Unstabilised(Stabilisation):
    """Keep accelerations on the constraints, and let positions and velocities drift."""


def checked_stabilisation(value: object) -> Stabilisation:
    """Return what was given as ``constraints=``.

    Raises:
        EvaluationError: it is none of the three.
    """
    if isinstance(value, Stabilisation):
        return value
    raise EvaluationError(
        f"expected constraints=Projection(), Baumgarte(rate) or Unstabilised(), got {value!r}"
    )
