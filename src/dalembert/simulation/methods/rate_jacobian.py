"""∂ẋ/∂x of a motion: exact from the expressions, by differences where there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import count_nodes, jacobian
from dalembert.simulation.problem.kernels import state_symbols
from dalembert.simulation.problem.scales import Scales

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

LARGE = 20_000
"""Rates of more operations are differentiated by differences."""

STEP = float(np.finfo(float).eps) ** (1 / 3)
"""Change of an entry of x for central differences, as a part of its size."""

Jacobian = Callable[[float, np.ndarray], np.ndarray]


def rate_jacobian(
    problem: Problem, size: int, duration: float, *, is_exact: bool = True
) -> Jacobian:
    """Return ∂ẋ/∂x as a function of (t, x); x has ``size`` entries.

    Exact if all forces are expressions or constants; contacts, dry friction, Baumgarte's forces,
    functions of Python and very large models are differentiated by differences, and all where it
    is not to be ``is_exact``.
    """
    if is_exact and _is_symbolic(problem) and count_nodes(problem.rates) <= LARGE:
        return _exact(problem, size)
    scales = Scales(problem, size)
    return lambda t, x: _by_differences(problem, scales, duration, t, x)


def _is_symbolic(problem: Problem) -> bool:
    forcing = problem.forcing
    return (
        problem.modes is None
        and not problem.by_known_rank
        and not problem.pulls
        and not forcing.state.size
        and (forcing.law is not None or forcing.constant is not None)
    )


def _exact(problem: Problem, size: int) -> Jacobian:
    model, n, m = problem.model, problem.nq, problem.size
    symbols = [*model.symbols.q, *model.symbols.qd]
    rates = problem.rates[:size]
    run = problem.compiled(
        "rate jacobian" if size == m else "audited rate jacobian",
        lambda: {"J": jacobian(rates, symbols)},
        state_symbols(model),
    )

    def at(t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:n], x[n:m]
        # the integrals behind the state act on nothing
        found = np.zeros((size, size))
        found[:, :m] = run(t, q, v, problem.input_values(t, q, v))
        return found

    return at


def _by_differences(
    problem: Problem, scales: Scales, duration: float, t: float, x: np.ndarray
) -> np.ndarray:
    scales.look(t, x)
    steps = STEP * np.maximum(np.abs(x), scales.by_speed(STEP * duration))
    columns = []
    for j, h in enumerate(np.where(steps > 0, steps, STEP)):
        change = np.zeros_like(x)
        change[j] = h
        up, down = x + change, x - change
        columns.append((problem.rate(t, up) - problem.rate(t, down)) / (up[j] - down[j]))
    return np.array(columns).T
