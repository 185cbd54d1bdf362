"""Impedance control: Cartesian stiffness and damping at a tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.any_robot import AnyRobot
from dalembert.control.controllers.base import (
    Evaluate,
    StateFeedback,
    load_at_rest,
    times,
    transposed_times,
    with_numbers,
)
from dalembert.control.controllers.checks import gain_matrix
from dalembert.model.border import finite_poses
from dalembert.spatial.arrays import axial

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class Impedance(AnyRobot, StateFeedback):
    """τ = N(q, 0) + Jᵀ F - D₀ q̇ with F = -∂U/∂x - D ẋ: Cartesian stiffness and damping.

    With loops τ is the set of inputs that moves the tool as these torques would; with passive
    joints or a free base too, where the inputs reach that, and N is carried as far as they can.

    U = ½ pᵀ K p + tr G (1 - E), with the offset p of the tool in the world, its rotation
    E = R_dᵀ R against the target and G = ½ tr(K_φ) - K_φ: for small turns φ that is ½ φᵀ K_φ φ, and
    it is smooth at large ones.

    Args:
        model: Any mechanism.
        frame: The tool, a frame or link.
        target: The pose ``(4, 4)`` where the springs rest.
        stiffness: K in N/m: a number, three, or a matrix; world axes.
        rotational_stiffness: K_φ in N m/rad; axes of the target. Zero lets the tool turn freely.
        damping: D of the twist (linear, angular): a number, six, or a matrix.
        joint_damping: D₀, which also damps the null space of a redundant arm.
        actuated: Places of the inputs that act; those of actuators unless given.

    Stability: V = ½ q̇ᵀ M q̇ + U has V̇ = -ẋᵀ D ẋ - q̇ᵀ D₀ q̇ - (friction) ≤ 0 by Ṁ - 2C skew, and with
    an outer force F_e at the tool V̇ ≤ ẋᵀ F_e: the arm is passive towards whatever it touches. With
    D₀ ≻ 0 it comes to rest where Jᵀ ∂U/∂x = 0: at the target unless J is singular there or the tool
    is half a turn away. With loops the same holds, as constraint forces do no work; with passive
    joints nothing is claimed but what the tool feels. In contact it rests where K p = F_e.
    Reference: N. Hogan, Impedance control: an approach to manipulation, J. Dynamic Systems,
    Measurement and Control 107 (1985).

    Raises:
        EvaluationError: when called where the inputs cannot give the tool the acceleration that F
            would, to 1e-8 of its terms.
    """

    model: Model
    frame: str
    target: Any
    stiffness: Any
    rotational_stiffness: Any
    damping: Any
    joint_damping: Any = 0.0
    actuated: Sequence[int] | None = None

    def __post_init__(self) -> None:
        _ = self._drives
        n = self.model.nv
        self._store(
            target=finite_poses(self.target, "the target", (4, 4)),
            stiffness=gain_matrix(self.stiffness, 3, "stiffness"),
            rotational_stiffness=gain_matrix(
                self.rotational_stiffness, 3, "rotational_stiffness", may_vanish=True
            ),
            damping=gain_matrix(self.damping, 6, "damping", may_vanish=True),
            joint_damping=gain_matrix(self.joint_damping, n, "joint_damping", may_vanish=True),
        )

    def lyapunov(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V = T + U."""
        p, E, _ = self._offset(with_numbers(self.model), np.asarray(q, float))
        turn = np.trace(self._G @ (np.eye(3) - E), axis1=-2, axis2=-1)
        spring = ((p @ self.stiffness) * p).sum(axis=-1) / 2
        return self.model.kinetic_energy(q, qd) + spring + turn

    @property
    def _G(self) -> Array:
        K = self.rotational_stiffness
        return np.trace(K) / 2 * np.eye(3) - K

    def _offset(self, evaluate: Evaluate, q: Array) -> tuple[Array, Array, Array]:
        """Return p in the world, E, and the tool's R."""
        X, X_d = evaluate("forward_kinematics", q, frame=self.frame), self.target
        R = X[..., :3, :3]
        return X[..., :3, 3] - X_d[:3, 3], X_d[:3, :3].T @ R, R

    def torques(self, evaluate: Evaluate, q: Array, v: Array) -> Array:
        J, F = self._wrench(evaluate, q, v)
        return load_at_rest(evaluate, q) + transposed_times(J, F) - v @ self.joint_damping

    def efforts(self, t: float, q: Array, v: Array) -> Array:
        at, on = self._motions(q, np.zeros(self.model.nv)), list(self._drives.velocities)
        J, F = self._wrench(with_numbers(self.model), q, v)
        f, missed = at.acting_as(J, F)
        self._need_reach(missed, "a force at the tool", t, q)
        return at.efforts(at.load + f) - self.joint_damping[np.ix_(on, on)] @ v[on]

    def _wrench(self, evaluate: Evaluate, q: Array, v: Array) -> tuple[Array, Array]:
        """Return J of the tool, and F in world axes."""
        J = evaluate("jacobian", q, frame=self.frame, reference="world")
        p, E, R = self._offset(evaluate, q)
        # U̇ = ωᵀ g with ĝ = G E - Eᵀ G, in the axes of the tool
        moment = times(R, axial(self._G @ E))
        slope = np.concatenate([p @ self.stiffness, moment], axis=-1)
        return J, -slope - times(J, v) @ self.damping
