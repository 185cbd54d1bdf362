"""Events in general: a quantity of the state passes through zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.simulation.events.base import Event, Watcher
from dalembert.simulation.events.of_expression import ExpressionWatcher
from dalembert.simulation.events.of_function import FunctionWatcher
from dalembert.simulation.events.quantity import Expression, Measured

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem
    from dalembert.types import ArrayLike


@dataclass(frozen=True)
class Crossing(Event):
    """A quantity passes through zero.

    Its time is found on the states between the steps and then on a step that ends there: it is as
    exact as the motion, or as the floats of the time. An expression is bounded in every part of a
    step, so that no crossing is overlooked, however many there are in one; a function is looked at
    in eight places of each step. A quantity that touches zero from one side has not crossed it, nor
    has one that an impact makes jump over it. Crossings that change nothing do not disturb the
    steps.

    Changes may pile up, as the bounces of a ball do. After 10 occurrences that follow each other
    within 1e-9 of the longest pause, or one whose change leads back to zero at once, the simulation
    stops there, with ``ok`` False; a `Contact` goes on by coming to rest.

    Args:
        of: An expression of `Model.symbols` and ``da.time``, or a function of (t, q, qd).
        direction: 1 counts only where it rises, -1 only where it falls, 0 both.
        is_terminal: Whether the simulation ends there.
        change: A function of (t, q, qd) that returns the (q, qd) to go on from; None changes
            nothing. Energy that is missing then counts as dissipated. `da.sensitivities` calls it
            once with symbols.
        name: What the trajectory calls it.

    >>> import dalembert as da
    >>> (x,) = da.coordinates("x")
    >>> model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=x**2 / 2, coordinates=[x]))
    >>> motion = da.simulate(model, [1.0], [0.0], 10, events=[Crossing(x, direction=1, name="up")])
    >>> [(round(t / 3.141592653589793, 12), name) for t, name in motion.events]
    [(1.5, 'up')]
    """

    of: Expr | Callable[[float, np.ndarray, np.ndarray], float]
    direction: int = 0
    is_terminal: bool = False
    change: Callable[[float, np.ndarray, np.ndarray], tuple[ArrayLike, ArrayLike]] | None = None
    name: str = "crossing"

    def __post_init__(self) -> None:
        if not isinstance(self.direction, int) or self.direction not in (-1, 0, 1):
            raise EvaluationError(
                f"expected the direction -1, 0 or 1 of {self.name}, got {self.direction!r}"
            )
        if not callable(self.of) and not isinstance(self.of, Expr):
            raise EvaluationError(
                f"expected an expression or a function of (t, q, qd) for {self.name}, got "
                f"{self.of!r}"
            )

    def start(self, problem: Problem, t: float, x: np.ndarray) -> Watcher:
        if isinstance(self.of, Expr):
            return ExpressionWatcher(self, Expression(problem.model, self.of), problem, t, x)
        return FunctionWatcher(self, Measured(problem, self.of, self.name), problem, t, x)
