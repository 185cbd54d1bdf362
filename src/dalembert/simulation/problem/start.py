"""Times and states to start from: checked, or brought onto the constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError, UnknownName
from dalembert.model.border import finite_array
from dalembert.simulation.constraints.constraints import CLOSED, Constraints

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike

CONSISTENT = 1e-9
"""Errors that a state may start with, beside the size of what they are errors of."""

CONSISTENT_IN = {"float64": CONSISTENT, "float32": 1e-5}
"""The same by the dtype that a state is given in."""


class Times(NamedTuple):
    """``all`` begins with the start; ``is_stepwise``: store every step, not only those times."""

    all: np.ndarray
    is_stepwise: bool


def times(t: ArrayLike) -> Times:
    """Return the times to reach; a single number is the end of a motion from 0.

    Raises:
        EvaluationError: they are not finite, or neither increase nor decrease.
    """
    array = finite_array(t, "t, an end time or a list of times")
    if array.ndim > 1 or not array.size:
        raise EvaluationError(
            f"expected an end time or a list of times, got an array of shape {array.shape}"
        )
    if array.ndim == 0:
        return Times(np.array([0.0, float(array)]) if array else np.zeros(1), True)
    steps = np.diff(array)
    if not ((steps > 0).all() or (steps < 0).all()):
        raise EvaluationError("expected times that only increase, or only decrease, got others")
    return Times(array, False)


def initial_state(
    model: Model,
    constraints: Constraints | None,
    t: float,
    duration: float,
    q0: ArrayLike,
    qd0: ArrayLike | None,
    initial: str,
) -> np.ndarray:
    """Return x = (q, q̇) on the constraints at the time t.

    ``duration`` is the time that the motion has to drift away, in seconds.

    Raises:
        EvaluationError: sizes do not fit, or the state violates constraints.
    """
    if not isinstance(initial, str) or initial not in ("check", "project"):
        raise UnknownName(f"expected initial='check' or 'project', got {initial!r}")
    q = model.configuration.positions_of(q0, "q0", one=True)
    at_rest = np.zeros(model.nv) if qd0 is None else qd0
    v = model.configuration.velocities_of(at_rest, "qd0", one=True)
    q = _with_unit_quaternions(model, q, initial)
    if constraints is not None:
        if initial == "check":
            _check_constraints(constraints, t, duration, q, v)
        q, v, _ = constraints.project(t, q, v)
    return np.concatenate([q, v])


def _with_unit_quaternions(model: Model, q: np.ndarray, initial: str) -> np.ndarray:
    for k in model.configuration.quaternions:
        size = float(np.linalg.norm(q[k : k + 4]))
        if size == 0 or (initial == "check" and abs(size - 1) > CONSISTENT):
            raise EvaluationError(
                f"expected a unit quaternion in q0[{k}:{k + 4}], got one of length {size:.9g}: "
                "scale it, or give initial='project'"
            )
    return model.configuration.normalized(q)


def errors_beside_sizes(
    constraints: Constraints,
    t: float,
    duration: float,
    q: np.ndarray,
    v: np.ndarray,
    consistent: float = CONSISTENT,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the errors of position and velocity over what is allowed, of one state or many.

    Positions are measured by the size of their terms, velocities by what the kinetic energy allows
    and by the drift over the duration: so units do not matter. Where all terms vanish, rounding of
    the other coordinates is allowed.
    """
    at, k = constraints.read(t, q, v), constraints.num_positions
    sizes, scales = constraints.sizes(t, q), constraints.speeds(at, v)
    sizes = sizes + CLOSED / CONSISTENT * constraints.extents(at, q)[..., :k]
    drift = sizes / duration if duration > 0 else np.zeros_like(sizes)
    scales = np.concatenate([scales[..., :k] + drift, scales[..., k:]], axis=-1)
    pairs = ((at.position, sizes), (at.velocity, scales))
    with np.errstate(divide="ignore", invalid="ignore"):
        position, velocity = (np.where(e == 0, 0.0, e / (consistent * s)) for e, s in pairs)
    return position, velocity


def _check_constraints(
    constraints: Constraints, t: float, duration: float, q: np.ndarray, v: np.ndarray
) -> None:
    at = constraints.read(t, q, v)
    position, velocity = errors_beside_sizes(constraints, t, duration, q, v)
    found = zip(constraints.names, at.position, position, strict=False)
    faults = [(abs(float(size)), f"{name} by {e:.3g}") for name, e, size in found]
    # speeds of an open configuration mean little: positions are named first
    if max((size for size, _ in faults), default=0.0) <= 1:
        found = zip(constraints.names, at.velocity, velocity, strict=True)
        faults = [(abs(float(s)), f"{name} by the velocity {e:.3g}") for name, e, s in found]
    worst = sorted((f for f in faults if not f[0] <= 1), reverse=True)
    if worst:
        raise EvaluationError(
            f"expected a state on the constraints, got one that violates "
            f"{', '.join(text for _, text in worst[:4])}{', …' * (len(worst) > 4)}: repair it, or "
            "give initial='project' for the nearest state"
        )
