"""The motion of long chains: what a problem asks of its kernels, by passes along the links."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr import Expr, as_expr, substitute
from dalembert.model.dry_friction import without_dry_friction
from dalembert.model.rolled.rolled_closures import RolledClosures
from dalembert.model.rolled.rolled_tree import RolledTree
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.problem.problem import Problem


def rolled_tree(model: Model) -> RolledTree | None:
    """Return the passes along the links of a long chain, made once; None for other models."""
    tree = model.description.long_tree if model.backend == "llvm" else None
    return None if tree is None else model.once("rolled tree", lambda: RolledTree(model, tree))


class LongChain:
    """The rates of a problem whose links are in long chains.

    Forces of the inputs, springs, dampers and friction are straight-line code, a few operations for
    each joint; all else is a `RolledTree`.
    """

    def __init__(self, problem: Problem, tree: RolledTree) -> None:
        self.problem, self.tree = problem, tree

    def rate(
        self, t: float | np.ndarray, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None
    ) -> np.ndarray:
        """Return ẋ, and the two powers behind it if they are audited, of one state or many."""
        forces, powers, *rate = self._joints(t, q, v, tau)
        parts = [*(rate or [v]), self._accelerations(q, v, forces)[0]]
        return np.concatenate([*parts, powers] if self.problem.is_audited else parts, axis=-1)

    def details(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q̈ and λ at many states."""
        return self._accelerations(q, v, self._joints(t, q, v, tau)[0])

    def free_acceleration(
        self, t: float, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None
    ) -> np.ndarray:
        """Return q̈ without constraints."""
        return self.tree.forward_dynamics(q, v, self._joints(t, q, v, tau)[0])

    def acceleration_by_rank(
        self, t: float, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None
    ) -> np.ndarray:
        """Return q̈ of one state by the known rank of the constraints."""
        constraints = self.problem.constraints
        assert constraints is not None
        free, at = self.free_acceleration(t, q, v, tau), constraints.read(t, q, v)
        right = -(at.A @ free + self.closures.bias(q, v))
        return free + constraints.correction(at, right).change

    def _accelerations(
        self, q: np.ndarray, v: np.ndarray, forces: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q̈ and λ of one state or many."""
        if self.problem.constraints is None:
            return self.tree.forward_dynamics(q, v, forces), np.empty((*q.shape[:-1], 0))
        if q.ndim == 1:
            return self.closures.constrained_dynamics(q, v, forces)
        states = zip(q, v, np.broadcast_to(forces, v.shape), strict=True)
        found = [self.closures.constrained_dynamics(*state) for state in states]
        qdd, lam = zip(*found, strict=True)
        return np.array(qdd), np.array(lam)

    @cached_property
    def closures(self) -> RolledClosures:
        """Errors and rows of the constraints."""
        model = self.problem.model
        return model.once("rolled closures", lambda: RolledClosures(model, self.tree))

    @cached_property
    def powers(self) -> list[Expr]:
        """The power that comes in and the one that is dissipated."""
        model, u = self.problem.model, self.problem.model.symbols.inputs
        symbols = model.symbols
        powers = model.expressions("powers", symbols.q, symbols.qd, symbols.qdd, u)
        return self._driven(powers)

    @cached_property
    def _joints(self) -> Callable[..., Any]:
        """Generalized forces without the links' own, powers, and dq/dt where that is not q̇."""
        model = self.problem.model
        q, v = model.symbols.q, model.symbols.qd

        def outputs() -> dict[str, Any]:
            passive = model.expressions("passive_force", q, v)
            inputs = model.symbols.inputs
            found: dict[str, Any] = {
                "force": self._driven([u + f for u, f in zip(inputs, passive, strict=True)]),
                "power": self.powers,
            }
            if model.configuration.quaternions:
                found["rate"] = model.expressions("configuration_rate", q, v)
            return found

        return self.problem.compiled("joints", outputs, state_symbols(model))

    def _driven(self, expressions: list[Any]) -> list[Expr]:
        """Return expressions under the law of the forces; dry friction may be a law of its own."""
        problem = self.problem
        given = dict(zip(problem.model.symbols.inputs, map(as_expr, problem.inputs), strict=True))
        if not problem.has_dry_friction:
            expressions = without_dry_friction(expressions, problem.model.symbols.qd)
        return list(substitute([as_expr(x) for x in expressions], given))


def chain_energies(
    model: Model, tree: RolledTree, t: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return total, kinetic and potential energy of many states of a long chain."""
    springs = compiled(
        model,
        "spring energy",
        lambda: {"V": model.expressions("spring_energy", model.symbols.q)},
        {"q": model.symbols.q},
    )
    T, V = tree.energies(q, v)
    V = V + springs(t, q)
    return T + V, T, V


def chain_metric(tree: RolledTree) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Return the diagonal of M and q̇ᵀ M q̇ as a function of (t, q, q̇)."""

    def metric(t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return tree.mass_diagonal(q), 2 * tree.energies(q, v)[0]

    return metric
