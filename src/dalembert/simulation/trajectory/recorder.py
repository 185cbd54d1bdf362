"""Collects the states of a simulation, and makes the trajectory of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.simulation.problem.details import full_details
from dalembert.simulation.problem.energy import Energy, energies
from dalembert.simulation.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.contact.rows import Mode
    from dalembert.simulation.problem.problem import Problem


class Recorder:
    """Times, states and integrals in the order in which they came, in blocks of rows."""

    def __init__(self) -> None:
        self.t: list[np.ndarray] = []
        self.x: list[np.ndarray] = []
        self.controller_state: list[np.ndarray] = []
        self.work: list[np.ndarray] = []
        self.lost: list[np.ndarray] = []
        self.events: list[tuple[float, str]] = []
        # changes of the state at once, and how many there were before each block
        self.jumps: list[Jump] = []
        self.num_jumps: list[int] = []
        # of contacts and dry friction in each block, if there are any
        self.modes: list[Mode] = []

    @property
    def last_time(self) -> float:
        """The time of the last state."""
        return float(self.t[-1][-1])

    def add(
        self,
        t: np.ndarray,
        x: np.ndarray,
        controller_state: np.ndarray,
        work: np.ndarray,
        lost: np.ndarray,
    ) -> None:
        """Store states, those of the controller, and the energy that came in and went out."""
        self.t.append(t)
        self.x.append(x)
        self.controller_state.append(controller_state)
        self.work.append(work)
        self.lost.append(lost)
        self.num_jumps.append(len(self.jumps))

    def add_jump(self, t: float, before: np.ndarray, after: np.ndarray, work: float) -> None:
        """Take note of a change of state at once, and of the work that it brought."""
        self.jumps.append(Jump(t, before, after, work))

    def trajectory(
        self,
        problem: Problem,
        method: str,
        warnings: tuple[str, ...],
        ok: bool,
        status: str,
    ) -> Trajectory:
        """Return all states with accelerations, inputs, multipliers and the energy account."""
        model, n = problem.model, problem.model.nq
        t, x = np.concatenate(self.t), np.concatenate(self.x)
        q, v = x[:, :n].copy(), x[:, n:].copy()
        controller_state = np.concatenate(self.controller_state)
        modes = None
        if problem.modes is not None:
            modes = [mode for mode, block in zip(self.modes, self.t, strict=True) for _ in block]
        qdd, tau, lam, names = full_details(problem, t, q, v, controller_state, modes)
        total, kinetic, potential = energies(model, t, q, v)
        position, velocity = _drift(problem, t, q, v)
        work, lost = self._totals(model)
        return Trajectory(
            name=model.name,
            method=method,
            t=t,
            q=q,
            qd=v,
            qdd=qdd,
            tau=tau,
            lam=lam,
            controller_state=controller_state,
            q_names=model.configuration.q_names,
            v_names=model.configuration.v_names,
            input_names=tuple(map(str, model.symbols.inputs)),
            constraint_names=names,
            position_error=position,
            velocity_error=velocity,
            energy=Energy(total, work, lost, kinetic, potential),
            events=tuple(self.events),
            warnings=warnings,
            status=status,
            ok=ok,
            model=model,
        )

    def _totals(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """Return work and losses since the start, in joules, at all times.

        The energy that the state lacks after a jump was dissipated.
        """
        work, lost = np.concatenate(self.work), np.concatenate(self.lost)
        if not self.jumps:
            return work, lost
        t, before, after, come = (np.array(part) for part in zip(*self.jumps, strict=True))
        x, n = np.concatenate([before, after]), model.nq
        total, _, _ = energies(model, np.tile(t, 2), x[:, :n], x[:, n:])
        gone = total[: t.size] - total[t.size :] + come
        so_far = np.repeat(self.num_jumps, [len(block) for block in self.t])
        sums = (np.concatenate([[0.0], np.cumsum(part)])[so_far] for part in (come, gone))
        work_of_jumps, lost_in_jumps = sums
        return work + work_of_jumps, lost + lost_in_jumps


class Jump(NamedTuple):
    """A change of the state (q, q̇) at once, at a time in seconds, and the work in joules."""

    t: float
    before: np.ndarray
    after: np.ndarray
    work: float


def _drift(
    problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest error of position and of velocity at each time."""
    if problem.constraints is None:
        return np.zeros(len(t)), np.zeros(len(t))
    at = problem.constraints.read(t, q, v)
    position, velocity = (np.abs(e).max(axis=1, initial=0.0) for e in (at.position, at.velocity))
    return position, velocity
