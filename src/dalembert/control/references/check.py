"""Whether a motion keeps limits, also between the times that are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.control.references.base import Motion
from dalembert.display import Printed
from dalembert.errors import EvaluationError
from dalembert.model.border import all_of_kind, finite_array
from dalembert.tasks import JointLimits, Limit
from dalembert.tasks.limits import clearances_of, intersection
from dalembert.tasks.speeds import positive_limits

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

SAMPLES = 501
"""Times that are looked at; the least room between them is searched."""

NARROWINGS = 18
"""Steps of the search between two times; each keeps 0.62 of what is left: 1e-4 of a step."""

GOLDEN = (5**0.5 - 1) / 2

ROUNDING = 1e-9
"""Part of a limit, or distance in m, by which rounding may exceed it."""

SHOWN = 5
"""Limits that a print lists."""


class Exceeded(NamedTuple):
    """A limit that a motion exceeds.

    Attributes:
        name: Which limit: "upper bound of joint2", "distance of a and b".
        time: When it is exceeded most, in s.
        excess: By how much, in the limit's unit.
    """

    name: str
    time: float
    excess: float


@dataclass(frozen=True, eq=False)
class PathCheck(Printed):
    """The room that a motion leaves.

    Attributes:
        exceeded: Limits that it exceeds, the worst of each.
        least: The limit with the least room, beside those that are exceeded.
    """

    exceeded: tuple[Exceeded, ...]
    least: tuple[str, float] | None

    @property
    def ok(self) -> bool:
        """Whether it keeps all limits."""
        return not self.exceeded

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            name, room = self.least or ("no limit", np.inf)
            return f"all limits are kept; the least room is {room:.4g} to the {name}"
        lines = [f"{len(self.exceeded)} limits are exceeded"]
        lines += [
            f"  {x.name}: by {x.excess:.4g} at t = {x.time:.4g}" for x in self.exceeded[:SHOWN]
        ]
        return "\n".join([*lines, *(["  …"] if len(self.exceeded) > SHOWN else [])])


def check_path(
    model: Model,
    motion: Callable[[Array], Motion],
    *,
    duration: float | None = None,
    limits: Sequence[Limit] = (JointLimits(),),
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    samples: int = SAMPLES,
) -> PathCheck:
    """Tell whether a motion keeps limits of positions, distances, velocities and torques.

    It is looked at at ``samples`` times, and near the least room of each limit in between, by a
    search that assumes one minimum there.

    Args:
        model: What moves.
        motion: A reference, or a function of times ``(N,)`` that returns a `Motion`.
        duration: Of the motion in s. Default: that of the reference.
        limits: Bounds of positions, and a `Clearance` of links. Default: those of the joints.
        velocity: Largest |q̇|. Default: those of the joints.
        acceleration: Largest |q̈|. Default: none.
        effort: Largest |τ|. Default: those of the joints, of robots with masses.
        samples: How many times.

    Raises:
        EvaluationError: a shape does not fit, or there is no duration.
    """
    duration = getattr(motion, "duration", None) if duration is None else duration
    if duration is None:
        raise EvaluationError("expected duration= of a motion that has none of its own, got none")
    all_of_kind(limits, Limit, "limits=", "limits of da.ik")
    end = float(finite_array(duration, "a duration", ()))
    room = _Rooms(model, motion, limits, velocity, acceleration, effort)
    t = np.linspace(0.0, end, max(int(samples), 2))
    g = room(t)
    best, when = g.min(axis=0), t[g.argmin(axis=0)]
    # between the neighbours of each minimum
    step = t[1] - t[0]
    low, high = np.clip(when - step, 0.0, end), np.clip(when + step, 0.0, end)
    columns = np.arange(g.shape[1])
    for _ in range(NARROWINGS):
        inner = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        at = [room(x)[columns, columns] for x in inner]
        left = at[0] < at[1]
        low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
        for x, value in zip(inner, at, strict=True):
            better = value < best
            best, when = np.where(better, value, best), np.where(better, x, when)
    over = best < -ROUNDING * room.sizes
    exceeded = [
        Exceeded(room.names[k], float(when[k]), float(-best[k])) for k in np.flatnonzero(over)
    ]
    kept = np.flatnonzero(~over)
    least = kept[np.argmin(best[kept])] if kept.size else None
    return PathCheck(
        tuple(exceeded), None if least is None else (room.names[least], float(best[least]))
    )


class _Rooms:
    """The room to each finite limit at times of a motion, ``(N, limits)``."""

    def __init__(
        self,
        model: Model,
        motion: Callable[[Array], Motion],
        limits: Sequence[Limit],
        velocity: ArrayLike | None,
        acceleration: ArrayLike | None,
        effort: ArrayLike | None,
    ) -> None:
        self.model, self.motion, space = model, motion, model.configuration
        self.lower, self.upper = intersection(model, limits)
        self.clearances = clearances_of(limits)
        own = space.effort if model.description.has_energies else None
        self.bounds: list[Array] = []
        for name, given, default in (
            ("velocity", velocity, space.velocity),
            ("acceleration", acceleration, None),
            ("effort", effort, own),
        ):
            chosen = default if given is None else given
            self.bounds.append(
                positive_limits(np.inf if chosen is None else chosen, name, model.nv)
            )
        names = [*(f"lower bound of {x}" for x in space.q_names)]
        names += [f"upper bound of {x}" for x in space.q_names]
        for kind in ("velocity", "acceleration", "effort"):
            names += [f"{kind} limit of {x}" for x in space.v_names]
        limit = np.concatenate([self.lower, self.upper, *self.bounds])
        self.finite = np.isfinite(limit)
        self.names = [name for name, keep in zip(names, self.finite, strict=True) if keep]
        sizes = [np.maximum(np.abs(limit[self.finite]), 1.0)]
        for clearance in self.clearances:
            pairs = clearance.distances(model, space.neutral).pairs
            self.names += [pair.name for pair in pairs]
            sizes.append(np.ones(len(pairs)))
        self.sizes = np.concatenate(sizes)

    def __call__(self, t: Array) -> Array:
        q, v, a = self.motion(t)
        rooms = [q - self.lower, self.upper - q]
        rooms += [self.bounds[0] - np.abs(v), self.bounds[1] - np.abs(a)]
        if np.isfinite(self.bounds[2]).any():
            rooms.append(self.bounds[2] - np.abs(self.model.inverse_dynamics(q, v, a)))
        else:
            rooms.append(np.full(np.shape(v), np.inf))
        found = [np.concatenate(rooms, axis=-1)[:, self.finite]]
        for clearance in self.clearances:
            found.append(clearance.distances(self.model, q).distance - clearance.margin)
        return np.concatenate(found, axis=-1)
