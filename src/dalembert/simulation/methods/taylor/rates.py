"""The rate of a simulation as expressions, and the power series of its solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.stabilisation import Baumgarte
from dalembert.simulation.problem.energy import powers
from dalembert.simulation.problem.kernels import once, time_symbol

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.methods.base import Problem

SWITCHES = ("sign", "abs")


def series(problem: Problem, order: int, size: int) -> Callable[[float, np.ndarray], np.ndarray]:
    """Return the Taylor coefficients of a motion as a function of (t, x).

    Raises:
        EvaluationError: a force is known as numbers only, or switches.
    """
    model = problem.model
    law, values = symbolic_forces(problem, "Taylor")
    is_audited = size > model.nq + model.nv

    def make() -> tuple[Any, bool]:
        rates, state, time = rate_expressions(model, law, is_audited=is_audited)
        if time is not None:
            rates, state = [*rates, 1], [*state, time]
        constants = {"tau": list(model.inputs)} if values is not None else {}
        return model.taylor(rates, state, constants, order=order), time is not None

    kernel, is_timed = once(model, ("taylor", order, is_audited, law), make)
    rest = () if values is None else (values,)
    if is_timed:
        return lambda t, x: kernel(np.append(x, t), *rest)[:, :-1]
    return lambda t, x: kernel(x, *rest)


def symbolic_forces(problem: Problem, method: str) -> tuple[tuple[Any, ...], np.ndarray | None]:
    """Return the forces as expressions, and the numbers of those that are constant.

    Raises:
        EvaluationError: they have no power series.
    """
    reason = why_no_series(problem)
    if reason is not None:
        raise EvaluationError(f"expected {method} to see a motion with power series, got {reason}")
    forcing, inputs = _forcing(problem), problem.model.inputs
    if forcing is None:
        return (0,) * len(inputs), None
    return (tuple(inputs), forcing.constant) if forcing.law is None else (forcing.law, None)


def why_no_series(problem: Problem) -> str | None:
    """Return why a motion has no power series that can be computed, or None if it has one."""
    if isinstance(getattr(problem, "stabilisation", None), Baumgarte):
        return 'Baumgarte\'s forces: take constraints="project", or the method DOP853'
    if getattr(problem, "laws", None) is not None:
        return "contacts or dry friction that switch: take the method DOP853"
    model, forcing = problem.model, _forcing(problem)
    law = (0,) * len(model.inputs) if forcing is None else forcing.law
    if forcing is not None and law is None:
        if forcing.constant is None:
            return (
                "forces from a function or a table: write them as expressions of model.q, model.qd "
                "and da.time, or take the method DOP853"
            )
        law = tuple(model.inputs)
    found = once(model, ("switches", law), lambda: _switches(model, law))
    if found:
        return (
            f"{found[0]}(…) in the forces, such as dry friction: compile the mechanism with "
            "smoothing=, or take the method DOP853"
        )
    return None


def rate_expressions(
    model: Model, law: Sequence[Any], *, is_audited: bool
) -> tuple[list[Any], list[Any], Any]:
    """Return ẋ, x, and the symbol of time if it occurs in ẋ, else None."""
    from dalembert.model.scalars import parameters

    q, v = list(model.q), list(model.qd)
    qdd = model.apply("forward_dynamics", q, v, law)
    rates, state = [*model.apply("configuration_rate", q, v), *qdd], [*q, *v]
    if is_audited:
        rates += powers(model, law, qdd)
        # the integrals do not act on the motion
        state += parameters("work_done energy_dissipated")
    return rates, state, time_symbol(model, law)


def _forcing(problem: Problem) -> Any:
    return getattr(problem, "forcing", None)


def _switches(model: Model, law: Sequence[Any]) -> list[str]:
    """Return operations that are not analytic in the forces.

    Those of constraints do not count: they switch only where constraints become dependent.
    """
    parts = [*model.apply("bias", model.q, model.qd), *law]
    if hasattr(model.formulas, "system"):
        parts += model.apply("applied_forces", model.q, model.qd, law)
    time = time_symbol(model, law)
    ports: dict[str, Any] = {"q": model.q, "qd": model.qd}
    if model.inputs:
        ports["tau"] = model.inputs
    if time is not None:
        ports["t"] = time
    program = model.function(parts, ports, name="forces").program
    return [op for op, _, _ in program.code if op in SWITCHES]
