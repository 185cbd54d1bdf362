"""Adaptive tracking: the inertial parameters are estimated during the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import Evaluate, times, transposed_times, with_numbers
from dalembert.control.controllers.passivity_based import sliding
from dalembert.control.controllers.tracking import TrackingController
from dalembert.control.references.base import Motion
from dalembert.errors import UnknownName, nearest
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

FRICTION = ("damping", "friction", "stribeck")
INERTIAL = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "J", "armature")


def tracking_regressor(
    evaluate: Evaluate, friction: Array, q: Array, v: Array, w: Array, a: Array
) -> Array:
    """Return Y(q, v, w, a) with M a + C(q, v) w + N = Y θ, θ as in `Model.regressor_parameters`.

    C(q, v) v is a quadratic form of v, and the C of the Christoffel symbols is its polarisation:
    C(q, v) w = ¼ [c(v + w) - c(v - w)] with c(v) = C(q, v) v. So three ordinary regressors give it
    exactly; friction is that of the true velocity v.

    Args:
        evaluate: The functions of the model.
        friction: For each parameter whether it is one of friction, as `is_friction` returns it.
    """
    still = np.zeros_like(v)
    Y = (
        evaluate("regressor", q, (v + w) / 2, a)
        - evaluate("regressor", q, (v - w) / 2, still)
        + evaluate("regressor", q, still, still)
    )
    return np.where(friction, evaluate("regressor", q, v, still), Y)


def is_friction(model: Model) -> Array:
    """Return for each parameter of the regressor whether it is one of friction."""
    return np.array([x.rpartition(".")[2] in FRICTION for x in model.regressor_parameters[0]])


@dataclass(frozen=True, eq=False, kw_only=True)
class Adaptive(TrackingController):
    """τ = Y(q, q̇, q̇_r, q̈_r) θ̂ - K s, with the estimate θ̂ moved by θ̂' = -Γ Yᵀ s.

    Args:
        slope: Λ ≻ 0 in q̇_r = q̇_d - Λ q̃ and s = q̇ - q̇_r.
        damping: K ≻ 0.
        adaptation: Γ ≻ 0: a number, or one for each parameter that adapts.
        adapt: Labels of the parameters that adapt: inertias of links, rotors and armatures unless
            given. The others keep the values of the model.

    The estimate is an extra state: ``state`` is θ̂ at the start, the model's own values, and
    ``rate(t, q, qd, state)`` its derivative. `da.simulate` integrates both.

    Stability: with the error θ̃ = θ̂ - θ of constant parameters, the loop is M ṡ + (C + K) s = Y θ̃.
    V = ½ sᵀ M s + ½ θ̃ᵀ Γ⁻¹ θ̃ has V̇ = -sᵀ K s, by Ṁ - 2C skew. So s and θ̂ stay bounded, and by
    Barbalat's lemma s → 0 and q̃ → 0 for a reference with bounded q̈_d. θ̂ → θ needs a reference that
    excites all parameters. Hypotheses: geometry is known, and friction that does not adapt is that
    of the model. Reference: J.-J. E. Slotine, W. Li, Int. J. Robotics Research 6(3), 1987.
    """

    slope: Any
    damping: Any
    adaptation: Any
    adapt: Sequence[str] | None = None

    def __post_init__(self) -> None:
        # only a mechanism has a regressor, whatever else the model may lack
        labels = self.labels
        super().__post_init__()
        self._store_gains(self.model.nv, "slope", "damping")
        self._store_gains(len(labels), "adaptation")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of the parameters that adapt, in the order of the state."""
        known = self.model.regressor_parameters[0]
        if self.adapt is None:
            return tuple(x for x in known if x.rpartition(".")[2] in INERTIAL)
        for label in self.adapt:
            if label not in known:
                raise UnknownName(
                    f"expected a parameter of the regressor to adapt, got {label!r} "
                    f"({nearest(label, known)})"
                )
        return tuple(x for x in known if x in set(self.adapt))

    @cached_property
    def state(self) -> Array:
        """θ̂ at the start: the values of the controller's model."""
        state = self._theta[self._places]
        state.flags.writeable = False
        return state

    def __call__(
        self, t: ArrayLike, q: ArrayLike, qd: ArrayLike, state: ArrayLike | None = None
    ) -> Array:
        """Return τ for an estimate; that of the start unless given."""
        return self.feedback(t, q, qd, self.state if state is None else state)[0]

    def rate(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike, state: ArrayLike) -> Array:
        """Return θ̂' = -Γ Yᵀ s."""
        return self.feedback(t, q, qd, state)[1]

    def feedback(
        self, t: ArrayLike, q: ArrayLike, qd: ArrayLike, state: ArrayLike
    ) -> tuple[Array, Array]:
        """Return τ and θ̂', which share the regressor."""
        q, qd, state = np.asarray(q, float), np.asarray(qd, float), self._checked(state)
        r = sliding(self.desired(t), self.slope, q, qd)
        Y = tracking_regressor(
            with_numbers(self.model), self._is_friction, q, qd, r.velocity, r.rate
        )
        learned = Y[..., self._places]
        # Y θ̂ = Y θ + Y_a (θ̂_a - θ_a), with the columns a of the parameters that adapt
        change = state - self.state
        tau = Y @ self._theta + times(learned, change) - r.s @ self.damping
        return tau, -transposed_times(learned, r.s) @ self.adaptation

    @property
    def law(self) -> None:
        """None: the torques depend on the estimate too."""
        return None

    def torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        """Return τ with the estimate of the start."""
        r = sliding(desired, self.slope, q, v)
        Y = tracking_regressor(evaluate, self._is_friction, q, v, r.velocity, r.rate)
        return Y @ self._theta - r.s @ self.damping

    def lyapunov(
        self,
        t: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike,
        state: ArrayLike,
        plant: Model,
        theta: ArrayLike,
    ) -> Array:
        """Return V, for a plant whose parameters ``labels`` have the values θ."""
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        s = sliding(self.desired(t), self.slope, q, qd).s
        error = self._checked(state) - np.asarray(theta, float)
        far = np.linalg.solve(self.adaptation, error[..., None])[..., 0]
        return plant.kinetic_energy(q, s) + (error * far).sum(axis=-1) / 2

    def _checked(self, state: ArrayLike) -> Array:
        return finite_array(state, "the estimate", (..., len(self.labels)))

    @cached_property
    def _is_friction(self) -> Array:
        return is_friction(self.model)

    @cached_property
    def _theta(self) -> Array:
        return np.array([float(x) for x in self.model.regressor_parameters[1]])

    @cached_property
    def _places(self) -> Array:
        wanted = set(self.labels)
        names = self.model.regressor_parameters[0]
        return np.array([k for k, name in enumerate(names) if name in wanted], int)
