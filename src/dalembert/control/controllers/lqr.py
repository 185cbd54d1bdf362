"""Linear quadratic regulator about an equilibrium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import Evaluate, StateFeedback
from dalembert.control.controllers.checks import (
    check_untimed,
    gain_matrix,
)
from dalembert.control.reach.drives import shared_motors
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

# accelerations at an equilibrium, against those that its own forces would cause
REST = 1e-9
# an error of a constraint, against the largest coordinate
CLOSED = 1e-6
# singular values of the constraints' Jacobian, against the largest, of rows that depend on others
DEPENDENT = 1e-9
# the least singular value of [λ - A, B], against the largest: below it a mode is out of reach
REACH = 1e-9


@dataclass(frozen=True, eq=False)
class LQR(StateFeedback):
    """u = u₀ - G (x - x₀) with x = (q, q̇), least ∫ x̃ᵀ Q x̃ + ũᵀ R ũ dt for the linearised motion.

    Of ball joints and a free base the difference q - q₀ is the rotation vector, or the twist, that
    takes q₀ to q: nv numbers.

    Args:
        model: Any mechanism or system, also with fewer inputs than coordinates, with loops and
            other constraints.
        equilibrium: q₀, where the model can rest.
        state_cost: Q ⪰ 0 of (q, q̇): a number, 2 nv numbers, or a matrix.
        input_cost: R ≻ 0 of the inputs that act.
        input: u₀; found unless given.
        actuated: Places of the inputs that act; the others stay zero. Unless given, those that
            the actuators of the mechanism drive, all where it has none. Of motors that share
            joints the inputs that act are their efforts: ``input_cost`` weighs these.

    ``A`` and ``B`` are the derivatives of the compiled dynamics themselves, no differences. With
    constraints they are those of y with x̃ = P y, where the orthonormal columns of P, ``basis``,
    span the states that the constraints allow.

    Stability: S ≻ 0 solves Aᵀ S + S A - S B R⁻¹ Bᵀ S + Q = 0 and G = R⁻¹ Bᵀ S. V = x̃ᵀ S x̃ has, for
    the linear motion, V̇ = -x̃ᵀ (Q + Gᵀ R G) x̃ < 0, and for the true one V̇ < 0 near x₀, which is
    so asymptotically stable (Lyapunov's indirect method). Hypotheses: (A, B) stabilisable, (A, Q)
    without unseen modes on the imaginary axis. Reference: R. E. Kalman, Contributions to the theory
    of optimal control, Bol. Soc. Mat. Mexicana 5 (1960).

    Raises:
        EvaluationError: q₀ is no equilibrium or violates constraints, or a mode cannot be
            stabilised, as of a wheel or blade that may not slip: the message says why.
    """

    model: Model
    equilibrium: Any
    state_cost: Any
    input_cost: Any
    input: Any = None
    actuated: Sequence[int] | None = None
    # what acts, as columns of the inputs
    _reach: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        model = self.model
        check_untimed(model, "LQR")
        m = len(model.symbols.inputs)
        given = model.description.driven_inputs if self.actuated is None else self.actuated
        places = tuple(given)
        if not places or any(k not in range(m) for k in places):
            raise EvaluationError(
                f"expected places of inputs that act among 0 to {m - 1}, got {places}"
            )
        q0 = finite_array(self.equilibrium, "the equilibrium", (model.nq,))
        # quaternions of length one, as everywhere
        q0 = model.configuration.normalized(q0)
        Q = gain_matrix(self.state_cost, 2 * model.nv, "state_cost", may_vanish=True)
        shared = shared_motors(model) if self.actuated is None else None
        self._store(actuated=places, equilibrium=q0, state_cost=Q)
        self._store(_reach=np.eye(m)[:, list(places)] if shared is None else shared)
        self._store_gains(self._reach.shape[1], "input_cost")
        self._store(input=self._resting_input())
        self._need_stabilisable()
        _ = self.riccati

    # ---- the linear motion

    @cached_property
    def basis(self) -> Array:
        """P, ``(2 nv, states)``: the identity without constraints."""
        n, description = self.model.nv, self.model.description
        if not description.has_constraints:
            return np.eye(2 * n)
        A = self.model.constraint_jacobian(self.equilibrium)
        # constraints of velocities alone do not bind positions
        positions = _null_space(A[: description.num_position_constraints])
        velocities = _null_space(A)
        return np.block(
            [
                [positions, np.zeros((n, velocities.shape[1]))],
                [np.zeros((n, positions.shape[1])), velocities],
            ]
        )

    @cached_property
    def A(self) -> Array:
        """∂ẏ/∂y at the equilibrium; without constraints y is x̃ and this ``(2 nv, 2 nv)``."""
        n = self.model.nv
        dq, dv, _ = self._slopes
        return self.basis.T @ np.block([[np.zeros((n, n)), np.eye(n)], [dq, dv]]) @ self.basis

    @cached_property
    def B(self) -> Array:
        """∂ẏ/∂u of the inputs that act."""
        du = self._slopes[2] @ self._reach
        return self.basis.T @ np.concatenate([np.zeros_like(du), du])

    @cached_property
    def riccati(self) -> Array:
        """S, the matrix of the cost to go and of V."""
        from scipy.linalg import solve_continuous_are

        Q = self.basis.T @ self.state_cost @ self.basis
        try:
            S = solve_continuous_are(self.A, self.B, Q, self.input_cost)
        except np.linalg.LinAlgError as error:
            raise EvaluationError(
                f"expected a solution of the Riccati equation, got none ({error}): state_cost must "
                "weigh every mode on the imaginary axis"
            ) from None
        return (S + S.T) / 2

    @cached_property
    def gain(self) -> Array:
        """G, ``(inputs that act, 2 nv)``."""
        return np.linalg.solve(self.input_cost, self.B.T @ self.riccati) @ self.basis.T

    @cached_property
    def poles(self) -> Array:
        """The eigenvalues of A - B G P."""
        return np.linalg.eigvals(self.A - self.B @ self.gain @ self.basis)

    # ---- the feedback

    def torques(self, evaluate: Evaluate, q: Array, v: Array) -> Array:
        return self.input - self._error(q, v) @ self._spread.T

    def lyapunov(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return V = yᵀ S y, of x̃ = P y."""
        x = self._error(np.asarray(q, float), np.asarray(qd, float)) @ self.basis
        return ((x @ self.riccati) * x).sum(axis=-1)

    @property
    def law(self) -> tuple[Expr, ...] | None:
        """The feedback as expressions; None with orientations, whose errors are logarithms."""
        return super().law if self.model.configuration.is_flat else None

    def _error(self, q: Array, v: Array) -> Array:
        """Return x̃: q - q₀, or with orientations the velocity that takes q₀ to q in unit time."""
        if self.model.configuration.is_flat:
            return np.concatenate([q - self.equilibrium, v], axis=-1)
        away = self.model.configuration.difference(self.equilibrium, q)
        return np.concatenate([away, v], axis=-1)

    @cached_property
    def _spread(self) -> Array:
        """G with a row for every input, zeros for those that do not act."""
        return self._reach @ self.gain

    # ---- what it needs

    @cached_property
    def _slopes(self) -> tuple[Array, Array, Array]:
        still = np.zeros(self.model.nv)
        return self.model.forward_dynamics_derivatives(self.equilibrium, still, self.input)

    def _resting_input(self) -> Array:
        """Return u₀ after a check that nothing accelerates."""
        model, q0 = self.model, self.equilibrium
        self._need_closed()
        still, m = np.zeros(model.nv), len(model.symbols.inputs)
        if self.input is not None:
            u0 = finite_array(self.input, "the input", (m,))
        else:
            # least squares: exact where the inputs can hold it, for inputs that enter linearly
            u0 = np.zeros(m)
            slopes = model.forward_dynamics_derivatives(q0, still, u0)[2] @ self._reach
            start = model.forward_dynamics(q0, still, u0)
            u0 = self._reach @ np.linalg.lstsq(slopes, -start, rcond=None)[0]
        left = model.forward_dynamics(q0, still, u0)
        pull = np.abs(np.linalg.solve(model.mass_matrix(q0), model.bias(q0, still)))
        size = max(1.0, float(pull.max()))
        if not np.abs(left).max() <= REST * size:
            raise EvaluationError(
                f"expected an equilibrium, got q = {q0} where the best input {u0} leaves the "
                f"accelerations {left}: the inputs that act cannot hold it there"
            )
        return u0

    def _need_closed(self) -> None:
        """Raise unless the equilibrium is on the constraints."""
        model = self.model
        if not model.description.has_constraints:
            return
        error = np.abs(model.constraint_error(self.equilibrium))
        size = max(1.0, float(np.abs(self.equilibrium).max()))
        if error.size and error.max() > CLOSED * size:
            name = model.description.constraint_names[int(error.argmax())]
            raise EvaluationError(
                f"expected an equilibrium on the constraints, got {name} off by "
                f"{error.max():.3g}: take a state of da.simulate(..., initial='project')"
            )

    def _need_stabilisable(self) -> None:
        """Raise if a mode that does not fade is out of reach (Popov, Belevitch, Hautus)."""
        n = len(self.A)
        for pole in np.linalg.eigvals(self.A):
            if pole.real < 0:
                continue
            sizes = np.linalg.svd(np.hstack([pole * np.eye(n) - self.A, self.B]), compute_uv=False)
            if sizes[-1] <= REACH * sizes[0]:
                raise EvaluationError(
                    "expected a motion that the inputs can stabilise, got the mode "
                    f"λ = {pole:.6g} that they do not reach: {self._remedy()}"
                )

    def _remedy(self) -> str:
        """Return what can be done about a mode out of reach."""
        rows = self.model.description.constraint_rows
        rolling = [row.name for row in rows[self.model.description.num_position_constraints :]]
        if not rolling:
            return "let more inputs act, or choose another equilibrium"
        return (
            f"the velocity constraint {rolling[0]} lets positions be reached by manoeuvres only, "
            "and at rest no smooth feedback ends them there (Brockett 1983), so plan the motion, "
            "or let LQR hold a model without the positions that it binds"
        )


def _null_space(A: Array) -> Array:
    """Return orthonormal columns that span the x with A x = 0, also for redundant rows."""
    _, sizes, rows = np.linalg.svd(A)
    rank = int((sizes > DEPENDENT * sizes.max(initial=0.0)).sum())
    return rows[rank:].T
