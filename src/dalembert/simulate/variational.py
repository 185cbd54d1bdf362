"""A variational integrator: Hamilton's principle for steps instead of for curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulate.compensated import CompensatedSum
from dalembert.simulate.constraints import Constraints, correction
from dalembert.simulate.fixed_step import FixedStepper, checked_step, cubic
from dalembert.simulate.iteration import iterate
from dalembert.simulate.method import Method, Stepper
from dalembert.simulate.momentum import LagrangianForm, Reading
from dalembert.simulate.screw_steps import Moves, Transport

if TYPE_CHECKING:
    from dalembert.simulate.method import Problem


@dataclass(frozen=True)
class Variational(Method):
    """Discrete Euler–Lagrange equations of L_d = h L(q ⊕ h ξ/2, ξ), in position and momentum.

    q_next = q ⊕ h ξ with a velocity ξ that makes the action of the steps stationary. The map is
    symplectic, of order 2 and symmetric; it keeps the momenta of all symmetries to rounding, and
    the energy of a conservative system in a band of width step². Quaternions and free bodies move
    by the exponential of their body-fixed velocity, on the group. Forces act by the discrete
    principle of d'Alembert, at the middle of the step. Constraints hold at the end of each step:
    their reactions are A(q)ᵀλ at its start, and A(q_next)ᵀμ keeps the velocity; those of velocities
    alone hold in the middle.

    J. E. Marsden & M. West, Discrete mechanics and variational integrators, Acta Numerica (2001),
    sections 1.5, 3.2 and 3.4; T. Lee, M. Leok & N. H. McClamroch, CMAME 196 (2007) for groups.

    Args:
        step: Seconds.
    """

    step: float = 1e-3

    def __post_init__(self) -> None:
        checked_step(self.step, "Variational")

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        return _VariationalStepper(problem, t, x, self.step)


class _VariationalStepper(FixedStepper):
    """Keeps q and p as compensated sums; x is what others see of them."""

    def __init__(self, problem: Problem, t: float, x: np.ndarray, step: float) -> None:
        model = problem.model
        self.form = LagrangianForm(problem)
        self.constraints = Constraints(model) if Constraints.exist(model) else None
        self.configuration = model.configuration
        self.moves = Moves(model)
        super().__init__(problem, t, x, step)
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        super().reset(t, x)
        n = self.problem.model.nq
        self.q = CompensatedSum(x[:n])
        self.p = CompensatedSum(self.form.read(t, x[:n], x[n:]).p)

    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        t, x, n = self.t, self.x, self.problem.model.nq
        velocity = self._solve(h)
        middle, force = velocity.middle, velocity.force
        if self.moves.blocks:
            q = self.configuration.normalized(self.moves.move(self.q.value, h * velocity.xi))
            self.q = CompensatedSum(q)
            p = velocity.transport.to_end(middle.p, force)
            self.p = CompensatedSum(p)
        else:
            q = self.q.add(h * velocity.xi)
            # p = p(middle) + h/2 F, and p(middle) = p(start) + Aᵀλ + h/2 F
            p = self.p.add(h * force + velocity.reaction)
        v = self.form.velocity(t + h, q, p, velocity.xi)
        if self.constraints is not None:
            reading = self.constraints.read(t + h, q, v)
            v = v + correction(reading.A, reading.M, -reading.velocity).change
            self.p = CompensatedSum(self.form.read(t + h, q, v).p)
        new = np.concatenate([q, v])
        rate = self.problem.rate
        return new, cubic(t, x, rate(t, x), t + h, new, lambda: rate(t + h, new))

    def _solve(self, h: float) -> _Middle:
        """Return the velocity of the step: p(start) + Aᵀλ = -D₁L_d, and q_next on the constraints.

        Sweeps with ∂p/∂ξ ≈ M and the derivatives of the constraints: each gains a factor h.
        """
        t, n = self.t, self.problem.model.nq
        q, p = self.q.value, self.p.value
        row_blocks = _Rows(self.constraints, t, q) if self.constraints is not None else None
        found = self._middle(h, self.x[n:])

        def sweep() -> float:
            nonlocal found
            rest = p + found.reaction - found.transport.to_start(found.middle.p, found.force)
            if row_blocks is None:
                change = np.linalg.solve(found.middle.M, rest)
                found = self._middle(h, found.xi + change)
            else:
                end = self.moves.move(q, h * found.xi)
                middle = self.moves.move(q, h / 2 * found.xi)
                change = row_blocks.solve(found.middle.M, rest, middle, end, found.xi, h)
                found = self._middle(h, found.xi + change, row_blocks)
            scale = max(1.0, float(np.abs(q).max()))
            return float(abs(h) * np.abs(change).max() / scale)

        iterate(sweep, "Variational")
        return found

    def _middle(self, h: float, xi: np.ndarray, rows: _Rows | None = None) -> _Middle:
        q = self.moves.move(self.q.value, h / 2 * xi)
        middle = self.form.read(self.t + h / 2, q, xi)
        transport = Transport(self.moves.blocks, xi, h)
        force = middle.rate - transport.turning(middle.p)
        reaction = np.zeros_like(xi)
        if rows is not None:
            force, reaction = force + rows.middle_force, rows.reaction
        return _Middle(xi, middle, force, reaction, transport)


@dataclass
class _Middle:
    """A step: its velocity, what is read in its middle, forces there and the reaction at start."""

    xi: np.ndarray
    middle: Reading
    force: np.ndarray
    reaction: np.ndarray
    transport: Transport


class _Rows:
    """The constraints of one step, and the multipliers found so far."""

    def __init__(self, constraints: Constraints, t: float, q: np.ndarray) -> None:
        self.constraints, self.t = constraints, t
        nv, k = constraints.model.nv, constraints.num_positions
        start = constraints.read(t, q, np.zeros(nv))
        self.A_start = start.A[:k]
        self.lam = np.zeros(k)
        self.nu = np.zeros(len(start.A) - k)
        self.A_middle = start.A[k:]

    @property
    def reaction(self) -> np.ndarray:
        """A(q)ᵀλ of the constraints of positions."""
        return self.A_start.T @ self.lam

    @property
    def middle_force(self) -> np.ndarray:
        """The force of the constraints of velocities, in the middle of the step."""
        return self.A_middle.T @ self.nu

    def solve(
        self,
        M: np.ndarray,
        rest: np.ndarray,
        middle: np.ndarray,
        end: np.ndarray,
        xi: np.ndarray,
        h: float,
    ) -> np.ndarray:
        """Return the change of ξ, and change the multipliers; dependent rows share their force."""
        n, k = len(M), self.constraints.num_positions
        at_end = self.constraints.read(self.t + h, end, xi)
        at_middle = self.constraints.read(self.t + h / 2, middle, xi)
        self.A_middle = at_middle.A[k:]
        # M δξ - A(q)ᵀ δλ - h/2 A(mid)ᵀ δν = rest;  A(q_next) δξ = -a/h;  A(mid) δξ = -(A ξ)
        rows = np.vstack([at_end.A[:k], self.A_middle])
        K = np.zeros((n + len(rows), n + len(rows)))
        K[:n, :n] = M
        K[:n, n : n + k] = -self.A_start.T
        K[:n, n + k :] = -h / 2 * self.A_middle.T
        K[n:, :n] = rows
        right = np.concatenate([rest, -at_end.position / h, -at_middle.velocity[k:]])
        solution = np.linalg.lstsq(K, right, rcond=1e-12)[0]
        self.lam = self.lam + solution[n : n + k]
        self.nu = self.nu + solution[n + k :]
        return solution[:n]
