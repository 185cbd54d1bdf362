"""Limits of velocity, acceleration and jerk, and the quickest motions within them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Motion
from dalembert.control.references.consecutive import Consecutive
from dalembert.control.references.jerk.kernels import SAME, kernel, padded
from dalembert.control.references.jerk.motion import JerkLimited
from dalembert.control.references.jerk.source import motion_source
from dalembert.control.references.jerk.through import passing_velocities
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array, finite_vector

if TYPE_CHECKING:
    from dalembert.model.source.kernels import CSource
    from dalembert.types import Array, ArrayLike

ROUNDING = 1e-9
"""Part of a limit by which the end of a motion may exceed it."""


@dataclass(frozen=True, eq=False)
class JerkLimits:
    """Quickest motions of several joints under limits of velocity, acceleration and jerk.

    A motion may begin and end at any velocity and acceleration. Each joint takes its quickest way;
    those that could be earlier mix their two extreme motions, so that all arrive at once. A joint
    that begins beyond its limits first returns to them.

    Args:
        velocity: Largest |velocity| of each joint, ``(n,)`` in rad/s or m/s; or one number for all.
        acceleration: Largest |acceleration|.
        jerk: Largest |jerk|.

    >>> limits = JerkLimits(velocity=[1.0, 2.0], acceleration=4.0, jerk=20.0)
    >>> move = limits.motion([0.0, 0.0], [0.5, -0.3])
    >>> round(move.duration, 4)
    0.95
    >>> turned = limits.motion(move(0.3), [0.0, 0.0])
    >>> [bool(peak <= limit + 1e-12) for peak, limit in zip(turned.peaks()[0], [1, 2])]
    [True, True]

    Raises:
        EvaluationError: a limit is not above zero, or their numbers differ.
    """

    velocity: ArrayLike
    acceleration: ArrayLike
    jerk: ArrayLike

    def __post_init__(self) -> None:
        _ = self._limits

    def motion(
        self,
        start: Motion | ArrayLike,
        end: Motion | ArrayLike,
        *,
        duration: float | None = None,
    ) -> JerkLimited:
        """Return the quickest motion between two states.

        Args:
            start: Position, velocity and acceleration, as a `Motion`; or a position at rest.
            end: The same. Its velocity and acceleration must be within the limits.
            duration: In s. Default: the shortest. Where joints cannot arrive at that time, because
                they have to let their target pass and to return, the next time at which they can.

        Raises:
            EvaluationError: the end is beyond the limits, or the duration is too short.
        """
        rows, n = self.rows(start, end)
        is_resting = not rows[:, 4:6].any()
        earliest = 0.0
        if duration is not None:
            earliest = float(finite_array(duration, "a duration", ()))
            shortest = common_arrival(rows, 0.0, is_resting)
            if earliest < shortest * (1 - ROUNDING):
                raise EvaluationError(
                    f"expected a duration of at least {shortest:.6g} s, got {earliest:.6g} s: the "
                    "limits allow no quicker motion"
                )
        T = common_arrival(rows, earliest, is_resting)
        plan = kernel("plan")(np.full(len(rows), T), rows)
        return JerkLimited(T, n, rows, plan)

    def through(
        self,
        start: Motion | ArrayLike,
        points: ArrayLike,
        end: Motion | ArrayLike,
    ) -> Consecutive:
        """Return a quick motion through points, without stops; all joints pass a point at once.

        The velocities at the points are searched, so the motion is quick but not proved quickest.
        Accelerations are zero at the points.

        Args:
            start: As of `motion`.
            points: What is passed, in order, ``(k, n)``.
            end: As of `motion`.
        """
        row, n = self.rows(start, end)
        passed = finite_array(points, "points to pass", (..., n)).reshape(-1, n)
        way = np.concatenate([row[:n, 0][None], passed, row[:n, 3][None]])
        begin, finish, limits = row[:n, 1:3].T, row[:n, 4:6].T, row[:n, 6:].T
        v = passing_velocities(way, begin, finish, limits)
        still = np.zeros(n)
        states = [Motion(p, u, still) for p, u in zip(passed, v, strict=True)]
        states = [Motion(way[0], *begin), *states, Motion(way[-1], *finish)]
        return Consecutive([self.motion(a, b) for a, b in pairwise(states)])

    def source(self, *, prefix: str = "motion", num_joints: int | None = None) -> CSource:
        """Return C for microcontrollers: ``prefix_move`` plans a motion, ``prefix_at`` follows it.

        Args:
            prefix: Of the names in C.
            num_joints: How many joints. Default: as many as limits.
        """
        return motion_source(self._limits.shape[1] if num_joints is None else num_joints, prefix)

    def rows(self, start: Motion | ArrayLike, end: Motion | ArrayLike) -> tuple[Array, int]:
        """Return what each joint is asked, and how many joints there are.

        Behind their rows ``(n, 9)`` stand copies of the last, so that all run side by side.
        """
        begin = start if isinstance(start, Motion) else (start,)
        finish = end if isinstance(end, Motion) else (end,)
        n = np.size(begin[0])
        rows = self._template(n).copy()
        for place, given, name in ((0, begin, "the start"), (3, finish, "the end")):
            for k, x in enumerate(given):
                rows[:n, place + k] = finite_vector(x, name, n) if np.ndim(x) else _number(x, name)
        rows[n:, :6] = rows[n - 1, :6]
        if len(finish) > 1:
            _check_end(rows)
        return rows, n

    def _template(self, n: int) -> Array:
        """Return rows of n joints at rest at zero, with their limits."""
        if n not in self._templates:
            V = self._limits
            if V.shape[1] not in (1, n):
                raise EvaluationError(
                    f"expected states of {V.shape[1]} joints, as many as limits, got {n}"
                )
            rows = np.zeros((n, 9))
            rows[:, 6:] = V.T
            self._templates[n] = padded(rows)
        return self._templates[n]

    @cached_property
    def _templates(self) -> dict[int, Array]:
        return {}

    @cached_property
    def _limits(self) -> Array:
        """V, A and J of each joint, ``(3, n)``."""
        names = ("velocity", "acceleration", "jerk")
        found = [finite_array(getattr(self, name), f"{name} limits") for name in names]
        for name, limit in zip(names, found, strict=True):
            if limit.ndim > 1 or not (limit > 0).all():
                raise EvaluationError(
                    f"expected {name} limits above zero, one or one for each joint, got "
                    f"{getattr(self, name)!r:.60}"
                )
        try:
            return np.stack(np.broadcast_arrays(*map(np.atleast_1d, found)))
        except ValueError:
            raise EvaluationError(
                "expected limits of as many joints each, got "
                f"{', '.join(str(x.size) for x in found)}"
            ) from None


def common_arrival(rows: Array, earliest: float, is_resting: bool) -> float:
    """Return the first time from ``earliest`` on at which all joints can be at their targets.

    Args:
        rows: What each joint is asked.
        earliest: In s.
        is_resting: Whether all targets are at rest: there a joint can wait, and no later time is
            blocked.
    """
    T, after = earliest, kernel("arrival")
    while True:
        found = float(after(np.full(len(rows), T), rows).max())
        if is_resting or found <= T * (1 + SAME):
            return max(found, T)
        T = found


def _number(x: ArrayLike, name: str) -> float:
    """Return one finite number for all joints."""
    return float(finite_array(x, name, ()))


def _check_end(rows: Array) -> None:
    """Raise `EvaluationError` for an end that no motion within the limits leads to."""
    v, a, V, A, J = rows[:, 4:].T
    # the velocity at which the acceleration was zero before
    size = np.abs(a)
    before = np.abs(v - a * size / (2 * J))
    most = 1 + ROUNDING
    beyond = (np.maximum(np.abs(v), before) > most * V) | (size > most * A)
    if np.count_nonzero(beyond):
        k = int(np.flatnonzero(beyond)[0])
        raise EvaluationError(
            f"expected an end within the limits, got velocity {v[k]:.6g} and acceleration "
            f"{a[k]:.6g} of joint {k} with limits {V[k]:.6g} and {A[k]:.6g}: the joint would "
            "exceed them on its way"
        )
