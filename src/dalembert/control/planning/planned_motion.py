"""A planned motion with feedback along it, and the regulator that ends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.controllers.base import Controller
from dalembert.control.controllers.checks import (
    check_unconstrained,
    check_vector_coordinates,
    positive,
)
from dalembert.control.controllers.lqr import LQR
from dalembert.control.planning.level import falling_level
from dalembert.control.planning.search import Found, Search
from dalembert.control.planning.step_map import StepMap
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

STEPS = 160
GUESSES, ATTEMPTS = 6, 4
CHEAP = 0.01
"""What inputs cost while a motion is planned, of what they cost the regulator."""

WAVES = 4
DEEP = 0.2
"""The part of the regulator's level that a plan must come below."""


@dataclass(frozen=True, eq=False)
class PlannedMotion(Controller):
    """u = u_k - G_k (x - x(t)) along a planned motion, cut to limits, and then a regulator.

    `plan_to` makes one. States and inputs are those of the plan, inputs constant between two
    ``times``; G_k are the gains of the discrete Riccati equation backwards from the regulator's S,
    with its costs.

    Stability: for the linear motion about the plan V = x̃ᵀ S_k x̃ falls with every step. The plan
    ends below the level under which the V of the regulator falls for the true motion, by samples;
    so does what is near it. Where limits cut, and far from the plan, nothing is claimed.

    Attributes:
        catch: The regulator about the place where the motion ends.
        times: Those of the states, ``(N + 1,)`` in seconds from 0.
        states: (q, q̇), ``(N + 1, 2 nv)``.
        inputs: Those that act, ``(N, inputs)``.
        gains: G_k, ``(N, inputs, 2 nv)``.
        limits: Largest |u|, ``(inputs,)``.
    """

    catch: LQR
    times: Array
    states: Array
    inputs: Array
    gains: Array
    limits: Array
    turns: Array

    @property
    def model(self) -> Model:  # type: ignore[override]
        """The model of the regulator."""
        return self.catch.model

    @property
    def breaks(self) -> Array:
        """The times at which the inputs jump, for the steps of a simulation."""
        return self.times

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        batch = np.broadcast_shapes(np.shape(t), q.shape[:-1], qd.shape[:-1])
        t = np.broadcast_to(np.asarray(t, float), batch)
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.inputs) - 1)
        x = np.concatenate(np.broadcast_arrays(q, qd), axis=-1) - self._along(t, k)
        u = self.inputs[k] - (self.gains[k] @ x[..., None])[..., 0]
        found = np.zeros((*batch, len(self.model.symbols.inputs)))
        found[..., list(self.catch.actuated or ())] = np.clip(u, -self.limits, self.limits)
        # full turns do not matter to the regulator
        return np.where((t >= self.times[-1])[..., None], self.catch(t, q - self.turns, qd), found)

    def _along(self, t: Array, k: Array) -> Array:
        """Return the state of the plan: of q cubics with the velocities at the ends."""
        n, h = self.model.nv, self.times[1]
        s = ((t - self.times[k]) / h)[..., None]
        a, b = self.states[k], self.states[k + 1]
        way, va, vb = b[..., :n] - a[..., :n], h * a[..., n:], h * b[..., n:]
        bend, twist = 3 * way - 2 * va - vb, va + vb - 2 * way
        q = a[..., :n] + s * (va + s * (bend + s * twist))
        v = (va + s * (2 * bend + 3 * s * twist)) / h
        return np.concatenate([q, v], axis=-1)


def plan_to(
    catch: LQR,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    *,
    duration: float | None = None,
    limits: ArrayLike | None = None,
    angles: Sequence[int] | None = None,
    seed: int = 0,
) -> PlannedMotion:
    """Return a motion from a state into the reach of a regulator, with the feedback that keeps it.

    It swings up an acrobot, a cart-pole or a Furuta pendulum from any state within its limits: some
    guesses of the inputs are improved together by differential dynamic programming.

    Args:
        catch: The regulator about the place to reach; its inputs act, at its costs.
        q0: Configuration at the start, ``(nq,)``.
        qd0: Velocity at the start, ``(nv,)``; None for rest.
        duration: Seconds of the plan; 25 over the fastest unstable pole unless given.
        limits: Largest |u| of the inputs that act; those of the mechanism unless given.
        angles: Coordinates of which full turns do not matter; hinges of a mechanism unless given.
        seed: Of the guesses.

    Raises:
        InvalidMechanism: the model has quaternions or constraints.
        EvaluationError: no motion was found.

    >>> import dalembert as da
    >>> rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0)}
    >>> pendulum = da.Builder("pendulum").link("rod", **rod).revolute("hinge", "rod", axis="y")
    >>> model = da.compile(pendulum.build())
    >>> swing = plan_to(da.control.LQR(model, [3.141592653589793], 1.0, 1.0), [0.0], limits=3.0)
    >>> bool(abs(swing.inputs).max() <= 3)
    True
    """
    model = catch.model
    check_vector_coordinates(model, "plan_to")
    check_unconstrained(model, "plan_to")
    n, places = model.nv, list(catch.actuated or ())
    v0 = np.zeros(n) if qd0 is None else finite_array(qd0, "qd0", (n,))
    start = np.concatenate([finite_array(q0, "q0", (n,)), v0])
    bounds = _limits(catch, limits)
    pole = max(float(np.linalg.eigvals(catch.A).real.max()), 1e-3)
    T = 25 / pole if duration is None else positive(duration, "duration")
    turning = model.configuration.turns if angles is None else angles
    is_angle = np.isin(np.arange(n), list(turning))
    step, rng = StepMap(model, places, T / STEPS), np.random.default_rng(seed)
    inertia = np.abs(np.diag(model.mass_matrix(catch.equilibrium))).max()
    size = np.minimum(bounds / 2, 0.3 * pole**2 * inertia)
    level, nearest = DEEP * falling_level(catch, is_angle), np.inf
    for _ in range(ATTEMPTS):
        targets = _targets(catch, start[:n], is_angle, rng)
        guesses = catch.input[places] + size * _waves(rng, len(places))
        cost = CHEAP * step.h * catch.input_cost
        found = Search(step, start, targets, catch.riccati, cost, bounds, guesses).run(level)
        if found.value < level:
            return _tracked(catch, step, found, bounds, is_angle)
        nearest = min(nearest, found.value)
    raise EvaluationError(
        f"expected a motion into the reach of the regulator within {T:.3g} s, got {ATTEMPTS} times "
        f"{GUESSES} that end at V = {nearest:.3g} at best, not below {level:.3g}: allow a longer "
        "duration=, larger limits=, or another seed="
    )


def _tracked(
    catch: LQR, step: StepMap, found: Found, limits: Array, is_angle: Array
) -> PlannedMotion:
    """Return the plan with gains by the Riccati equation backwards along it."""
    n = catch.model.nv
    A, B = step.derivatives(found.states[:-1], found.inputs)
    Q, R, S = step.h * catch.state_cost, step.h * catch.input_cost, catch.riccati
    gains = np.empty((*found.inputs.shape, 2 * n))
    for k in reversed(range(len(gains))):
        gains[k] = np.linalg.solve(R + B[k].T @ S @ B[k], B[k].T @ S @ A[k])
        S = Q + A[k].T @ S @ (A[k] - B[k] @ gains[k])
    away = (found.states[-1, :n] - catch.equilibrium) / (2 * np.pi)
    turns = np.where(is_angle, 2 * np.pi * np.round(away), 0.0)
    times = step.h * np.arange(len(found.states))
    return PlannedMotion(catch, times, found.states, found.inputs, gains, limits, turns)


def _targets(catch: LQR, q0: Array, is_angle: Array, rng: np.random.Generator) -> Array:
    """Return the place to reach for each guess, as it is or full turns away."""
    turns = np.round((q0 - catch.equilibrium) / (2 * np.pi)) + rng.integers(
        -1, 2, size=(GUESSES, len(q0))
    ) * (np.arange(GUESSES)[:, None] >= GUESSES // 2)
    q = catch.equilibrium + np.where(is_angle, 2 * np.pi * turns, 0.0)
    return np.concatenate([q, np.zeros_like(q)], axis=1)


def _waves(rng: np.random.Generator, num_inputs: int) -> Array:
    """Return sums of sines with random sizes and phases, ``(guesses, N, inputs)``."""
    s = 4 * np.pi * np.arange(STEPS)[:, None] / STEPS
    shape = (GUESSES, 1, num_inputs)
    return sum(
        (
            rng.normal(size=shape) * np.sin(f * s + rng.uniform(0, 2 * np.pi, shape))
            for f in range(1, WAVES + 1)
        ),
        np.zeros((GUESSES, STEPS, num_inputs)),
    )


def _limits(catch: LQR, given: ArrayLike | None) -> Array:
    """Return the largest |u| of the inputs that act."""
    model, places = catch.model, list(catch.actuated or ())
    if given is None:
        known = model.configuration.effort
        if known.shape != (len(model.symbols.inputs),):
            return np.full(len(places), np.inf)
        return known[places]
    found = finite_array(given, "limits")
    found = np.full(len(places), found) if found.ndim == 0 else found
    if found.shape != (len(places),) or not (found > 0).all():
        raise EvaluationError(
            f"expected {len(places)} limits above zero for the inputs that act, got {given}"
        )
    return found
