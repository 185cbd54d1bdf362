"""Reference motions: where to be, how fast, with which acceleration, at every time.

A path is a reference whose time is its own parameter; `Reference.retimed` gives it another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.configuration import Configuration

PEAK_SAMPLES = 2001


class Motion(NamedTuple):
    """Position, velocity and acceleration; leading axes are those of the times."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


class Reference(ABC):
    """A motion from time zero to its ``duration``; before and after it rests at its ends."""

    duration: float

    def __call__(self, t: Any) -> Motion:
        """Return the motion at times ``(...)``, in arrays ``(..., n)``."""
        t = np.asarray(t, float)
        x, v, a = self.at(np.clip(t, 0.0, self.duration))
        moves = (t >= 0) & (t <= self.duration)
        if moves.all():
            return Motion(x, v, a)
        still = moves.reshape(t.shape + (1,) * (v.ndim - t.ndim))
        return Motion(x, np.where(still, v, 0.0), np.where(still, a, 0.0))

    @abstractmethod
    def at(self, t: np.ndarray) -> Motion:
        """Return the motion at times within the duration."""

    def peaks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest |velocity| and |acceleration| of each component, from samples."""
        _, v, a = self.at(np.linspace(0.0, self.duration, PEAK_SAMPLES))
        return np.abs(v).max(axis=0), np.abs(a).max(axis=0)

    def retimed(self, timing: Reference) -> Reference:
        """Return the same curve with its parameter given by a scalar reference.

        Args:
            timing: From zero to this ``duration``, as `trapezoidal` or `minimum_jerk` of two
                numbers give it.
        """
        return Retimed(self, timing)

    def lasting(self, duration: float) -> Reference:
        """Return the same motion faster or slower."""
        return self.retimed(_ramp(self.duration, _positive(duration, "a duration")))

    def within(self, velocity: Any = np.inf, acceleration: Any = np.inf) -> Reference:
        """Return the same motion as fast as limits of |velocity| and |acceleration| allow.

        Time is scaled evenly: velocities go with 1/T, accelerations with 1/T². `time_optimal`
        is faster, as it scales every part by itself.
        """
        v, a = self.peaks()
        bounds = _positive(velocity, "velocity limits"), _positive(acceleration, "accelerations")
        factor = max(np.max(v / bounds[0]), np.sqrt(np.max(a / bounds[1])))
        if factor == 0:
            raise EvaluationError(
                "expected a motion and finite limits to scale its time, got none: use lasting()"
            )
        return self.lasting(self.duration * float(factor))


@dataclass(frozen=True, eq=False)
class Retimed(Reference):
    """A curve x(s) with s = timing(t): ẋ = x' ṡ, ẍ = x'' ṡ² + x' s̈."""

    curve: Reference
    timing: Reference

    @property
    def duration(self) -> float:  # type: ignore[override]
        """How long the motion takes."""
        return self.timing.duration

    def at(self, t: np.ndarray) -> Motion:
        s, sd, sdd = self.timing.at(t)
        x, dx, ddx = self.curve.at(np.clip(s, 0.0, self.curve.duration))
        more = (1,) * (dx.ndim - s.ndim)
        sd, sdd = sd.reshape(s.shape + more), sdd.reshape(s.shape + more)
        return Motion(x, dx * sd, ddx * sd**2 + dx * sdd)


@dataclass(frozen=True, eq=False)
class Piecewise(Reference):
    """Polynomials between breaks: x(t) = Σ coefficients[i, j] (t - breaks[i])ʲ.

    ``coefficients`` ``(pieces, order, ...)``; the last axes are those of x.
    """

    breaks: np.ndarray
    coefficients: np.ndarray

    @property
    def duration(self) -> float:  # type: ignore[override]
        """The last of the breaks."""
        return float(self.breaks[-1])

    def at(self, t: np.ndarray) -> Motion:
        c = self.coefficients
        i = np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(c) - 1)
        h = (t - self.breaks[i]).reshape(t.shape + (1,) * (c.ndim - 2))
        x = v = a = np.zeros(t.shape + c.shape[2:])
        # Horner's scheme for x and its derivatives at once
        for j in reversed(range(c.shape[1])):
            a = a * h + 2 * v
            v = v * h + x
            x = x * h + c[i, j]
        return Motion(x, v, a)

    def peaks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the exact peaks: at breaks, and where the next derivative vanishes."""
        c = self.coefficients
        flat = c.reshape(*c.shape[:2], -1)
        peaks = []
        for order in (1, 2):
            best = np.zeros(flat.shape[2])
            for i, h in enumerate(np.diff(self.breaks)):
                for k in range(flat.shape[2]):
                    p = np.polynomial.Polynomial(flat[i, :, k]).deriv(order)
                    roots = np.asarray(p.deriv().trim().roots(), complex)
                    # a real part is a time within the piece: it can only add a value of p
                    times = np.concatenate([[0.0, h], np.clip(np.real(roots), 0.0, h)])
                    best[k] = max(best[k], np.abs(p(times)).max())
            peaks.append(best.reshape(c.shape[2:]))
        return peaks[0], peaks[1]


@dataclass(frozen=True, eq=False)
class ConfigurationLine(Reference):
    """The shortest way between two configurations, quaternions turning at a constant rate."""

    configuration: Configuration
    start: np.ndarray
    velocity: np.ndarray
    duration: float = 1.0

    def at(self, t: np.ndarray) -> Motion:
        q = self.configuration.integrate(self.start, self.velocity, t)
        v = np.broadcast_to(self.velocity, (*t.shape, len(self.velocity)))
        return Motion(q, v, np.zeros_like(v))


def line(start: Any, end: Any) -> Piecewise:
    """Return the straight path from start to end, with a parameter from 0 to 1."""
    a, b = _ends(start, end)
    return Piecewise(np.array([0.0, 1.0]), np.stack([a, b - a])[None])


def configuration_line(model: Model, start: Any, end: Any) -> ConfigurationLine:
    """Return the path from start to end on the configuration manifold, parameter from 0 to 1.

    Its velocities are those of the model, ``(..., nv)``: body-fixed for ball and free joints.
    """
    c = model.configuration
    a = c.normalized(start)
    return ConfigurationLine(c, a, c.difference(a, c.normalized(end)))


def cubic(
    start: Any, end: Any, duration: float, *, start_velocity: Any = 0.0, end_velocity: Any = 0.0
) -> Piecewise:
    """Return the cubic polynomial between two positions with given velocities.

    >>> position, velocity, _ = cubic([0.0], [1.0], 2.0)(1.0)
    >>> float(position[0]), float(velocity[0])
    (0.5, 0.75)
    """
    a, b = _ends(start, end)
    T = float(_positive(duration, "a duration"))
    u, w = (np.broadcast_to(np.asarray(x, float), a.shape) for x in (start_velocity, end_velocity))
    d = b - a
    c = [a, u, (3 * d - (2 * u + w) * T) / T**2, ((u + w) * T - 2 * d) / T**3]
    return Piecewise(np.array([0.0, T]), np.stack(c)[None])


def trapezoidal(start: Any, end: Any, velocity: Any, acceleration: Any) -> Piecewise:
    """Return the quickest straight motion from rest to rest within limits.

    Constant acceleration, constant velocity, constant deceleration, all components together: with
    d = end - start and a parameter s from 0 to 1, ṡ ≤ min velocity/|d| and
    s̈ ≤ min acceleration/|d|. Without room for the top speed it is a triangle.
    """
    x, y = _ends(start, end)
    d = y - x
    size = np.abs(d)
    if not size.max(initial=0.0) > 0:
        raise EvaluationError("expected two different positions, got the same: there is no motion")
    moving = size > 0
    v_max, a_max = (
        float(np.min(np.broadcast_to(_positive(b, what), d.shape)[moving] / size[moving]))
        for b, what in ((velocity, "velocity limits"), (acceleration, "accelerations"))
    )
    if not np.isfinite(a_max):
        raise EvaluationError("expected a finite acceleration limit, got none")
    # a triangle reaches √a, in the middle
    v = min(v_max, np.sqrt(a_max))
    ramp = v / a_max
    cruise = max(1 / v - ramp, 0.0)
    s1 = v * ramp / 2
    pieces = [(ramp, 0.0, 0.0, a_max / 2), (ramp, 1 - s1, v, -a_max / 2)]
    if cruise > 0:
        pieces.insert(1, (cruise, s1, v, 0.0))
    breaks = np.concatenate([[0.0], np.cumsum([p[0] for p in pieces])])
    c = np.array([p[1:] for p in pieces])
    coefficients = c.reshape(c.shape + (1,) * d.ndim) * d
    coefficients[:, 0] += x
    return Piecewise(breaks, coefficients)


def via_points(points: Any, times: Any = None) -> Piecewise:
    """Return the cubic spline through points, at rest at both ends, with continuous acceleration.

    Args:
        points: ``(k, n)``, or ``(k,)`` for a scalar.
        times: When each is passed, starting with zero. Without them the result is a path, with
            the length of the straight lines so far for its parameter.
    """
    from scipy.interpolate import CubicSpline

    x, t = checked_points(points, times)
    spline = CubicSpline(t, x, bc_type="clamped" if times is not None else "natural")
    return Piecewise(t, np.ascontiguousarray(np.moveaxis(spline.c[::-1], 1, 0)))


def checked_points(points: Any, times: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return points ``(k, n)`` or ``(k,)`` and their times, which rise from zero."""
    x = finite_array(points, "the points")
    if x.ndim not in (1, 2) or len(x) < 2:
        raise EvaluationError(f"expected two or more points (k, n), got shape {x.shape}")
    if times is None:
        steps = np.linalg.norm(np.diff(x, axis=0).reshape(len(x) - 1, -1), axis=1)
        t = np.concatenate([[0.0], np.cumsum(steps)])
    else:
        t = finite_array(times, "the times")
    if t.shape != (len(x),) or t[0] != 0 or not (np.diff(t) > 0).all():
        raise EvaluationError(
            f"expected {len(x)} times that rise from zero, and points that differ from their "
            f"neighbours, got {t}"
        )
    return x, t


def _ramp(length: float, duration: Any) -> Piecewise:
    c = np.array([[0.0, length / float(duration)]])
    return Piecewise(np.array([0.0, float(duration)]), c)


def _ends(start: Any, end: Any) -> Sequence[np.ndarray]:
    return np.broadcast_arrays(finite_array(start, "the start"), finite_array(end, "the end"))


def _positive(value: Any, what: str) -> np.ndarray:
    x = np.asarray(value, float)
    if not (x > 0).all():
        raise EvaluationError(f"expected {what} above zero, got {value}")
    return x
