"""Points of a system in some configurations that obey its constraints.

What is stiff, what turns about what and what a spring joins is read off numbers: a distance that
is the same in configurations drawn at random is that of a rod.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import DalembertError
from dalembert.expr import Expr, free_symbols, jacobian, postorder, symbol_text, time
from dalembert.expr.evaluate import evaluate
from dalembert.mechanics import System

if TYPE_CHECKING:
    from dalembert.types import Array

COUNT = 9
"""Configurations."""
LEAST = 4
"""Configurations below which nothing is concluded."""
SAME = 1e-7
"""Relative difference up to which numbers count as equal."""
TURNING = ("sin", "cos", "tan")
STEPS = 60
"""Of Gauss and Newton's iteration onto the constraints."""


def angles(system: System) -> list[Expr]:
    """Return the coordinates that stand inside a sine, cosine or tangent."""
    roots = [system.lagrangian, *system.constraints, *system.velocity_constraints]
    roots += [x for body in system.bodies for x in body.r]
    inside = [x for node in postorder(roots) if node.op in TURNING for x in node.args]
    names = {symbol_text(x) for x in free_symbols(inside)}
    return [x for x in system.coordinates if symbol_text(x) in names]


class Samples:
    """Values of expressions of a system at random configurations.

    Attributes:
        count: How many configurations there are; below `LEAST` none can be told apart.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        rng = np.random.default_rng(2)
        self._values: dict[Expr, Array] = {
            x: np.array(rng.uniform(0.7, 1.4)) for x in system.parameters
        }
        turned = angles(system)
        for x in (*system.coordinates, *system.velocities, time):
            # lengths are positive where springs and sliders have their usual shape
            low = -1.3 if x in turned else 0.6
            self._values[x] = rng.uniform(low, 1.4, COUNT)
        self.count = COUNT
        if system.constraints:
            self._close()

    def is_still(self, expressions: Sequence[Expr]) -> bool:
        """Tell whether expressions depend on the time alone, or on nothing."""
        others = {x: np.roll(self._values[x], 1) for x in self._system.coordinates}
        return agree(self.of(expressions), self.of(expressions, others))

    def of(self, expressions: Sequence[Expr], others: Mapping[Expr, Array] | None = None) -> Array:
        """Return values ``(count, len(expressions))``; NaN where they have none.

        ``others`` are values instead of those of the samples.
        """
        known = {**self._values, **(others or {})}
        for x in free_symbols(list(expressions)):
            # of symbols that only a drawing has
            known.setdefault(x, np.array(1.0))
        try:
            found = evaluate(list(expressions), known)
        except (DalembertError, ArithmeticError, ValueError):
            return np.full((self.count, len(expressions)), np.nan)
        rows = [np.broadcast_to(np.asarray(x, float), (self.count,)) for x in found]
        return np.stack(rows, axis=-1) if rows else np.zeros((self.count, 0))

    def _close(self) -> None:
        """Move the configurations onto the constraints, and leave out those that do not arrive."""
        q = list(self._system.coordinates)
        a = list(self._system.constraints)
        A = jacobian(a, q)
        for _ in range(STEPS):
            error = self.of(a)
            if not np.isfinite(error).all():
                break
            J = self.of(list(A)).reshape(self.count, len(a), len(q))
            step = -np.einsum("kij,kj->ki", np.linalg.pinv(J, rcond=1e-9), error)
            step *= np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
            for x, change in zip(q, step.T, strict=True):
                self._values[x] = self._values[x] + change
        closed = np.abs(self.of(a)).max(axis=1) < 1e-9
        for x in (*q, *self._system.velocities, time):
            self._values[x] = self._values[x][closed]
        self.count = int(closed.sum())


def is_constant(values: Array) -> bool:
    """Tell whether numbers ``(count, ...)`` are the same in all configurations."""
    if len(values) < LEAST or not np.isfinite(values).all():
        return False
    return bool(np.ptp(values, axis=0).max(initial=0.0) <= SAME * max(np.abs(values).max(), 1.0))


def agree(a: Array, b: Array) -> bool:
    """Tell whether two places or numbers are the same in every configuration."""
    return is_constant(a - b) and bool(np.abs(a - b).max(initial=0.0) <= SAME * 10)
