"""Bounds of the next velocity: speed, what accelerations allow, the room up to the limits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import ZERO, Expr, as_expr, sqrt
from dalembert.model.border import doubles, to_numpy
from dalembert.quadratic.program import UNBOUNDED
from dalembert.spatial.scalar import larger, smaller
from dalembert.tasks.joint import position_places
from dalembert.tasks.limits import Limit, intersection

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

GENTLER = 1e-4
"""Part of the allowed deceleration that is kept back, so that rounding never asks for more."""


class SpeedLimits(NamedTuple):
    """What bounds the velocities of a tick.

    Attributes:
        dt: Seconds of the tick.
        rate: Largest |q̇|, ``(nv,)``; ∞ where there is none.
        boost: Largest |q̈|, ``(nv,)``; ∞ where there is none.
        brake: The |q̈| that joints keep room for before their bounds, ``(nv,)``; ∞ for none.
        room: Bounds of q that are kept, ``(2, nq)``; ±∞ where there is none.
    """

    dt: float
    rate: Array
    boost: Array
    brake: Array
    room: Array

    @classmethod
    def of(
        cls,
        model: Model,
        dt: float,
        limits: Sequence[Limit],
        velocity: ArrayLike | None,
        acceleration: ArrayLike | None,
        braking: ArrayLike | None = None,
    ) -> SpeedLimits:
        """Return checked limits.

        None stands for the joints' own speeds, for no limit of accelerations, and for brakes as
        strong as accelerations may be.

        Raises:
            EvaluationError: a limit is not positive or of another shape, or limits leave no room.
        """
        own = model.configuration.velocity
        rate = own if velocity is None else positive_limits(velocity, "velocity", model.nv)
        none = np.full(model.nv, np.inf)
        boost = (
            none
            if acceleration is None
            else positive_limits(acceleration, "acceleration", model.nv)
        )
        brake = boost if braking is None else positive_limits(braking, "braking", model.nv)
        brake = (1 - GENTLER) * np.minimum(brake, boost)
        return cls(dt, rate, boost, brake, np.stack(intersection(model, limits)))

    def bounds(
        self, model: Model, q: Sequence[Expr], v: Sequence[Expr], *, is_held: bool
    ) -> tuple[list[Expr], list[Expr]]:
        """Return lower and upper bounds of the velocity behind a tick that begins at q, v.

        Args:
            model: What moves.
            q: Where the tick begins.
            v: The velocity before it.
            is_held: Whether an acceleration is held for the tick, and the way is (v + v⁺) dt/2; or
                else the new velocity, and the way is v⁺ dt.
        """
        lower: list[Expr] = []
        upper: list[Expr] = []
        places = position_places(model.configuration)
        limits = zip(v, self.rate.tolist(), self.boost.tolist(), self.brake.tolist(), strict=True)
        for i, (now, rate, a, brake) in enumerate(limits):
            # a bound that is none has no place beside others: their minimum is (x + y - |x - y|)/2
            up = [as_expr(rate)] if np.isfinite(rate) else []
            down = [*up]
            if np.isfinite(a):
                up.append(now + a * self.dt)
                down.append(a * self.dt - now)
            if i in places:
                low, high = map(float, self.room[:, places[i]])
                at = q[places[i]]
                way, dt = (now * self.dt / 2, self.dt / 2) if is_held else (ZERO, self.dt)
                up += [_fastest(high - at - way, brake, dt)] if np.isfinite(high) else []
                down += [_fastest(at + way - low, brake, dt)] if np.isfinite(low) else []
            upper.append(reduce(smaller, up) if up else as_expr(UNBOUNDED))
            lower.append(-reduce(smaller, down) if down else as_expr(-UNBOUNDED))
        return lower, upper


def _fastest(room: Expr, a: float, dt: float) -> Expr:
    """Return the largest v that stays in a room and can brake in it: v dt + v²/(2a) ≤ room.

    Outside of the limit, where the room is negative, it leads back within the tick.
    """
    if np.isinf(a):
        return room / dt
    # beyond the root, the farther the faster
    slack = a * dt**2 / 2
    return a * (sqrt(larger(dt**2 + 2 * room / a, 0)) - dt) + smaller(room + slack, 0) / dt


def positive_limits(value: ArrayLike, name: str, n: int) -> Array:
    """Return numbers above zero, also infinite ones, ``(n,)``."""
    try:
        given = doubles(to_numpy(value))
    except (TypeError, ValueError, OverflowError):
        raise EvaluationError(f"expected numbers for {name} limits, got {value!r:.60}") from None
    if given.shape not in ((), (n,)) or not (given > 0).all():
        raise EvaluationError(f"expected {name} limits above 0, one or {n}, got {value!r:.60}")
    return np.broadcast_to(given, n).astype(float)
