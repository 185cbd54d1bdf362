"""The power series of a motion, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import ONE, as_expr, parameters, postorder
from dalembert.model import compile_series
from dalembert.simulation.problem.kernels import time_symbol
from dalembert.simulation.problem.state_rate import state_rate

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model import SeriesKernel, Steps, StepStart
    from dalembert.simulation.laws.modes import Modes
    from dalembert.simulation.problem.problem import Problem

SWITCHES = ("sign", "abs")
"""Operations without a power series where they switch."""

SATURATING = ("tanh", "exp")
"""Operations whose power series may be below rounding just before they change."""


MAX_FAST_ROWS = 16
"""Of more velocities and constraints the code of a series takes longer to compile than it saves."""


class SymbolicRate(NamedTuple):
    """ẋ as expressions of x, of time (None if it does not occur) and of ``constants``.

    These are the symbols of forces that never change, of parameters with a value, and of the mode
    of dry friction, by the name of their input.
    """

    rates: list[Expr]
    state: list[Expr]
    time: Expr | None
    constants: dict[str, list[Expr]]


def symbolic_rate(problem: Problem, size: int) -> SymbolicRate:
    """Return ẋ of a motion that has power series; x has ``size`` entries."""
    model, is_audited = problem.model, size > problem.size
    rates = None if problem.modes is None else problem.modes.series_rates()
    if rates is None:
        rates = state_rate(model, problem.inputs, is_audited=is_audited)
    rates = rates if is_audited else rates[: problem.size]
    state = [*model.symbols.q, *model.symbols.qd]
    if is_audited:
        # the integrals do not act on the motion
        state.extend(parameters("work_done energy_dissipated"))
    constants = {"tau": list(model.symbols.inputs)} if problem.forcing.constant is not None else {}
    if model.given.symbols:
        constants["given"] = list(model.given.symbols)
    if problem.modes is not None:
        constants |= {name: list(symbols) for name, symbols in problem.modes.symbols.items()}
    return SymbolicRate(rates, state, time_symbol(model, problem.inputs), constants)


class MotionSeries(NamedTuple):
    """The compiled series of a motion, and the forces and parameters that never change.

    ``may_hide`` tells whether a change ahead may leave no trace in the coefficients. ``modes`` are
    those of dry friction, if their equations hold in every mode.
    """

    kernel: SeriesKernel
    fixed: tuple[np.ndarray, ...]
    may_hide: bool
    modes: Modes | None

    @property
    def constants(self) -> tuple[np.ndarray, ...]:
        """What does not change in a step."""
        return self.fixed if self.modes is None else (*self.fixed, *self.modes.values)

    def __call__(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the Taylor coefficients of the motion, a row for each order."""
        if self.kernel.is_timed:
            return self.kernel(np.append(x, t), *self.constants)[:, :-1]
        return self.kernel(x, *self.constants)

    def steps(
        self, start: StepStart, end: float, most: int, *, longest: float, safety: float
    ) -> Steps:
        """Take steps along the series; see `SeriesKernel.steps`."""
        constants = self.constants
        return self.kernel.steps(start, end, most, constants, longest=longest, safety=safety)


def series(problem: Problem, order: int, size: int) -> MotionSeries:
    """Return the Taylor coefficients of a motion.

    Raises:
        EvaluationError: a force is known as numbers only, or switches.
    """
    check_series(problem, "Taylor")

    def make() -> tuple[SeriesKernel, bool]:
        rates, state, time, constants = symbolic_rate(problem, size)
        if time is not None:
            rates, state = [*rates, ONE], [*state, time]
        kernel = compile_series(rates, state, constants, order=order, is_timed=time is not None)
        return kernel, any(node.op in SATURATING for node in postorder(rates))

    symbols, values = problem.model.given
    key = ("taylor", order, size, problem.forcing.law, symbols, _equations_of_modes(problem))
    kernel, may_hide = problem.model.once(key, make)
    constants = [problem.forcing.constant, values if symbols else None]
    fixed = tuple(np.asarray(x) for x in constants if x is not None)
    return MotionSeries(kernel, fixed, may_hide, problem.modes)


def _equations_of_modes(problem: Problem) -> tuple[Expr, ...] | None:
    """Return ẋ where modes have equations of their own: rows differ from run to run."""
    rates = None if problem.modes is None else problem.modes.series_rates()
    return None if rates is None else tuple(rates)


def check_series(problem: Problem, method: str) -> None:
    """Check that a motion has power series.

    Raises:
        EvaluationError: it has none.
    """
    reason = why_no_series(problem)
    if reason is not None:
        raise EvaluationError(f"expected {method} to see a motion with power series, got {reason}")


def why_no_series(problem: Problem) -> str | None:
    """Return why a motion has no power series that can be computed, or None if it has one."""
    if problem.pulls:
        return "Baumgarte's forces: take constraints=Projection(), or the method DOP853"
    if problem.modes is not None and not problem.modes.has_series:
        return "contacts or dry friction that switch: take the method DOP853"
    model = problem.model
    if problem.forcing.law is None and problem.forcing.constant is None:
        return (
            "forces from a function or a table: write them as expressions of model.symbols "
            "and da.time, or take the method DOP853"
        )
    key = ("switches", problem.forcing.law, _equations_of_modes(problem))
    found = model.once(key, lambda: _switches(problem))
    if found:
        return (
            f"{found[0]}(…) in the forces, such as dry friction: compile the mechanism with "
            "smoothing=, or take the method DOP853"
        )
    return None


def has_fast_series(problem: Problem) -> bool:
    """Tell whether a motion has a power series, in flight at least, that is worth compiling."""
    constraints = problem.constraints
    if problem.by_known_rank or problem.forcing.state.size:
        return False
    size = problem.model.nv + (0 if constraints is None else len(constraints.names))
    return size <= MAX_FAST_ROWS and why_no_series(problem) is None


def _switches(problem: Problem) -> list[str]:
    """Return operations that are not analytic in the forces.

    Those of constraints do not count: they switch only where constraints become dependent.
    """
    model, inputs = problem.model, problem.inputs
    q, v = model.symbols.q, model.symbols.qd
    parts = _equations_of_modes(problem)
    if parts is None:
        forces = model.expressions("applied_forces", q, v, inputs)
        parts = (*model.expressions("bias", q, v), *forces)
    return [node.op for node in postorder([as_expr(x) for x in parts]) if node.op in SWITCHES]
