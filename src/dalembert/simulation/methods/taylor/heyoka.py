"""Taylor's method of the package heyoka, where it is installed."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.functions import FUNCTIONS
from dalembert.optional import require
from dalembert.simulation.methods.base import Integrator, Step, Stepper
from dalembert.simulation.methods.taylor.rates import check_series, symbolic_rate

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

ROUNDING = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Heyoka(Integrator):
    """The adaptive Taylor integrator of heyoka on the program of the same rate.

    F. Biscani & D. Izzo, Revisiting high-order Taylor methods for astrodynamics and celestial
    mechanics, Monthly Notices of the Royal Astronomical Society 504 (2021). Forces as for `Taylor`.

    Args:
        tolerance: As heyoka takes it; rounding if not given.
        compact: Heyoka's compact mode: it compiles large mechanisms much faster.
    """

    tolerance: float = ROUNDING
    compact: bool = True
    integrates_extras: ClassVar[bool] = True

    def start(self, problem: Problem, t: float, x: np.ndarray, end: float) -> Stepper:
        """Begin at a state.

        Raises:
            MissingDependency: heyoka is not installed.
            EvaluationError: the forces are not known as expressions.
        """
        heyoka = _heyoka()
        model, values = problem.model, problem.forcing.constant
        check_series(problem, "Heyoka")

        def make() -> Any:
            rates, state, time, constants = symbolic_rate(problem, x.size)
            ports = {"x": state, **({} if time is None else {"t": [time]}), **constants}
            program = model.compile(rates, ports, name="rate").program
            names = [f"x{i}" for i in range(len(state))]
            variables = heyoka.make_vars(*names) if len(names) > 1 else [heyoka.make_vars(*names)]
            inputs = {
                "x": variables,
                "t": [heyoka.time],
                "tau": [heyoka.par[i] for i in range(len(model.symbols.inputs))],
            }
            equations = program.interpret([inputs[name] for name in ports], algebra(heyoka))
            return heyoka.taylor_adaptive(
                list(zip(variables, equations, strict=True)),
                np.zeros(len(state)),
                tol=self.tolerance,
                compact_mode=self.compact,
                pars=[0.0] * (0 if values is None else len(values)),
            )

        found = model.once(("heyoka", self, x.size, problem.forcing.law), make)
        integrator = copy.copy(found)
        if values is not None:
            integrator.pars[:] = values
        return _HeyokaStepper(integrator, heyoka.taylor_outcome, t, x)


class _HeyokaStepper(Stepper):
    def __init__(self, integrator: Any, outcomes: Any, t: float, x: np.ndarray) -> None:
        self.integrator, self.outcomes = integrator, outcomes
        self.powers = np.arange(integrator.order + 1)
        self.reset(t, x)

    def reset(self, t: float, x: np.ndarray) -> None:
        self.t, self.x = t, x
        self.integrator.time = t
        self.integrator.state[:] = x

    def step(self, end: float) -> Step:
        t, integrator = self.t, self.integrator
        outcome, h = integrator.step(max_delta_t=end - t, write_tc=True)
        if outcome not in (self.outcomes.success, self.outcomes.time_limit) or h == 0:
            raise EvaluationError(
                f"expected a step of heyoka from t = {t:.9g}, got its outcome {outcome}"
            )
        coefficients = np.array(integrator.tc)
        reached = outcome == self.outcomes.time_limit
        self.t, self.x = (end if reached else float(integrator.time)), integrator.state.copy()

        def dense(s: float) -> np.ndarray:
            return coefficients @ (s - t) ** self.powers

        return Step(self.t, self.x, dense, lambda: coefficients.T.copy(), is_exact=True)


def algebra(heyoka: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the functions with which a program is interpreted as expressions of heyoka."""

    def sign(_: object) -> NoReturn:
        # constant between its jumps; only dependent constraints have it here
        raise EvaluationError(
            "expected constraints without redundancy tests with Heyoka, got sign(…): take "
            "the method Taylor"
        )

    return {
        **{name: getattr(heyoka, name) for name in (*FUNCTIONS, "sqrt") if hasattr(heyoka, name)},
        "const": lambda value: heyoka.expression(math.pi if value == "pi" else float(value)),
        "pow": lambda x, exponent: x ** float(exponent),
        "sign": sign,
    }


def _heyoka() -> ModuleType:
    return require("heyoka", "this method", "or take the method Taylor")
