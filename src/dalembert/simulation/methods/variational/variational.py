"""A variational integrator: Hamilton's principle for steps instead of for curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import parameters
from dalembert.model.formulas.momenta import step_correction
from dalembert.simulation.methods.base import Integrator, Stepper
from dalembert.simulation.methods.fixed_step import FixedStepper, checked_step, cubic
from dalembert.simulation.methods.momenta import LagrangianForm, Momenta, velocity_of_momentum
from dalembert.simulation.methods.rounding import CompensatedSum, iterate
from dalembert.simulation.methods.sweeps import Sweep, Sweeps, can_sweep
from dalembert.simulation.methods.variational.group_steps import Moves, Transport
from dalembert.simulation.methods.variational.step_constraints import StepConstraints

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem


@dataclass(frozen=True)
class Variational(Integrator):
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


class _Trial(NamedTuple):
    """A velocity for the step, what is read in its middle, and forces there."""

    xi: np.ndarray
    middle: Momenta
    force: np.ndarray
    transport: Transport


class _VariationalStepper(FixedStepper):
    """Keeps q and p as compensated sums; x is what others see of them."""

    def __init__(self, problem: Problem, t: float, x: np.ndarray, step: float) -> None:
        model = problem.model
        self.form = LagrangianForm(problem)
        self.constraints = problem.constraints
        self.moves = Moves(model)
        is_flat = can_sweep(problem) and not self.moves.blocks
        self.flat = (
            (Sweeps(problem, "Variational", lambda: _sweep(problem)), velocity_of_momentum(model))
            if is_flat
            else None
        )
        super().__init__(problem, t, x, step)
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        super().reset(t, x)
        n = self.problem.model.nq
        self.q = CompensatedSum(x[:n])
        self.p = CompensatedSum(self.form.read(t, x[:n], x[n:]).p)

    def advance(self, h: float) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        t, x = self.t, self.x
        if self.flat is not None:
            return self._advance_flat(*self.flat, h)
        rows = None
        if self.constraints is not None:
            rows = StepConstraints(self.constraints, self.moves, t, self.q.value, h)
        q, p, near = self._end(self._solve(h, rows), h, rows)
        v = self.form.velocity(t + h, q, p, near)
        if self.constraints is not None:
            # an impulse along A(q_next)ᵀ
            at = self.constraints.read(t + h, q, v)
            v = v + self.constraints.correction(at, -at.velocity).change
            self.p = CompensatedSum(self.form.read(t + h, q, v).p)
        new = np.concatenate([q, v])
        return new, cubic(t, x, t + h, new, self.problem.rate)

    def _advance_flat(
        self, sweeps: Sweeps, velocity: Callable[..., np.ndarray], h: float
    ) -> tuple[np.ndarray, Callable[[float], np.ndarray]]:
        """Advance without constraints and free turns: p(middle) is p ± h/2 F from both ends."""
        t, x, n = self.t, self.x, self.q.value.size
        clock = np.array([t, h, float(np.abs(self.q.value).max()) or 1.0])
        xi, force = sweeps.solve(x[n:], self.q.value, self.p.value, clock)
        q, p = self.q.add(h * xi), self.p.add(h * force)
        new = np.concatenate([q, velocity(t + h, q, p)])
        return new, cubic(t, x, t + h, new, self.problem.rate)

    def _solve(self, h: float, rows: StepConstraints | None) -> _Trial:
        """Return the step whose p_start = -D₁L_d is that of the state, and any reaction at it.

        Sweeps with ∂p_start/∂ξ ≈ M: each gains a factor h.
        """
        q, p = self.q.value, self.p.value
        trial = self._trial(h, self.x[len(q) :], rows)
        size = np.abs(q).max() + abs(h) * np.abs(trial.xi).max() or 1.0

        def sweep() -> float:
            nonlocal trial
            rest = p - trial.transport.to_start(trial.middle.p, trial.force)
            if rows is None:
                change = np.linalg.solve(trial.middle.M, rest)
            else:
                change = rows.solve(trial.middle.M, rest + rows.reaction, trial.xi)
            trial = self._trial(h, trial.xi + change, rows)
            return float(abs(h) * np.abs(change).max() / size)

        iterate(sweep, "Variational")
        return trial

    def _trial(self, h: float, xi: np.ndarray, rows: StepConstraints | None) -> _Trial:
        middle = self.form.read(self.t + h / 2, self.moves.move(self.q.value, h / 2 * xi), xi)
        transport = Transport(self.moves.blocks, xi, h)
        force = middle.rate - transport.turning(middle.p)
        if rows is not None:
            force = force + rows.middle_force
        return _Trial(xi, middle, force, transport)

    def _end(
        self, trial: _Trial, h: float, rows: StepConstraints | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q and p at the end of the step, and a velocity near the one there."""
        if self.moves.blocks:
            q = self.moves.move(self.q.value, h * trial.xi)
            self.q = CompensatedSum(self.problem.model.configuration.normalized(q))
            self.p = CompensatedSum(trial.transport.to_end(trial.middle.p, trial.force))
        else:
            self.q.add(h * trial.xi)
            # p(middle) is p ± h/2 F from both ends
            self.p.add(h * trial.force if rows is None else h * trial.force + rows.reaction)
        return self.q.value, self.p.value, trial.xi


def _sweep(problem: Problem) -> Sweep:
    """Return a sweep over the velocity ξ of a step from (q, p), for coordinates without turns."""
    model = problem.model
    p, xi = (
        parameters(" ".join(f"{name}{i}" for i in range(model.nv)))
        for name in ("momentum", "velocity")
    )
    t, h, scale = parameters("sweep_time sweep_step sweep_scale")
    change, force = step_correction(model, problem.inputs, p, xi, t, h)
    return Sweep(
        unknowns=xi,
        new=[x + d for x, d in zip(xi, change, strict=True)],
        wanted=force,
        sizes=[h * d / scale for d in change],
        inputs={"q": model.symbols.q, "p": p, "clock": [t, h, scale]},
    )
