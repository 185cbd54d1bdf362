"""A quantity whose zeros are events: its value and rate along a motion, and bounds of both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import ONE, Expr, parameters, tangent, time
from dalembert.model import Look, Outlook, Reading, Reason, compile_bounds
from dalembert.simulation.constraints.rounding import rounding_bounds
from dalembert.simulation.events.bounds import bounds
from dalembert.simulation.events.search import NOISE
from dalembert.simulation.problem.callbacks import call_for_numbers

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.problem.problem import Problem


class Quantity(ABC):
    """A number that depends on time and state."""

    @abstractmethod
    def read(self, t: float, x: np.ndarray, xd: np.ndarray) -> Reading:
        """Return the quantity, its derivative at a state that changes with ẋ, and its rounding."""


class Expression(Quantity):
    """A quantity that is known as an expression.

    Args:
        model: Whose symbols occur in it.
        of: The expression.
    """

    def __init__(self, model: Model, of: Expr) -> None:
        symbols = [*model.symbols.q, *model.symbols.qd]
        of = of.subs(model.given.by_symbol) if model.given.symbols else of
        occurring = of.symbols
        columns = [k for k, symbol in enumerate(symbols) if symbol in occurring]
        used = [symbols[k] for k in columns]
        kernel = model.once(
            ("bounds of crossing", of),
            lambda: compile_bounds(_bounds(of, used), _ports(used), name="bounds"),
        )
        self.search = kernel.search(columns)

    def read(self, t: float, x: np.ndarray, xd: np.ndarray) -> Reading:
        return self.search.read(t, x, xd)

    def along(self, look: Look, t: np.ndarray, series: np.ndarray, first: int = 0) -> Outlook:
        """Return the sign changes in some steps; see `SignSearch.along`."""
        return self.search.along(look, t, series, first)

    def falls(self, t: np.ndarray, series: np.ndarray) -> Outlook:
        """Look at steps until the quantity falls through zero; that is the last change, if any.

        It is taken to be positive at the start, where it may be zero but for rounding.

        Raises:
            EvaluationError: it has no finite value at the start.
        """
        look = Look(side=1, t=float(t[0]), value=0.0, rate=0.0, arrival_noise=0.0, stop=-1)
        found = self.along(look, t, series)
        if found.reason is Reason.NOT_FINITE and not found.end:
            # says what it is
            self.read(float(t[0]), series[0, 0], series[0, 1])
        return found


def _ports(used: list[Expr]) -> dict[str, list[Expr]]:
    """Return the inputs of bounds: what varies, then three symbols for each."""
    names = {"r": "r_", "xd": "d_", "s": "s_"}
    count = range(len(used) + 1)
    others = {
        port: list(parameters(" ".join(f"{name}{i}" for i in count)))
        for port, name in names.items()
    }
    return {"x": [*used, time], **others}


def _bounds(of: Expr, used: list[Expr]) -> list[Expr]:
    """Return value, radius, rate, radius of the rate, and rounding."""
    varying, radii, rates, rate_radii = _ports(used).values()
    rate = tangent([of], dict(zip(used, rates, strict=False)) | {time: ONE})[0]
    spread = dict(zip(varying, radii, strict=True)) | dict(zip(rates, rate_radii, strict=True))
    balls = bounds([of, rate], spread)
    return [*(x for ball in balls for x in ball), *rounding_bounds([of])]


class Measured(Quantity):
    """A quantity that is known by a function of (t, q, q̇)."""

    def __init__(self, problem: Problem, of: Callable[..., float], name: str) -> None:
        self.nq, self.of, self.name = problem.nq, of, name
        # over which rates are taken as differences, in seconds
        self.nudge, self.largest = 1e-6, 0.0

    def value(self, t: float, x: np.ndarray) -> float:
        """Return the quantity at a state (q, q̇)."""
        what = f"the function of {self.name}"
        found = call_for_numbers(self.of, what, None, t, x[: self.nq], x[self.nq :])
        if found.size != 1:
            raise EvaluationError(
                f"expected one number for the result of {what} at t = {t:.9g}, got {found.size}"
            )
        return float(found.item())

    def read(self, t: float, x: np.ndarray, xd: np.ndarray) -> Reading:
        before, after = t - self.nudge, t + self.nudge
        way = xd[: x.size]
        up, down = x + (after - t) * way, x - (t - before) * way
        rate = (self.value(after, up) - self.value(before, down)) / (after - before)
        value = self.value(t, x)
        self.largest = max(self.largest, abs(value))
        return Reading(value, rate, NOISE * self.largest)
