"""Differential dynamic programming from several guesses at once, with limits of the inputs.

Every guess is one row of all arrays: the rollouts, the backward sweep and the line search of all of
them are the same batched operations. The weight of the end grows from round to round, so that a
guess first comes near the target and then into the reach of the regulator.

Reference: Y. Tassa, N. Mansard, E. Todorov, Control-limited differential dynamic programming, ICRA
2014, here with inputs that are cut to their limits, and with Gauss-Newton second derivatives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.control.planning.step_map import StepMap

if TYPE_CHECKING:
    from dalembert.types import Array

LENGTHS = 0.5 ** np.arange(8)
"""Parts of a change of the inputs that are tried."""

ROUNDS = 120
GROW_EVERY, GROW = 6, 3.0
FIRST_WEIGHT, MOST_WEIGHT = 1e-2, 1e3
FAR = 100.0
LEAST, MOST, FIRST_DAMPING = 1e-9, 1e3, 1e-3


class Found(NamedTuple):
    """The best guess: states ``(N + 1, 2 nv)``, inputs ``(N, inputs)``, V at the end, rounds."""

    states: Array
    inputs: Array
    value: float
    rounds: int


class Search:
    """Several guesses of inputs on their way to targets.

    Args:
        step: The motion.
        start: The state, ``(2 nv,)``.
        targets: One for each guess, ``(guesses, 2 nv)``.
        S: V = x̃ᵀ S x̃ of the regulator, which is to be small at the end.
        R: The cost of the inputs in one step.
        limits: Largest |u|, ``(inputs,)``.
        guesses: Inputs to begin with, ``(guesses, N, inputs)``.
    """

    def __init__(
        self, step: StepMap, start: Array, targets: Array, S: Array, R: Array, limits: Array,
        guesses: Array,
    ) -> None:  # fmt: skip
        self.step, self.start, self.targets = step, start, targets
        self.S, self.R, self.limits = S, R, limits
        self.inputs = np.clip(guesses, -limits, limits)
        count, num = guesses.shape[:2]
        self.states = np.empty((count, num + 1, len(start)))
        self.states[:, 0] = start
        for k in range(num):
            self.states[:, k + 1] = step(self.states[:, k], self.inputs[:, k])
        self.weights = np.full(count, FIRST_WEIGHT)
        self.damping = np.full(count, FIRST_DAMPING)

    def run(self, level: float) -> Found:
        """Improve until the end of one of the guesses has V below a level, or the rounds end."""
        rounds = 0
        for rounds in range(1, ROUNDS + 1):
            self._improve()
            if self._values(self.states).min() < level:
                break
            stuck = self.damping > MOST
            self.damping[stuck] = FIRST_DAMPING
            self.weights[stuck | (rounds % GROW_EVERY == 0)] *= GROW
            self.weights = np.minimum(self.weights, MOST_WEIGHT)
        values = self._values(self.states)
        best = int(values.argmin())
        return Found(self.states[best], self.inputs[best], float(values[best]), rounds)

    def _values(self, states: Array) -> Array:
        e = states[..., -1, :] - self.targets
        return ((e @ self.S) * e).sum(axis=-1)

    def _costs(self, states: Array, inputs: Array) -> Array:
        effort = ((inputs @ self.R) * inputs).sum(axis=(-1, -2))
        return self.weights * self._values(states) + effort

    def _improve(self) -> None:
        """Take the best of several parts of the change that the backward sweep asks for."""
        before = self._costs(self.states, self.inputs)
        change, gains = self._backward()
        states, inputs, lost = self._forward(change, gains)
        costs = np.where(lost, np.inf, self._costs(states, inputs))
        best, every = costs.argmin(axis=0), np.arange(len(before))
        better = costs[best, every] < before * (1 - 1e-4)
        self.states[better] = states[best, every][better]
        self.inputs[better] = inputs[best, every][better]
        self.damping = np.where(better, np.maximum(self.damping / 3, LEAST), 5 * self.damping)

    def _backward(self) -> tuple[Array, Array]:
        """Return changes of the inputs and gains, from the end: minima of the quadratic cost."""
        A, B = self.step.derivatives(self.states[:, :-1], self.inputs)
        w, e = self.weights[:, None], self.states[:, -1] - self.targets
        V, slope = 2 * w[..., None] * self.S, 2 * w * (e @ self.S)
        change = np.empty_like(self.inputs)
        gains = np.empty((*self.inputs.shape, self.states.shape[-1]))
        for k in reversed(range(self.inputs.shape[1])):
            a, b, u = A[:, k], B[:, k], self.inputs[:, k]
            at, bt = a.transpose(0, 2, 1), b.transpose(0, 2, 1)
            Qu = 2 * u @ self.R + (bt @ slope[..., None])[..., 0]
            Quu, Qux = 2 * self.R + bt @ V @ b, bt @ V @ a
            damped = Quu + self.damping[:, None, None] * (bt @ b)
            du = -np.linalg.solve(damped, Qu[..., None])[..., 0]
            K = -np.linalg.solve(damped, Qux)
            # inputs at a limit stay there, whatever the state does
            new = np.clip(u + du, -self.limits, self.limits)
            K[new != u + du] = 0.0
            du = new - u
            change[:, k], gains[:, k] = du, K
            Kt = K.transpose(0, 2, 1)
            push = (Quu @ du[..., None])[..., 0] + Qu
            slope = (at @ slope[..., None] + Kt @ push[..., None])[..., 0]
            slope = slope + (Qux.transpose(0, 2, 1) @ du[..., None])[..., 0]
            cross = Kt @ Qux
            V = at @ V @ a + Kt @ Quu @ K + cross + cross.transpose(0, 2, 1)
        return change, gains

    def _forward(self, change: Array, gains: Array) -> tuple[Array, Array, Array]:
        """Return states and inputs of all lengths of the change, ``(lengths, guesses, …)``.

        And which of them were lost: they went further than any motion, and count no more.
        """
        shape = (len(LENGTHS), *self.states.shape)
        states, inputs = np.empty(shape), np.empty((len(LENGTHS), *self.inputs.shape))
        lost = np.full(shape[:2], False)
        farthest = FAR * (1 + np.abs(self.states).max())
        states[:, :, 0] = x = np.broadcast_to(self.start, (*shape[:2], shape[-1]))
        for k in range(self.inputs.shape[1]):
            away = (gains[:, k] @ (x - self.states[:, k])[..., None])[..., 0]
            du = LENGTHS[:, None, None] * change[:, k] + away
            inputs[:, :, k] = u = np.clip(self.inputs[:, k] + du, -self.limits, self.limits)
            x = self.step(x, u)
            lost |= np.abs(x).max(axis=-1) > farthest
            x[lost] = np.broadcast_to(self.states[:, k + 1], x.shape)[lost]
            states[:, :, k + 1] = x
        return states, inputs, lost
