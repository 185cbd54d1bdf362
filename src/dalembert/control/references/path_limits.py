"""Limits of velocity, acceleration and torque along a path, linear in s̈ and ṡ².

With x = ṡ² and u = s̈ every limit is linear at a place s of the path q(s):

    q̇ = q' ṡ                    q̈ = q' u + q'' x
    τ = (M q') u + (M q'' + h(q, q')) x + g,   h quadratic in velocities
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.control.references.base import Piecewise, Reference
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array

# places between two places of the grid where the result is checked
BETWEEN = 8


class MotionLimits(NamedTuple):
    """Largest |q̇|, |q̈| and |τ|; infinite where there is no limit."""

    velocity: Array
    acceleration: Array
    effort: Array


@dataclass(frozen=True)
class Coefficients:
    """At each place, ``(N, rows)``: lower ≤ a u + b x ≤ upper, and x ≤ x_max ``(N,)``."""

    a: Array
    b: Array
    lower: Array
    upper: Array
    x_max: Array


class PathLimits:
    """A path with its limits on a grid; what does not depend on the speed is computed once."""

    def __init__(
        self, path: Reference, model: Model | None, limits: MotionLimits, grid: int
    ) -> None:
        if grid < 2:
            raise EvaluationError(f"expected a grid of at least two intervals, got {grid}")
        self.limits, self.model = limits, model
        # q'' may have corners at the breaks of a spline: they are places of the grid too
        breaks = path.breaks if isinstance(path, Piecewise) else np.array([0.0, path.duration])
        self.s = _merged(np.linspace(0.0, path.duration, grid + 1), breaks)
        self.at = path.at(self.s)
        part = np.arange(BETWEEN + 1) / BETWEEN
        self.fine = path.at(self.s[:-1, None] + np.diff(self.s)[:, None] * part)
        slope = np.abs(self.at.velocity).max(axis=1)
        if not slope.min() > 1e-9 * slope.max():
            raise EvaluationError(
                "expected a path that moves everywhere, got q' = 0 at "
                f"s = {self.s[slope.argmin()]:.4g}: give a path such as line() or via_points() "
                "without times, not a motion that rests"
            )
        self.has_torques = model is not None and bool(np.isfinite(limits.effort).any())
        self.has_friction = self.has_torques and bool(
            np.abs(self._friction(np.ones(len(self.s)))).max() > 0
        )

    def coefficients(self, x: Array, tight: Array) -> Coefficients:
        """Return the rows of all limits, friction linear about the speeds √x."""
        _, dq, ddq = self.at
        a, b = [dq], [ddq]
        bound = tight[:, None] * self.limits.acceleration
        lower, upper = [-bound], [bound]
        if self.has_torques:
            still = np.zeros_like(dq)
            g = self._torque(still, still)
            a.append(self._torque(still, dq) - g)
            # M q'' + h(q, q'): the even part in the velocity
            forward, back = self._torque(dq, ddq), self._torque(-dq, ddq)
            slope, offset = self._linear_friction(x)
            b.append((forward + back) / 2 - g + slope)
            bound = tight[:, None] * self.limits.effort
            lower.append(-bound - g - offset)
            upper.append(bound - g - offset)
        with np.errstate(divide="ignore"):
            speed = (tight[:, None] * self.limits.velocity / np.abs(dq)).min(axis=1)
        a, b, lower, upper = (np.concatenate(v, axis=1) for v in (a, b, lower, upper))
        limited = np.isfinite(upper).all(axis=0)
        return Coefficients(
            a[:, limited], b[:, limited], lower[:, limited], upper[:, limited], speed**2
        )

    def excess(self, x: Array, slope: Array) -> Array:
        """Return, interval by interval, the largest part of a limit that is used."""
        q, dq, ddq = self.fine
        # s̈ is linear between two places, x a parabola through them
        part, h = np.arange(BETWEEN + 1) / BETWEEN, np.diff(self.s)[:, None]
        bend = slope[:, None] * h**2
        y = x[:-1, None] + np.diff(x)[:, None] * part - bend * part * (1 - part)
        u = (np.diff(x)[:, None] / (2 * h) + slope[:, None] * h * (part - 0.5))[..., None]
        v = dq * np.sqrt(np.maximum(y, 0.0))[..., None]
        acceleration = dq * u + ddq * y[..., None]
        used = [v / self.limits.velocity, acceleration / self.limits.acceleration]
        if self.has_torques:
            assert self.model is not None
            used.append(self.model.inverse_dynamics(q, v, acceleration) / self.limits.effort)
        return np.max([_peak(w) for w in used], axis=0)

    def _torque(self, v: Array, a: Array) -> Array:
        assert self.model is not None
        return self.model.inverse_dynamics(self.at.position, v, a)

    def _friction(self, speed: Array) -> Array:
        """Return the part of the torque that is odd in the velocity q' ṡ."""
        v = self.at.velocity * speed[:, None]
        still = np.zeros_like(v)
        return (self._torque(v, still) - self._torque(-v, still)) / 2

    def _linear_friction(self, x: Array) -> tuple[Array, Array]:
        """Return (slope, offset): friction ≈ slope x + offset near x.

        With y = √x: f + f' (√x - y) and √x ≈ (x + y²)/(2 y).
        """
        y = np.maximum(np.sqrt(x), 1e-6)
        f = self._friction(y)
        rate = (self._friction(y * (1 + 1e-6)) - f) / (y * 1e-6)[:, None]
        return rate / (2 * y)[:, None], f - rate * (y / 2)[:, None]


def _peak(values: Array) -> Array:
    """Return the largest |value| in each interval, of all joints, from samples ``(n, k, joints)``.

    A parabola rises between two samples by at most an eighth of the second difference.
    """
    bend = np.abs(np.diff(values, 2, axis=1)).max(axis=1) / 8
    return (np.abs(values).max(axis=1) + bend).max(axis=1)


def _merged(s: Array, breaks: Array) -> Array:
    """Return s with breaks added, without places that nearly coincide."""
    close = 1e-3 * s[1]
    inner = [x for x in breaks[1:-1] if np.abs(s - x).min() > close]
    return np.sort(np.r_[s, inner])
