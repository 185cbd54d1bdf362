"""Collects the states of a simulation, and makes the trajectory of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.problem.energy import Energy, energies
from dalembert.simulation.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Method
    from dalembert.simulation.problem.problem import SimulationProblem


class Recorder:
    """Times, states and integrals in the order in which they came."""

    def __init__(self) -> None:
        self.t: list[float] = []
        self.x: list[np.ndarray] = []
        self.learned: list[np.ndarray] = []
        self.work: list[float] = []
        self.lost: list[float] = []
        self.events: list[tuple[float, str]] = []
        # of contacts and dry friction, if there are any
        self.modes: list[np.ndarray] = []

    def add(self, t: float, x: np.ndarray, learned: np.ndarray, work: float, lost: float) -> None:
        """Store a state, that of the controller, and the energy that came in and went out."""
        self.t.append(t)
        self.x.append(x)
        self.learned.append(learned)
        self.work.append(work)
        self.lost.append(lost)

    def trajectory(
        self,
        problem: SimulationProblem,
        method: Method,
        warnings: tuple[str, ...],
        status: str,
        is_complete: bool,
    ) -> Trajectory:
        """Return all states with accelerations, inputs, multipliers and the energy account."""
        model, n = problem.model, problem.model.nq
        t, x = np.array(self.t), np.array(self.x)
        q, v = x[:, :n].copy(), x[:, n:].copy()
        learned = np.array(self.learned)
        qdd, tau, lam = _details(problem, t, q, v, learned)
        total, kinetic, potential = energies(model, t, q, v)
        names = problem.constraints.names if problem.constraints is not None else ()
        if problem.laws is not None:
            qdd, change, forces = problem.laws.details(t, q, v, qdd, np.array(self.modes))
            lam = np.concatenate([lam + change, forces], axis=1)
            names = (*names, *problem.laws.names)
        position, velocity = _drift(problem, t, q, v)
        return Trajectory(
            name=model.formulas.name,
            method=str(method),
            t=t,
            q=q,
            qd=v,
            qdd=qdd,
            tau=tau,
            lam=lam,
            controller_state=learned,
            q_names=model.configuration.q_names,
            v_names=model.configuration.v_names,
            input_names=tuple(map(str, model.inputs)),
            constraint_names=names,
            position_error=position,
            velocity_error=velocity,
            energy=Energy(total, np.array(self.work), np.array(self.lost), kinetic, potential),
            events=tuple(self.events),
            warnings=warnings,
            status=status,
            is_complete=is_complete,
            model=model,
        )


def _details(problem: SimulationProblem, *rows: np.ndarray) -> Any:
    """Return q̈, inputs and λ; NaN where a state has none, which is why a simulation stopped."""
    try:
        return problem.details(*rows)
    except EvaluationError:
        if len(rows[0]) == 1:
            sizes = problem.model.nv, len(problem.model.inputs), problem.num_multipliers
            return tuple(np.full((1, size), np.nan) for size in sizes)
        each = [_details(problem, *(a[i : i + 1] for a in rows)) for i in range(len(rows[0]))]
        return tuple(np.concatenate(part) for part in zip(*each, strict=True))


def _drift(problem: SimulationProblem, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Any:
    """Return the largest error of position and of velocity at each time."""
    if problem.constraints is None:
        return np.zeros(len(t)), np.zeros(len(t))
    reading = problem.constraints.read(t, q, v)  # type: ignore[arg-type]
    return tuple(np.abs(e).max(axis=1, initial=0.0) for e in (reading.position, reading.velocity))
