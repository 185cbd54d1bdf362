"""The quickest speeds along a path by controllable sets, for limits linear in u = s̈ and x = ṡ².

u is linear in s within an interval, with a given slope; its mean changes x by 2 Δs u from one place
to the next. So the speeds from which the end can be reached are
an interval, place by place from the end (controllable sets); going forward with the largest u that
stays inside them gives the quickest motion.

Reference: H. Pham, Q.-C. Pham, A new approach to time-optimal path parameterization based on
reachability analysis, IEEE T-RO 34(3), 2018.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dalembert.control.references.path_limits import Coefficients
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.types import Array

    Rows: TypeAlias = tuple[Array, Array, Array]
    """a, b, c of the inequalities a u + b x ≤ c."""

# what of a limit rounding may take
SLACK = 1e-9


def quickest_speeds(s: Array, rows: Coefficients, slope: Array, start: float, end: float) -> Array:
    """Return x at every place: controllable sets backward, the largest u forward.

    ``slope`` is du/ds in every interval.
    """
    n = len(s) - 1
    stages = [_stage(rows, i, 2 * (s[i + 1] - s[i]), slope[i]) for i in range(n)]
    low, high = np.zeros(n + 1), rows.x_max.copy()
    if end > high[n] * (1 + SLACK):
        raise EvaluationError(f"expected an end speed within the limits, got ṡ² = {end:g}")
    low[n] = high[n] = end
    for i in reversed(range(n)):
        low[i], high[i] = _speeds(
            _with_target(stages[i], low[i + 1], high[i + 1], s[i + 1] - s[i]), high[i]
        )
        if not low[i] <= high[i]:
            raise EvaluationError(
                f"expected a speed within the limits at s = {s[i]:.4g}, got none: the limits do "
                "not let the path be followed there, or the arm not be held"
            )
    if not low[0] - SLACK <= start <= high[0] * (1 + SLACK) + SLACK:
        raise EvaluationError(
            f"expected a start with ṡ between {np.sqrt(low[0]):.4g} and {np.sqrt(high[0]):.4g} "
            f"to reach the end, got {np.sqrt(start):.4g}"
        )
    x = np.empty(n + 1)
    x[0] = start
    for i in range(n):
        d = 2 * (s[i + 1] - s[i])
        a, b, c = _with_target(stages[i], low[i + 1], high[i + 1], d / 2)
        rising = a > _tiny(a, b, c)
        u = np.min((c[rising] - b[rising] * x[i]) / a[rising])
        x[i + 1] = min(max(x[i] + d * u, low[i + 1]), high[i + 1])
        if x[i] == 0 and x[i + 1] <= 0:
            raise EvaluationError(
                f"expected a motion, got an arm that cannot leave s = {s[i]:.4g} within its limits"
            )
    return x


def _stage(rows: Coefficients, i: int, d: float, slope: float) -> Rows:
    """Return a, b, c with a u + b x ≤ c: the limits at both ends of interval i.

    At its end the speed is x + d u: (a + d b) u + b x. The ends have u ∓ slope d/4.
    """
    a = [rows.a[i], rows.a[i + 1] + d * rows.b[i + 1]]
    b = [rows.b[i], rows.b[i + 1]]
    before, behind = rows.a[i] * slope * d / 4, -rows.a[i + 1] * slope * d / 4
    upper = [rows.upper[i] + before, rows.upper[i + 1] + behind]
    lower = [-rows.lower[i] - before, -rows.lower[i + 1] - behind]
    A, B = np.concatenate(a), np.concatenate(b)
    return np.concatenate([A, -A]), np.concatenate([B, -B]), np.concatenate([*upper, *lower])


def _with_target(stage: Rows, low: float, high: float, h: float) -> Rows:
    """Add low ≤ x + 2 h u ≤ high."""
    a, b, c = stage
    d = 2 * h
    return np.r_[a, d, -d], np.r_[b, 1.0, -1.0], np.r_[c, high, -low]


def _speeds(rows: Rows, x_max: float) -> tuple[float, float]:
    """Return the interval of the x ≥ 0 for which some u satisfies a u + b x ≤ c.

    Fourier and Motzkin: rows with a > 0 bound u from above, rows with a < 0 from below; every
    pair of them bounds x.
    """
    a, b, c = rows
    tiny = _tiny(a, b, c)
    up, down, none = a > tiny, a < -tiny, np.abs(a) <= tiny
    # u ≤ c/a - (b/a) x and u ≥ c/a - (b/a) x
    slope = (b[up] / a[up])[:, None] - (b[down] / a[down])[None, :]
    room = (c[up] / a[up])[:, None] - (c[down] / a[down])[None, :]
    slope, room = np.r_[slope.ravel(), b[none]], np.r_[room.ravel(), c[none]]
    flat = np.abs(slope) <= 1e-13 * np.abs(slope).max()
    if (room[flat] < -1e-9 * np.abs(room).max()).any():
        return 1.0, 0.0
    above, below = (slope > 0) & ~flat, (slope < 0) & ~flat
    high = min(x_max, np.min(room[above] / slope[above], initial=np.inf))
    low = max(0.0, np.max(room[below] / slope[below], initial=0.0))
    # a single speed may be left, with rounding on both sides
    if high < low <= high * (1 + 1e-9) + 1e-12:
        low = high = max(high, 0.0)
    return low, high


def _tiny(a: Array, b: Array, c: Array) -> Array:
    """Return, row by row, the coefficient of u that rounding leaves of zero."""
    return 1e-12 * np.maximum(np.abs(b), np.minimum(np.abs(c), 1e12))
