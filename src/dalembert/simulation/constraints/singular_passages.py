"""Motion through singular configurations, where constraints lose their independence."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.constraints import Constraints

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

SINGULAR = 1e-6
"""A smallest singular value below this part of the largest is a singular configuration."""

AHEAD = 1e-5
"""The same for a configuration a little ahead, to which the motion is continued."""

MISSED = 1e-4
"""A smallest singular value that turns back below this part of the largest is a near miss."""

SUSPECT = 0.2
"""Above this a local minimum is not searched."""

NEAR = 1e-2
"""Below this rounding grows so much that accelerations are solved by the known rank."""

PASSED = 1e-4
"""Below this, falling to zero along a line, the motion is extrapolated past the singularity."""

STRAIGHT = 1e-2
"""How much the slope of such a line may change from step to step."""

STEEPER = 4.0
"""By how much steeper than between steps a singular value may change inside one."""

GOLDEN = (5**0.5 - 1) / 2
NUM_CUTS = 40


class _Seen(NamedTuple):
    t: float
    dense: Callable[[float], np.ndarray]
    value: float


class SingularPassages:
    """Follows the smallest singular value of A from step to step, and finds where it vanishes.

    It vanishes between steps as a rule. So a local minimum over three steps is searched with the
    states in between, by golden section.
    """

    def __init__(self, constraints: Constraints, t: float, values: np.ndarray) -> None:
        self.constraints = constraints
        self.rank = constraints.rank
        self.warnings: list[str] = []
        if constraints.is_redundant:
            self.warnings.append(
                f"redundant: {len(constraints.names)} constraints of rank {self.rank}; a row that "
                "depends on earlier ones has λ = 0"
            )
        self.seen: list[_Seen] = []
        if self.rank and values[self.rank - 1] < SINGULAR * values[0]:
            self.warnings.append(
                f"singular at the start, t = {t:.9g}: the rank of the constraints is "
                f"{self._rank_of(values, SINGULAR)} there, and {self.rank} elsewhere"
            )

    def follow(self, t: float, dense: Callable[[float], np.ndarray], values: np.ndarray) -> None:
        """Take note of a step that ended at t."""
        if not self.rank:
            return
        value = float(values[self.rank - 1] / values[0])
        # two events at one time: a step without length tells nothing of slopes
        before = self.seen[:-1] if self.seen and self.seen[-1].t == t else self.seen
        self.seen = [*before[-2:], _Seen(t, dense, value)]
        if len(self.seen) == 3:
            first, middle, last = self.seen
            is_lowest = middle.value <= min(first.value, last.value) and middle.value < SUSPECT
            if is_lowest and _lowest(first, middle, last) < MISSED:
                self._search(first, middle, last)

    def passing_time(self, limit: float) -> float | None:
        """Return the seconds after which extrapolation is past a singular configuration, or None.

        It is None where nothing singular is ahead, and where the far side is beyond the limit.

        At a singular configuration motions meet, and rounding would decide between them in ever
        smaller steps. Inertia decides instead: positions and velocities go on smoothly.
        """
        if len(self.seen) < 3 or not self.seen[2].value < PASSED:
            return None
        first, middle, last = self.seen
        early = (middle.value - first.value) / (middle.t - first.t)
        late = (last.value - middle.value) / (last.t - middle.t)
        is_falling = first.value > middle.value > last.value
        if not is_falling or abs(early - late) > STRAIGHT * abs(late):
            return None
        length = -last.value / late
        if 2 * abs(length) > limit:
            return None
        rank = self._rank_of(self._values(last.t + length, last.dense), AHEAD)
        if rank == self.rank:
            # a near miss: the motion is smooth
            return None
        self.warnings.append(
            f"singular at t = {last.t + length:.9g}: the rank of the constraints falls from "
            f"{self.rank} to {rank} there; of the ways to go on the smooth one was taken"
        )
        self.seen = []
        return 2 * length

    def are_near(self, values: np.ndarray) -> np.ndarray:
        """Tell for rows of singular values whether they are those of nearly singular places."""
        if not self.rank:
            return np.zeros(len(values), bool)
        return values[:, self.rank - 1] < NEAR * values[:, 0]

    @property
    def is_near(self) -> bool:
        """Whether the last step ended close to a singular configuration."""
        return bool(self.seen) and self.seen[-1].value < NEAR

    @property
    def needs_known_rank(self) -> bool:
        """Whether accelerations are to be solved by the known rank of A."""
        return self.constraints.is_redundant or self.is_near

    @property
    def hint(self) -> str:
        """A remark on the last step, if it was close to a singular configuration."""
        if self.is_near:
            return (
                f"; the constraints are nearly singular there, their smallest singular value is "
                f"{self.seen[-1].value:.2g} of the largest"
            )
        return ""

    def _search(self, first: _Seen, middle: _Seen, last: _Seen) -> None:
        def values(t: float) -> np.ndarray:
            early = (t - middle.t) * (middle.t - first.t) <= 0
            return self._values(t, (middle if early else last).dense)

        def smallest(t: float) -> float:
            found = values(t)
            return float(found[self.rank - 1] / found[0])

        a, b = first.t, last.t
        for _ in range(NUM_CUTS):
            width = GOLDEN * (b - a)
            if smallest(b - width) < smallest(a + width):
                b = a + width
            else:
                a = b - width
        t = (a + b) / 2
        found = values(t)
        least = float(found[self.rank - 1] / found[0])
        if least < SINGULAR:
            self.warnings.append(
                f"singular at t = {t:.9g}: the rank of the constraints falls from {self.rank} to "
                f"{self._rank_of(found, SINGULAR)} there, where the motion has more than one way "
                "to go on"
            )
        elif least < MISSED:
            self.warnings.append(
                f"nearly singular at t = {t:.9g}: the constraints keep their rank {self.rank}, and "
                f"their smallest singular value is {least:.1e} of the largest"
            )

    def _values(self, t: float, dense: Callable[[float], np.ndarray]) -> np.ndarray:
        """Return the singular values of A at a state of a step, on the constraints if it can be."""
        n, x = self.constraints.model.nq, dense(t)
        q, v = x[:n], x[n : n + self.constraints.model.nv]
        # at a singular configuration the way there may be lost
        with suppress(EvaluationError):
            q = self.constraints.close(t, q)
        at = self.constraints.read(t, q, v)
        return self.constraints.correction(at, at.velocity).values

    @staticmethod
    def _rank_of(values: np.ndarray, threshold: float) -> int:
        return int((values > threshold * values[0]).sum())


def _lowest(first: _Seen, middle: _Seen, last: _Seen) -> float:
    """Return how low a value may fall between three places where it was seen.

    It may go on as steeply as it was seen to change, or somewhat steeper, for the longer of the two
    steps. Where nothing but rounding tells the values apart, it does not fall.
    """
    steps = [abs(middle.t - first.t), abs(last.t - middle.t)]
    rises = [first.value - middle.value, last.value - middle.value]
    slope = max(rise / step for rise, step in zip(rises, steps, strict=True))
    return middle.value - STEEPER * slope * max(steps)


def extrapolated(
    problem: Problem,
    before: tuple[float, np.ndarray],
    now: tuple[float, np.ndarray],
    duration: float,
) -> np.ndarray:
    """Return the state after ``duration`` along a Taylor series of the motion, on the constraints.

    q and q̇ go on along q̇, q̈ and the change of q̈ since the state before, for so short a time that
    what is left out is rounding.
    """
    (t0, x0), (t, x), h = before, now, duration
    n, m = problem.model.nq, problem.size
    f0, f = problem.rate(t0, x0), problem.rate(t, x)
    # q̇ + h q̈ + h²/2 q⃛, and the mean of it over the time h
    jerk = (f[n:m] - f0[n:m]) / (t - t0)
    v = x[n:m] + h * (f[n:m] + h / 2 * jerk)
    mean = x[n:m] + h / 2 * (f[n:m] + h / 3 * jerk)
    q = problem.model.configuration.integrate(x[:n], mean, h)
    assert problem.constraints is not None
    q, v, _ = problem.constraints.project(t + h, q, v)
    return np.concatenate([q, v, x[m:] + h * f[m:]])
