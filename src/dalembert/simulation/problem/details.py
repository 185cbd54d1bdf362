"""Accelerations, inputs and multipliers of a motion, from its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.dry_friction import without_dry_friction
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.simulation.contact.rows import Mode
    from dalembert.simulation.problem.problem import Problem


class Details(NamedTuple):
    """q̈ ``(N, nv)``, inputs ``(N, k)`` and multipliers λ ``(N, rows of A)`` at N states."""

    qdd: np.ndarray
    tau: np.ndarray
    lam: np.ndarray


def details(
    problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray, learned: np.ndarray
) -> Details:
    """Return them at many states, without contacts and dry friction.

    A state that has none, which is why a simulation stopped, gets NaN.
    """
    try:
        return _details(problem, t, q, v, learned)
    except EvaluationError:
        rows = (t, q, v, learned)
        if len(t) == 1:
            model, constraints = problem.model, problem.constraints
            sizes = (
                model.nv,
                len(model.symbols.inputs),
                0 if constraints is None else len(constraints.names),
            )
            return Details(*(np.full((1, size), np.nan) for size in sizes))
        each = [details(problem, *(a[i : i + 1] for a in rows)) for i in range(len(t))]
        return Details(*(np.concatenate(part) for part in zip(*each, strict=True)))


def full_details(
    problem: Problem,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    learned: np.ndarray,
    modes: Sequence[Mode] | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return q̈, inputs and λ with contacts and dry friction in their modes, and the names of λ."""
    qdd, tau, lam = details(problem, t, q, v, learned)
    names = problem.constraints.names if problem.constraints is not None else ()
    if problem.modes is not None and modes is not None:
        qdd, change, forces = problem.modes.details(t, q, v, qdd, lam, modes)
        lam = np.concatenate([lam + change, forces], axis=1)
        names = (*names, *problem.modes.names)
    return qdd, tau, lam, tuple(names)


def _details(
    problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray, learned: np.ndarray
) -> Details:
    model, constraints = problem.model, problem.constraints
    tau = _inputs(problem, t, q, v, learned)
    if constraints is None:
        return Details(problem.free_accelerations(t, q, v, tau), tau, np.empty((len(t), 0)))
    if problem.chain is not None:
        inputs = None if problem.forcing.numbers is None else tau
        qdd, lam = problem.chain.details(t, q, v, inputs)
    else:
        run = compiled(
            model,
            ("details", problem.has_dry_friction),
            lambda: _outputs(problem),
            {**state_symbols(model), "tau": model.symbols.inputs},
        )
        qdd, lam = run(t, q, v, tau)
    if problem.pulls:
        for i in range(len(t)):
            pull = problem.stabilisation.correction(constraints, float(t[i]), q[i], v[i])
            qdd[i] += pull.change
            lam[i] += pull.multipliers
    return Details(qdd, tau, lam)


def _outputs(problem: Problem) -> dict[str, Any]:
    model = problem.model
    q, v, u = model.symbols.q, model.symbols.qd, model.symbols.inputs
    qdd, lam = model.expressions("constraint_dynamics", q, v, u)
    if not problem.has_dry_friction:
        qdd, lam = without_dry_friction(qdd, v), without_dry_friction(lam, v)
    return {"qdd": qdd, "lam": lam}


def _inputs(
    problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray, learned: np.ndarray
) -> np.ndarray:
    if not problem.model.symbols.inputs:
        return np.empty((len(t), 0))
    if problem.forcing.law is not None:
        return problem.law_values(t, q, v)
    if problem.forcing.held is not None and problem.forcing.constant is not None:
        return problem.forcing.held.history(t)
    rows = zip(t.tolist(), q, v, learned, strict=True)
    return np.array([problem.force(*row) for row in rows])
