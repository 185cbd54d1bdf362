"""Points of rest of any model: Newton's method on its manifold, from many starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.small_motions.linearise import linearise
from dalembert.analysis.small_motions.modes import admissible
from dalembert.analysis.table import numbers
from dalembert.display import Printed
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.calling import Values
    from dalembert.types import Array, ArrayLike

STEPS = 60
TOLERANCE = 1e-9
# Newton's last step beside 1 + |q|
SETTLED = 1e-5
SAME = 1e-6
# real parts against the largest eigenvalue: nearer to the axis they say nothing
MARGIN = 1e-3


@dataclass(frozen=True, eq=False)
class RestPoint(Printed):
    """A point of rest of a model.

    Attributes:
        q: The configuration, ``(nq,)``.
        multipliers: λ of the constraints there.
        residual: The largest acceleration that is left, in m/s² or rad/s².
        eigenvalues: Of the linear motion on the admissible directions, in 1/s.
        verdict: "asymptotically stable", "unstable" or "undecided by linearisation".
        reason: A sentence.
    """

    q: Array
    multipliers: Array
    residual: float
    eigenvalues: Array
    verdict: str
    reason: str

    def __str__(self) -> str:
        return f"q = {numbers(self.q.tolist(), 6)}: {self.verdict}, {self.reason}"

    __repr__ = __str__


def equilibria(
    model: Model,
    inputs: ArrayLike | None = None,
    *,
    starts: ArrayLike | None = None,
    num_starts: int = 50,
    seed: int = 0,
    parameters: Values = None,
) -> list[RestPoint]:
    """Return points where the model rests under constant inputs, found from many starts.

    Newton's method makes q̈ and the constraint errors vanish. That all are found is likely with
    many starts, not certain. Points that differ by full turns of angles are one.

    Args:
        inputs: Torques, or the inputs of a system; zero unless given.
        starts: Configurations to start from, ``(k, nq)``; drawn within the limits unless given.
        num_starts: How many are drawn.
        seed: Of the draw.
        parameters: Values of open parameters.

    Raises:
        EvaluationError: so many points from the starts that they seem to form a continuum.

    >>> import dalembert as da
    >>> system = da.textbook.double_pendulum()
    >>> values = {"m1": 1, "m2": 1, "l1": 1, "l2": 1, "g": 9.81}
    >>> len(equilibria(da.compile(system, parameters=values)))
    4
    """
    m = len(model.symbols.inputs)
    u = np.zeros(m) if inputs is None else finite_array(inputs, "inputs", (m,))
    drawn = model.random_configuration(seed, num_starts)
    if model.configuration.is_flat and not np.isfinite(model.configuration.lower).any():
        # coordinates of a system: angles as likely as lengths
        drawn = drawn * np.pi
    given = drawn if starts is None else finite_array(starts, "starts", (..., model.nq))
    found: list[RestPoint] = []
    for q in np.atleast_2d(given):
        point = _newton(model, model.configuration.normalized(q), u, parameters)
        if point is None or any(_is_same(model, point, x.q) for x in found):
            continue
        found.append(_judged(model, point, u, parameters))
        if len(found) > 0.6 * len(np.atleast_2d(given)) and len(found) > 20:
            raise EvaluationError(
                f"expected isolated points of rest, got {len(found)} from {len(given)} starts: "
                "they seem to form a continuum; hold some coordinates"
            )
    return sorted(found, key=lambda x: tuple(np.round(x.q, 6)))


def _newton(model: Model, q: Array, u: Array, parameters: Values) -> Array | None:
    """Return the point of rest that a start leads to, or None."""
    n = model.nv
    constrained = model.description.num_position_constraints > 0
    options = {"parameters": parameters}
    for _ in range(STEPS):
        try:
            here = linearise(model, q, None, u, parameters=parameters)
            left, J = here.acceleration, here.A[n:, :n]
            if constrained:
                error = model.constraint_error(q, **options)  # type: ignore[arg-type]
                A = model.constraint_jacobian(q, **options)  # type: ignore[arg-type]
                left, J = np.concatenate([left, error]), np.vstack([J, A[: len(error)]])
        except EvaluationError:
            return None
        step = -np.linalg.lstsq(J, left, rcond=1e-10)[0]
        length = float(np.abs(step).max(initial=0))
        is_small = np.abs(left).max(initial=0) <= TOLERANCE * (1 + np.abs(J).max(initial=0))
        # where forces only fade, far away, the steps stay long
        if is_small and length <= SETTLED * (1 + np.abs(q).max(initial=0)):
            return _short(model, model.configuration.integrate(q, step))
        # no more than a radian or a metre at once
        step *= min(1.0, 1.0 / max(length, 1e-300))
        q = model.configuration.integrate(q, step)
    return None


def _turning(model: Model) -> Array:
    """Return which coordinates repeat after a full turn."""
    c = model.configuration
    if not c.is_flat:
        return np.zeros(model.nq, bool)
    rng = np.random.default_rng(1)
    q = rng.uniform(-0.5, 0.5, model.nq)
    still, u = np.zeros(model.nv), np.zeros(len(model.symbols.inputs))
    base = model.forward_dynamics(q, still, u)
    size = 1e-9 * (1 + np.abs(base).max(initial=0))
    moved = q + 2 * np.pi * np.eye(model.nq)
    there = model.forward_dynamics(moved, np.tile(still, (model.nq, 1)), np.tile(u, (model.nq, 1)))
    return np.abs(there - base).max(axis=1) <= size


def _short(model: Model, q: Array) -> Array:
    """Return angles between -π and π."""
    try:
        turns = _turning(model)
    except EvaluationError:
        return q
    return np.where(turns, q - 2 * np.pi * np.round(q / (2 * np.pi)), q)


def _is_same(model: Model, a: Array, b: Array) -> bool:
    away = model.configuration.difference(a, b)
    if model.configuration.is_flat:
        turned = away - 2 * np.pi * np.round(away / (2 * np.pi))
        away = np.where(np.abs(np.abs(a) - np.pi) < SAME, turned, away)
    return bool(np.abs(away).max(initial=0) < SAME)


def _judged(model: Model, q: Array, u: Array, parameters: Values) -> RestPoint:
    options = {"parameters": parameters}
    here = linearise(model, q, None, u, parameters=parameters)
    n, Z = model.nv, admissible(model, q, options)
    k = Z.shape[1]
    a, b = Z.T @ here.A[n:, :n] @ Z, Z.T @ here.A[n:, n:] @ Z
    s = np.linalg.eigvals(np.block([[np.zeros((k, k)), np.eye(k)], [a, b]]))
    size = float(np.abs(s).max(initial=0))
    lam = np.zeros(0)
    if model.description.has_constraints:
        lam = model.constraint_dynamics(q, np.zeros(n), u, **options)[1]  # type: ignore[arg-type]
    verdict, reason = "undecided by linearisation", "eigenvalues near the imaginary axis"
    if (s.real > MARGIN * size).any():
        verdict, reason = "unstable", f"an eigenvalue of {s.real.max():.6g} 1/s"
    elif size and (s.real < -MARGIN * size).all():
        verdict, reason = "asymptotically stable", f"eigenvalues left of {s.real.max():.4g} 1/s"
    elif k and np.linalg.eigvals(a).real.max() < 0 and not b.any():
        reason = "purely imaginary eigenvalues: stable if the energy is kept"
    residual = float(np.abs(here.acceleration).max(initial=0))
    return RestPoint(q, lam, residual, s, verdict, reason)
