"""The quickest motion along a path within limits of velocity, acceleration and torque.

The limits on a grid come from `path_limits`, the quickest speeds within them from `reachability`;
friction, which is not linear in ṡ², and the motion between two places of the grid are corrected by
solving again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Reference, Retimed
from dalembert.control.references.linear_acceleration import LinearAcceleration
from dalembert.control.references.path_limits import MotionLimits, PathLimits
from dalembert.control.references.reachability import SLACK, quickest_speeds
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

ROUNDS = 40

PUSH = 1.02
"""How much more than its excess a limit is tightened."""

PATIENCE, HARDER = 10, 5
"""Rounds after which limits are tightened by more, and those in which that doubles."""

BENDS = 2
"""Rounds in which the slopes of s̈ are found; they then stay as they are."""

PART = 0.1
"""The largest slope of s̈, of that at which the speed would vanish inside an interval."""


def time_optimal(
    path: Reference,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    model: Model | None = None,
    effort: ArrayLike | None = None,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
    grid: int = 400,
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
        grid: Intervals of the path, s̈ linear in s in each: the duration converges with 1/grid²
            from above.

    Raises:
        EvaluationError: If no timing stays within the limits; the message says where.
    """
    problem = PathLimits(path, model, _limits(path, velocity, acceleration, model, effort), grid)
    ends = start_speed**2, end_speed**2
    tight = np.ones(len(problem.s))
    # friction is taken along tangents of √x, which lie above it: from rest on, every round finds a
    # quicker motion that it allows
    x, excess = np.zeros(len(problem.s)), np.ones(1)
    slope = np.zeros(len(problem.s) - 1)
    for number in range(ROUNDS):
        rows = problem.coefficients(x, tight)
        before, x = x, quickest_speeds(problem.s, rows, slope, *ends)
        if number < BENDS:
            slope = _slopes(problem.s, x)
            continue
        excess = problem.excess(x, slope)
        settled = not problem.has_friction or np.allclose(x, before, rtol=1e-6, atol=1e-9)
        if settled and excess.max() <= 1 + SLACK:
            return Retimed(path, _timing(problem.s, x, slope))
        if settled:
            # an interval that exceeds a limit tightens both of its places
            worst = np.maximum(1.0, np.maximum(np.r_[excess, 0], np.r_[0, excess]))
            push = PUSH * 2 ** max(0.0, (number - PATIENCE) / HARDER)
            tight = tight / (1 + push * (worst - 1))
    raise EvaluationError(
        f"expected a motion within the limits after {ROUNDS} corrections, got one that exceeds "
        f"them by {100 * (excess.max() - 1):.2g} % near s = {problem.s[excess.argmax()]:.4g}: "
        "use a finer grid="
    )


def _timing(s: Array, x: Array, slope: Array) -> LinearAcceleration:
    """Return s(t): between two places s̈ is linear in s."""
    h = np.diff(s)
    u = np.diff(x) / (2 * h) - slope * h / 2
    return LinearAcceleration(s, np.sqrt(np.maximum(x, 0.0)), u, slope)


def _slopes(s: Array, x: Array) -> Array:
    """Return how s̈ changes along each interval: as towards the neighbour that differs less.

    Where the changes to both sides differ in sign it is zero, so no slope leads beyond both
    neighbours; and x stays a parabola without a zero inside.
    """
    h = np.diff(s)
    u = np.diff(x) / (2 * h)
    change = np.diff(u) / ((h[1:] + h[:-1]) / 2)
    left, right = np.r_[change[:1], change], np.r_[change, change[-1:]]
    slope = np.where(left * right > 0, np.where(abs(left) < abs(right), left, right), 0.0)
    most = PART * (np.sqrt(x[:-1]) + np.sqrt(x[1:])) ** 2 / h**2
    return np.clip(slope, -most, most)


def _limits(
    path: Reference,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    model: Model | None,
    effort: ArrayLike | None,
) -> MotionLimits:
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
    return MotionLimits(*found)
