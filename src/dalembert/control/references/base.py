"""Reference motions: position, velocity and acceleration at every time.

A path is a reference whose time is its own parameter; `Reference.retimed` gives it another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

PEAK_SAMPLES = 2001


class Motion(NamedTuple):
    """Position, velocity and acceleration; leading axes are those of the times."""

    position: Array
    velocity: Array
    acceleration: Array


class Reference(ABC):
    """A motion from time zero to its ``duration``; before and after it rests at its ends."""

    duration: float

    def __call__(self, t: ArrayLike) -> Motion:
        """Return the motion at times ``(...)``, in arrays ``(..., n)``."""
        if isinstance(t, float):
            return self._at_one(t)
        t = np.asarray(t, float)
        x, v, a = self.at(np.clip(t, 0.0, self.duration))
        moves = (t >= 0) & (t <= self.duration)
        if moves.all():
            return Motion(x, v, a)
        still = moves.reshape(t.shape + (1,) * (v.ndim - t.ndim))
        return Motion(x, np.where(still, v, 0.0), np.where(still, a, 0.0))

    def _at_one(self, t: float) -> Motion:
        inside = min(max(t, 0.0), self.duration)
        x, v, a = self.at_time(inside)
        return Motion(x, v, a) if inside == t else Motion(x, np.zeros_like(v), np.zeros_like(a))

    @abstractmethod
    def at(self, t: Array) -> Motion:
        """Return the motion at times within the duration."""

    def at_time(self, t: float) -> Motion:
        """Return the motion at one time within the duration, as controllers ask in every tick."""
        return self.at(np.asarray(t))

    def peaks(self) -> tuple[Array, Array]:
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
        return self.retimed(_ramp(self.duration, float(positive(duration, "a duration"))))

    def within(self, velocity: ArrayLike = np.inf, acceleration: ArrayLike = np.inf) -> Reference:
        """Return the same motion as fast as limits of |velocity| and |acceleration| allow.

        Time is scaled evenly: velocities go with 1/T, accelerations with 1/T². `time_optimal`
        is faster, as it scales every part by itself.
        """
        v, a = self.peaks()
        bounds = positive(velocity, "velocity limits"), positive(acceleration, "accelerations")
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

    def at(self, t: Array) -> Motion:
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

    breaks: Array
    coefficients: Array

    @property
    def duration(self) -> float:  # type: ignore[override]
        """The last of the breaks."""
        return float(self.breaks[-1])

    def at(self, t: Array) -> Motion:
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

    def at_time(self, t: float) -> Motion:
        begins, pieces, shape = self._pieces
        i = max(bisect_right(begins, t) - 1, 0)
        h, power, powers = t - begins[i], 1.0, [1.0]
        for _ in range(pieces[i].shape[1] - 1):
            power *= h
            powers.append(power)
        # x, v and a, one below the other
        found = pieces[i].dot(np.array(powers)).reshape(shape)
        return Motion(found[0], found[1], found[2])

    @cached_property
    def _pieces(self) -> tuple[list[float], list[Array], tuple[int, ...]]:
        """When pieces begin, and the coefficients of x, v and a in one matrix for each piece."""
        c = self.coefficients
        j = np.arange(c.shape[1])
        flat = c.reshape(*c.shape[:2], -1)
        found = np.zeros((len(c), 3, *flat.shape[1:]))
        found[:, 0] = flat
        found[:, 1, :-1] = (j[:, None] * flat)[:, 1:]
        found[:, 2, :-2] = ((j * (j - 1))[:, None] * flat)[:, 2:]
        # (pieces, 3, order, n) -> (pieces, 3 n, order)
        matrices = np.ascontiguousarray(found.swapaxes(2, 3).reshape(len(c), -1, c.shape[1]))
        return self.breaks[: len(c)].tolist(), list(matrices), (3, *c.shape[2:])

    def peaks(self) -> tuple[Array, Array]:
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


def _ramp(length: float, duration: float) -> Piecewise:
    """Return s(t) from 0 to a length at constant speed."""
    return Piecewise(np.array([0.0, duration]), np.array([[0.0, length / duration]]))


def positive(value: ArrayLike, what: str) -> Array:
    """Return numbers above zero, also infinite ones."""
    x = np.asarray(value, float)
    if not (x > 0).all():
        raise EvaluationError(f"expected {what} above zero, got {value}")
    return x
