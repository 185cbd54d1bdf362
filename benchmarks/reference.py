"""Check every engine against dalembert's recursions before it is timed.

The recursions run in plain floats, one state, no compiled code. Derivatives come from a complex
step along the tangent, exact to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.bodies import bodies
from benchmarks.peers.base import Array, Case, Engine
from dalembert.recursions.dynamics.articulated import forward_dynamics
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import forward_kinematics, jacobian
from dalembert.recursions.tree import Tree
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.vectors import rotate

TOLERANCE = 1e-9
"""Relative to the largest entry; a robot that differs in anything is off by far more."""
SINGLE_TOLERANCE = 1e-4
"""The same in single precision, also of sums along a hundred joints."""
STEP = 1e-30


class Reference:
    """What every task must give at one state of a case."""

    def __init__(self, case: Case, state: int = 0) -> None:
        self.state = state
        self.tree = Tree.of(case.mechanism).map(float)
        self.last = case.mechanism.joint(bodies(case.mechanism)[-1].name).child
        self.q, self.v, self.a, self.tau = (x[state].tolist() for x in case.states)

    def error(self, engine: Engine, task: str) -> float:
        """Return how far the engine's result is from the reference, relative to the largest entry.

        Accelerations are compared by the forces they need, M q̈, so that the condition of M does
        not count. Axes of J are free: JᵀJ is compared.
        """
        result = engine.result(task, self.state)
        match task:
            case "inverse_dynamics":
                expected = np.array(inverse_dynamics(self.tree, self.q, self.v, self.a))
            case "mass_matrix":
                expected = self.M
            case "forward_dynamics":
                expected, result = self.M @ self.acceleration, self.M @ result
            case "inverse_dynamics_derivatives":
                expected = self._rates(self.a)
            case "forward_dynamics_derivatives":
                # M ∂q̈ = -∂ID at a = q̈
                expected, result = -self._rates(self.acceleration.tolist()), self.M @ result
            case "forward_kinematics":
                expected = self._position()
            case _:
                J = np.array([[*u, *w] for u, w in jacobian(self.tree, self.q, self.last)]).T
                expected, result = J.T @ J, result.T @ result
        if result.shape != expected.shape:
            return float("inf")
        error, size = float(np.abs(result - expected).max()), float(np.abs(expected).max())
        if size:
            return error / size
        return 0.0 if error == 0 else float("inf")

    @cached_property
    def M(self) -> Array:
        """The mass matrix."""
        return np.array(mass_matrix(self.tree, self.q), dtype=float)

    @cached_property
    def acceleration(self) -> Array:
        """The accelerations of forward dynamics."""
        return np.array(forward_dynamics(self.tree, self.q, self.v, self.tau))

    def _position(self) -> Array:
        return np.array(forward_kinematics(self.tree, self.q)[self.tree.numbers[self.last]].p)

    def _rates(self, a: list[float]) -> Array:
        """Return ∂τ/∂q along the tangent and ∂τ/∂v, (2, n, n)."""
        by_q = [inverse_dynamics(self.tree, q, self.v, a) for q in self._moved()]
        by_v = []
        for i in range(self.tree.nv):
            v = [complex(x, STEP if k == i else 0) for k, x in enumerate(self.v)]
            by_v.append(inverse_dynamics(self.tree, self.q, v, a))
        rates = np.imag(np.array([by_q, by_v], dtype=complex)) / STEP
        return np.swapaxes(rates, 1, 2)

    def _moved(self) -> Iterator[list[Any]]:
        """Yield q moved by i·STEP along each velocity, in the frame of the body."""
        for node in self.tree.nodes:
            for k in range(len(node.velocities)):
                q: list[Any] = list(self.q)
                places = node.positions
                if len(places) == 1:
                    q[places[0]] += 1j * STEP
                    yield q
                    continue
                at = places[-4:]
                w, x, y, z = (self.q[i] for i in at)
                if len(places) == 7 and k < 3:
                    column = rotate(quaternion.to_matrix((w, x, y, z)), _unit(k))
                    for i, d in zip(places[:3], column, strict=True):
                        q[i] += 1j * STEP * d
                else:
                    # q ⊗ (1, ε/2)
                    turned = quaternion.product((w, x, y, z), (0.0, *_unit(k % 3)))
                    for i, d in zip(at, turned, strict=True):
                        q[i] += 0.5j * STEP * d
                yield q


def _unit(k: int) -> tuple[float, float, float]:
    return (float(k == 0), float(k == 1), float(k == 2))
