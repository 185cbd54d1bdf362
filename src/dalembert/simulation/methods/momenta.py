"""A model in momenta: what integrators that keep the symplectic form work with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.model.formulas.momenta import (
    hamilton_rates,
    momentum_rate_of_acceleration,
    momentum_rates,
)
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.problem.problem import Problem


class Momenta(NamedTuple):
    """At one state: p = ∂L/∂q̇, the forces ṗ, and M = ∂p/∂q̇."""

    p: np.ndarray
    rate: np.ndarray
    M: np.ndarray


class LagrangianForm:
    """Momenta and forces as functions of q and q̇; reactions of constraints are left out."""

    def __init__(self, problem: Problem) -> None:
        self.problem, model = problem, problem.model

        def outputs() -> dict[str, Any]:
            p, rate = momentum_rates(model, problem.inputs)
            return {"p": p, "rate": rate, "M": model.expressions("mass_matrix", model.symbols.q)}

        self._read = problem.compiled("momenta", outputs, state_symbols(model))

    def read(self, t: float, q: np.ndarray, v: np.ndarray) -> Momenta:
        """Return momenta and forces at a state."""
        return Momenta(*self._read(t, q, v, self.problem.input_values(t, q, v)))

    def velocity(self, t: float, q: np.ndarray, p: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Return q̇ with ∂L/∂q̇ = p; ``near`` is a guess, refined twice for the last digit."""
        v = near
        for _ in range(2):
            here = self.read(t, q, v)
            v = v + np.linalg.solve(here.M, p - here.p)
        return v


class HamiltonianForm:
    """The motion as functions of q and p; reactions of constraints are in it."""

    def __init__(self, problem: Problem) -> None:
        self.problem, model = problem, problem.model
        u = problem.inputs
        p, rates, _ = model.once(
            ("hamilton's equations", problem.forcing.law), lambda: hamilton_rates(model, u)
        )
        qp, qv = {"q": model.symbols.q, "p": p}, state_symbols(model)
        self.velocity = velocity_of_momentum(model)
        self.momentum = compiled(model, "momentum", lambda: {"p": momentum_rates(model, u)[0]}, qv)
        if problem.constraints is not None:
            self._rate = _rate_of_acceleration(model)
        else:
            self._rate = problem.compiled("hamilton", lambda: {"rate": rates}, qp)

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return (dq/dt, ṗ) at y = (q, p)."""
        problem, n = self.problem, self.problem.model.nq
        q, p = y[:n], y[n:]
        if problem.constraints is not None:
            v = self.velocity(t, q, p)
            return self._rate(t, q, v, problem.acceleration(t, q, v))
        if problem.forcing.law is not None:
            return self._rate(t, q, p, None)
        return self._rate(t, q, p, problem.force(t, q, self.velocity(t, q, p)))


def velocity_of_momentum(model: Model) -> Callable[..., np.ndarray]:
    """Return the kernel of q̇ at (t, q, p)."""
    inputs = [0] * len(model.symbols.inputs)
    p, _, velocity = model.once("velocity of momentum", lambda: hamilton_rates(model, inputs))
    qp = {"q": model.symbols.q, "p": p}
    return compiled(model, ("q̇ of p",), lambda: {"qd": velocity}, qp)


def _rate_of_acceleration(model: Model) -> Callable[..., np.ndarray]:
    """Return the kernel of (dq/dt, ṗ) at q, q̇ and q̈."""
    a, rate = model.once("ṗ of q̈", lambda: momentum_rate_of_acceleration(model))
    inputs = {**state_symbols(model), "qdd": a}

    def outputs() -> dict[str, Any]:
        return {
            "rate": [
                *model.expressions("configuration_rate", model.symbols.q, model.symbols.qd),
                *rate,
            ]
        }

    return compiled(model, "rate of acceleration", outputs, inputs)
