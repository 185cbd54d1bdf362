"""The quickest motion along a path within limits of velocity, acceleration and torque.

With x = ṡ² and u = s̈ every limit is linear at a place s of the path q(s):

    q̇ = q' ṡ                    q̈ = q' u + q'' x
    τ = (M q') u + (M q'' + h(q, q')) x + g,   h quadratic in velocities

and x changes by 2 Δs u from one place to the next. So the speeds from which the end can be reached
are an interval, place by place from the end (controllable sets); going forward with the largest
u that stays inside them gives the quickest motion.

Reference: H. Pham, Q.-C. Pham, A new approach to time-optimal path parameterization based on
reachability analysis, IEEE T-RO 34(3), 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.control.references.base import Piecewise, Reference, Retimed
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.model import Model

# places between two places of the grid where the result is checked
BETWEEN = 8
ROUNDS = 30
# what of a limit rounding may take
SLACK = 1e-9


class Limits(NamedTuple):
    """Largest |q̇|, |q̈| and |τ|; infinite where there is no limit."""

    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray


@dataclass(frozen=True)
class Coefficients:
    """At each place, ``(N, rows)``: lower ≤ a u + b x ≤ upper, and x ≤ x_max ``(N,)``."""

    a: np.ndarray
    b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    x_max: np.ndarray


def time_optimal(
    path: Reference,
    *,
    velocity: Any = None,
    acceleration: Any = None,
    model: Model | None = None,
    effort: Any = None,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
    grid: int = 1000,
) -> Retimed:
    """Return the path with the quickest timing.

    Limits hold everywhere, not only on the grid: where the motion between two places of the grid
    would exceed one, it is tightened there and solved again.

    Args:
        path: Positions are configurations; continuous slopes q' are needed at least.
        velocity: Limits of |q̇|, a number or one for each joint; those of the model unless given.
        acceleration: Limits of |q̈|.
        model: Needed for limits of torque; friction counts.
        effort: Limits of |τ|; those of the model unless given.
        start_speed: ṡ at the beginning.
        end_speed: ṡ at the end.
        grid: Intervals of the path, s̈ constant in each: the duration converges with 1/grid from
            above.

    Raises:
        EvaluationError: If no timing stays within the limits; the message says where.
    """
    problem = _Problem(path, model, _limits(path, velocity, acceleration, model, effort), grid)
    ends = start_speed**2, end_speed**2
    tight = np.ones(len(problem.s))
    # friction is taken along tangents of √x, which lie above it: from rest on, every round finds a
    # quicker motion that it allows
    x, excess = np.zeros(len(problem.s)), np.ones(1)
    for _ in range(ROUNDS):
        before, x = x, _solve(problem, problem.coefficients(x, tight), *ends)
        excess = problem.excess(x)
        settled = not problem.has_friction or np.allclose(x, before, rtol=1e-6, atol=1e-9)
        if settled and excess.max() <= 1 + SLACK:
            return Retimed(path, _timing(problem.s, x))
        if settled:
            # an interval that exceeds a limit tightens both of its places
            worst = np.maximum(1.0, np.maximum(np.r_[excess, 0], np.r_[0, excess]))
            tight = tight / (1 + 1.02 * (worst - 1))
    raise EvaluationError(
        f"expected a motion within the limits after {ROUNDS} corrections, got one that exceeds "
        f"them by {100 * (excess.max() - 1):.2g} % near s = {problem.s[excess.argmax()]:.4g}: "
        "use a finer grid="
    )


class _Problem:
    """A path with its limits on a grid; what does not depend on the speed is computed once."""

    def __init__(self, path: Reference, model: Model | None, limits: Limits, grid: int) -> None:
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

    def coefficients(self, x: np.ndarray, tight: np.ndarray) -> Coefficients:
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

    def excess(self, x: np.ndarray) -> np.ndarray:
        """Return, interval by interval, the largest part of a limit that is used."""
        q, dq, ddq = self.fine
        # x is linear between two places, s̈ constant
        part = np.arange(BETWEEN + 1) / BETWEEN
        y = x[:-1, None] + np.diff(x)[:, None] * part
        u = (np.diff(x) / (2 * np.diff(self.s)))[:, None, None]
        v = dq * np.sqrt(np.maximum(y, 0.0))[..., None]
        acceleration = dq * u + ddq * y[..., None]
        used = [v / self.limits.velocity, acceleration / self.limits.acceleration]
        if self.has_torques:
            assert self.model is not None
            used.append(self.model.inverse_dynamics(q, v, acceleration) / self.limits.effort)
        return np.max([_peak(w) for w in used], axis=0)

    def _torque(self, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        assert self.model is not None
        return self.model.inverse_dynamics(self.at.position, v, a)

    def _friction(self, speed: np.ndarray) -> np.ndarray:
        """Return the part of the torque that is odd in the velocity q' ṡ."""
        v = self.at.velocity * speed[:, None]
        still = np.zeros_like(v)
        return (self._torque(v, still) - self._torque(-v, still)) / 2

    def _linear_friction(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (slope, offset): friction ≈ slope x + offset near x.

        With y = √x: f + f' (√x - y) and √x ≈ (x + y²)/(2 y).
        """
        y = np.maximum(np.sqrt(x), 1e-6)
        f = self._friction(y)
        rate = (self._friction(y * (1 + 1e-6)) - f) / (y * 1e-6)[:, None]
        return rate / (2 * y)[:, None], f - rate * (y / 2)[:, None]


def _peak(values: np.ndarray) -> np.ndarray:
    """Return the largest |value| in each interval, of all joints, from samples ``(n, k, joints)``.

    A parabola rises between two samples by at most an eighth of the second difference.
    """
    bend = np.abs(np.diff(values, 2, axis=1)).max(axis=1) / 8
    return (np.abs(values).max(axis=1) + bend).max(axis=1)


def _merged(s: np.ndarray, breaks: np.ndarray) -> np.ndarray:
    """Return s with breaks added, without places that nearly coincide."""
    close = 1e-3 * s[1]
    inner = [x for x in breaks[1:-1] if np.abs(s - x).min() > close]
    return np.sort(np.r_[s, inner])


def _solve(problem: _Problem, rows: Coefficients, start: float, end: float) -> np.ndarray:
    """Return x at every place: controllable sets backward, the largest u forward."""
    s = problem.s
    n = len(s) - 1
    stages = [_stage(rows, i, 2 * (s[i + 1] - s[i])) for i in range(n)]
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


def _stage(rows: Coefficients, i: int, d: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a, b, c with a u + b x ≤ c: the limits at both ends of interval i.

    At its end the speed is x + d u: (a + d b) u + b x.
    """
    a = [rows.a[i], rows.a[i + 1] + d * rows.b[i + 1]]
    b = [rows.b[i], rows.b[i + 1]]
    upper, lower = [rows.upper[i], rows.upper[i + 1]], [-rows.lower[i], -rows.lower[i + 1]]
    A, B = np.concatenate(a), np.concatenate(b)
    return np.concatenate([A, -A]), np.concatenate([B, -B]), np.concatenate([*upper, *lower])


def _with_target(
    stage: tuple[np.ndarray, np.ndarray, np.ndarray], low: float, high: float, h: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Add low ≤ x + 2 h u ≤ high."""
    a, b, c = stage
    d = 2 * h
    return np.r_[a, d, -d], np.r_[b, 1.0, -1.0], np.r_[c, high, -low]


def _speeds(rows: tuple[np.ndarray, np.ndarray, np.ndarray], x_max: float) -> tuple[float, float]:
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


def _tiny(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return, row by row, the coefficient of u that rounding leaves of zero."""
    return 1e-12 * np.maximum(np.abs(b), np.minimum(np.abs(c), 1e12))


def _timing(s: np.ndarray, x: np.ndarray) -> Piecewise:
    """Return s(t): between two places s̈ is constant, Δt = 2 Δs/(ṡ₀ + ṡ₁)."""
    speed, h = np.sqrt(x), np.diff(s)
    u = np.diff(x) / (2 * h)
    t = np.r_[0.0, np.cumsum(2 * h / (speed[:-1] + speed[1:]))]
    return Piecewise(t, np.stack([s[:-1], speed[:-1], u / 2], axis=1))


def _limits(
    path: Reference, velocity: Any, acceleration: Any, model: Model | None, effort: Any
) -> Limits:
    if effort is not None and model is None:
        raise EvaluationError("expected a model= for limits of torque, got none")
    n = path.at(np.array(0.0)).velocity.shape
    known = model.configuration if model is not None else None
    if known is not None:
        velocity = known.velocity if velocity is None else velocity
        effort = known.effort if effort is None else effort
    found = []
    for name, bound in (("velocity", velocity), ("acceleration", acceleration), ("effort", effort)):
        array = np.asarray(np.inf if bound is None else bound, float)
        if array.shape not in ((), n) or not (array > 0).all():
            raise EvaluationError(
                f"expected {name} limits above zero, one or {n[0] if n else 1}, got {bound}"
            )
        found.append(np.broadcast_to(array, n))
    if not any(np.isfinite(bound).any() for bound in found):
        raise EvaluationError(
            "expected limits of velocity, acceleration or torque, got none: without them there is "
            "no quickest motion"
        )
    return Limits(*found)
