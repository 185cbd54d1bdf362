"""How large the entries of a state are in a motion: what errors are measured by."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.simulation.methods.base import Sizes
from dalembert.simulation.problem.kernels import compiled, state_symbols
from dalembert.simulation.problem.long_chain import chain_metric, rolled_tree

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.problem.problem import Problem


GROWTH = 1.5
"""Accelerations that grew by this factor from look to look are looked at after every step."""


class Scales(Sizes):
    """The largest speed and acceleration so far, as shares of every velocity.

    A velocity has the size √(q̇ᵀ M q̇ / Mⱼⱼ) that it would have with all kinetic energy in it, and so
    do accelerations, without the reactions of constraints and contacts. These sizes know neither
    units nor which coordinates happen to be at rest.
    """

    def __init__(self, problem: Problem, size: int) -> None:
        self.problem, self.size = problem, size
        model = problem.model
        self._velocities = velocity_of_position(model)
        self._speed = self._acceleration = np.zeros(model.nv)
        self._most = np.zeros(size)
        self._largest, self._root = (0.0, 0.0), np.zeros(model.nv)
        # whether the last look found much more than the one before: then the next is due soon
        self.is_growing = True
        # sizes are a polynomial of the time
        self._powers = np.ones((3, size))
        tree = rolled_tree(model)
        if tree is not None:
            self._metric = chain_metric(tree)
        else:
            self._metric = compiled(model, "metric", lambda: _metric(model), state_symbols(model))

    def add(self, x: np.ndarray) -> None:
        self._most = np.maximum(self._most, np.abs(x))

    def look(self, t: float, x: np.ndarray) -> None:
        """Take the state x into account, its speed and its acceleration."""
        n, m = self.problem.model.nq, self.problem.size
        q, v = x[:n], x[n:m]
        diagonal, square = self._metric(t, q, v)
        _, other = self._metric(t, q, self.problem.driving_acceleration(t, x))
        root = np.sqrt(np.maximum(diagonal, np.finfo(float).tiny))
        speed, acceleration = (math.sqrt(max(float(y), 0.0)) for y in (square, other))
        self._root = root
        before = self._largest
        self._largest = max(before[0], speed), max(before[1], acceleration)
        self.is_growing = self._largest[1] > GROWTH * before[1] or not self._largest[1]
        self._speed = np.maximum(self._speed, speed / root)
        self._acceleration = np.maximum(self._acceleration, acceleration / root)
        self._powers = self._polynomial()

    @property
    def acceleration(self) -> float:
        return float(self._acceleration.max(initial=0.0))

    def of_step(self, h: float) -> np.ndarray:
        # the largest so far, or what speeds make of it
        return np.maximum(self._most, self.by_speed(h))

    def before_step(self, h: float) -> np.ndarray:
        # sizes of energies fit the velocities
        return self._with_energies(self.of_step(h))

    def by_speed(self, h: float) -> np.ndarray:
        """Return the size of every entry of x, of positions as their change in the time h.

        Quaternions and the entries of a controller have the size 1.
        """
        a, b, c = self._powers
        return a + h * (b + h * c)

    def _with_energies(self, sizes: np.ndarray) -> np.ndarray:
        """Return sizes in which those of energies fit the velocities."""
        if not self.problem.is_audited:
            return sizes
        speed = float((self._root * sizes[self.problem.nq : self.problem.size]).max())
        return np.concatenate([sizes[:-2], np.maximum(sizes[-2:], speed**2)])

    def _polynomial(self) -> np.ndarray:
        n, m = self.problem.model.nq, self.problem.size
        found = np.zeros((3, self.size))
        found[0, m:] = 1.0
        found[:2, n:m] = self._speed, self._acceleration
        is_turn = self._velocities < 0
        found[0, :n] = is_turn
        found[1:, :n] = np.where(is_turn, 0.0, found[:2, n:m][:, self._velocities])
        if self.problem.is_audited:
            # energies: (speed + h acceleration)²
            speed, acceleration = self._largest
            found[:, -2:] = np.array([[speed**2], [2 * speed * acceleration], [acceleration**2]])
        return found


def _metric(model: Model) -> dict[str, Any]:
    diagonal, square = model.expressions("metric", model.symbols.q, model.symbols.qd)
    return {"diagonal": diagonal, "square": square}


def velocity_of_position(model: Model) -> np.ndarray:
    """Return for every entry of q the place of its velocity; -1 in a quaternion."""
    places: list[int] = []
    velocity = 0
    while len(places) < model.nq:
        is_turn = len(places) in model.configuration.quaternions
        places += [-1] * 4 if is_turn else [velocity]
        velocity += 3 if is_turn else 1
    return np.array(places)
