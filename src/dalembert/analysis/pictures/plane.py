"""The plane of one coordinate and its velocity: field, energy, points of rest, separatrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.calling import Values
    from dalembert.types import Array

SAMPLES = 4001
BISECTIONS = 60
# the power that is fed or lost, against v·a
KEPT = 1e-9


class Rest(NamedTuple):
    """A point of rest on the axis q̇ = 0, with the eigenvalues of the motion in the plane."""

    q: float
    eigenvalues: tuple[complex, complex]

    @property
    def kind(self) -> str:
        """saddle, centre, attracting or repelling."""
        a, b = self.eigenvalues
        size = max(abs(a), abs(b), 1e-300)
        if min(a.real, b.real) < -1e-6 * size and max(a.real, b.real) > 1e-6 * size:
            return "saddle"
        if max(abs(a.real), abs(b.real)) <= 1e-6 * size:
            return "centre"
        return "attracting" if max(a.real, b.real) <= 0 else "repelling"


@dataclass(frozen=True, eq=False)
class Plane:
    """Coordinate ``place`` and its velocity; the other coordinates stay at ``q``, at rest."""

    model: Model
    place: int
    q: Array
    inputs: Array
    parameters: Values

    def acceleration(self, x: Array, v: Array) -> Array:
        """Return q̈ of the coordinate at points of the plane."""
        at, rate = self._states(x, v)
        u = np.broadcast_to(self.inputs, (*np.shape(x), len(self.inputs)))
        qdd = self.model.forward_dynamics(at, rate, u, **self._options)  # type: ignore[arg-type]
        return qdd[..., self.place]

    def energy(self, x: Array, v: Array) -> Array:
        """Return T + V at points of the plane."""
        return self.model.energy(*self._states(x, v), **self._options)  # type: ignore[arg-type]

    def _states(self, x: Array, v: Array) -> tuple[Array, Array]:
        shape = np.broadcast_shapes(np.shape(x), np.shape(v))
        q = np.broadcast_to(self.q, (*shape, self.model.nq)).copy()
        rate = np.zeros((*shape, self.model.nv))
        q[..., self.place], rate[..., self.place] = x, v
        return q, rate

    @cached_property
    def _options(self) -> dict:
        t = {"t": 0.0} if self.model.description.is_timed else {}
        return {**t, "parameters": self.parameters}

    def check_autonomous(self, x: Array, v: Array) -> None:
        """Refuse a field that changes with time."""
        if not self.model.description.is_timed:
            return
        now = self.acceleration(x, v)
        at, rate = self._states(x, v)
        u = np.broadcast_to(self.inputs, (*np.shape(x), len(self.inputs)))
        later = self.model.forward_dynamics(at, rate, u, t=0.7391, parameters=self.parameters)
        if np.abs(later[..., self.place] - now).max() > 1e-9 * (1 + np.abs(now).max()):
            raise EvaluationError(
                "expected equations without explicit time for a phase portrait, got a field that "
                "changes with time"
            )

    def keeps_energy(self, x: Array, v: Array) -> bool:
        """Tell whether no force feeds or takes energy at points of the plane.

        Only of a model with one coordinate: a cut through several is no motion.
        """
        if self.model.nv > 1:
            return False
        q, rate = self._states(x, v)
        a = self.acceleration(x, v)[..., None]
        u = np.broadcast_to(self.inputs, (*np.shape(x), len(self.inputs)))
        fed, lost = self.model.call("powers", q, rate, a, u, **self._options)
        size = np.abs(v * a[..., 0]).max()
        return bool(max(np.abs(fed).max(), np.abs(lost).max()) <= KEPT * size)

    def rests(self, low: float, high: float) -> list[Rest]:
        """Return the points of rest in a range, where q̈ changes its sign, or touches zero."""
        x = np.linspace(low, high, SAMPLES)
        a = self.acceleration(x, np.zeros_like(x))
        found = [float(x[k]) for k in np.flatnonzero(a == 0)]
        change = np.flatnonzero(a[:-1] * a[1:] < 0)
        left, right = x[change], x[change + 1]
        sign = np.sign(a[change])
        for _ in range(BISECTIONS):
            middle = (left + right) / 2
            same = np.sign(self.acceleration(middle, np.zeros_like(middle))) == sign
            left, right = np.where(same, middle, left), np.where(same, right, middle)
        found += [float(m) for m in (left + right) / 2]
        return [Rest(q, self._eigenvalues(q)) for q in sorted(found)]

    def _eigenvalues(self, q: float) -> tuple[complex, complex]:
        from dalembert.analysis.small_motions.linearise import linearise

        at, _ = self._states(np.array(q), np.array(0.0))
        A = linearise(self.model, at, None, self.inputs, **self._options).A  # type: ignore[arg-type]
        n, k = self.model.nv, self.place
        a, b = np.linalg.eigvals([[0.0, 1.0], [A[n + k, k], A[n + k, n + k]]])
        return complex(a), complex(b)

    def separatrices(self, rest: Rest, box: tuple[float, float, float, float]) -> list[Array]:
        """Return the motions into and out of a saddle, each ``(k, 2)``, up to the border."""
        from scipy.integrate import solve_ivp

        low, high, slow, fast = box
        curves = []
        for s in rest.eigenvalues:
            forward = s.real > 0

            def field(_: float, y: Array, sign: float = 1.0 if forward else -1.0) -> Array:
                return sign * np.array([y[1], float(self.acceleration(y[0], y[1]))])

            def leaves(_: float, y: Array) -> float:
                return min(y[0] - low, high - y[0], y[1] - slow, fast - y[1]) + 1e-3 * (high - low)

            leaves.terminal = True  # type: ignore[attr-defined]
            for side in (1, -1):
                start = np.array([rest.q, 0.0]) + side * 1e-5 * (high - low) * np.array([1, s.real])
                span = (0.0, 30.0 / abs(s.real))
                run = solve_ivp(field, span, start, events=leaves, rtol=1e-7, atol=1e-9)
                curves.append(run.y.T)
        return curves
