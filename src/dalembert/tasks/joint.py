"""Tasks of joints: one at a position, or all near a posture."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.expr import Expr, as_expr
from dalembert.model.border import finite_array
from dalembert.tasks.base import Rows, Target, Task

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.configuration import Configuration
    from dalembert.types import ArrayLike

UNIT = "rad or m"


@dataclass(frozen=True, eq=False)
class JointTask(Task):
    """One joint at a position.

    Args:
        joint: A joint with one coordinate.
        target: Its position in rad or m, a number; or an array for a batch.
        weight: Factor of the error against that of other tasks.
        priority: See `Task`.
    """

    joint: str
    target: ArrayLike
    weight: float = 1.0
    priority: int = field(default=0, kw_only=True)

    @property
    def name(self) -> str:
        return self.joint

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def units(self) -> tuple[str, ...]:
        return (UNIT,)

    @property
    def structure(self) -> Hashable:
        return super().structure, self.joint

    def error(self, model: Model, q: Sequence[Expr], target: Any) -> list[Expr]:
        return [target - q[self._places(model)[1]]]

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        return [_unit(model.nv, self._places(model)[0])]

    def _places(self, model: Model) -> tuple[int, int]:
        """Return the place of the joint in q̇ and in q."""
        places = position_places(model.configuration)
        known = {model.configuration.v_names[i]: (i, k) for i, k in places.items()}
        if self.joint not in known:
            raise UnknownName(
                f"expected a joint with one coordinate of {model.name}, got {self.joint!r} "
                f"({nearest(self.joint, known)})"
            )
        return known[self.joint]


@dataclass(frozen=True, eq=False)
class PostureTask(Task):
    """All joints with one coordinate near those of a configuration.

    Ball joints and free bases have no such coordinates and are left out: place their links by
    an `OrientationTask` or a `PoseTask`.

    Args:
        target: A configuration in rad and m, ``(nq,)``; leading axes for a batch.
        weight: Factor of the error against that of other tasks: a number, or one for each entry of
            q. Entries of joints that shall be free have weight 0.
        priority: See `Task`.
    """

    target: ArrayLike
    weight: float | Sequence[float] = 1.0  # type: ignore[assignment]
    priority: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        size = self.shape[0]
        weights = finite_array(self.weight, "the weight of a posture")
        if weights.shape not in ((), (size,)) or (weights < 0).any():
            raise EvaluationError(
                f"expected a weight of at least 0 for a posture, one or {size}, got {self.weight!r}"
            )

    @property
    def name(self) -> str:
        return "the posture"

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.target)[-1:] or (1,)

    @property
    def units(self) -> tuple[str, ...]:
        return (UNIT,) * len(self._counted)

    @property
    def weights(self) -> tuple[float, ...]:
        return tuple(self._counted.values())

    @property
    def structure(self) -> Hashable:
        return super().structure, tuple(self._counted)

    def error(self, model: Model, q: Sequence[Expr], target: Target) -> list[Expr]:
        places = self._velocities(model)
        return [target[k] - q[k] if k in places else as_expr(0) for k in self._counted]

    def jacobian(self, model: Model, q: Sequence[Expr], target: Target) -> Rows:
        places = self._velocities(model)
        return [_unit(model.nv, places.get(k)) for k in self._counted]

    @cached_property
    def _counted(self) -> dict[int, float]:
        """The weights of the entries of q that count, by their places."""
        weights = np.broadcast_to(np.asarray(self.weight, float), self.shape).tolist()
        return {k: w for k, w in enumerate(weights) if w}

    def _velocities(self, model: Model) -> dict[int, int]:
        """Return, by the place of each joint in q, its place in q̇."""
        if self.shape != (model.nq,):
            raise EvaluationError(
                f"expected a posture of {model.nq} numbers for {model.name}, got {self.shape[0]}"
            )
        return {k: i for i, k in position_places(model.configuration).items()}


def position_places(configuration: Configuration) -> dict[int, int]:
    """Return, for each velocity whose joint has one coordinate, the place of that in q."""
    at = {name: k for k, name in enumerate(configuration.q_names)}
    return {i: at[name] for i, name in enumerate(configuration.v_names) if name in at}


def _unit(n: int, place: int | None) -> list[Expr]:
    return [as_expr(int(i == place)) for i in range(n)]
