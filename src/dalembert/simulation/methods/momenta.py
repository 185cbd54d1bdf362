"""A model in momenta: what integrators that keep the symplectic form work with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.problem.kernels import compiled, once

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.base import Problem


class Reading(NamedTuple):
    """At one state: p = ∂L/∂q̇, the forces ṗ, and M = ∂p/∂q̇."""

    p: np.ndarray
    rate: np.ndarray
    M: np.ndarray


class LagrangianForm:
    """Momenta and forces as functions of q and q̇; reactions of constraints are left out."""

    def __init__(self, problem: Problem) -> None:
        from dalembert.model.formulas.momenta import momentum_rates

        self.problem, model = problem, problem.model
        self.law = symbolic_law(problem)
        inputs = {"q": model.q, "qd": model.qd}
        if self.law is None:
            inputs["tau"] = model.inputs

        def outputs() -> dict[str, Any]:
            p, rate = momentum_rates(model, _inputs(problem, self.law))
            return {"p": p, "rate": rate, "M": model.apply("mass_matrix", model.q)}

        self._kernel = compiled(model, ("momenta", self.law), outputs, inputs, self.law or ())

    def read(self, t: float, q: np.ndarray, v: np.ndarray) -> Reading:
        """Return what there is at a state."""
        if self.law is not None:
            return Reading(*self._kernel(t, q, v))
        return Reading(*self._kernel(t, q, v, self.problem.force(t, q, v)))

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
        from dalembert.model.formulas.momenta import hamilton_rates, momentum_rates

        self.problem, model = problem, problem.model
        self.law = symbolic_law(problem)
        u = _inputs(problem, self.law)
        p, rates, velocity = once(
            model, ("hamilton's equations", self.law), lambda: hamilton_rates(model, u)
        )
        qp, qv = {"q": model.q, "p": p}, {"q": model.q, "qd": model.qd}
        self.velocity = compiled(model, "velocity of momentum", lambda: {"qd": velocity}, qp)
        self.momentum = compiled(model, "momentum", lambda: {"p": momentum_rates(model, u)[0]}, qv)
        self._is_constrained = Constraints.exist(model)
        if self._is_constrained:
            self._rate = _rate_of_acceleration(model)
            return
        inputs = qp if self.law is not None else {**qp, "tau": model.inputs}
        self._rate = compiled(
            model, ("hamilton", self.law), lambda: {"rate": rates}, inputs, self.law or ()
        )

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return (dq/dt, ṗ) at y = (q, p)."""
        n = self.problem.model.nq
        q, p = y[:n], y[n:]
        if self._is_constrained:
            v = self.velocity(t, q, p)
            return self._rate(t, q, v, self.problem.acceleration(t, q, v))
        if self.law is not None:
            return self._rate(t, q, p)
        return self._rate(t, q, p, self.problem.force(t, q, self.velocity(t, q, p)))


def _rate_of_acceleration(model: Model) -> Any:
    """Return the kernel of (dq/dt, ṗ) at q, q̇ and q̈."""
    from dalembert.model.formulas.momenta import momentum_rate_of_acceleration

    a, rate = once(model, "ṗ of q̈", lambda: momentum_rate_of_acceleration(model))
    inputs = {"q": model.q, "qd": model.qd, "qdd": a}

    def outputs() -> dict[str, Any]:
        return {"rate": [*model.apply("configuration_rate", model.q, model.qd), *rate]}

    return compiled(model, "rate of acceleration", outputs, inputs)


def symbolic_law(problem: Problem) -> tuple[Any, ...] | None:
    """Return the forces as expressions, or None where they are a function that gives numbers."""
    forcing: Any = getattr(problem, "forcing", None)
    return (0,) * len(problem.model.inputs) if forcing is None else forcing.law


def _inputs(problem: Problem, law: tuple[Any, ...] | None) -> Sequence[Any]:
    return problem.model.inputs if law is None else law
