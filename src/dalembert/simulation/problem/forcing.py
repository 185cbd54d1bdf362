"""What drives a simulation, in every form that it may be given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeGuard

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.model.border import finite_array
from dalembert.simulation.problem.callbacks import call_for_numbers
from dalembert.simulation.problem.delayed import Delayed, Past
from dalembert.simulation.problem.first_order import FirstOrder
from dalembert.simulation.problem.kernels import compiled, state_symbols
from dalembert.simulation.problem.sampled import Held, Sampled

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike, Scalar


class HasLaw(Protocol):
    """A controller that knows its feedback as expressions, one for each input; None if not."""

    @property
    def law(self) -> Sequence[Expr | float] | None:
        """The expressions."""
        ...


if TYPE_CHECKING:
    Forces: TypeAlias = (
        ArrayLike
        | Sequence[Expr | float]
        | tuple[ArrayLike, ArrayLike]
        | Callable[..., ArrayLike]
        | HasLaw
        | Sampled
        | FirstOrder
        | Delayed
        | None
    )
    """What may drive a simulation; `simulate` says what each form means."""


class Forcing(NamedTuple):
    """Either a law of expressions, or a function of (t, q, q̇, state) that gives numbers.

    ``constant`` holds these numbers where they never change; ``breaks`` the times where the force
    has a corner: a step ends there. ``held`` are forces that are constant between breaks and change
    there, ``past`` is the motion so far, which delayed forces see. Forces with states of their own
    have a ``state`` at the start and a ``state_rate`` of (t, q, q̇, state); others ignore the state.
    """

    law: tuple[Scalar, ...] | None = None
    numbers: Callable[..., np.ndarray] | None = None
    constant: np.ndarray | None = None
    breaks: np.ndarray = np.empty(0)
    state: np.ndarray = np.empty(0)
    state_rate: Callable[..., np.ndarray] | None = None
    held: Held | None = None
    past: Past | None = None


def forcing(forces: Forces, model: Model, span: tuple[float, float] | None = None) -> Forcing:
    """Return the forces as a law or as a function.

    ``span`` are start and end of the motion in seconds, which sampled laws need.

    Raises:
        EvaluationError: the form is none of those known, or sizes do not fit.
    """
    n = len(model.symbols.inputs)
    if forces is None:
        return Forcing(law=(0,) * n)
    if isinstance(forces, Sampled):
        if span is None:
            raise EvaluationError("expected a law in continuous time here, got one that is sampled")
        return _sampled(forces, model, span)
    if isinstance(forces, Delayed):
        return _delayed(forces, model, span)
    if isinstance(forces, FirstOrder):
        start, force, rate = forces.compiled(model)
        return Forcing(numbers=force, state=start, state_rate=rate)
    law = getattr(forces, "law", None)
    if law is not None and not callable(law):
        return _symbolic(law, n)
    if callable(forces):
        state = getattr(forces, "state", None)
        if state is None:
            breaks = finite_array(getattr(forces, "breaks", ()), "the breaks of the forces")
            return Forcing(numbers=_checked(forces, n, has_state=False), breaks=breaks)
        start, rate = finite_array(state, "the state of the controller"), forces.rate  # type: ignore[attr-defined]

        def state_rate(t: float, *arrays: np.ndarray) -> np.ndarray:
            what = "the rate of the controller's state"
            return call_for_numbers(rate, what, start.shape, t, *arrays)

        return Forcing(numbers=_checked(forces, n), state=start, state_rate=state_rate)
    if isinstance(forces, tuple) and len(forces) == 2:
        table = _table(*forces, n)
        if table is not None:
            return table
    if _is_symbolic(forces):
        return _symbolic(forces, n)
    values = finite_array(forces, "the forces")
    if values.shape != (n,):
        raise EvaluationError(
            f"expected {n} forces for {', '.join(map(str, model.symbols.inputs)) or 'no inputs'}, "
            f"got an array of shape {values.shape}: give one number each, expressions, "
            "(times, values), or a function of (t, q, qd)"
        )
    return Forcing(numbers=lambda t, q, v, state: values, constant=values)


def _sampled(forces: Sampled, model: Model, span: tuple[float, float]) -> Forcing:
    """Return forces that are held, or those of what they command."""
    through = forces.into
    if through is None:
        held = Held(forces, len(model.symbols.inputs), *span)
        return Forcing(numbers=held.at, constant=held.now, breaks=held.breaks, held=held)
    held = Held(forces, len(through.commands), *span)
    start, force, rate = through.compiled(model, held.commanded)
    return Forcing(numbers=force, state=start, state_rate=rate, breaks=held.breaks, held=held)


def _delayed(forces: Delayed, model: Model, span: tuple[float, float] | None) -> Forcing:
    """Return forces of the past."""
    if span is None:
        raise EvaluationError("expected a law without delay here, got a delayed one")
    past, drive = Past(forces, model, *span), forcing(forces.law, model)
    law, numbers = drive.law, drive.numbers
    if law is not None:
        own = compiled(model, ("law", law), lambda: {"tau": list(law)}, state_symbols(model), law)
    elif numbers is not None and not drive.state.size:

        def own(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return numbers(t, q, v, None)
    else:
        raise EvaluationError("expected a law without a state of its own in Delayed, got one")

    def at(t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray | None) -> np.ndarray:
        return own(*past.at(t, q, v))

    return Forcing(numbers=at, breaks=past.breaks, past=past)


def _is_symbolic(forces: object) -> TypeGuard[Sequence[Expr | float]]:
    if isinstance(forces, np.ndarray):
        forces = forces.tolist() if forces.dtype == object else ()
    return isinstance(forces, Sequence) and any(isinstance(x, Expr) for x in forces)


def _symbolic(law: Sequence[Expr | float], n: int) -> Forcing:
    if len(law) != n:
        raise EvaluationError(f"expected {n} expressions in the law of the forces, got {len(law)}")
    return Forcing(law=tuple(law))


def _table(times: object, values: object, n: int) -> Forcing | None:
    """Return forces at times, straight lines between them; None if this is no such pair."""
    if np.asarray(times).ndim != 1:
        return None
    times, values = finite_array(times, "the times of forces"), np.asarray(values)
    if n == 1 and values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        return None
    values = finite_array(values, "the values of forces")
    if values.shape != (times.size, n):
        raise EvaluationError(
            f"expected values of forces of shape ({times.size}, {n}), one row for each time, got "
            f"{values.shape}"
        )
    if times.size < 2 or not (np.diff(times) > 0).all():
        raise EvaluationError("expected two or more increasing times of forces, got others")

    def at(t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray | None) -> np.ndarray:
        if not times[0] <= t <= times[-1]:
            raise EvaluationError(
                f"expected forces at t = {t:.9g}, got a table from {times[0]:.9g} to "
                f"{times[-1]:.9g}: let it cover the whole simulation"
            )
        k = min(int(np.searchsorted(times, t, side="right")), times.size - 1)
        s = (t - times[k - 1]) / (times[k] - times[k - 1])
        return (1 - s) * values[k - 1] + s * values[k]

    return Forcing(numbers=at, breaks=times)


def _checked(
    function: Callable[..., Any], n: int, *, has_state: bool = True
) -> Callable[..., np.ndarray]:
    def at(t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray | None) -> np.ndarray:
        arrays = (q, v, state) if has_state else (q, v)
        return call_for_numbers(function, "the function of forces", (n,), t, *arrays)

    return at
