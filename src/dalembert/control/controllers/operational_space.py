"""Operational space control: the tool moves like a free unit mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.any_robot import AnyRobot
from dalembert.control.controllers.base import (
    Evaluate,
    symbols_of_state,
    times,
    transposed_times,
    with_numbers,
    with_symbols,
)
from dalembert.control.controllers.checks import gain_matrix
from dalembert.control.references.base import Motion
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array, finite_poses
from dalembert.spatial.arrays import turn_between

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

STILL = np.zeros(6)


@dataclass(frozen=True, eq=False)
class OperationalSpace(AnyRobot):
    """τ = Jᵀ (Λ a + μ) + (1 - Jᵀ J̄ᵀ) τ₀ with a = ẍ_d - D (ẋ - ẋ_d) - K e.

    e is the position error in the world and, behind it, sin φ · axis of the orientation error.
    With loops, passive joints or a free base τ are inputs with J q̈ + J̇ q̇ = a on the motions that
    the constraints allow, nearest to those of τ₀ in the metric of the kinetic energy: Λ is that of
    the projected dynamics.

    Args:
        model: Any mechanism.
        frame: The tool, a frame or link.
        target: A pose ``(4, 4)`` to hold, or a function of t that returns a pose, a twist ẋ_d and
            ẍ_d (linear, angular; of the frame's origin, in world axes).
        stiffness: K ≻ 0 in 1/s²: a number, one for each row, or a matrix.
        damping: D ≻ 0 in 1/s.
        rows: The rows of the twist that count: ``range(3)`` for positions only.
        posture: A configuration q₀ that the null space seeks, τ₀ = M (K₀ (q₀ - q) - D₀ q̇) + h;
            without one it is only damped.
        posture_stiffness: K₀ in 1/s².
        posture_damping: D₀ in 1/s.
        actuated: Places of the inputs that act; those of actuators unless given.

    Stability: where J, on the motions that constraints allow and inputs reach, has full rank in
    these rows, J q̈ + J̇ q̇ = a exactly, whatever τ₀ is: as J M⁻¹ (1 - Jᵀ J̄ᵀ) = 0, the null space
    does not reach the tool. Position errors obey
    e'' + D e' + K e = 0. For all three angular rows with one number k in K, and ω̃ = ω - ω_d,
    V = ½ ω̃ᵀ ω̃ + k (1 - cos φ) has V̇ = -ω̃ᵀ D ω̃: the target attracts from everywhere but the half
    turns. For what moves in the null space nothing is claimed. At a singular J the law has no
    value, and near it torques grow without bound. Reference: O. Khatib, A unified approach for
    motion and force control of robot manipulators: the operational space formulation, IEEE
    J. Robotics and Automation 3(1), 1987.

    Raises:
        EvaluationError: when called where no inputs give the tool the wanted acceleration, to 1e-8
            of its terms.
    """

    model: Model
    frame: str
    target: Any
    stiffness: Any
    damping: Any
    rows: Any = range(6)
    posture: Any = None
    posture_stiffness: float = 0.0
    posture_damping: float = 1.0
    actuated: Sequence[int] | None = None

    def __post_init__(self) -> None:
        _ = self._drives
        rows = tuple(self.rows)
        if not rows or any(k not in range(6) for k in rows) or len(set(rows)) != len(rows):
            raise EvaluationError(
                f"expected different rows of a twist among 0 to 5, got {rows}: 0 to 2 are linear"
            )
        if len(rows) > len(self._drives.inputs):
            raise EvaluationError(
                f"expected at most {len(self._drives.inputs)} rows for as many inputs, got "
                f"{len(rows)}"
            )
        n, c = self.model.nv, self.model.configuration
        q0 = c.neutral
        if self.posture is not None:
            q0 = c.normalized(finite_array(self.posture, "the posture", (self.model.nq,)))
        if self.posture is not None and not self.posture_stiffness > 0:
            raise EvaluationError(
                "expected posture_stiffness above zero with a posture, got "
                f"{self.posture_stiffness}"
            )
        K0 = 0.0 if self.posture is None else self.posture_stiffness
        K0 = gain_matrix(K0, n, "posture_stiffness", may_vanish=True)
        self._store(rows=rows, posture=q0, posture_stiffness=K0)
        self._store_gains(n, "posture_damping")
        self._store_gains(len(rows), "stiffness", "damping")
        if not callable(self.target):
            self._store(target=finite_poses(self.target, "the target", (4, 4)))
        self.desired(0.0)

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return τ, ``(..., inputs)`` for states ``(..., nq)`` and ``(..., nv)``."""
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        if not self.is_plain:
            return self._drives.spread(self._each(t, q, qd))
        return self._torques(with_numbers(self.model), q, qd, self.desired(t))

    @property
    def law(self) -> tuple[Expr, ...] | None:
        if callable(self.target) or not self.is_plain:
            return None
        q, v = symbols_of_state(self.model)
        return tuple(self._torques(with_symbols(self.model), q, v, self.desired(0.0)))

    def desired(self, t: ArrayLike) -> Motion:
        """Return pose, twist and its rate of the target."""
        if isinstance(self.target, np.ndarray):
            return Motion(self.target, STILL, STILL)
        X, v, a = self.target(t)
        name = f"the target at t = {t}"
        twist = finite_array(v, f"ẋ of {name}", (..., 6))
        return Motion(finite_poses(X, name), twist, finite_array(a, f"ẍ of {name}", (..., 6)))

    def command(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return a, the acceleration that the tool will have in its rows."""
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        evaluate = with_numbers(self.model)
        J = evaluate("jacobian", q, frame=self.frame, reference="world")
        return self._command(evaluate, J, q, qd, self.desired(t))

    def _command(self, evaluate: Evaluate, J: Array, q: Array, v: Array, desired: Motion) -> Array:
        rows, (X_d, v_d, a_d) = list(self.rows), desired
        X = evaluate("forward_kinematics", q, frame=self.frame)
        turn = turn_between(X_d[..., :3, :3], X[..., :3, :3])
        e = np.concatenate([X[..., :3, 3] - X_d[..., :3, 3], turn], axis=-1)[..., rows]
        ed = (times(J, v) - v_d)[..., rows]
        return a_d[..., rows] - ed @ self.damping - e @ self.stiffness

    def efforts(self, t: float, q: Array, v: Array) -> Array:
        model, rows, at = self.model, list(self.rows), self._motions(q, v)
        J = model.jacobian(q, self.frame)
        wanted = self._command(with_numbers(model), J, q, v, self.desired(t))
        bias = (model.jacobian_rate(q, v, self.frame) @ v)[rows]
        # f₀ = Zᵀ (M (K₀ (q₀ - q) - D₀ q̇) + h)
        way = model.configuration.difference(q, self.posture)
        rest = self.posture_stiffness @ way - self.posture_damping @ v
        f, missed = at.leading_to(J[rows], wanted, bias, at.dual @ rest + at.load)
        self._need_reach(missed, "an acceleration of the tool", t, q)
        return at.efforts(f)

    def _torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        J = evaluate("jacobian", q, frame=self.frame, reference="world")
        a = self._command(evaluate, J, q, v, desired)
        J = J[..., list(self.rows), :]
        L, mu, J_bar = evaluate("operational_space", q, v, frame=self.frame, rows=self.rows)
        # τ₀ = M (K₀ (q₀ - q) - D₀ q̇) + h
        rest = (self.posture - q) @ self.posture_stiffness - v @ self.posture_damping
        free = evaluate("inverse_dynamics", q, v, rest)
        # (1 - Jᵀ J̄ᵀ) τ₀: no torque of these reaches the tool
        return free + transposed_times(J, times(L, a) + mu - transposed_times(J_bar, free))
