"""Collects the states of a simulation, and makes the trajectory of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.problem.details import details
from dalembert.simulation.problem.energy import Energy, energies
from dalembert.simulation.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Integrator
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
        # of contacts and dry friction, if there are any
        self.modes: list[np.ndarray] = []

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

    def trajectory(
        self,
        problem: Problem,
        method: Integrator,
        warnings: tuple[str, ...],
        ok: bool,
        status: str,
    ) -> Trajectory:
        """Return all states with accelerations, inputs, multipliers and the energy account."""
        model, n = problem.model, problem.model.nq
        t, x = np.concatenate(self.t), np.concatenate(self.x)
        q, v = x[:, :n].copy(), x[:, n:].copy()
        controller_state = np.concatenate(self.controller_state)
        qdd, tau, lam = details(problem, t, q, v, controller_state)
        total, kinetic, potential = energies(model, t, q, v)
        names = problem.constraints.names if problem.constraints is not None else ()
        if problem.modes is not None:
            qdd, change, forces = problem.modes.details(t, q, v, qdd, np.array(self.modes))
            lam = np.concatenate([lam + change, forces], axis=1)
            names = (*names, *problem.modes.names)
        position, velocity = _drift(problem, t, q, v)
        return Trajectory(
            name=model.name,
            method=str(method),
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
            energy=Energy(
                total, np.concatenate(self.work), np.concatenate(self.lost), kinetic, potential
            ),
            events=tuple(self.events),
            warnings=warnings,
            status=status,
            ok=ok,
            model=model,
        )


def _drift(
    problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest error of position and of velocity at each time."""
    if problem.constraints is None:
        return np.zeros(len(t)), np.zeros(len(t))
    at = problem.constraints.read(t, q, v)
    position, velocity = (np.abs(e).max(axis=1, initial=0.0) for e in (at.position, at.velocity))
    return position, velocity
