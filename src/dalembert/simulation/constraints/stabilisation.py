"""Ways to keep a motion on its constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.errors import EvaluationError, UnknownName, nearest


@dataclass(frozen=True)
class Projection:
    """Move every state that a step reached onto the constraints: positions, then velocities."""


@dataclass(frozen=True)
class Baumgarte:
    """Let errors a of the constraints decay like ä + 2 rate ȧ + rate² a = 0.

    J. Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems,
    Computer Methods in Applied Mechanics and Engineering 1 (1972).

    Args:
        rate: In 1/s.
    """

    rate: float = 20.0

    def __post_init__(self) -> None:
        if not self.rate > 0:
            raise EvaluationError(f"expected a positive rate for Baumgarte, got {self.rate!r}")


@dataclass(frozen=True)
class Unstabilised:
    """Keep accelerations on the constraints, and let positions and velocities drift."""


Stabilisation = Projection | Baumgarte | Unstabilised

BY_NAME = {"project": Projection, "baumgarte": Baumgarte, "drift": Unstabilised}


def stabilisation(value: Any) -> Stabilisation:
    """Return a way by its name, or the one given.

    Raises:
        UnknownName: there is none of that name.
    """
    if isinstance(value, Stabilisation):
        return value
    if value in BY_NAME:
        return BY_NAME[value]()
    raise UnknownName(
        f"expected constraints={', '.join(map(repr, BY_NAME))} or Baumgarte(rate), got {value!r} "
        f"({nearest(str(value), BY_NAME)})"
    )
