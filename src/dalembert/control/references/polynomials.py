"""Motions made of polynomials in time: lines, cubics, trapezoidal speeds, splines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Piecewise, positive
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


def line(start: ArrayLike, end: ArrayLike) -> Piecewise:
    """Return the straight path from start to end, with a parameter from 0 to 1."""
    a, b = _ends(start, end)
    return Piecewise(np.array([0.0, 1.0]), np.stack([a, b - a])[None])


def cubic(
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    start_velocity: ArrayLike = 0.0,
    end_velocity: ArrayLike = 0.0,
) -> Piecewise:
    """Return the cubic polynomial between two positions with given velocities.

    >>> position, velocity, _ = cubic([0.0], [1.0], 2.0)(1.0)
    >>> float(position[0]), float(velocity[0])
    (0.5, 0.75)
    """
    a, b = _ends(start, end)
    T = float(positive(duration, "a duration"))
    u, w = (np.broadcast_to(np.asarray(x, float), a.shape) for x in (start_velocity, end_velocity))
    d = b - a
    c = [a, u, (3 * d - (2 * u + w) * T) / T**2, ((u + w) * T - 2 * d) / T**3]
    return Piecewise(np.array([0.0, T]), np.stack(c)[None])


def trapezoidal(
    start: ArrayLike, end: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike
) -> Piecewise:
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
        float(np.min(np.broadcast_to(positive(b, what), d.shape)[moving] / size[moving]))
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


def via_points(points: ArrayLike, times: ArrayLike | None = None) -> Piecewise:
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


def checked_points(points: ArrayLike, times: ArrayLike | None) -> tuple[Array, Array]:
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


def _ends(start: ArrayLike, end: ArrayLike) -> tuple[Array, ...]:
    return np.broadcast_arrays(finite_array(start, "the start"), finite_array(end, "the end"))
