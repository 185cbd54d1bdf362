"""Motions: steps of a controlled robot in real time, and closing of loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.studio.state import Moment
    from dalembert.types import Array

STEP = 0.002
"""Seconds of a step of the live simulation."""
CLOSED = 1e-10
ITERATIONS = 30
NUDGES = (0.05, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 3.0)
"""In m and rad: how far from a start loops are tried to be closed."""

Law = Callable[[float, "Array", "Array"], "Array"]


def advanced(model: Model, moment: Moment, duration: float, law: Law) -> tuple[float, Array, Array]:
    """Return time, q and q̇ after a duration, by steps of Runge and Kutta's fourth order.

    The last digits do not matter here: a picture is shown, and constraints are closed at the end.
    """
    configuration = model.configuration
    t, q, v = moment.t, moment.q, moment.qd
    timed = model.description.is_timed
    count = max(1, round(duration / STEP))
    h = duration / count

    def rate(t: float, q: Array, v: Array) -> Array:
        # without keywords a call runs no Python
        if timed:
            return model.forward_dynamics(q, v, law(t, q, v), t=t)
        return model.forward_dynamics(q, v, law(t, q, v))

    def moved(q: Array, v: Array, h: float) -> Array:
        return configuration.integrate(q, v * h)

    for _ in range(count):
        a1 = rate(t, q, v)
        v2 = v + h / 2 * a1
        a2 = rate(t + h / 2, moved(q, v, h / 2), v2)
        v3 = v + h / 2 * a2
        a3 = rate(t + h / 2, moved(q, v2, h / 2), v3)
        v4 = v + h * a3
        a4 = rate(t + h, moved(q, v3, h), v4)
        q = moved(q, (v + 2 * v2 + 2 * v3 + v4) / 6, h)
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        t += h
    if model.description.has_constraints:
        q = closed(model, q, t=t)
        if q is None:
            raise EvaluationError(f"expected loops that close, got none at t = {t:.6g} s")
        A = np.asarray(model.constraint_jacobian(q, t=t if timed else None))
        v = v - np.linalg.lstsq(A, A @ v, rcond=None)[0]
    return t, q, v


class Gains(NamedTuple):
    """Gains of each joint, ``(nv,)``, in N m/rad and N m s/rad, or N/m and N s/m."""

    stiffness: Array
    damping: Array


def scaled_gains(model: Model, q: Array, stiffness: float, damping: float) -> Gains:
    """Return gains of PD control by the inertia that each joint feels, 1/(M⁻¹)ᵢᵢ.

    Args:
        model: With an input on each joint.
        q: Where the inertia is taken, ``(nq,)``.
        stiffness: In 1/s², the square of a natural frequency.
        damping: In 1/s.
    """
    felt = 1 / np.diag(np.linalg.inv(np.asarray(model.mass_matrix(q))))
    return Gains(stiffness * felt, damping * felt)


def closed_start(model: Model, q: Array) -> Array:
    """Return a configuration that closes all loops, near q if one is there; else q itself."""
    rng = np.random.default_rng(0)
    for size in (0.0, *NUDGES):
        # where all links are in line, no direction closes a loop
        nudged = model.configuration.integrate(q, size * rng.uniform(-1, 1, model.nv))
        found = closed(model, nudged)
        if found is not None:
            return found
    return q


def closed(model: Model, q: Array, keep: int | None = None, t: float = 0.0) -> Array | None:
    """Return a configuration near q that closes all loops; None where none is found.

    Args:
        model: What has the loops.
        q: Where to begin, ``(nq,)``.
        keep: A velocity along which nothing moves: that of the joint a person holds.
        t: The time in seconds, where constraints depend on it.
    """
    if not model.description.has_constraints:
        return q
    when = t if model.description.is_timed else None
    count = model.description.num_position_constraints
    found = np.array(q, float)
    for _ in range(ITERATIONS):
        a = np.asarray(model.constraint_error(found, t=when))
        if np.abs(a).max(initial=0.0) < CLOSED:
            return found
        A = np.array(model.constraint_jacobian(found, t=when))[:count]
        if keep is not None:
            A[:, keep] = 0.0
        step = np.linalg.lstsq(A, -a[:count], rcond=1e-8)[0]
        # a long step leaves the branch on which the mechanism is
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-12))
        found = model.configuration.integrate(found, step)
    return None
