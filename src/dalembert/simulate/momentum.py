"""A model in momenta: what integrators that keep the symplectic form work with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.simulate.kernels import compiled, once

if TYPE_CHECKING:
    from dalembert.simulate.method import Problem


class Reading(NamedTuple):
    """At one state: p = ∂L/∂q̇, the forces ṗ, and M = ∂p/∂q̇."""

    p: np.ndarray
    rate: np.ndarray
    M: np.ndarray


class LagrangianForm:
    """Momenta and forces as functions of q and q̇; reactions of constraints are left out."""

    def __init__(self, problem: Problem) -> None:
        from dalembert.model.hamilton import momentum_rates

        self.problem, model = problem, problem.model
        self.law = symbolic_law(problem)
        inputs = {"q": model.q, "qd": model.qd}
        if self.law is None:
            inputs["tau"] = model.inputs

        def outputs() -> dict[str, Any]:
            p, rate = momentum_rates(model, _inputs(problem, self.law), with_reactions=False)
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
    """The motion as functions of q and p, reactions of constraints included."""

    def __init__(self, problem: Problem) -> None:
        from dalembert.model.hamilton import hamilton_rates, momentum_rates
        from dalembert.simulate.constraints import Constraints

        self.problem, model = problem, problem.model
        self.law = symbolic_law(problem)
        u, has_reactions = _inputs(problem, self.law), Constraints.exist(model)
        key, law = (has_reactions, self.law), self.law or ()
        p, rates, velocity = once(
            model,
            ("hamilton's equations", *key),
            lambda: hamilton_rates(model, u, with_reactions=has_reactions),
        )
        inputs = {"q": model.q, "p": p}
        if self.law is None:
            inputs["tau"] = model.inputs
        self._rate = compiled(model, ("hamilton", *key), lambda: {"rate": rates}, inputs, law)
        velocity_inputs = {"q": model.q, "p": p}
        self.velocity = compiled(
            model, "velocity of momentum", lambda: {"qd": velocity}, velocity_inputs
        )
        self.momentum = compiled(
            model,
            "momentum",
            lambda: {"p": momentum_rates(model, u, with_reactions=False)[0]},
            {"q": model.q, "qd": model.qd},
        )

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return (dq/dt, ṗ) at y = (q, p)."""
        n = self.problem.model.nq
        q, p = y[:n], y[n:]
        if self.law is not None:
            return self._rate(t, q, p)
        tau = self.problem.force(t, q, self.velocity(t, q, p))
        return self._rate(t, q, p, tau)


def symbolic_law(problem: Problem) -> tuple[Any, ...] | None:
    """Return the forces as expressions, or None where they are a function that gives numbers."""
    forcing: Any = getattr(problem, "forcing", None)
    return (0,) * len(problem.model.inputs) if forcing is None else forcing.law


def _inputs(problem: Problem, law: tuple[Any, ...] | None) -> Sequence[Any]:
    return problem.model.inputs if law is None else law
