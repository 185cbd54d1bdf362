"""Energy shaping: swing-up of two-link systems with one actuated coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import Evaluate, StateFeedback, with_numbers
from dalembert.control.controllers.checks import check_vector_coordinates, positive
from dalembert.control.reach.drives import applied_forces
from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

SAMPLES = 20_000
SEED = 2007
DISSIPATION = 1e-9


@dataclass(frozen=True, eq=False)
class EnergyShaping(StateFeedback):
    """u = -(k_v α + k_p (q_a - q_a*) + k_d q̇_a) / (k_e (E - E*) + k_v β), with q̈_a = α + β u.

    It brings the energy to that of the upright rest and the actuated coordinate q_a to its place
    there, so that the passive one moves on the orbit through the upright position.

    Args:
        model: A conservative cart-pole, acrobot, pendubot or Furuta pendulum: two coordinates, a
            force on one of them.
        upright: q*, the rest position to reach.
        actuated: The coordinate that the force acts on.
        angles: The coordinates that turn; the others slide.
        energy_gain: k_e > 0.
        velocity_gain: k_v > 0, large enough for the denominator to stay positive.
        position_gain: k_p > 0.
        damping: k_d > 0.

    Stability: V = ½ k_e (E - E*)² + ½ k_v q̇_a² + ½ k_p (q_a - q_a*)². As Ė = u q̇_a, V̇ = q̇_a (k_e
    (E - E*) u + k_v q̈_a + k_p (q_a - q_a*)) = -k_d q̇_a² ≤ 0. The denominator is positive wherever
    k_v β(q) > k_e (E* - U(q)), which is checked over the configurations. Where V̇ stays 0, q_a rests
    and E is constant: either E = E*, the orbit through the upright position, or the passive link
    rests too. Such rests are the hanging one, which is unstable, and further ones unless k_p is
    large enough (Xin and Kaneda give the bound for the acrobot). References: I. Fantoni, R. Lozano,
    Non-linear control for underactuated mechanical systems (2002), ch. 3; X. Xin, M. Kaneda,
    Analysis of the energy-based swing-up control of the acrobot, Int. J. Robust and Nonlinear
    Control 17 (2007).

    Raises:
        EvaluationError: k_v is too small; the message gives the bound.
    """

    model: Model
    upright: Any
    actuated: int
    angles: Sequence[int]
    energy_gain: float
    velocity_gain: float
    position_gain: float
    damping: float

    def __post_init__(self) -> None:
        model = self.model
        check_vector_coordinates(model, "EnergyShaping")
        if model.description.has_constraints or model.nv != 2 or self.actuated not in (0, 1):
            raise InvalidMechanism(
                "expected two coordinates without constraints, one of them (0 or 1) actuated, for "
                f"EnergyShaping, got {model.nv} coordinates and actuated = {self.actuated}"
            )
        self._need_one_force()
        self._store(upright=finite_array(self.upright, "the upright position", (2,)))
        gains = ("energy_gain", "velocity_gain", "position_gain", "damping")
        self._store(**{name: positive(getattr(self, name), name) for name in gains})
        self._need_conservative()
        least = self.least_velocity_gain
        if not self.velocity_gain > least:
            raise EvaluationError(
                f"expected velocity_gain above {least:.6g} with energy_gain = {self.energy_gain}, "
                f"got {self.velocity_gain}: below it the law divides by zero somewhere"
            )

    def lyapunov(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V."""
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        k = self.actuated
        far = self.model.energy(q, qd) - self.energy
        place = q[..., k] - self.upright[k]
        squares = self.energy_gain * far**2 + self.velocity_gain * qd[..., k] ** 2
        return (squares + self.position_gain * place**2) / 2

    @cached_property
    def energy(self) -> float:
        """E*, of the rest upright."""
        return float(self.model.energy(self.upright, np.zeros(2)))

    @cached_property
    def least_velocity_gain(self) -> float:
        """The bound of k_v: the largest k_e (E* - U) / β over the configurations.

        From samples, refined around the largest.
        """
        rng = np.random.default_rng(SEED)
        turns = np.isin(np.arange(2), list(self.angles))
        q = self.upright + np.where(turns, np.pi, 1.0) * rng.uniform(-1, 1, (SAMPLES, 2))
        best, width = self.upright, 1.0
        found = -np.inf
        while width > 1e-7:
            values = self._quotient(q)
            k = int(np.argmax(values))
            if values[k] > found:
                found, best = float(values[k]), q[k]
            width /= 4
            q = best + width * rng.uniform(-1, 1, (SAMPLES // 20, 2))
        return self.energy_gain * found

    def _quotient(self, q: Array) -> Array:
        """Return (E* - U) / β."""
        still = np.zeros_like(q)
        _, beta = self._response(with_numbers(self.model), q, still)
        return (self.energy - self.model.energy(q, still)) / beta

    def torques(self, evaluate: Evaluate, q: Array, v: Array) -> Array:
        k = self.actuated
        alpha, beta = self._response(evaluate, q, v)
        far = evaluate("energy", q, v) - self.energy
        place = q[..., k] - self.upright[k]
        push = self.velocity_gain * alpha + self.position_gain * place + self.damping * v[..., k]
        u = -push / (self.energy_gain * far + self.velocity_gain * beta)
        return np.asarray(u)[..., None] * self._direction

    def _response(self, evaluate: Evaluate, q: Array, v: Array) -> tuple[Array, Array]:
        """Return α and β of q̈_a = α + β u."""
        k, u = self.actuated, self._direction
        still = evaluate("forward_dynamics", q, v, np.broadcast_to(0 * u, (*q.shape[:-1], u.size)))
        pushed = evaluate("forward_dynamics", q, v, np.broadcast_to(u, (*q.shape[:-1], u.size)))
        return still[..., k], (pushed - still)[..., k]

    @cached_property
    def _direction(self) -> Array:
        """Which of the inputs is the force on the actuated coordinate."""
        forces, inputs = applied_forces(self.model), self.model.symbols.inputs
        return np.array([float(forces[self.actuated] == u) for u in inputs])

    def _need_one_force(self) -> None:
        if self._direction.sum() != 1:
            forces = ", ".join(map(str, applied_forces(self.model)))
            raise InvalidMechanism(
                f"expected an input as the force on coordinate {self.actuated} for EnergyShaping, "
                f"got the forces {forces}"
            )

    def _need_conservative(self) -> None:
        """Raise if the free motion loses energy: q̇ᵀ (h + M q̈) = Ė needs no friction in h."""
        rng = np.random.default_rng(SEED)
        q, v = rng.normal(size=(2, 16, 2))
        u = np.zeros((16, len(self.model.symbols.inputs)))
        a = self.model.forward_dynamics(q, v, u)
        M, C = self.model.mass_matrix(q), self.model.coriolis(q, v)
        # Ė = q̇ᵀ (M q̈ + C q̇ + ∂U/∂q)
        slope = self.model.bias(q, np.zeros_like(v))
        force = (M @ a[..., None] + C @ v[..., None])[..., 0] + slope
        lost = np.abs((force * v).sum(axis=-1)).max()
        if not lost <= DISSIPATION * max(1.0, float(np.abs(slope * v).max())):
            raise InvalidMechanism(
                f"expected a conservative model for EnergyShaping, got one that loses {lost:.3g} W "
                "in free motion: compile it without friction, passive=False"
            )
