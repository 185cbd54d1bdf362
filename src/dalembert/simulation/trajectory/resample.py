"""A trajectory at other times: polynomials of degree 5 through position, velocity, acceleration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import tangent
from dalembert.model.border import finite_array
from dalembert.simulation.problem.energy import Energy
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.trajectory.trajectory import Trajectory
    from dalembert.types import ArrayLike


def resample(motion: Trajectory, times: ArrayLike) -> Trajectory:
    """Return a motion at other times within its own.

    q is Hermite's polynomial of degree 5 on each interval, q̇ and q̈ are its derivatives, so that
    the error of q falls with the sixth power of the interval. Quaternions are interpolated as four
    numbers and scaled to length one. Everything else is straight lines.

    Raises:
        EvaluationError: a time lies outside the motion.
    """
    at = np.atleast_1d(finite_array(times, "the times"))
    k = _intervals(motion.t, at)
    t0, t1 = motion.t[k], motion.t[k + 1]
    h = (t1 - t0)[:, None]
    s = (at - t0)[:, None] / h
    if motion.q.shape[1] == motion.qd.shape[1]:
        q, v, a = _quintic(motion.q, motion.qd, motion.qdd, k, h, s)
    else:
        model = motion.need_model("quaternions in between")
        q, rate, curvature = _quintic(motion.q, *_derivatives(model, motion), k, h, s)
        q, v, a = _on_manifold(model, q, rate, curvature)

    def line(values: np.ndarray) -> np.ndarray:
        w = s[:, 0] if values.ndim == 1 else s
        return (1 - w) * values[k] + w * values[k + 1]

    known = {name: e for name, e in vars(motion.energy).items() if e is not None}
    energy = Energy(**{name: line(e) for name, e in known.items()})
    others = ("tau", "lam", "controller_state", "position_error", "velocity_error")
    return replace(
        motion,
        t=at,
        q=q,
        qd=v,
        qdd=a,
        energy=energy,
        **{name: line(getattr(motion, name)) for name in others},
    )


def _intervals(t: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the number of the interval that holds each time."""
    low, high = min(t[0], t[-1]), max(t[0], t[-1])
    if len(t) < 2 or (at < low).any() or (at > high).any():
        raise EvaluationError(
            f"expected times from {low:.9g} to {high:.9g} of {len(t)} stored ones, got "
            f"{at.min() if at.size else 'none'} to {at.max() if at.size else 'none'}"
        )
    sign = 1 if t[-1] >= t[0] else -1
    # the later of two rows at an impact, and never an interval without length
    k = np.searchsorted(sign * t, sign * at, side="right") - 1
    last = int(np.flatnonzero(np.diff(t))[-1])
    return np.clip(k, 0, last)


def _quintic(
    q: np.ndarray,
    rate: np.ndarray,
    curvature: np.ndarray,
    k: np.ndarray,
    h: np.ndarray,
    s: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Hermite's polynomial in s ∈ [0, 1] and its two derivatives in time."""
    d = q[k + 1] - q[k]
    v0, v1 = h * rate[k], h * rate[k + 1]
    a0, a1 = h * h * curvature[k], h * h * curvature[k + 1]
    c3 = 10 * d - 6 * v0 - 4 * v1 - (3 * a0 - a1) / 2
    c4 = -15 * d + 8 * v0 + 7 * v1 + (3 * a0 - 2 * a1) / 2
    c5 = 6 * d - 3 * (v0 + v1) + (a1 - a0) / 2
    value = q[k] + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))
    first = v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
    second = a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))
    return value, first / h, second / h**2


def _derivatives(model: Model, motion: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Return dq/dt and d²q/dt² as numbers of q: of a quaternion ½ q ∘ ω and its rate."""
    a = model.symbols.qdd

    def outputs() -> dict[str, list]:
        rate = model.expressions("configuration_rate", model.symbols.q, model.symbols.qd)
        flow = dict(zip((*model.symbols.q, *model.symbols.qd), (*rate, *a), strict=True))
        return {"rate": rate, "curvature": tangent(rate, flow)}

    inputs = {**state_symbols(model), "qdd": a}
    run = compiled(model, "configuration_curvature", outputs, inputs)
    return run(0.0, motion.q, motion.qd, motion.qdd)


def _on_manifold(
    model: Model, q: np.ndarray, rate: np.ndarray, curvature: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q with unit quaternions, and the velocities and accelerations of its derivatives.

    dq/dt = G(q) q̇ and d²q/dt² = G q̈ + (∂(G q̇)/∂q) dq/dt are solved by least squares.
    """

    def matrix() -> dict[str, list]:
        rate = model.expressions("configuration_rate", model.symbols.q, model.symbols.qd)
        return {"G": [[e.diff(x) for x in model.symbols.qd] for e in rate]}

    def bias() -> dict[str, list]:
        rate = model.expressions("configuration_rate", model.symbols.q, model.symbols.qd)
        return {"bias": tangent(rate, dict(zip(model.symbols.q, rate, strict=True)))}

    q = model.configuration.normalized(q)
    G = compiled(model, "configuration_matrix", matrix, {"q": model.symbols.q})(0.0, q)
    inverse = np.linalg.pinv(G)
    v = np.einsum("nij,nj->ni", inverse, rate)
    b = compiled(model, "configuration_bias", bias, state_symbols(model))(0.0, q, v)
    return q, v, np.einsum("nij,nj->ni", inverse, curvature - b)
