"""Computed torque: inverse dynamics in the feedback leave double integrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.any_robot import AnyRobot
from dalembert.control.controllers.base import Evaluate
from dalembert.control.controllers.checks import gain_matrix
from dalembert.control.controllers.tracking import TrackingController
from dalembert.control.reach.allowed_motions import DEPENDENT
from dalembert.control.reach.tracking_error import tracking_error
from dalembert.control.references.base import Motion

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False, kw_only=True)
class ComputedTorque(AnyRobot, TrackingController):
    """τ = M a + C q̇ + N with a = q̈_d - D (q̇ - q̇_d) - K q̃ and q̃ = q - q_d.

    With loops or passive joints it does so for the ``controlled`` velocities: as many of those that
    inputs drive as the constraints leave independent, at the reference at t = 0. The others follow
    by the constraints and by their own dynamics, and their reference does not matter. Of ball
    joints and free bases q̃ is the rotation vector, or the twist, from q_d to q.

    Args:
        stiffness: K ≻ 0 in 1/s², the squares of natural frequencies: a number, one for each
            velocity, or a matrix.
        damping: D ≻ 0 in 1/s; critical, 2 √K, unless given.
        actuated: Places of the inputs that act; those of actuators unless given.

    Stability: with the exact model, M ≻ 0 leaves q̃'' + D q̃' + K q̃ = 0 of the controlled
    velocities, linear and decoupled where K and D are diagonal. V = ½ q̃'ᵀ q̃' + ½ q̃ᵀ K q̃ has
    V̇ = -q̃'ᵀ D q̃', and q̃ = 0 is exponentially stable from everywhere; of a ball with one number in
    K from everywhere but half a turn. For passive joints nothing is claimed: what they do while
    q̃ = 0 is the zero dynamics. Dry friction is not cancelled, as its jumps cannot be followed: it
    leaves an error unless the model has smoothing=. Reference: J. Y. S. Luh, M. W. Walker,
    R. P. C. Paul, Resolved-acceleration control of mechanical manipulators, IEEE Trans. Automatic
    Control 25 (1980); M. W. Spong, Partial feedback linearization of underactuated mechanical
    systems, IROS 1994.

    Raises:
        EvaluationError: when called where no inputs give the controlled velocities the wanted
            acceleration, to 1e-8 of its terms: a singular place of the loops.
    """

    stiffness: Any
    damping: Any = None
    actuated: Sequence[int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        K = gain_matrix(self.stiffness, self.model.nv, "stiffness")
        if self.damping is None:
            D = 2 * _root(K)
        else:
            D = gain_matrix(self.damping, self.model.nv, "damping")
        self._store(stiffness=K, damping=D)

    @cached_property
    def controlled(self) -> tuple[int, ...]:
        """The places of the velocities that follow the reference."""
        if self.is_plain or not self.model.description.has_constraints:
            return tuple(sorted(self._drives.velocities))
        from scipy.linalg import qr

        q = self.model.configuration.normalized(self.desired(0.0).position)
        at = self._motions(q, np.zeros(self.model.nv))
        # columns: the driven velocities as the allowed motions make them
        _, R, order = qr(at.effect, mode="economic", pivoting=True)  # type: ignore[misc]
        rank = int((np.abs(np.diag(R)) > DEPENDENT).sum())
        return tuple(sorted(self._drives.velocities[k] for k in order[:rank]))

    def torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        a = (
            desired.acceleration
            + (desired.velocity - v) @ self.damping
            + (desired.position - q) @ self.stiffness
        )
        return evaluate("inverse_dynamics", q, v, a)

    def efforts(self, t: float, q: Array, v: Array) -> Array:
        on = list(self.controlled)
        e = tracking_error(self.model.configuration, q, v, self.desired(t))
        K, D = (gain[np.ix_(on, on)] for gain in (self.stiffness, self.damping))
        a = e.acceleration[on] + D @ e.velocity[on] + K @ e.position[on]
        at = self._motions(q, v)
        f, missed = at.leading_to(np.eye(self.model.nv)[on], a, np.zeros(len(on)))
        self._need_reach(missed, "an acceleration", t, q)
        return at.efforts(f)

    def lyapunov(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V."""
        on = list(self.controlled)
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        e, ed, _ = tracking_error(self.model.configuration, q, qd, self.desired(t))
        e, ed = e[..., on], ed[..., on]
        return ((e @ self.stiffness[np.ix_(on, on)]) * e + ed * ed).sum(axis=-1) / 2

    def _need_model(self) -> None:
        _ = self._drives


def _root(K: Array) -> Array:
    """Return the symmetric square root."""
    values, vectors = np.linalg.eigh(K)
    return (vectors * np.sqrt(values)) @ vectors.T
