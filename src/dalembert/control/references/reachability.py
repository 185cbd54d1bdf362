"""The quickest speeds along a path by controllable sets, for limits linear in u = s̈ and x = ṡ².

u is linear in s within an interval, with a given slope; its mean changes x by 2 Δs u from one place
to the next. So the speeds from which the end can be reached are an interval, place by place from
the end (controllable sets); going forward with the largest u that stays inside them gives the
quickest motion.

What does not depend on the sets behind is computed for all places at once. The rest is one bound
of x for each limit, linear in the ends of the next set: a short step, and the whole recursion is a
compiled loop over the places.

Reference: H. Pham, Q.-C. Pham, A new approach to time-optimal path parameterization based on
reachability analysis, IEEE T-RO 34(3), 2018.
"""

from __future__ import annotations

from functools import cache, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.control.references.path_limits import Coefficients
from dalembert.errors import EvaluationError
from dalembert.expr import Expr, parameters
from dalembert.model import compile_loop
from dalembert.spatial.scalar import step

if TYPE_CHECKING:
    from dalembert.types import Array

SLACK = 1e-9
"""What of a limit rounding may take."""

FASTEST = 1e30
"""A bound of ṡ² that is none: compiled code takes finite numbers."""

FLAT = 1e-13
"""Part of the largest slope of a place below which a limit of x has none."""

ROUNDING = 1e-12
"""Part of two bounds of u by which they may cross."""

WALK = 60
"""Most steps along the corners of a set: a few dozen limits have few corners."""


class Strips(NamedTuple):
    """The limits of each interval at both of its ends, lower ≤ a u + b x ≤ upper with a ≥ 0.

    Attributes:
        a, b, lower, upper: ``(n, rows)``.
        d: 2 Δs of each interval, ``(n, 1)``: x + d u is x at its end.
        is_flat: Where a is what rounding leaves of zero, and the strip bounds x alone.
    """

    a: Array
    b: Array
    lower: Array
    upper: Array
    d: Array
    is_flat: Array


def quickest_speeds(s: Array, rows: Coefficients, slope: Array, start: float, end: float) -> Array:
    """Return x at every place: controllable sets backward, the largest u forward.

    ``slope`` is du/ds in every interval.
    """
    if end > rows.x_max[-1] * (1 + SLACK):
        raise EvaluationError(f"expected an end speed within the limits, got ṡ² = {end:g}")
    strips = _strips(rows, 2 * np.diff(s)[:, None], slope)
    low, high = _controllable(s, strips, _alone(s, strips, rows.x_max[:-1]), end)
    if not low[0] - SLACK <= start <= high[0] * (1 + SLACK) + SLACK:
        raise EvaluationError(
            f"expected a start with ṡ between {np.sqrt(low[0]):.4g} and {np.sqrt(high[0]):.4g} "
            f"to reach the end, got {np.sqrt(start):.4g}"
        )
    x = _quickest(strips, low, high, start)
    stopped = np.flatnonzero((x[:-1] == 0) & (x[1:] <= 0))
    if stopped.size:
        raise EvaluationError(
            f"expected a motion, got an arm that cannot leave s = {s[stopped[0]]:.4g} within its "
            "limits"
        )
    return x


def _strips(rows: Coefficients, d: Array, slope: Array) -> Strips:
    """Return the limits at both ends of each interval.

    At its end the speed is x + d u: (a + d b) u + b x. The ends have u ∓ slope d/4.
    """
    bend = slope[:, None] * d / 4
    a = np.concatenate([rows.a[:-1], rows.a[1:] + d * rows.b[1:]], axis=1)
    b = np.concatenate([rows.b[:-1], rows.b[1:]], axis=1)
    push = np.concatenate([rows.a[:-1] * bend, -rows.a[1:] * bend], axis=1)
    upper = np.concatenate([rows.upper[:-1], rows.upper[1:]], axis=1) + push
    lower = np.concatenate([rows.lower[:-1], rows.lower[1:]], axis=1) + push
    size = np.maximum(np.abs(lower), np.abs(upper))
    is_flat = np.abs(a) <= 1e-12 * np.maximum(np.abs(b), np.minimum(size, 1e12))
    turned = a < 0
    lower, upper = np.where(turned, -upper, lower), np.where(turned, -lower, upper)
    return Strips(np.abs(a), np.where(turned, -b, b), lower, upper, d, is_flat)


def _alone(s: Array, strips: Strips, x_max: Array) -> tuple[Array, Array]:
    """Return the lowest and highest x of each place for which some u keeps its own limits.

    For a given x the limits leave u an interval. Its length is concave in x, so Newton's method
    from outside walks along the corners to the end of the set and cannot pass it.
    """
    a, b, lower, upper, _, flat = strips
    lowest, highest = np.zeros(len(x_max)), np.minimum(x_max, FASTEST)
    safe = np.where(flat, 1.0, a)
    ceiling, floor, fall = upper / safe, lower / safe, b / safe
    if flat.any():
        ceiling, floor = np.where(flat, np.inf, ceiling), np.where(flat, -np.inf, floor)
        fall = np.where(flat, 0.0, fall)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.sort(np.stack([lower / b, upper / b]), axis=0)
        bounds_x = flat & (b != 0)
        highest = np.minimum(highest, np.where(bounds_x, ends[1], np.inf).min(axis=1))
        lowest = np.maximum(lowest, np.where(bounds_x, ends[0], -np.inf).max(axis=1))
    corners = ceiling, floor, fall
    return _walk(s, *corners, lowest, -1.0), _walk(s, *corners, highest, 1.0)


def _walk(s: Array, ceiling: Array, floor: Array, fall: Array, x: Array, side: float) -> Array:
    """Return the nearest x, downward for side 1, at which some u is between floors and ceilings.

    These are ``ceiling - fall x`` and ``floor - fall x``.
    """
    x = x.copy()
    # the places that are still outside
    left = np.arange(len(x))
    for _ in range(WALK):
        lean = fall[left] * x[left, None]
        above, below = ceiling[left] - lean, floor[left] - lean
        i, k = above.argmin(axis=1), below.argmax(axis=1)
        n = np.arange(len(left))
        top, bottom = above[n, i], below[n, k]
        closed = top - bottom < -ROUNDING * (np.abs(top) + np.abs(bottom))
        if not closed.any():
            return x
        left, i, k = left[closed], i[closed], k[closed]
        narrowing = fall[left, i] - fall[left, k]
        with np.errstate(divide="ignore", invalid="ignore"):
            x[left] = (ceiling[left, i] - floor[left, k]) / narrowing
        lost = (side * narrowing <= 0) | (x[left] < 0)
        if lost.any():
            raise _no_speed(float(s[left[lost][0]]))
    return x


def _controllable(
    s: Array, strips: Strips, alone: tuple[Array, Array], end: float
) -> tuple[Array, Array]:
    """Return the lowest and highest x of each place from which the end can be reached."""
    a, b, lower, upper, d, flat = strips
    low, high = alone
    # from low⁺ ≤ x + d u ≤ high⁺, with g = a/d: (b - g) x ≤ upper - g low⁺, ≥ lower - g high⁺
    g = np.where(flat, 0.0, a / d)
    steep = b - g
    bounds = np.abs(steep) > FLAT * np.abs(steep).max(axis=1, keepdims=True)
    rises = steep > 0
    safe = np.where(bounds, steep, 1.0)
    rate = np.where(bounds, -g / safe, 0.0)
    up = np.where(bounds, np.where(rises, upper, lower) / safe, high[:, None])
    down = np.where(bounds, np.where(rises, lower, upper) / safe, low[:, None])
    to_low, to_high = np.where(rises, rate, 0.0), np.where(rises, 0.0, rate)
    # the last place first
    backward = [x[::-1] for x in (up, down, to_low, to_high, low, high)]
    run = _loop("controllable", a.shape[1])(end, end, *backward, steps=len(low), record=1)
    low, high = (np.r_[end, x.ravel()][::-1] for x in run.records)
    # a single speed may be left, with rounding on both sides
    together = (high < low) & (low <= high * (1 + SLACK) + 1e-12)
    low = np.where(together, np.maximum(high, 0.0), low)
    if (low > high).any():
        # the first set, from the end, that is empty
        raise _no_speed(s[int(np.flatnonzero(low > high)[-1])])
    return low, high


def _quickest(strips: Strips, low: Array, high: Array, start: float) -> Array:
    """Return x at all places, going forward with the largest u."""
    a, b, _, upper, d, flat = strips
    safe = np.where(flat, 1.0, a)
    # u ≤ p - r x; of limits that do not bind it, that of the next set again
    p = np.where(flat, high[1:, None] / d, upper / safe)
    r = np.where(flat, 1 / d, b / safe)
    sequences = (p, r, d[:, 0], low[1:], high[1:])
    run = _loop("forward", a.shape[1])(start, *sequences, steps=len(d), record=1)
    return np.r_[start, run.records[0].ravel()]


def _no_speed(place: float) -> EvaluationError:
    return EvaluationError(
        f"expected a speed within the limits at s = {place:.4g}, got none: the limits do not let "
        "the path be followed there, or the arm not be held"
    )


# ---- one step of each recursion, compiled


@cache
def _loop(name: str, rows: int) -> Any:
    """Return a recursion over the places for so many limits."""

    def symbols(letter: str) -> list[Expr]:
        return list(parameters(" ".join(f"{letter}{k}" for k in range(rows))))

    if name == "forward":
        x, d, low, high = parameters("x d low high")
        p, r = symbols("p"), symbols("r")
        u = reduce(_least, [(high - x) / d, *(a - b * x for a, b in zip(p, r, strict=True))])
        new = _least(_most(x + d * u, low), high)
        inputs = {"x": x, "p": p, "r": r, "d": d, "low": low, "high": high}
        outputs = {"new": new}
        return compile_loop(
            outputs, inputs, {"new": "x"}, sequences=[*inputs][1:], name="quickest_speeds"
        )
    low, high, least, most = parameters("low high least most")
    up, down, to_low, to_high = (symbols(name) for name in ("up", "down", "to_low", "to_high"))
    new_low, new_high = least, most
    for k in range(rows):
        new_high = _least(new_high, up[k] + to_low[k] * low + to_high[k] * high)
        # the other side of the strip looks at the other end
        new_low = _most(new_low, down[k] + to_low[k] * high + to_high[k] * low)
    given = {"up": up, "down": down, "to_low": to_low, "to_high": to_high}
    inputs = {"low": low, "high": high, **given, "least": least, "most": most}
    outputs = {"new_low": new_low, "new_high": new_high}
    return compile_loop(
        outputs,
        inputs,
        {"new_low": "low", "new_high": "high"},
        sequences=[*inputs][2:],
        name="controllable_sets",
    )


def _least(x: Expr, y: Expr) -> Expr:
    """Return the smaller of two, to the last digit also where they differ much."""
    m = step(x - y)
    return m * y + (1 - m) * x


def _most(x: Expr, y: Expr) -> Expr:
    """Return the larger of two, to the last digit also where they differ much."""
    m = step(y - x)
    return m * y + (1 - m) * x
