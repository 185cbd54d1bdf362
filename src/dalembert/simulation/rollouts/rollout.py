"""Many simulations at once: every integration runs whole inside compiled code."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.border import all_of_kind, to_numpy, values_of
from dalembert.model.model import check_model
from dalembert.model.places import Place, place_of
from dalembert.simulation.laws.base import SwitchingLaw
from dalembert.simulation.limits import OnLimits, checked_limits, missing_stops
from dalembert.simulation.methods.explicit import ExplicitMethod
from dalembert.simulation.methods.runge_kutta import RK4
from dalembert.simulation.rollouts.arguments import (
    Given,
    by_symbols,
    given_arrays,
    groups_of,
    law_of,
    stride_of,
)
from dalembert.simulation.rollouts.loop import RolloutLoop, rollout_loop
from dalembert.simulation.rollouts.result import Residuals, Rollouts
from dalembert.simulation.time_stepping.loop import stepping_loop
from dalembert.simulation.time_stepping.method import TimeStepping
from dalembert.simulation.time_stepping.step import groups_of_model
from dalembert.simulation.trajectory.progress import progress_bar

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.problem.external import Wrenches
    from dalembert.simulation.problem.forcing import Forces
    from dalembert.types import ArrayLike

SECONDS_BETWEEN_LOOKS = 0.2
"""How long compiled code runs before the bar moves."""

FEW = 16
"""Any batch of this size or more runs the same code."""

MOST_FLOATS = 1 << 24
"""Whole numbers up to this have no gaps in single precision."""


def rollout(
    model: Model,
    q0: ArrayLike,
    qd0: ArrayLike | None,
    steps: int,
    forces: Forces = None,
    *,
    method: ExplicitMethod | TimeStepping = RK4(),  # noqa: B008, a frozen value
    parameters: Mapping[Any, ArrayLike] | None = None,
    controls: ArrayLike | None = None,
    external: Wrenches = None,
    reference: str = "world",
    events: Sequence[SwitchingLaw] = (),
    limits: OnLimits = "warn",
    record: int | None = 1,
    progress: bool = False,
) -> Rollouts:
    """Return the motions of many states, parameters and controls.

    All arrays have leading batch axes that broadcast against each other: a spread of initial
    states, of parameters, of controls. The batch runs over SIMD lanes and cores, or over the
    threads of a GPU with ``da.compile(..., backend="cuda")``.

    Args:
        model: What `da.compile` gave, on the backend "llvm", "numpy" or "cuda".
        q0: Configurations at the start, ``(..., nq)``.
        qd0: Velocities at the start, ``(..., nv)``; None for rest.
        steps: How many.
        forces: What drives the inputs: one number or expression for each, of `Model.symbols`,
            ``da.time`` and further symbols with values in ``parameters``; a controller with such a
            law; None for no forces, or for the controls alone.
        method: ``RK4(step)``, ``SemiImplicitEuler(step)``, ``Midpoint(step)`` or ``Heun(step)``,
            with the length of a step in seconds; ``TimeStepping(step)`` with contacts. Quaternions
            are scaled to length one after every step, and constrained states projected by one step
            of Newton's method.
        parameters: Values of symbols of the model and of the forces, by symbol or name: numbers or
            ``(...)`` for one, ``(..., n)`` for a tuple of n.
        controls: Inputs that are held during each step, ``(..., steps, inputs)``. In expressions
            of forces, ``model.symbols.inputs`` stand for them.
        external: Wrenches (force, moment) on frames of a mechanism, by their names: six numbers or
            expressions, as for forces.
        reference: Axes and point of the wrenches, as those of a Jacobian: "world", "body" or
            "spatial".
        events: With ``TimeStepping(step)`` what the robots touch: `Ground`, `Contact`,
            `JointStops`, `DryFriction`. Dry friction of joints acts too, as in `da.simulate`.
        limits: "warn" reports in `Rollouts.warnings` which joints are beyond their limits; "ignore"
            does not. "hold" adds stops, with ``TimeStepping``.
        record: Store every so many steps, which must divide ``steps``; None stores the start and
            the end alone.
        progress: Whether to show a bar.

    On a GPU, arrays of CuPy, JAX or PyTorch stay there, and results are of the same kind; arrays of
    NumPy are copied to the device, and results back. Results have the dtype of the model.

    A rollout that becomes infinite or NaN does not disturb the others: `Rollouts.ok` tells which,
    `Rollouts.status` says it in a sentence.

    Raises:
        EvaluationError: shapes do not fit, values are missing or not finite, or a start violates
            the constraints.
        UnknownName: an unknown parameter.

    >>> import dalembert as da, numpy as np
    >>> (x,), (m, k) = da.coordinates("x"), da.parameters("m k")
    >>> spring = da.System(kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x])
    >>> model = da.compile(spring, parameters={m: 1})
    >>> stiffness = np.array([1.0, 4.0, 9.0])
    >>> runs = da.rollout(model, [1.0], None, 1000, parameters={k: stiffness}, record=500)
    >>> runs.q.shape
    (3, 3, 1)
    >>> bool(np.allclose(runs.q[:, -1, 0], np.cos(np.sqrt(stiffness)), rtol=0, atol=1e-12))
    True
    """
    check_model(model, "da.rollout")
    laws = _laws(model, method, events, limits)
    step, stride, has_controls = float(method.step), stride_of(steps, record), controls is not None
    law = law_of(forces, model, external, reference, has_controls=has_controls)
    values = by_symbols(values_of(parameters), model, law)
    begin = time.perf_counter()
    place = place_of(model, [q0, qd0, *values.values(), controls])
    given = given_arrays(model, q0, qd0, values, controls, steps, step, place)
    prepared = time.perf_counter() - begin
    symbols = groups_of(values)
    if isinstance(method, TimeStepping):
        groups = groups_of_model(model, laws)
        loop = stepping_loop(model, law, method, symbols, groups, has_controls=has_controls)
    else:
        loop = rollout_loop(model, law, method, symbols, has_controls=has_controls, kept=given.rows)
    if loop.is_timed and model.dtype == "float32" and steps > MOST_FLOATS:
        raise EvaluationError(
            f"expected at most {MOST_FLOATS} steps of a law of time in float32, which counts no "
            f"further, got {steps}: compile with dtype='float64'"
        )
    rows = steps // stride
    _prepare(model, loop, given, step)
    bar = progress_bar(0.0, steps * step) if progress else nullcontext(lambda t: None)
    begin = time.perf_counter()
    q = place.empty(given.batch, rows + 1, model.nq)
    v = place.empty(given.batch, rows + 1, model.nv)
    q[..., 0, :], v[..., 0, :] = given.q, given.v
    said = None
    with bar as reached:
        chunk = 1 if progress else steps
        for part in _run(loop, given, place, step, steps, stride, chunk):
            place.store(q, part.row, part.q)
            place.store(v, part.row, part.v)
            said = part.said
            reached(part.done * step)
    q, v = place.result(q), place.result(v)
    residuals = None
    if said is not None and isinstance(method, TimeStepping):
        worst, unsolved, depth, sweeps = np.moveaxis(to_numpy(said), -1, 0)
        # of a motion that is not finite, no step is solved
        unsolved = np.where(np.isfinite(unsolved), unsolved, steps).astype(int)
        residuals = Residuals(worst, unsolved, depth, sweeps / steps, method.tolerance)
    return Rollouts(
        name=model.name,
        method=str(method),
        step=step,
        t=step * stride * np.arange(rows + 1.0),
        q=q,
        qd=v,
        q_names=model.configuration.q_names,
        v_names=model.configuration.v_names,
        num_steps=int(steps),
        seconds=prepared + time.perf_counter() - begin,
        configuration=model.configuration if limits == "warn" else None,
        residuals=residuals,
    )


def _laws(
    model: Model,
    method: ExplicitMethod | TimeStepping,
    events: Sequence[SwitchingLaw],
    limits: OnLimits,
) -> list[SwitchingLaw]:
    """Return what the robots touch.

    Raises:
        EvaluationError: it is no method for rollouts, or none that sees contacts.
    """
    if isinstance(method, TimeStepping):
        checked_limits(limits)
        laws = all_of_kind(events, (SwitchingLaw,), "events=", "contacts or dry friction")
        stops = missing_stops(model.configuration, laws) if limits == "hold" else []
        return [*laws, *stops]
    checked_limits(limits, ("warn", "ignore"))
    if not isinstance(method, ExplicitMethod):
        raise EvaluationError(
            "expected method=RK4(step), SemiImplicitEuler(step), Midpoint(step), Heun(step) or "
            f"TimeStepping(step) for rollouts, got {method!r}: da.simulate takes the others"
        )
    if events:
        raise EvaluationError(
            f"expected method=TimeStepping(step) for rollouts with events=, got {method}"
        )
    return []


class _Part(NamedTuple):
    """Stored states from a row on, none or many, the steps done so far, and what they say."""

    row: int
    q: np.ndarray
    v: np.ndarray
    done: int
    said: Any


def _run(
    loop: RolloutLoop,
    given: Given,
    place: Place,
    step: float,
    steps: int,
    stride: int,
    chunk: int,
) -> Iterator[_Part]:
    """Yield stored states as they come.

    Runs ``chunk`` steps at first; then as many as take `SECONDS_BETWEEN_LOOKS`.
    """
    state, done = (given.q, given.v, *loop.memory), 0
    while done < steps:
        begin = time.perf_counter()
        count = min(chunk, steps - done)
        # whole strides with their records, or a part of one up to its end
        is_whole = done % stride == 0 and count >= stride
        count = count // stride * stride if is_whole else min(count, stride - done % stride)
        run = _call(loop, given, state, step, done, count, stride if is_whole else 0)
        row, done = done // stride + 1, done + count
        state = run.outputs[: len(state)]
        stored = run.records[:2]
        if not is_whole:
            stored = [x[..., None, :][..., : int(done % stride == 0), :] for x in state[:2]]
        q, v = map(place.kept, stored)
        yield _Part(row, q, v, done, state[2] if loop.memory else None)
        pace = (time.perf_counter() - begin) / count
        chunk = max(1, int(SECONDS_BETWEEN_LOOKS / pace))


def _call(
    loop: RolloutLoop,
    given: Given,
    state: Sequence[ArrayLike],
    step: float,
    done: int,
    count: int,
    record: int,
) -> Any:
    """Run some steps from a state that was reached after others."""
    arrays = [*state, step, *([float(done)] if loop.is_timed else []), *given.values]
    if given.controls is not None:
        arrays.append(given.controls[..., done : done + count, :])
    return loop.run(*arrays, steps=count, record=record)


def _prepare(model: Model, loop: RolloutLoop, given: Given, step: float) -> None:
    """Run one step for nothing the first time, so that times do not contain compiling."""
    # few samples run one by one, many side by side: other code
    size = min(math.prod(given.batch), FEW)
    state = given.q, given.v, *loop.memory
    model.once((loop.run, size), lambda: _call(loop, given, state, step, 0, 1, 0).is_finite)
