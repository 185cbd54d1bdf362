"""The rate of a simulation as expressions, and the power series of its solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulate.energy import powers
from dalembert.simulate.kernels import once, time_symbol
from dalembert.simulate.stabilisation import Baumgarte

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulate.method import Problem

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
        EvaluationError: they are known as numbers only.
    """
    if isinstance(getattr(problem, "stabilisation", None), Baumgarte):
        raise EvaluationError(
            f'expected constraints="project" or "drift" with {method}, got Baumgarte: take them '
            "or the method DOP853"
        )
    forcing: Any = getattr(problem, "forcing", None)
    if forcing is None or forcing.law is not None:
        return (tuple(forcing.law) if forcing else (0,) * len(problem.model.inputs)), None
    constant = getattr(forcing, "constant", None)
    if constant is None:
        raise EvaluationError(
            f"expected forces that are constant or expressions with {method}, got a function or a "
            "table of numbers: write the forces with model.q, model.qd and da.time, or take the "
            "method DOP853"
        )
    return model_inputs(problem.model), constant


def model_inputs(model: Model) -> tuple[Any, ...]:
    """Return the symbols of the inputs as the law of constant forces."""
    return tuple(model.inputs)


def rate_expressions(
    model: Model, law: Sequence[Any], *, is_audited: bool
) -> tuple[list[Any], list[Any], Any]:
    """Return ẋ, x, and the symbol of time if it occurs in ẋ, else None.

    Raises:
        EvaluationError: a force switches.
    """
    from dalembert.model.scalars import parameters

    _refuse_switches(model, law)
    q, v = list(model.q), list(model.qd)
    qdd = model.apply("forward_dynamics", q, v, law)
    rates, state = [*model.apply("configuration_rate", q, v), *qdd], [*q, *v]
    if is_audited:
        rates += powers(model, law, qdd)
        state += parameters("work_done energy_dissipated")
    return rates, state, time_symbol(model, law)


def _refuse_switches(model: Model, law: Sequence[Any]) -> None:
    """Raise where a force is not analytic; constraints switch only where they become dependent."""
    parts = model.apply("bias", model.q, model.qd)
    if hasattr(model.formulas, "system"):
        parts = [*parts, *model.apply("applied_forces", model.q, model.qd, law)]
    inputs = {"q": model.q, "qd": model.qd, "tau": model.inputs}
    time = time_symbol(model, law)
    ports = {name: s for name, s in inputs.items() if s} | ({} if time is None else {"t": time})
    program = model.function([*parts, *law], ports, name="forces").program
    found = [op for op, _, _ in program.code if op in SWITCHES]
    if found:
        raise EvaluationError(
            f"expected analytic forces with power series, got {found[0]}(…), such as dry friction: "
            "compile the mechanism with smoothing=, or take the method DOP853"
        )
